//! Cancels work whose result is no longer wanted.

use std::ops::ControlFlow;
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};

use recount_compute::Cancelled;

use super::clock::Instant;

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

    /// Breaks if the answer is no longer wanted, or would be too late.
    pub(crate) fn decide(&self) -> ControlFlow<()> {
        let is_late = self.deadline.is_some_and(|deadline| Instant::now() > deadline);
        if self.is_cancelled.load(Ordering::Relaxed) || is_late {
            ControlFlow::Break(())
        } else {
            ControlFlow::Continue(())
        }
    }

    pub(crate) fn check(&self) -> Result<(), Cancelled> {
        Cancelled::check(self.decide())
    }
}
