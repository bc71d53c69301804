//! Facts about the whole file that are needed to compare its samples. They are found when an activity is first
//! decoded.

use std::sync::OnceLock;

use super::plan::Plan;
use super::renewal::Renewals;
use super::{cpu, soft_net};

/// Per activity that needs one.
#[derive(Default)]
pub(crate) struct Ledgers {
    pub(super) cpu: OnceLock<cpu::Ledger>,
    pub(super) soft_net: OnceLock<soft_net::Ledger>,
    /// By index in the file's list.
    pub(super) renewals: Vec<OnceLock<Option<Renewals>>>,
}

impl Ledgers {
    /// For this number of activities in the file's list.
    pub(crate) fn new(num_activities: usize) -> Ledgers {
        Ledgers { renewals: (0..num_activities).map(|_| OnceLock::new()).collect(), ..Ledgers::default() }
    }

    /// Those by which nothing is corrected.
    pub(crate) fn empty(num_activities: usize) -> Ledgers {
        Ledgers {
            cpu: cpu::Ledger::default().into(),
            soft_net: soft_net::Ledger::default().into(),
            renewals: (0..num_activities).map(|_| OnceLock::from(None)).collect(),
        }
    }

    pub(crate) fn cpu(&self) -> Option<&cpu::Ledger> {
        self.cpu.get()
    }

    pub(crate) fn soft_net(&self) -> Option<&soft_net::Ledger> {
        self.soft_net.get()
    }

    pub(crate) fn renewals(&self, plan: &Plan) -> Option<&Renewals> {
        self.renewals.get(plan.index)?.get()?.as_ref()
    }
}
