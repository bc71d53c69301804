//! Counts records that are faulty for the same reason.

/// Maximum number of reasons counted separately.
const MAX_NUM_REASONS: usize = 16;

/// Faulty records, by reason.
pub(crate) struct Tally<R> {
    reasons: Vec<Reason<R>>,
    /// Records with yet another reason.
    num_others: u64,
}

/// Records with the same fault.
pub(crate) struct Reason<R> {
    /// What.
    pub(crate) why: R,
    /// The first of them.
    pub(crate) first: usize,
    pub(crate) num: u64,
}

impl<R> Reason<R> {
    /// A text to append to the first record: how many more there are.
    pub(crate) fn and_more(&self) -> String {
        match self.num - 1 {
            0 => String::new(),
            num => format!(" (and {num} more of these records)"),
        }
    }
}

impl<R> Default for Tally<R> {
    fn default() -> Tally<R> {
        Tally { reasons: Vec::new(), num_others: 0 }
    }
}

impl<R: PartialEq> Tally<R> {
    /// Counts a record.
    pub(crate) fn note(&mut self, record: usize, why: R) {
        // Mostly it is the previous record's reason.
        if let Some(known) = self.reasons.iter_mut().rev().find(|known| known.why == why) {
            known.num += 1;
        } else if self.reasons.len() < MAX_NUM_REASONS {
            self.reasons.push(Reason { why, first: record, num: 1 });
        } else {
            self.num_others += 1;
        }
    }

    /// The reasons, in the order they were met in.
    pub(crate) fn reasons(&self) -> &[Reason<R>] {
        &self.reasons
    }

    /// A text about the records with further reasons; `None` if there are none.
    pub(crate) fn others(&self) -> Option<String> {
        (self.num_others > 0)
            .then(|| format!("{} more of these records can't be read, for other reasons", self.num_others))
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn reasons_are_counted_and_bounded() {
        let mut tally = Tally::default();
        assert!(tally.reasons().is_empty() && tally.others().is_none());
        for record in 0..100_usize {
            tally.note(record, record % 20);
        }
        assert_eq!(tally.reasons().len(), MAX_NUM_REASONS);
        let last = &tally.reasons()[15];
        assert_eq!((last.why, last.first, last.num), (15, 15, 5));
        assert_eq!(last.and_more(), " (and 4 more of these records)");
        assert!(tally.others().is_some_and(|told| told.starts_with("20 more")));
    }
}
