//! Predicts how long samples take to decode, from earlier measurements.

use std::collections::HashMap;
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};
use std::time::Duration;

use super::name::SeriesName;

/// Fewer samples say little about the next ones.
const ENOUGH: usize = 8;

/// How samples are read.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub(crate) enum Reading {
    /// One after the other.
    Stretch,
    /// Far apart: each may be decoded with its neighbours.
    Spaced,
}

impl Reading {
    /// Seconds per sample before anything is known.
    fn unknown_s(self) -> f64 {
        match self {
            Reading::Stretch => 30e-6,
            Reading::Spaced => 3e-3,
        }
    }
}

/// The subject of decoding: an object of a side.
#[derive(Clone, Debug, PartialEq, Eq, Hash)]
pub(crate) struct Decoded {
    pub(crate) side: usize,
    pub(crate) object: Arc<str>,
    pub(crate) reading: Reading,
}

/// The objects to which series of a side belong.
pub(crate) fn objects(side: usize, names: &[Arc<SeriesName>], reading: Reading) -> Vec<Decoded> {
    let mut objects: Vec<Arc<str>> = names.iter().map(|name| Arc::clone(&name.object)).collect();
    objects.sort();
    objects.dedup();
    objects.into_iter().map(|object| Decoded { side, object, reading }).collect()
}

/// Seconds per sample of everything decoded so far.
#[derive(Default)]
pub(crate) struct Rates(Mutex<HashMap<Decoded, f64>>);

impl Rates {
    /// Seconds per sample.
    pub(crate) fn get(&self, what: &Decoded) -> f64 {
        self.lock().get(what).copied().unwrap_or(what.reading.unknown_s())
    }

    /// Notes how long a number of samples took.
    pub(crate) fn note(&self, what: Decoded, num_samples: usize, taken: Duration) {
        if num_samples < ENOUGH {
            return;
        }
        let rate = taken.as_secs_f64() / num_samples as f64;
        self.lock().entry(what).and_modify(|known| *known = *known * 0.6 + rate * 0.4).or_insert(rate);
    }

    /// Notes that a number of samples weren't ready after a time.
    pub(crate) fn note_more(&self, what: Decoded, num_samples: usize, taken: Duration) {
        if num_samples < ENOUGH {
            return;
        }
        let rate = taken.as_secs_f64() / num_samples as f64;
        self.lock().entry(what).and_modify(|known| *known = known.max(rate)).or_insert(rate);
    }

    fn lock(&self) -> MutexGuard<'_, HashMap<Decoded, f64>> {
        self.0.lock().unwrap_or_else(PoisonError::into_inner)
    }
}
