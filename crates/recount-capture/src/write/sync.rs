//! When data is synced to survive a crash of the machine.

use std::time::{Duration, Instant};

/// How much a power cut may lose. Written data survives the *process* in any case.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Sync {
    /// Only the sample being written.
    Each,
    /// Data written within this time.
    Every(Duration),
    /// Data that the system has not yet written back, which may be half a minute. Sealing still waits for the disk,
    /// because it discards the unsealed samples.
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

    /// Whether anything other than sealing is ever synced.
    pub(super) fn syncs(&self) -> bool {
        self.setting != Sync::None
    }
}
