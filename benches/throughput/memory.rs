//! Peak memory of this process.

use std::fs;
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, AtomicU64, Ordering};
use std::thread::{self, JoinHandle};
use std::time::Duration;

/// Watches the memory that isn't backed by files, of which the system keeps no peak.
pub(crate) struct Watch {
    peak_kib: Arc<AtomicU64>,
    ended: Arc<AtomicBool>,
    thread: JoinHandle<()>,
}

/// Peaks in bytes; 0 where the system doesn't tell.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Peak {
    /// All resident pages, those of mapped files too.
    pub(crate) resident: u64,
    /// Pages that no file backs.
    pub(crate) anonymous: u64,
}

impl Watch {
    /// Often enough to see every batch, and seldom enough to cost nothing.
    const EVERY: Duration = Duration::from_millis(5);

    pub(crate) fn begin() -> Watch {
        let (peak_kib, ended) = (Arc::new(AtomicU64::new(0)), Arc::new(AtomicBool::new(false)));
        let (peak, end) = (Arc::clone(&peak_kib), Arc::clone(&ended));
        let thread = thread::spawn(move || {
            while !end.load(Ordering::Relaxed) {
                peak.fetch_max(status_kib("RssAnon:"), Ordering::Relaxed);
                thread::sleep(Watch::EVERY);
            }
        });
        Watch { peak_kib, ended, thread }
    }

    pub(crate) fn end(self) -> Peak {
        self.ended.store(true, Ordering::Relaxed);
        // The thread can't fail; if it did, the peak so far is as good.
        let _ = self.thread.join();
        let anonymous = self.peak_kib.load(Ordering::Relaxed).max(status_kib("RssAnon:"));
        Peak { resident: status_kib("VmHWM:") * 1024, anonymous: anonymous * 1024 }
    }
}

fn status_kib(key: &str) -> u64 {
    let status = fs::read_to_string("/proc/self/status").unwrap_or_default();
    let line = status.lines().find_map(|line| line.strip_prefix(key));
    line.and_then(|rest| rest.split_whitespace().next()?.parse().ok()).unwrap_or(0)
}
