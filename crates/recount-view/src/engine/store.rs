//! Keeps decoded values of single series for the next request.

use std::collections::HashMap;
use std::ops::Range;
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};

use recount_compute::{Cancelled, CookOptions};

use super::cancel::Cancel;
use super::gather::{Cells, Gatherer};
use super::load::load;
use super::name::{SeriesName, selection_of};
use super::side::Side;
use super::time::Span;
use super::together::Together;

/// Chunks decoded between checks whether the request was cancelled.
const CHUNKS_AT_ONCE: usize = 64;
/// Bytes of values kept.
const MAX_LEN: usize = 192 << 20;

#[derive(Clone, Debug, PartialEq, Eq, Hash)]
struct Key {
    side: usize,
    /// Which inputs that are read together.
    together: usize,
    chunk: usize,
    series: Arc<SeriesName>,
}

struct Kept {
    cells: Arc<Cells>,
    /// What the chunk was when it was decoded.
    extent: Extent,
    used: u64,
}

/// Number of samples, and the times of the first and the last: a growing log adds to its last chunk.
type Extent = (usize, Option<i64>, Option<i64>);

/// The most recently used chunks of series.
#[derive(Default)]
pub(crate) struct Store {
    kept: Mutex<Shelf>,
}

#[derive(Default)]
struct Shelf {
    chunks: HashMap<Key, Kept>,
    len: usize,
    clock: u64,
}

/// Which values are wanted.
#[derive(Clone, Copy)]
pub(crate) struct Wanted<'a> {
    pub(crate) number: usize,
    pub(crate) side: &'a Side,
    pub(crate) names: &'a [Arc<SeriesName>],
    pub(crate) span: Span,
    pub(crate) with_raw: bool,
}

impl Store {
    /// The cells of series in a span, by series; chunks reach beyond it.
    pub(crate) fn cells(
        &self,
        wanted: Wanted<'_>,
        cancel: &Cancel,
    ) -> Result<Vec<Vec<Arc<Cells>>>, Cancelled> {
        let mut found: Vec<Vec<Arc<Cells>>> = vec![Vec::new(); wanted.names.len()];
        for (number, together) in wanted.side.together.iter().enumerate() {
            let series: Vec<usize> =
                (0..wanted.names.len()).filter(|at| wanted.may_be_in(together, &wanted.names[*at])).collect();
            for chunks in stretches(&together.chunks_in(wanted.span)) {
                self.fill(wanted, number, chunks, &series, cancel, &mut found)?;
            }
        }
        Ok(found)
    }

    /// How many samples would have to be decoded.
    pub(crate) fn num_missing(&self, wanted: Wanted<'_>) -> usize {
        let mut shelf = self.lock();
        let mut missing = 0;
        for (number, together) in wanted.side.together.iter().enumerate() {
            let names: Vec<&Arc<SeriesName>> =
                wanted.names.iter().filter(|name| wanted.may_be_in(together, name)).collect();
            for chunk in together.chunks_in(wanted.span) {
                let times = together.times_of(chunk);
                let has = |name: &&Arc<SeriesName>| {
                    shelf.get(&wanted.key(number, chunk, name), extent(times), wanted.with_raw).is_some()
                };
                if !names.iter().all(has) {
                    missing += times.len();
                }
            }
        }
        missing
    }

    /// Takes chunks from the shelf, and decodes missing ones.
    fn fill(
        &self,
        wanted: Wanted<'_>,
        number: usize,
        chunks: Range<usize>,
        series: &[usize],
        cancel: &Cancel,
        found: &mut [Vec<Arc<Cells>>],
    ) -> Result<(), Cancelled> {
        let together = &wanted.side.together[number];
        let extent_of = |chunk: usize| extent(together.times_of(chunk));
        let mut missing: Vec<usize> = Vec::new();
        let mut absent: Option<Range<usize>> = None;
        {
            let mut shelf = self.lock();
            for &at in series {
                let mut own = Vec::with_capacity(chunks.len());
                for chunk in chunks.clone() {
                    let key = wanted.key(number, chunk, &wanted.names[at]);
                    if let Some(cells) = shelf.get(&key, extent_of(chunk), wanted.with_raw) {
                        own.push(cells);
                    } else {
                        let known = absent.get_or_insert(chunk..chunk + 1);
                        *known = known.start.min(chunk)..known.end.max(chunk + 1);
                    }
                }
                if own.len() == chunks.len() { found[at].extend(own) } else { missing.push(at) }
            }
        }
        let Some(absent) = absent else { return Ok(()) };
        cancel.check()?;
        let names: Vec<Arc<SeriesName>> = missing.iter().map(|at| Arc::clone(&wanted.names[*at])).collect();
        let decoded = decode(wanted, together, &absent, &names, cancel)?;
        let mut shelf = self.lock();
        for ((at, name), of_series) in missing.iter().zip(&names).zip(decoded) {
            for (chunk, cells) in absent.clone().zip(of_series) {
                shelf.put(wanted.key(number, chunk, name), Arc::new(cells), extent_of(chunk));
            }
            // Some of them may have been there before.
            for chunk in chunks.clone() {
                let key = wanted.key(number, chunk, name);
                found[*at].extend(shelf.get(&key, extent_of(chunk), wanted.with_raw));
            }
        }
        shelf.shrink();
        Ok(())
    }

    /// Forgets everything about a side whose captures were replaced.
    pub(crate) fn forget(&self, side: usize) {
        let mut shelf = self.lock();
        shelf.chunks.retain(|key, _| key.side != side);
        shelf.len = shelf.chunks.values().map(|kept| kept.cells.len_bytes()).sum();
    }

    fn lock(&self) -> MutexGuard<'_, Shelf> {
        self.kept.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

impl Wanted<'_> {
    fn key(&self, together: usize, chunk: usize, series: &Arc<SeriesName>) -> Key {
        Key { side: self.number, together, chunk, series: Arc::clone(series) }
    }

    /// Whether inputs may have values of a series, by its machine.
    fn may_be_in(&self, together: &Together, name: &SeriesName) -> bool {
        self.side.inputs_of(&name.host).any(|input| together.inputs.contains(&input))
    }
}

impl Shelf {
    fn get(&mut self, key: &Key, extent: Extent, with_raw: bool) -> Option<Arc<Cells>> {
        self.clock += 1;
        let kept = self.chunks.get_mut(key)?;
        if kept.extent != extent || (with_raw && kept.cells.raw.is_none()) {
            return None;
        }
        kept.used = self.clock;
        Some(Arc::clone(&kept.cells))
    }

    fn put(&mut self, key: Key, cells: Arc<Cells>, extent: Extent) {
        self.clock += 1;
        self.len += cells.len_bytes();
        let kept = Kept { cells, extent, used: self.clock };
        if let Some(before) = self.chunks.insert(key, kept) {
            self.len -= before.cells.len_bytes();
        }
    }

    /// Drops the least recently used chunks, and a fifth more than needed, so that this isn't done for every
    /// chunk.
    fn shrink(&mut self) {
        if self.len <= MAX_LEN {
            return;
        }
        let mut order: Vec<(u64, Key)> =
            self.chunks.iter().map(|(key, kept)| (kept.used, key.clone())).collect();
        order.sort_unstable_by_key(|(used, _)| *used);
        for (_, key) in order {
            if self.len <= MAX_LEN / 5 * 4 {
                break;
            }
            if let Some(kept) = self.chunks.remove(&key) {
                self.len -= kept.cells.len_bytes();
            }
        }
    }
}

fn extent(times: &[i64]) -> Extent {
    (times.len(), times.first().copied(), times.last().copied())
}

fn stretches(chunks: &Range<usize>) -> impl Iterator<Item = Range<usize>> + use<> {
    let chunks = chunks.clone();
    let end = chunks.end;
    chunks.step_by(CHUNKS_AT_ONCE).map(move |from| from..end.min(from + CHUNKS_AT_ONCE))
}

/// Decodes chunks for several series together; the result is by series and chunk.
fn decode(
    wanted: Wanted<'_>,
    together: &Together,
    chunks: &Range<usize>,
    names: &[Arc<SeriesName>],
    cancel: &Cancel,
) -> Result<Vec<Vec<Cells>>, Cancelled> {
    let samples = wanted.side.samples_of(together, chunks);
    let selection = selection_of(names.iter().map(|name| &**name));
    let cook = CookOptions { selection, keep_raw: wanted.with_raw, ..CookOptions::default() };
    let mut gathered = Gatherer::new(names, wanted.with_raw);
    load(wanted.side, &samples, &cook, cancel, |batch| gathered.add(&batch))?;
    let cut = |cells: Cells| {
        let mut from = 0;
        let mut parts = Vec::with_capacity(chunks.len());
        for chunk in chunks.clone() {
            let last = together.times_of(chunk).last();
            let to = from + cells.times[from..].partition_point(|time| Some(time) <= last);
            parts.push(cells.part(from..to));
            from = to;
        }
        parts
    };
    Ok(gathered.finish().into_iter().map(cut).collect())
}
