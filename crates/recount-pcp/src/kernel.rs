//! Reboots without a mark: totals that a kernel counts from its boot on fall (`formats/pcp-archive.md#meaning`).

use crate::meta::Meta;
use crate::structure::{DataRecord, ValueSet};
use crate::value::{MetricReading, ValueType};

/// Totals that never fall while the machine is up. Of the last three, the kernel occasionally takes a little back, so two
/// of them have to fall.
const TOTALS: [&str; 7] = [
    "kernel.all.uptime",
    "kernel.all.pswitch",
    "kernel.all.intr",
    "kernel.all.sysfork",
    "kernel.all.cpu.user",
    "kernel.all.cpu.sys",
    "kernel.all.cpu.idle",
];
/// How many of them prove a reboot alone.
const NUM_CERTAIN: usize = 4;

/// The totals of a record.
pub(crate) type Totals = [Option<i128>; TOTALS.len()];

/// The last totals of an epoch.
#[derive(Default)]
pub(crate) struct Kernel {
    metrics: [Option<(usize, ValueType)>; TOTALS.len()],
    last: Totals,
    /// The last record with any of them.
    last_record: usize,
    epoch: u32,
}

/// A total that fell.
pub(crate) struct Fall {
    pub(crate) metric: usize,
    pub(crate) from: i128,
    pub(crate) to: i128,
    /// The last record with totals before it.
    pub(crate) last_record: usize,
}

impl Kernel {
    pub(crate) fn new(meta: &Meta) -> Kernel {
        let named =
            |name: &str| meta.metrics.iter().position(|metric| metric.names.iter().any(|own| own == name));
        let typed = |name: &str| named(name).map(|metric| (metric, meta.metrics[metric].value_type));
        Kernel { metrics: TOTALS.map(typed), ..Kernel::default() }
    }

    /// Reads a value set if it is one of the totals.
    pub(crate) fn read(
        &self,
        metric: usize,
        value_type: ValueType,
        record: &DataRecord<'_>,
        set: &ValueSet<'_>,
        totals: &mut Totals,
    ) {
        let Some(at) = self.metrics.iter().position(|known| known.is_some_and(|known| known.0 == metric))
        else {
            return;
        };
        let number = |(_, word)| MetricReading::integer(value_type, record, set.format, word);
        totals[at] = set.cells().next().and_then(number);
    }

    /// Takes over the totals of the next record, and returns one that fell if the machine was rebooted.
    pub(crate) fn fall(&mut self, epoch: u32, record: usize, totals: Totals) -> Option<Fall> {
        if epoch != self.epoch {
            (self.epoch, self.last) = (epoch, Totals::default());
        }
        let before = self.last;
        let has_fallen = |at: &usize| match (before[*at], totals[*at], self.metrics[*at]) {
            (Some(before), Some(now), Some((_, value_type))) => {
                now < before && !is_wrap(value_type, before, now)
            }
            _ => false,
        };
        let fallen: Vec<usize> = (0..TOTALS.len()).filter(has_fallen).collect();
        let is_certain = fallen.len() > 1 || fallen.first().is_some_and(|at| *at < NUM_CERTAIN);
        let last_record = self.last_record;
        for (last, now) in self.last.iter_mut().zip(totals) {
            *last = now.or(*last);
        }
        if totals.iter().any(Option::is_some) {
            self.last_record = record;
        }
        let at = fallen.first().copied().filter(|_| is_certain)?;
        let (metric, _) = self.metrics[at]?;
        self.last = totals;
        Some(Fall { metric, from: before[at]?, to: totals[at]?, last_record })
    }

    /// The last totals are the first ones of an epoch.
    pub(crate) fn begin(&mut self, epoch: u32) {
        self.epoch = epoch;
    }
}

/// Whether a counter of 32 bits began again at 0.
fn is_wrap(value_type: ValueType, before: i128, now: i128) -> bool {
    const HALF: i128 = 1 << 31;
    value_type.len() == 4 && before >= HALF && now < HALF
}
