//! Cancels work whose result is no longer wanted.

use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};
use std::time::Instant;

/// The answer is no longer wanted, or would be too late.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) struct Cancelled;

/// Whether an answer is still wanted. Clones share their state.
#[derive(Clone, Debug, Default)]
pub(crate) struct Cancel {
    is_cancelled: Arc<AtomicBool>,
    deadline: Option<Instant>,
}

impl Cancel {
    pub(crate) fn cancel(&self) {
        self.is_cancelled.store(true, Ordering::Relaxed);
    }

    /// The same, with a deadline.
    pub(crate) fn until(&self, deadline: Instant) -> Cancel {
        Cancel { is_cancelled: Arc::clone(&self.is_cancelled), deadline: Some(deadline) }
    }

    pub(crate) fn check(&self) -> Result<(), Cancelled> {
        let is_late = self.deadline.is_some_and(|deadline| Instant::now() > deadline);
        if self.is_cancelled.load(Ordering::Relaxed) || is_late { Err(Cancelled) } else { Ok(()) }
    }
}
