//! Values over time in one line of block characters.

/// From the smallest value to the largest.
const BLOCKS: [char; 8] = ['▁', '▂', '▃', '▄', '▅', '▆', '▇', '█'];

/// A block per value, a space where there is none. The lowest block stands for the smallest value, or for zero if no value is
/// negative and `from_zero`.
pub(crate) fn blocks(values: &[Option<f64>], from_zero: bool) -> String {
    let finite = || values.iter().flatten().copied().filter(|value| value.is_finite());
    let (least, most) = (finite().fold(f64::INFINITY, f64::min), finite().fold(f64::NEG_INFINITY, f64::max));
    let least = if from_zero { least.min(0.0) } else { least };
    let block = |value: &Option<f64>| {
        let Some(value) = value.filter(|value| value.is_finite()) else { return ' ' };
        // Halves first: the whole span may be larger than the largest number.
        let share = (value / 2.0 - least / 2.0) / (most / 2.0 - least / 2.0);
        let height = if share.is_finite() { (share * (BLOCKS.len() - 1) as f64).round() } else { 0.0 };
        BLOCKS[(height as usize).min(BLOCKS.len() - 1)]
    };
    values.iter().map(block).collect()
}

/// Fewer values: of each of `num` equal parts the largest.
pub(crate) fn thinned(values: &[Option<f64>], num: usize) -> Vec<Option<f64>> {
    if num == 0 || values.len() <= num {
        return values.to_vec();
    }
    let part = |at: usize| &values[at * values.len() / num..(at + 1) * values.len() / num];
    (0..num).map(|at| part(at).iter().flatten().copied().reduce(f64::max)).collect()
}

/// Whether the terminal shows these characters, as far as its locale says.
pub(crate) fn is_utf8_locale() -> bool {
    if cfg!(windows) {
        return true;
    }
    let set = ["LC_ALL", "LC_CTYPE", "LANG"].into_iter().filter_map(|name| std::env::var(name).ok());
    let first = set.into_iter().find(|value| !value.is_empty()).unwrap_or_default().to_lowercase();
    first.contains("utf-8") || first.contains("utf8")
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn heights_are_shares_of_the_range() {
        let some = |values: &[f64]| values.iter().copied().map(Some).collect::<Vec<_>>();
        assert_eq!(blocks(&some(&[0.0, 1.0, 2.0, 3.0, 4.0, 5.0, 6.0, 7.0]), true), "▁▂▃▄▅▆▇█");
        assert_eq!(blocks(&some(&[90.0, 100.0]), true), "▇█");
        assert_eq!(blocks(&some(&[90.0, 100.0]), false), "▁█");
        assert_eq!(blocks(&some(&[-1.0, 0.0, 1.0]), true), "▁▅█");
        assert_eq!(blocks(&some(&[0.0, 0.0]), true), "▁▁", "nothing happened");
        assert_eq!(blocks(&some(&[f64::MIN, f64::MAX]), false), "▁█");
    }

    #[test]
    fn what_is_missing_is_a_space() {
        let values = [Some(1.0), None, Some(f64::NAN), Some(f64::INFINITY), Some(2.0)];
        assert_eq!(blocks(&values, false), "▁   █");
        assert_eq!(blocks(&[None, None], true), "  ");
        assert_eq!(blocks(&[], true), "");
    }

    #[test]
    fn peaks_stay_when_there_is_less_room() {
        let values: Vec<Option<f64>> = (0..100).map(|at| (at != 7).then_some(f64::from(at % 50))).collect();
        let few = thinned(&values, 10);
        assert_eq!(few.len(), 10);
        assert_eq!((few[0], few[4], few[9]), (Some(9.0), Some(49.0), Some(49.0)));
        assert_eq!(thinned(&values[..3], 10), &values[..3]);
        assert_eq!(thinned(&[None; 4], 2), [None, None]);
    }
}
