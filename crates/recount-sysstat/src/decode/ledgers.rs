//! What has to be known of the whole file before its samples can be compared: found when an activity is first decoded.

use std::sync::OnceLock;

use super::interface_load::{self, Fields, Loads};
use super::plan::Plan;
use super::renewal::{self, Renewals};
use super::{cpu, soft_net};
use crate::names::List;
use crate::store::SaSource;

/// By activity, for those that need it.
#[derive(Default)]
pub(crate) struct Ledgers {
    cpu: OnceLock<cpu::Ledger>,
    soft_net: OnceLock<soft_net::Ledger>,
    loads: OnceLock<Option<Loads>>,
    /// By place in the file's list.
    renewals: Vec<OnceLock<Option<Renewals>>>,
}

impl Ledgers {
    /// For so many activities in the file's list.
    pub(crate) fn new(num_activities: usize) -> Ledgers {
        Ledgers { renewals: (0..num_activities).map(|_| OnceLock::new()).collect(), ..Ledgers::default() }
    }

    /// Finds out what there is to know of an activity.
    pub(crate) fn prepare(&self, source: &SaSource, plan: &Plan) {
        match plan.layout.list {
            List::Cpu => {
                self.cpu.get_or_init(|| cpu_ledger(source, plan));
            }
            List::SoftNet => {
                self.soft_net.get_or_init(|| soft_net_ledger(source, plan));
            }
            _ => {
                if plan.layout.activity == "A_NET_DEV" {
                    self.loads.get_or_init(|| find_loads(source, plan));
                }
                if let Some(renewals) = self.renewals.get(plan.index) {
                    renewals.get_or_init(|| find_renewals(source, plan));
                }
            }
        }
    }

    pub(crate) fn cpu(&self) -> Option<&cpu::Ledger> {
        self.cpu.get()
    }

    pub(crate) fn soft_net(&self) -> Option<&soft_net::Ledger> {
        self.soft_net.get()
    }

    pub(crate) fn loads(&self) -> Option<&Loads> {
        self.loads.get()?.as_ref()
    }

    pub(crate) fn renewals(&self, plan: &Plan) -> Option<&Renewals> {
        self.renewals.get(plan.index)?.get()?.as_ref()
    }
}

fn cpu_ledger(source: &SaSource, plan: &Plan) -> cpu::Ledger {
    let reader = cpu::Reader::of(&plan.layout, source.header.numbers);
    let mut tracker = cpu::Tracker::new();
    source.each_items(plan.index, |number, sample, items| {
        let cpus = items.chunks_exact(plan.len_item).map(|item| reader.values(item));
        tracker.sample(number, sample.epoch, cpus);
    });
    tracker.finish()
}

fn soft_net_ledger(source: &SaSource, plan: &Plan) -> soft_net::Ledger {
    let reader = soft_net::Reader::of(&plan.layout, source.header.numbers);
    let mut tracker = soft_net::Tracker::default();
    source.each_items(plan.index, |number, sample, items| {
        let cpus = items.chunks_exact(plan.len_item).skip(1).map(|item| reader.values(item));
        tracker.sample(number, sample.epoch, cpus);
    });
    tracker.finish()
}

fn find_renewals(source: &SaSource, plan: &Plan) -> Option<Renewals> {
    let mut tracker = renewal::Tracker::of(plan, source.header.numbers)?;
    source.each_items(plan.index, |number, sample, items| {
        tracker.sample(number, sample.epoch, sample.time.utc, items);
    });
    Some(tracker.finish())
}

fn find_loads(source: &SaSource, plan: &Plan) -> Option<Loads> {
    let mut tracker = interface_load::Tracker::new(plan, Fields::of(plan, source.header.numbers)?);
    source.each_items(plan.index, |number, sample, items| tracker.sample(number, sample.epoch, items));
    Some(tracker.finish())
}
