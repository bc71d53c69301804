//! Goes through all samples for an activity's ledger.

use super::plan::Plan;
use super::renewal::{self, Renewals};
use super::{cpu, soft_net};
use crate::names::List;
use crate::store::SaSource;

impl SaSource {
    /// Fills the ledger of an activity.
    pub(super) fn prepare(&self, plan: &Plan) {
        let ledgers = &self.ledgers;
        match plan.layout.list {
            List::Cpu => {
                ledgers.cpu.get_or_init(|| cpu_ledger(self, plan));
            }
            List::SoftNet => {
                ledgers.soft_net.get_or_init(|| soft_net_ledger(self, plan));
            }
            _ => {
                if let Some(renewals) = ledgers.renewals.get(plan.index) {
                    renewals.get_or_init(|| find_renewals(self, plan));
                }
            }
        }
    }
}

fn cpu_ledger(source: &SaSource, plan: &Plan) -> cpu::Ledger {
    let reader = cpu::Reader::of(&plan.layout, source.header.numbers);
    let mut tracker = cpu::Tracker::new(source.ledgers.created);
    source.each_items(plan.index, |place, epoch, time, items| {
        let cpus = items.chunks_exact(plan.len_item).map(|item| reader.values(item));
        tracker.sample(place, epoch, time, cpus);
    });
    tracker.finish()
}

fn soft_net_ledger(source: &SaSource, plan: &Plan) -> soft_net::Ledger {
    let reader = soft_net::Reader::of(&plan.layout, source.header.numbers);
    let mut tracker = soft_net::Tracker::new(source.ledgers.created);
    source.each_items(plan.index, |place, epoch, time, items| {
        let cpus = items.chunks_exact(plan.len_item).skip(1).map(|item| reader.values(item));
        tracker.sample(place, epoch, time, cpus);
    });
    tracker.finish()
}

fn find_renewals(source: &SaSource, plan: &Plan) -> Option<Renewals> {
    let mut tracker = renewal::Tracker::of(plan, source.header.numbers)?;
    source.each_items(plan.index, |place, epoch, time, items| {
        tracker.sample(place, epoch, time, items);
    });
    Some(tracker.finish())
}
