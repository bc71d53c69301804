//! CPUs that are off when an epoch begins. Their old counts aren't in the sum over all CPUs, so it isn't compared with that
//! of a file in which they are on (formats/sa.md#cpu).

/// Per epoch: its first sample, and a number for the set of CPUs that are on; `None` if all are.
#[derive(Default)]
pub(super) struct Absent {
    epochs: Vec<(u32, Option<u64>)>,
}

impl Absent {
    /// Notes which CPUs are on in the first sample of an epoch.
    pub(super) fn begin(&mut self, sample: u32, num_listed: usize, online: impl Iterator<Item = usize>) {
        const BASIS: u64 = 0xcbf2_9ce4_8422_2325;
        const PRIME: u64 = 0x0100_0000_01b3;
        let (mut num, mut set) = (0, BASIS);
        for cpu in online {
            num += 1;
            set = (set ^ cpu as u64).wrapping_mul(PRIME);
        }
        self.epochs.push((sample, (num < num_listed).then_some(set)));
    }

    /// An id for the sum over the CPUs that are on in a sample's epoch.
    pub(super) fn id(&self, sample: u32) -> Option<u64> {
        let next = self.epochs.partition_point(|(from, _)| *from <= sample);
        self.epochs[next.checked_sub(1)?].1
    }
}
