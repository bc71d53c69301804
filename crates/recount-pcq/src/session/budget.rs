//! A limit on the expansion of small inputs.

/// Bytes that may be spent before anything is read.
const LEN_FLOOR: usize = 16 << 20;
/// Bytes of memory per byte read. A real value takes 16 bytes or more in an answer and 8 in a run, and new
/// instances come with their names. The floor is for the exception: counters that are requested but not
/// answered.
const FACTOR: usize = 64;

/// Accounts for the memory of runs, so that a small hostile input can't become a large run: definitions take
/// no space in an answer, and an identifier may request all counters of all instances.
#[derive(Debug, Default)]
pub(super) struct Budget {
    len_read: usize,
    len_spent: usize,
}

impl Budget {
    /// Counts bytes of input.
    pub(super) fn read(&mut self, len: usize) {
        self.len_read = self.len_read.saturating_add(len);
    }

    /// Spends `count` times `len` bytes; `false`, with nothing spent, if that is too much.
    pub(super) fn spend(&mut self, count: usize, len: usize) -> bool {
        let spent = self.len_spent.saturating_add(count.saturating_mul(len));
        let is_granted = spent <= LEN_FLOOR.saturating_add(self.len_read.saturating_mul(FACTOR));
        if is_granted {
            self.len_spent = spent;
        }
        is_granted
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_is_spent_is_bounded_by_what_was_read() {
        let mut budget = Budget::default();
        assert!(budget.spend(LEN_FLOOR, 1));
        assert!(!budget.spend(1, 1));
        budget.read(10);
        assert!(!budget.spend(usize::MAX, usize::MAX));
        assert!(budget.spend(10, FACTOR));
        assert!(!budget.spend(1, 1));
    }
}
