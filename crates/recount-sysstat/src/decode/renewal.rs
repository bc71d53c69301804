//! Devices that were registered again: their counters start afresh, though the name is the same
//! (formats/sa.md#instances).

use std::collections::HashMap;

use recount_model::Timestamp;

use super::label::Label;
use super::labeller::labelled;
use super::plan::Plan;
use crate::layout::Field;
use crate::names::List;
use crate::structure::number::Numbers;

/// Parent and name.
type Key = (Option<String>, String);

/// When things started afresh.
#[derive(Default)]
pub(crate) struct Renewals {
    by_name: HashMap<Key, Vec<(u32, Timestamp)>>,
}

impl Renewals {
    /// When a thing last started afresh, up to a sample.
    pub(crate) fn latest(&self, label: &Label<'_>, sample: u32) -> Option<Timestamp> {
        if self.by_name.is_empty() {
            return None;
        }
        let all = self.by_name.get(&(label.parent(), label.name()))?;
        let next = all.partition_point(|(from, _)| *from <= sample);
        Some(all[next.checked_sub(1)?].1)
    }
}

/// Which counters decrease when a thing starts afresh.
enum Rule {
    /// Any of these, unless the first and second, or the third and fourth, look like a counter that wrapped
    /// around.
    Interface([Option<Field>; 4], Vec<Field>),
    /// Any of these.
    Any(Vec<Field>),
    /// The first, and all others that weren't 0.
    All(Field, Vec<Field>),
}

/// Goes through the samples of a file.
pub(crate) struct Tracker<'a> {
    plan: &'a Plan,
    numbers: Numbers,
    rule: Rule,
    epoch: Option<u32>,
    before: Vec<(Label<'a>, &'a [u8])>,
    renewals: Renewals,
}

impl<'a> Tracker<'a> {
    /// `None` if plain differences suffice.
    pub(crate) fn of(plan: &'a Plan, numbers: Numbers) -> Option<Tracker<'a>> {
        let fields = |names: &[&str]| names.iter().filter_map(|name| plan.layout.field(name)).collect();
        let rule = match (plan.layout.activity, plan.layout.list) {
            ("A_NET_DEV", _) => {
                let pairs = ["rx_bytes", "rx_packets", "tx_bytes", "tx_packets"];
                let others = fields(&["rx_compressed", "tx_compressed", "multicast"]);
                Rule::Interface(pairs.map(|name| plan.layout.field(name)), others)
            }
            ("A_NET_EDEV", _) => Rule::Any(fields(&[
                "collisions",
                "tx_errors",
                "rx_dropped",
                "tx_dropped",
                "rx_fifo",
                "tx_fifo",
                "rx_frame",
                "tx_carrier",
            ])),
            (_, List::Disk) => {
                Rule::All(plan.layout.field("nr_ios")?, fields(&["rd_sect", "wr_sect", "dc_sect"]))
            }
            (_, List::InterruptMatrix) => Rule::Any(fields(&["irq_nr"])),
            _ => return None,
        };
        Some(Tracker { plan, numbers, rule, epoch: None, before: Vec::new(), renewals: Renewals::default() })
    }

    /// Processes the items of the next sample.
    pub(crate) fn sample(&mut self, sample: u32, epoch: u32, time: Timestamp, items: &'a [u8]) {
        let now: Vec<(Label<'a>, &'a [u8])> = match self.plan.layout.list {
            // Only sums over all CPUs decrease without wrapping around.
            List::InterruptMatrix => interrupts_of_all(self.plan, items),
            _ => labelled(self.plan, items, self.numbers).collect(),
        };
        if self.epoch.replace(epoch) == Some(epoch) {
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
                    self.renewals.by_name.entry(key).or_default().push((sample, time));
                }
            }
        }
        self.before = now;
    }

    fn is_renewed(&self, before: &[u8], now: &[u8]) -> bool {
        let pair = |field: Field| {
            let value = |item| field.number(self.numbers, item).unwrap_or(0);
            (value(before), value(now))
        };
        let fell = |field: &Field| {
            let (before, now) = pair(*field);
            now < before
        };
        match &self.rule {
            Rule::Any(fields) => fields.iter().any(fell),
            Rule::All(first, others) => {
                fell(first) && others.iter().all(|field| fell(field) || pair(*field).0 == 0)
            }
            Rule::Interface(pairs, others) => {
                let is_again = |one: usize, other: usize| {
                    let (Some(one), Some(other)) = (pairs[one], pairs[other]) else { return false };
                    let half = if one.is_narrow(self.numbers) { 1 << 31 } else { 1 << 63 };
                    let (before, after) = pair(other);
                    fell(&one) && !(after > before && pair(one).0 > half)
                };
                others.iter().any(fell)
                    || [(0, 1), (1, 0), (2, 3), (3, 2)].into_iter().any(|(one, other)| is_again(one, other))
            }
        }
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
