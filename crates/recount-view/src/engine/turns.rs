//! Whose turn it is while everything is counted: that of the counting, on which the findings wait, or of requests.

use std::sync::atomic::{AtomicU64, Ordering};
use std::sync::{Mutex, MutexGuard, PoisonError};
use std::time::Duration;

use super::clock::Instant;

/// The counting waits for requests for at most this share of its time, besides a first moment.
const SHARE_WAITED: f64 = 0.2;
/// One request at a time may try to decode much meanwhile, for this share of the time so far. If that isn't enough, the
/// request would take about as long as the counting, and both would take twice as long side by side.
const SHARE_TRIED: f64 = 0.1;
/// What is given in any case.
const FIRST_MOMENT: Duration = Duration::from_millis(300);

/// How the time of a counting was used.
#[derive(Default)]
pub(super) struct Turns {
    begun: Mutex<Option<Instant>>,
    /// Microseconds.
    waited: AtomicU64,
    trial: Mutex<()>,
}

impl Turns {
    /// A counting begins.
    pub(super) fn begin(&self) {
        *self.begun.lock().unwrap_or_else(PoisonError::into_inner) = Some(Instant::now());
        self.waited.store(0, Ordering::Relaxed);
    }

    fn elapsed(&self) -> Duration {
        let begun = *self.begun.lock().unwrap_or_else(PoisonError::into_inner);
        begun.map(|begun| begun.elapsed()).unwrap_or_default()
    }

    /// For how long the counting may still wait for requests.
    pub(super) fn patience(&self) -> Duration {
        let waited = Duration::from_micros(self.waited.load(Ordering::Relaxed));
        (FIRST_MOMENT + self.elapsed().mul_f64(SHARE_WAITED)).saturating_sub(waited)
    }

    /// The counting has waited.
    pub(super) fn note_waited(&self, waited: Duration) {
        self.waited.fetch_add(u64::try_from(waited.as_micros()).unwrap_or(u64::MAX), Ordering::Relaxed);
    }

    /// The turn of a request that may take long, and when it ends; `None` if another has it.
    pub(super) fn trial(&self) -> Option<(MutexGuard<'_, ()>, Instant)> {
        let turn = self.trial.try_lock().ok()?;
        Some((turn, Instant::now() + FIRST_MOMENT.max(self.elapsed().mul_f64(SHARE_TRIED))))
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_counting_does_not_wait_forever() {
        let turns = Turns::default();
        turns.begin();
        assert!(turns.patience() >= FIRST_MOMENT);
        turns.note_waited(Duration::from_mins(1));
        assert_eq!(turns.patience(), Duration::ZERO);
        turns.begin();
        assert!(turns.patience() >= FIRST_MOMENT, "another counting waits anew");
    }

    #[test]
    fn one_request_tries_at_a_time() {
        let turns = Turns::default();
        let first = turns.trial();
        assert!(first.is_some() && turns.trial().is_none());
        drop(first);
        assert!(turns.trial().is_some_and(|(_, end)| end > Instant::now()));
    }
}
