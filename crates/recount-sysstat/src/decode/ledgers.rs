//! Facts about all samples of a file, or of a recording, that are needed to compare them. They are found when an activity is
//! first decoded.

use std::sync::OnceLock;

use super::plan::Plan;
use super::recording::Recordings;
use super::renewal::Renewals;
use super::{cpu, soft_net};
use crate::store::SaSource;

/// Per activity that needs one.
#[derive(Default)]
pub(crate) struct Ledgers {
    /// Whose samples they are about, if not only those of the file.
    pub(super) recordings: Option<Recordings>,
    /// When the first of the files was created.
    pub(super) created: u64,
    pub(super) cpu: OnceLock<cpu::Ledger>,
    pub(super) soft_net: OnceLock<soft_net::Ledger>,
    /// By index in the file's list.
    pub(super) renewals: Vec<OnceLock<Option<Renewals>>>,
}

impl Ledgers {
    /// For this number of activities in the list of a file that was created at a time.
    pub(crate) fn new(num_activities: usize, created: u64) -> Ledgers {
        let renewals = (0..num_activities).map(|_| OnceLock::new()).collect();
        Ledgers { created, renewals, ..Ledgers::default() }
    }

    /// For the samples of files that are laid out like the first one.
    pub(super) fn of_recordings(recordings: Recordings, first: &SaSource) -> Ledgers {
        let ledgers = Ledgers::new(first.activities.len(), first.header.created);
        Ledgers { recordings: Some(recordings), ..ledgers }
    }

    /// Those by which nothing is corrected.
    pub(crate) fn empty(num_activities: usize) -> Ledgers {
        Ledgers {
            cpu: cpu::Ledger::default().into(),
            soft_net: soft_net::Ledger::default().into(),
            renewals: (0..num_activities).map(|_| OnceLock::from(None)).collect(),
            ..Ledgers::default()
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
