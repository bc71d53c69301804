//! What is usual for machines: a baseline.

use std::collections::BTreeMap;
use std::sync::Arc;

use super::blocks::{BLOCK_S, OF_HOUR, OF_WEEK};
use super::held::Held;

/// With less, nobody knows what is usual: two hours.
pub(super) const LEAST_HOURS: f64 = 2.0;

/// A series by its names. The machine's is in lower case.
#[derive(Clone, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub(super) struct Key {
    pub(super) host: Arc<str>,
    pub(super) object: Arc<str>,
    pub(super) instance: Option<Arc<str>>,
    pub(super) counter: Arc<str>,
}

/// Which blocks of local time are known, as ranges, ascending: the first one, and that after the last one.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub(super) struct KnownBlocks {
    ranges: Vec<(i64, i64)>,
}

impl KnownBlocks {
    /// From ranges; `None` if they aren't ascending.
    pub(super) fn from_ranges(ranges: Vec<(i64, i64)>) -> Option<KnownBlocks> {
        /// Later, no capture is recorded: the year 30000.
        const MOST: i64 = 3_000_000_000;
        let is_sound = |(first, end): &(i64, i64)| 0 <= *first && first < end && *end < MOST;
        let is_ascending = ranges.windows(2).all(|pair| pair[0].1 < pair[1].0);
        (is_ascending && ranges.iter().all(is_sound)).then_some(KnownBlocks { ranges })
    }

    pub(super) fn ranges(&self) -> &[(i64, i64)] {
        &self.ranges
    }

    pub(super) fn has(&self, block: i64) -> bool {
        let after = self.ranges.partition_point(|(first, _)| *first <= block);
        after.checked_sub(1).is_some_and(|at| block < self.ranges[at].1)
    }

    pub(super) fn add(&mut self, block: i64) {
        // Mostly it is the last one, or the one after it.
        match self.ranges.last_mut() {
            Some((first, end)) if (*first..*end).contains(&block) => return,
            Some((_, end)) if *end == block => {
                *end += 1;
                return;
            }
            _ => {}
        }
        if !self.has(block) {
            self.ranges.push((block, block + 1));
            self.tidy();
        }
    }

    fn tidy(&mut self) {
        self.ranges.sort_unstable();
        self.ranges.dedup_by(|next, kept| {
            let touches = next.0 <= kept.1;
            if touches {
                kept.1 = kept.1.max(next.1);
            }
            touches
        });
    }

    fn overlaps(&self, other: &KnownBlocks) -> bool {
        self.ranges
            .iter()
            .any(|(first, end)| other.ranges.iter().any(|(begin, until)| first < until && begin < end))
    }

    fn merge(&mut self, other: &KnownBlocks) {
        self.ranges.extend(&other.ranges);
        self.tidy();
    }

    /// How many blocks are known.
    pub(super) fn len(&self) -> u64 {
        self.ranges.iter().map(|(first, end)| (end - first) as u64).sum()
    }

    pub(super) fn hours(&self) -> f64 {
        self.len() as f64 * BLOCK_S as f64 / 3_600.0
    }

    /// In how many weeks something is known of each hour of the week.
    pub(super) fn weeks(&self) -> Vec<usize> {
        (0..168).map(|hour| self.weeks_of(hour)).collect()
    }

    fn weeks_of(&self, hour: u8) -> usize {
        let offset = i64::from(hour) * OF_HOUR;
        let mut weeks: Vec<i64> = Vec::new();
        for (first, end) in &self.ranges {
            // The hours that end after the first block, and begin before the end.
            let from = (first - offset - OF_HOUR).div_euclid(OF_WEEK) + 1;
            let until = (end - 1 - offset).div_euclid(OF_WEEK);
            weeks.extend(from..=until);
        }
        weeks.dedup();
        weeks.len()
    }
}

/// What is usual for machines. Of each series, the means of five minutes: their quantiles, over all and for each hour of the
/// week.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct Baseline {
    pub(super) captures: u64,
    pub(super) samples: u64,
    /// By the machine's name in lower case: its name, and what is known of it.
    pub(super) machines: BTreeMap<Arc<str>, (Arc<str>, KnownBlocks)>,
    pub(super) series: BTreeMap<Key, Held>,
}

/// Why two baselines can't become one.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
#[error("both have {host} at the same time, which would count twice")]
pub struct BothHave {
    /// The machine.
    pub host: String,
}

impl Baseline {
    /// How many series it has.
    pub fn num_series(&self) -> usize {
        self.series.len()
    }

    /// Machines.
    pub fn hosts(&self) -> Vec<String> {
        self.machines.values().map(|(name, _)| name.to_string()).collect()
    }

    /// Captures, and their samples.
    pub fn counts(&self) -> (u64, u64) {
        (self.captures, self.samples)
    }

    /// Hours known of all machines.
    pub fn hours(&self) -> f64 {
        self.machines.values().map(|(_, covered)| covered.hours()).sum()
    }

    /// Adds another one.
    pub fn merge(&mut self, other: Baseline) -> Result<(), BothHave> {
        for (key, (name, covered)) in &other.machines {
            if self.machines.get(key).is_some_and(|(_, own)| own.overlaps(covered)) {
                return Err(BothHave { host: name.to_string() });
            }
        }
        self.captures += other.captures;
        self.samples += other.samples;
        for (key, (name, covered)) in other.machines {
            self.machines.entry(key).or_insert_with(|| (name, KnownBlocks::default())).1.merge(&covered);
        }
        for (key, held) in other.series {
            match self.series.entry(key) {
                std::collections::btree_map::Entry::Vacant(entry) => drop(entry.insert(held)),
                std::collections::btree_map::Entry::Occupied(mut entry) => entry.get_mut().merge(&held),
            }
        }
        Ok(())
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn blocks_are_ranges() {
        let mut covered = KnownBlocks::default();
        for block in [5, 6, 7, 20, 9, 8, 8, 3, 21] {
            covered.add(block);
        }
        assert_eq!(covered.ranges(), [(3, 4), (5, 10), (20, 22)]);
        assert!(
            covered.has(3) && !covered.has(4) && covered.has(9) && !covered.has(10) && covered.len() == 8
        );
        assert!(!covered.has(2) && covered.has(21) && !covered.has(22));
        let other = KnownBlocks::from_ranges(vec![(4, 5), (10, 20)]).expect("sound");
        assert!(!covered.overlaps(&other) && covered.overlaps(&covered));
        covered.merge(&other);
        assert_eq!(covered.ranges(), [(3, 22)]);
        assert_eq!(KnownBlocks::from_ranges(vec![(5, 4)]), None);
        assert_eq!(KnownBlocks::from_ranges(vec![(1, 5), (4, 9)]), None);
    }

    #[test]
    fn weeks_of_an_hour_are_counted() {
        // Two weeks and a day, from Monday.
        let covered = KnownBlocks::from_ranges(vec![(0, 2 * OF_WEEK + 24 * OF_HOUR)]).expect("sound");
        assert_eq!((covered.weeks_of(0), covered.weeks_of(23), covered.weeks_of(24)), (3, 3, 2));
        // A capture of each Tuesday, at 14:30, with a gap.
        let tuesday = |week: i64| {
            let begin = week * OF_WEEK + (24 + 14) * OF_HOUR + 6;
            [(begin, begin + 2), (begin + 3, begin + 4)]
        };
        let covered = KnownBlocks::from_ranges((1..5).flat_map(tuesday).collect()).expect("sound");
        assert_eq!((covered.weeks_of(38), covered.weeks_of(37), covered.weeks_of(39)), (4, 0, 0));
    }
}
