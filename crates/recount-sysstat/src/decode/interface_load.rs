//! How long interfaces were busy, given their speed: the time that the busier direction took, or both directions on
//! half-duplex lines. Which direction was busier is only known between two samples, so the times are summed over all
//! samples of an epoch.
//!
//! The sums of two files have nothing to do with each other, but the pipeline compares the last sample of a file with the
//! first of the next. So that this gives no value, the later an epoch begins, the lower its sums begin
//! (formats/sa.md#instances). The same happens wherever a sum can't go on.

use std::collections::hash_map::Entry;
use std::collections::{HashMap, HashSet};

use recount_model::Timestamp;

use super::label::Label;
use super::labeller::labelled;
use super::plan::Plan;
use crate::layout::Field;
use crate::structure::number::Numbers;

/// Nanoseconds up to a sample, by the interface's name. They are below all earlier ones where they can't be summed on: a
/// counter decreased without a restart, the interface or its speed was gone, or the sum doesn't fit; and where an epoch
/// begins.
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

    /// Nanoseconds from one sample to the next; `None` if a counter fell, or the number is too large.
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
        let (received, sent) = (u128::from(received), u128::from(sent));
        let bytes = if is_full { received.max(sent) } else { received + sent };
        u64::try_from(bytes * 8000 / u128::from(self.speed(now).max(1))).ok()
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

/// The sum of an interface.
struct Sum<'a> {
    /// Where it last began, below which nothing is until it has to begin again.
    floor: u64,
    up_to_now: u64,
    /// The interface in the previous sample, if its speed was known.
    item: Option<&'a [u8]>,
}

impl<'a> Sum<'a> {
    /// The sum in the next sample, in which the interface is there.
    fn next(&mut self, item: &'a [u8], time: Timestamp, fields: &Fields) -> u64 {
        let busy = self.item.replace(item).and_then(|before| fields.busy(before, item));
        let sum = busy.and_then(|busy| self.up_to_now.checked_add(busy));
        self.up_to_now = sum.unwrap_or_else(|| {
            self.floor = begin(time).min(self.floor.saturating_sub(1));
            self.floor
        });
        self.up_to_now
    }
}

/// Goes through the samples of a file.
pub(crate) struct Tracker<'a> {
    plan: &'a Plan,
    fields: Fields,
    epoch: Option<u32>,
    /// Where the sums of the epoch begin.
    begin: u64,
    sums: HashMap<&'a [u8], Sum<'a>>,
    loads: Loads,
}

impl<'a> Tracker<'a> {
    pub(crate) fn new(plan: &'a Plan, fields: Fields) -> Tracker<'a> {
        Tracker { plan, fields, epoch: None, begin: 0, sums: HashMap::new(), loads: Loads::default() }
    }

    /// Processes the items of the next sample.
    pub(crate) fn sample(&mut self, sample: u32, epoch: u32, time: Timestamp, items: &'a [u8]) {
        if self.epoch.replace(epoch) != Some(epoch) {
            self.sums.clear();
            self.begin = begin(time);
        }
        let mut now = HashSet::new();
        for (label, item) in labelled(self.plan, items, self.fields.numbers) {
            let Label::Named(name) = label else { continue };
            // Of equal names, the first counts.
            if self.fields.speed(item) == 0 || !now.insert(name) {
                continue;
            }
            let sum = match self.sums.entry(name) {
                Entry::Occupied(known) => known.into_mut().next(item, time, &self.fields),
                Entry::Vacant(new) => {
                    new.insert(Sum { floor: self.begin, up_to_now: self.begin, item: Some(item) });
                    self.begin
                }
            };
            if !self.loads.by_name.contains_key(name) {
                self.loads.by_name.insert(name.to_vec(), Vec::new());
            }
            if let Some(all) = self.loads.by_name.get_mut(name) {
                all.push((sample, sum));
            }
        }
        for (_, gone) in self.sums.iter_mut().filter(|(name, _)| !now.contains(*name)) {
            gone.item = None;
        }
    }

    pub(crate) fn finish(self) -> Loads {
        self.loads
    }
}
