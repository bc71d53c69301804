//! The time machines of the most recently viewed objects.

use std::collections::VecDeque;
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};

use recount::{TimeMachine, Timeline};

/// Each holds the times of all samples, a few megabytes for a day of seconds.
const MAX_KEPT: usize = 6;

/// Time machines of a time line, by object, the most recent first.
#[derive(Default)]
pub(crate) struct Machines {
    kept: Mutex<VecDeque<(Arc<str>, Arc<TimeMachine>)>>,
}

impl Machines {
    /// The time machine of an object. The time line must always be the same.
    pub(crate) fn of(&self, timeline: &Timeline, object: &str) -> Arc<TimeMachine> {
        if let Some(found) = self.get(object) {
            return found;
        }
        // Two threads may make one at the same time; one of them is kept, and neither thread waits.
        let made = Arc::new(TimeMachine::new(timeline, &[object]));
        let mut kept = self.lock();
        kept.retain(|(known, _)| **known != *object);
        kept.push_front((Arc::from(object), Arc::clone(&made)));
        kept.truncate(MAX_KEPT);
        made
    }

    fn get(&self, object: &str) -> Option<Arc<TimeMachine>> {
        let mut kept = self.lock();
        let at = kept.iter().position(|(known, _)| **known == *object)?;
        let found = kept.remove(at)?;
        let machine = Arc::clone(&found.1);
        kept.push_front(found);
        Some(machine)
    }

    fn lock(&self) -> MutexGuard<'_, VecDeque<(Arc<str>, Arc<TimeMachine>)>> {
        self.kept.lock().unwrap_or_else(PoisonError::into_inner)
    }
}
