//! The values of an instance, and their layout in the block.

use recount_perf_data::{InstanceName, ObjectStream};

use super::inheritance::IoValues;
use super::spec::{
    ADDITIVE, ENDED, HANDLE_COUNT, NUM_CALL_COUNTERS, NUM_COUNTERS, NUM_IO_COUNTERS, NUM_OPEN_COUNTERS,
};
use crate::linux::counter_slots::CounterSlots;

/// The raw values of an instance.
#[derive(Clone, Copy, Debug)]
pub(super) struct Row {
    /// The values of all counters, in the order of the table.
    pub(super) values: [u64; NUM_COUNTERS],
    /// Whether the values of the IO counters are known: of a process that has ended, without those that count calls.
    has_io: bool,
}

/// Which counters this machine has, and which of them an instance has.
#[derive(Debug)]
pub(super) struct Layout {
    slots: CounterSlots,
    /// How many counters everybody can read.
    num_open: usize,
    has_io: bool,
}

impl Row {
    /// A row with the values that are known for every process.
    pub(super) fn new(open: [u64; NUM_OPEN_COUNTERS]) -> Row {
        let mut values = [0; NUM_COUNTERS];
        values[..NUM_OPEN_COUNTERS].copy_from_slice(&open);
        Row { values, has_io: false }
    }

    /// Adds the process's I/O values.
    pub(super) fn set_io(&mut self, values: [u64; NUM_IO_COUNTERS]) {
        self.values[NUM_OPEN_COUNTERS..].copy_from_slice(&values);
        self.has_io = true;
    }

    /// The values of the IO counters, if they are known.
    pub(super) fn io(&self) -> Option<IoValues> {
        let io = self.values[NUM_OPEN_COUNTERS..].first_chunk().copied();
        io.filter(|_| self.has_io)
    }

    /// Takes what was inherited off the I/O values.
    pub(super) fn take_off_io(&mut self, inherited: &IoValues) {
        let io = self.values[NUM_OPEN_COUNTERS..].iter_mut().filter(|_| self.has_io);
        for (value, inherited) in io.zip(inherited) {
            *value = value.saturating_sub(*inherited);
        }
    }

    /// Whether the values of the IO counters are known.
    pub(super) fn has_io(&self) -> bool {
        self.has_io
    }

    /// Adds a process to the sum. The sum has the IO counters only if all processes have them, because a
    /// partial sum would be wrong.
    pub(super) fn add(&mut self, process: &Row) {
        for at in ADDITIVE.into_iter().chain(NUM_OPEN_COUNTERS..NUM_COUNTERS) {
            self.values[at] = self.values[at].wrapping_add(process.values[at]);
        }
        self.has_io &= process.has_io;
    }
}

impl Layout {
    /// For a machine with handle counts, I/O accounting and exit records.
    pub(super) fn new(has_handles: bool, has_io: bool, has_ended: bool) -> Layout {
        let is_there = |counter: usize| match counter {
            HANDLE_COUNT => has_handles,
            ENDED => has_ended,
            _ => counter < NUM_OPEN_COUNTERS || has_io,
        };
        Layout {
            slots: CounterSlots::new((0..NUM_COUNTERS).map(is_there)),
            num_open: (0..NUM_OPEN_COUNTERS).filter(|counter| is_there(*counter)).count(),
            has_io,
        }
    }

    pub(super) fn has_counter(&self, counter: usize) -> bool {
        self.slots.has(counter)
    }

    /// The sum over zero processes.
    pub(super) fn empty_sum(&self) -> Row {
        Row { values: [0; NUM_COUNTERS], has_io: self.has_io }
    }

    /// Appends an instance. Its counter block ends before the IO counters, unless they are known.
    pub(super) fn append(&self, object: &mut ObjectStream<'_>, name: &str, row: &Row) {
        let name = InstanceName::new(name);
        if row.has_io {
            self.slots.set_all(&mut object.instance(name), &row.values);
        } else {
            let mut block = object.instance_up_to(name, self.num_open);
            self.slots.set_all(&mut block, &row.values[..NUM_OPEN_COUNTERS]);
        }
    }
    /// Appends a process that has ended: calls are not known.
    pub(super) fn append_ended(&self, object: &mut ObjectStream<'_>, name: &str, row: &Row) {
        let num_io = if row.has_io && self.has_io { NUM_IO_COUNTERS - NUM_CALL_COUNTERS } else { 0 };
        let mut block = object.instance_up_to(InstanceName::new(name), self.num_open + num_io);
        self.slots.set_all(&mut block, &row.values[..NUM_OPEN_COUNTERS + num_io]);
    }
}
