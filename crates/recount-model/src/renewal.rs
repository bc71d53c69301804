//! Things that were registered again between two samples: their counters started afresh, though their name is the same.

/// How it shows that an instance was registered again. `C` is a counter: its index in the object, or where a reader finds it.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Renewal<C = usize> {
    /// Any of these fell.
    pub any: Vec<C>,
    /// The first of these fell, and so did all others that weren't 0.
    pub all: Vec<C>,
    /// One of a pair fell, and didn't wrap around: it wasn't beyond half its range, or the other one didn't rise.
    pub pairs: Vec<[C; 2]>,
    /// The instance that is the sum over the others: it is another one if any of them is.
    pub sum: Option<&'static str>,
}

impl<C> Default for Renewal<C> {
    fn default() -> Self {
        Renewal { any: Vec::new(), all: Vec::new(), pairs: Vec::new(), sum: None }
    }
}

impl<C> Renewal<C> {
    /// Whether an instance was registered again between two samples. `values` are the earlier and the later value of a counter,
    /// `half` is half of what it can count up to.
    pub fn is_between(&self, values: impl Fn(&C) -> (u64, u64), half: impl Fn(&C) -> u64) -> bool {
        let fell = |counter: &C| {
            let (before, now) = values(counter);
            now < before
        };
        let is_wrapped = |counter: &C, other: &C| {
            let (before, now) = values(other);
            now > before && values(counter).0 > half(counter)
        };
        let all_fell = || {
            let (first, others) = self.all.split_first()?;
            Some(fell(first) && others.iter().all(|counter| fell(counter) || values(counter).0 == 0))
        };
        self.any.iter().any(fell)
            || all_fell().unwrap_or(false)
            || self.pairs.iter().any(|[one, other]| {
                [(one, other), (other, one)]
                    .into_iter()
                    .any(|(counter, other)| fell(counter) && !is_wrapped(counter, other))
            })
    }

    /// The counters by which it shows.
    pub fn counters(&self) -> impl Iterator<Item = &C> {
        self.any.iter().chain(&self.all).chain(self.pairs.iter().flatten())
    }

    /// The same with other names for counters, as far as all that a part of it needs is found.
    pub fn map<D>(&self, mut find: impl FnMut(&C) -> Option<D>) -> Renewal<D> {
        let any = self.any.iter().filter_map(&mut find).collect();
        let mut all: Vec<D> = self.all.first().and_then(&mut find).into_iter().collect();
        if !all.is_empty() {
            all.extend(self.all[1..].iter().filter_map(&mut find));
        }
        let pairs = self.pairs.iter().filter_map(|[one, other]| Some([find(one)?, find(other)?])).collect();
        Renewal { any, all, pairs, sum: self.sum }
    }

    /// Whether nothing would show it.
    pub fn is_empty(&self) -> bool {
        self.any.is_empty() && self.all.is_empty() && self.pairs.is_empty()
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    const HALF: u64 = 1 << 31;

    fn is_between(renewal: &Renewal, before: &[u64], now: &[u64]) -> bool {
        renewal.is_between(|at| (before[*at], now[*at]), |_| HALF)
    }

    #[test]
    fn one_of_a_pair_that_wraps_around_shows_nothing() {
        let interface = Renewal { pairs: vec![[0, 1]], ..Renewal::default() };
        assert!(!is_between(&interface, &[10, 10], &[20, 10]));
        assert!(is_between(&interface, &[10, 10], &[20, 9]));
        assert!(!is_between(&interface, &[HALF + 1, 10], &[5, 11]));
        assert!(is_between(&interface, &[HALF + 1, 10], &[5, 10]), "the other one stood");
        assert!(is_between(&interface, &[HALF, 10], &[5, 11]));
    }

    #[test]
    fn a_disk_of_which_one_counter_fell_goes_on() {
        let disk = Renewal { all: vec![0, 1, 2], ..Renewal::default() };
        assert!(is_between(&disk, &[10, 10, 0], &[1, 9, 0]));
        assert!(!is_between(&disk, &[10, 10, 0], &[1, 10, 0]));
        assert!(!is_between(&disk, &[10, 10, 0], &[10, 9, 0]));
        let found = disk.map(|at| (*at > 0).then_some(*at));
        assert!(found.is_empty(), "without the first there is no rule: {found:?}");
        assert_eq!(disk.map(|at| (*at != 1).then_some(*at)).all, [0, 2]);
    }
}
