//! When what was written is made to outlive the machine.

use std::time::{Duration, Instant};

/// How much a power cut may take. What was written outlives the *process* in any case.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Sync {
    /// Nothing but the sample being written.
    Each,
    /// What was written in the last so many seconds.
    Every(Duration),
    /// What the system has not written back by itself, which may be half a minute. Sealing still waits for the disk,
    /// because it lets go of the samples it has sealed.
    None,
}

impl Default for Sync {
    fn default() -> Sync {
        Sync::Every(Duration::from_secs(5))
    }
}

/// Decides when to sync.
#[derive(Debug)]
pub(super) struct SyncClock {
    setting: Sync,
    last: Instant,
}

impl SyncClock {
    pub(super) fn new(setting: Sync) -> SyncClock {
        SyncClock { setting, last: Instant::now() }
    }

    /// Whether to sync now that something was written.
    pub(super) fn is_due(&self) -> bool {
        match self.setting {
            Sync::Each => true,
            Sync::Every(time) => self.last.elapsed() >= time,
            Sync::None => false,
        }
    }

    /// Notes that everything is on the disk.
    pub(super) fn synced(&mut self) {
        self.last = Instant::now();
    }

    /// Whether anything is ever synced but sealing.
    pub(super) fn syncs(&self) -> bool {
        self.setting != Sync::None
    }
}
