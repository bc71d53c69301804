//! How long interfaces were busy, given their speed: the time that the busier direction took, or both directions on
//! half-duplex lines. Which direction was busier is only known between two samples, so the times are summed over all
//! samples of an epoch.
//!
//! The sums of two files have nothing to do with each other, but the pipeline compares the last sample of a file with the
//! first of the next. So that this gives no value, the later an epoch begins, the lower its sums begin
//! (formats/sa.md#instances).

use std::collections::HashMap;

use recount_model::Timestamp;

use super::label::Label;
use super::labeller::labelled;
use super::plan::Plan;
use crate::layout::Field;
use crate::structure::number::Numbers;

/// Nanoseconds up to a sample, by the interface's name. They decrease where a counter decreased without a
/// restart, and where an epoch begins.
#[derive(Default)]
pub(crate) struct Loads {
    by_name: HashMap<Vec<u8>, Vec<(u32, u64)>>,
}

impl Loads {
    /// Nanoseconds up to a sample, for an interface whose speed is known.
    pub(crate) fn up_to(&self, label: &Label<'_>, sample: u32) -> u64 {
        let Label::Named(name) = label else { return 0 };
        let all = self.by_name.get(*name).map_or(&[][..], Vec::as_slice);
        all.partition_point(|(at, _)| *at <= sample).checked_sub(1).map_or(0, |last| all[last].1)
    }
}

/// The fields from which the load is computed.
#[derive(Clone, Copy)]
pub(crate) struct Fields {
    speed: Field,
    duplex: Option<Field>,
    received: Field,
    sent: Field,
    numbers: Numbers,
}

impl Fields {
    /// `None` if speeds aren't known.
    pub(crate) fn of(plan: &Plan, numbers: Numbers) -> Option<Fields> {
        let field = |name| plan.layout.field(name);
        let (received, sent) = (field("rx_bytes")?, field("tx_bytes")?);
        Some(Fields { speed: field("speed")?, duplex: field("duplex"), received, sent, numbers })
    }

    /// In Mbit/s; 0: unknown.
    pub(crate) fn speed(&self, item: &[u8]) -> u64 {
        self.speed.number(self.numbers, item).unwrap_or(0)
    }

    /// Nanoseconds from one sample to the next; `None` if a counter fell.
    fn busy(&self, before: &[u8], now: &[u8]) -> Option<u64> {
        const FULL_DUPLEX: u64 = 2;
        let number = |field: Field, item| field.number(self.numbers, item).unwrap_or(0);
        let advance = |field: Field| {
            let (before, now) = (number(field, before), number(field, now));
            if field.is_narrow(self.numbers) {
                Some(u64::from((now as u32).wrapping_sub(before as u32)))
            } else {
                now.checked_sub(before)
            }
        };
        let (received, sent) = (advance(self.received)?, advance(self.sent)?);
        let is_full = self.duplex.is_some_and(|duplex| number(duplex, now) == FULL_DUPLEX);
        let bytes = if is_full { received.max(sent) } else { received.saturating_add(sent) };
        let speed = self.speed(now);
        if speed == 0 { Some(0) } else { Some((u128::from(bytes) * 8000 / u128::from(speed)) as u64) }
    }
}

/// Where the sums of an epoch begin. From one epoch to the next, this falls by 1.8 times the time between their
/// beginnings: more than the busy time between these, even if both directions of a line are busy for most of it.
fn begin(first: Timestamp) -> u64 {
    /// What sums may reach, in an epoch that begins in 1970: 36 years of being busy.
    const HEADROOM: u64 = 1 << 60;
    const FALL_PER_TICK: u64 = 180;
    let ticks = u64::try_from(first.0.saturating_sub(Timestamp::UNIX_EPOCH.0)).unwrap_or(0);
    // Times end in 2261, at 1.66 * 10^19.
    (u64::MAX - HEADROOM).saturating_sub(ticks.saturating_mul(FALL_PER_TICK))
}

/// Goes through the samples of a file.
pub(crate) struct Tracker<'a> {
    plan: &'a Plan,
    fields: Fields,
    epoch: Option<u32>,
    /// Where the sums of the epoch begin, and its first sample.
    begin: (u64, u32),
    before: HashMap<&'a [u8], &'a [u8]>,
    loads: Loads,
}

impl<'a> Tracker<'a> {
    pub(crate) fn new(plan: &'a Plan, fields: Fields) -> Tracker<'a> {
        Tracker { plan, fields, epoch: None, begin: (0, 0), before: HashMap::new(), loads: Loads::default() }
    }

    /// Processes the items of the next sample.
    pub(crate) fn sample(&mut self, sample: u32, epoch: u32, time: Timestamp, items: &'a [u8]) {
        if self.epoch.replace(epoch) != Some(epoch) {
            self.before.clear();
            self.begin = (begin(time), sample);
        }
        let (begin, first) = self.begin;
        let mut now = HashMap::new();
        for (label, item) in labelled(self.plan, items, self.fields.numbers) {
            let Label::Named(name) = label else { continue };
            if self.fields.speed(item) == 0 {
                continue;
            }
            let busy = self.before.get(name).map_or(Some(0), |before| self.fields.busy(before, item));
            if !self.loads.by_name.contains_key(name) {
                self.loads.by_name.insert(name.to_vec(), Vec::new());
            }
            if let Some(all) = self.loads.by_name.get_mut(name) {
                let last = all.last().filter(|(at, _)| *at >= first).map_or(begin, |(_, last)| *last);
                all.push((sample, busy.map_or(last.saturating_sub(1), |busy| last.saturating_add(busy))));
            }
            now.insert(name, item);
        }
        self.before = now;
    }

    pub(crate) fn finish(self) -> Loads {
        self.loads
    }
}
