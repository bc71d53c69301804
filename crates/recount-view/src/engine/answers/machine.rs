//! Decoded stretches of whole objects, for stepping through their samples.

use std::collections::VecDeque;
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};

use recount_compute::{CookOptions, Cooked};
use recount_model::{CounterPath, Pattern, Selection};

use crate::engine::cancel::{Cancel, Cancelled};
use crate::engine::load::{Piece, Stretch, load};
use crate::engine::side::Side;

/// Samples that are decoded together: enough for a minute of stepping.
pub(super) const LEN_STRETCH: usize = 64;
/// Stretches that are kept.
const MAX_KEPT: usize = 12;
/// Cells of all of them together: each is a value and a status.
const MAX_CELLS: usize = 6 << 20;

#[derive(Clone, Debug, PartialEq, Eq)]
struct Key {
    side: usize,
    input: usize,
    object: String,
    stretch: usize,
    num_samples: usize,
}

/// The stretches used last, the newest in front.
#[derive(Default)]
pub(crate) struct Machine {
    kept: Mutex<VecDeque<(Key, Arc<Vec<Cooked>>)>>,
}

impl Machine {
    /// The values of an object around a sample of an input, in order of time: of the stretch that has the sample, and of one
    /// sample before and behind that.
    pub(super) fn around(
        &self,
        (number, side): (usize, &Side),
        (input, at): (usize, usize),
        object: &str,
        cancel: &Cancel,
    ) -> Result<Arc<Vec<Cooked>>, Cancelled> {
        let stretch = at / LEN_STRETCH;
        let num_samples = side.inputs[input].samples.len();
        let samples =
            (stretch * LEN_STRETCH).saturating_sub(1)..((stretch + 1) * LEN_STRETCH + 1).min(num_samples);
        let key = Key { side: number, input, object: object.to_owned(), stretch, num_samples: samples.len() };
        if let Some(found) = self.get(&key) {
            return Ok(found);
        }
        let path = CounterPath::of("", object, None, "*");
        let selection = Selection { patterns: vec![Pattern::Path(path)] };
        let cook = CookOptions { selection, ..CookOptions::default() };
        let add = |all: &mut Vec<Cooked>, pieces: Vec<Piece>| {
            // A pattern with asterisks matches more.
            let own = pieces.into_iter().filter(|piece| *piece.cooked.object.name == *object);
            all.extend(own.map(|piece| piece.cooked.skip_samples(piece.skip)));
        };
        let cooked = load(side, &Stretch { input, samples }, &cook, cancel, Vec::new, add)?;
        let cooked = Arc::new(cooked);
        self.put(key, Arc::clone(&cooked));
        Ok(cooked)
    }

    pub(crate) fn forget(&self) {
        self.lock().clear();
    }

    fn get(&self, key: &Key) -> Option<Arc<Vec<Cooked>>> {
        let mut kept = self.lock();
        let at = kept.iter().position(|(known, _)| known == key)?;
        let found = kept.remove(at)?;
        let cooked = Arc::clone(&found.1);
        kept.push_front(found);
        Some(cooked)
    }

    fn put(&self, key: Key, cooked: Arc<Vec<Cooked>>) {
        let mut kept = self.lock();
        kept.push_front((key, cooked));
        let num_cells = |cooked: &Arc<Vec<Cooked>>| -> usize {
            cooked.iter().map(|cooked| cooked.num_cells() * cooked.columns.len()).sum()
        };
        while kept.len() > 1
            && (kept.len() > MAX_KEPT
                || kept.iter().map(|(_, cooked)| num_cells(cooked)).sum::<usize>() > MAX_CELLS)
        {
            kept.pop_back();
        }
    }

    fn lock(&self) -> MutexGuard<'_, VecDeque<(Key, Arc<Vec<Cooked>>)>> {
        self.kept.lock().unwrap_or_else(PoisonError::into_inner)
    }
}
