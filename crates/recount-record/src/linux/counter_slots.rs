//! The positions of an object's counters in its block, if the machine doesn't have all of them.

use recount_perf_data::Values;

/// Maps the counters of an object's table to those of its definitions, which leave out missing ones.
#[derive(Debug)]
pub(super) struct CounterSlots {
    slots: Vec<Option<usize>>,
}

impl CounterSlots {
    /// For every counter of the table, whether it is present.
    pub(super) fn new(is_there: impl Iterator<Item = bool>) -> CounterSlots {
        let mut next = 0;
        let slots = is_there.map(|is_there| {
            let slot = is_there.then_some(next);
            next += usize::from(is_there);
            slot
        });
        CounterSlots { slots: slots.collect() }
    }

    /// Whether a counter is present.
    pub(super) fn has(&self, counter: usize) -> bool {
        self.slots.get(counter).copied().flatten().is_some()
    }

    /// Sets a counter, if it is present.
    pub(super) fn set(&self, block: &mut Values<'_>, counter: usize, value: u64) {
        if let Some(slot) = self.slots.get(counter).copied().flatten() {
            block.set(slot, value);
        }
    }

    /// Sets all counters, in the order of the table.
    pub(super) fn set_all(&self, block: &mut Values<'_>, values: &[u64]) {
        for (counter, value) in values.iter().enumerate() {
            self.set(block, counter, *value);
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn counters_behind_a_missing_one_move_up() {
        let slots = CounterSlots::new([true, false, true].into_iter());
        assert_eq!(slots.slots, [Some(0), None, Some(1)]);
        assert!(slots.has(2) && !slots.has(1) && !slots.has(3));
    }
}
