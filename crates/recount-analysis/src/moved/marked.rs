//! The mark before something happened.

use recount_model::Timestamp;

use super::bounds::Interval;
use crate::report::CaptureFacts;
use crate::shown::{duration, short};

/// A mark, and how long before something it was.
#[derive(Clone, Debug, PartialEq)]
pub(crate) struct MarkBefore {
    /// Its text.
    pub(crate) text: String,
    /// Seconds from the mark to the earliest time at which it may have happened; zero if the mark lies after that.
    pub(crate) seconds: f64,
}

/// The last mark of the ten minutes before something happened; `time` is the earliest and the latest time of that.
pub(crate) fn mark_before(facts: &CaptureFacts, time: Interval) -> Option<MarkBefore> {
    const LONGEST: f64 = 600.0;
    let seconds = |mark: Timestamp| time.begin.seconds_since(mark).max(0.0);
    let is_near = |mark: Timestamp| mark <= time.end && seconds(mark) <= LONGEST;
    let mark = facts.marks.iter().rev().find(|mark| is_near(mark.time))?;
    Some(MarkBefore { text: mark.text.clone(), seconds: seconds(mark.time) })
}

impl MarkBefore {
    /// What a sentence ends with: `; 2 min after the mark "deploy v42"`.
    pub(crate) fn words(&self) -> String {
        let after =
            if self.seconds < 1.0 { "at".to_owned() } else { format!("{} after", duration(self.seconds)) };
        format!("; {after} the mark \"{}\"", short(&self.text))
    }
}

#[cfg(test)]
mod tests {
    use recount_model::Mark;

    use super::*;

    fn at(second: i64) -> Timestamp {
        Timestamp(second * Timestamp::TICKS_PER_SECOND)
    }

    fn said(mark: i64, (begin, end): (i64, i64)) -> Option<String> {
        let marks = vec![Mark { time: at(mark), text: "deploy v42".to_owned() }];
        let facts = CaptureFacts { marks, ..CaptureFacts::default() };
        Some(mark_before(&facts, Interval { begin: at(begin), end: at(end) })?.words())
    }

    #[test]
    fn the_mark_is_at_most_ten_minutes_earlier() {
        assert_eq!(said(1_000, (1_120, 1_150)).as_deref(), Some("; 2 min after the mark \"deploy v42\""));
        // Within a long sample it may have been before.
        assert_eq!(said(1_000, (900, 1_800)).as_deref(), Some("; at the mark \"deploy v42\""));
        assert_eq!(said(1_000, (1_601, 1_610)), None);
        assert_eq!(said(1_000, (900, 999)), None);
    }
}
