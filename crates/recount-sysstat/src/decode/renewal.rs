//! Devices that were registered again: their counters start afresh, though the name is the same
//! (formats/sa.md#instances).

use std::collections::HashMap;

use recount_model::{Renewal, Timestamp};

use super::label::Label;
use super::labeller::labelled;
use super::plan::Plan;
use super::renewal_rule::renewal_rule;
use crate::layout::Field;
use crate::names::List;
use crate::structure::number::Numbers;

/// Parent and name.
type Key = (Option<String>, String);

/// Which things started afresh: at which samples, and the times of the samples before.
#[derive(Default)]
pub(crate) struct Renewals {
    by_name: HashMap<Key, Vec<(u32, Timestamp)>>,
}

impl Renewals {
    /// The last sample before a thing started afresh, up to a sample.
    pub(crate) fn latest(&self, label: &Label<'_>, sample: u32) -> Option<Timestamp> {
        if self.by_name.is_empty() {
            return None;
        }
        let all = self.by_name.get(&(label.parent(), label.name()))?;
        let next = all.partition_point(|(from, _)| *from <= sample);
        Some(all[next.checked_sub(1)?].1)
    }
}

/// Goes through the samples of a file.
pub(crate) struct Tracker<'a> {
    plan: &'a Plan,
    numbers: Numbers,
    rule: Renewal<Field>,
    /// Epoch and time of the sample before.
    last: Option<(u32, Timestamp)>,
    before: Vec<(Label<'a>, &'a [u8])>,
    renewals: Renewals,
}

impl<'a> Tracker<'a> {
    /// `None` if plain differences suffice.
    pub(crate) fn of(plan: &'a Plan, numbers: Numbers) -> Option<Tracker<'a>> {
        let rule = renewal_rule(&plan.layout)?.map(|sum| plan.layout.field(sum.text()));
        if rule.is_empty() {
            return None;
        }
        Some(Tracker { plan, numbers, rule, last: None, before: Vec::new(), renewals: Renewals::default() })
    }

    /// Processes the items of the next sample.
    pub(crate) fn sample(&mut self, sample: u32, epoch: u32, time: Timestamp, items: &'a [u8]) {
        let now: Vec<(Label<'a>, &'a [u8])> = match self.plan.layout.list {
            // Only sums over all CPUs decrease without wrapping around.
            List::InterruptMatrix => interrupts_of_all(self.plan, items),
            _ => labelled(self.plan, items, self.numbers).collect(),
        };
        let last = self.last.replace((epoch, time));
        if let Some((_, time_before)) = last.filter(|(before, _)| *before == epoch) {
            let mut by_label: Option<HashMap<Label<'a>, &'a [u8]>> = None;
            for (index, (label, item)) in now.iter().enumerate() {
                let same =
                    self.before.get(index).filter(|(before, _)| before == label).map(|(_, item)| *item);
                let before = same.or_else(|| {
                    let by_label = by_label.get_or_insert_with(|| self.before.iter().copied().collect());
                    by_label.get(label).copied()
                });
                if before.is_some_and(|before| self.is_renewed(before, item)) {
                    let key = (label.parent(), label.name());
                    self.renewals.by_name.entry(key).or_default().push((sample, time_before));
                }
            }
        }
        self.before = now;
    }

    fn is_renewed(&self, before: &[u8], now: &[u8]) -> bool {
        let values = |field: &Field| {
            let value = |item| field.number(self.numbers, item).unwrap_or(0);
            (value(before), value(now))
        };
        self.rule.is_between(values, |field| if field.is_narrow(self.numbers) { 1 << 31 } else { 1 << 63 })
    }

    pub(crate) fn finish(self) -> Renewals {
        self.renewals
    }
}

fn interrupts_of_all<'a>(plan: &Plan, items: &'a [u8]) -> Vec<(Label<'a>, &'a [u8])> {
    let Some(name) = plan.layout.field("irq_name") else { return Vec::new() };
    let all = items.chunks_exact(plan.len_item).take(plan.num_sub_items as usize);
    all.map(|item| (Label::Interrupt(None, name.text(item)), item)).collect()
}
