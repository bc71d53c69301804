//! Keeps decoded values of single series for the next request.

use std::collections::HashMap;
use std::ops::Range;
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};

use recount_compute::{CookOptions, covers};
use recount_model::Timestamp;

use super::cancel::Cancel;
use super::gather::{Cells, Gatherer};
use super::load::load;
use super::name::{SeriesName, selection_of};
use super::repeated::{Part, Rules, without_repeated};
use super::side::Side;
use super::time::Span;
use recount_compute::Cancelled;

/// Samples per chunk. Logs are read in stretches of about a hundred, so little is decoded in vain.
const LEN_CHUNK: usize = 256;
/// Chunks decoded between checks whether the request was cancelled.
const CHUNKS_AT_ONCE: usize = 64;
/// Bytes of values kept.
const MAX_LEN: usize = 192 << 20;

#[derive(Clone, Debug, PartialEq, Eq, Hash)]
struct Key {
    side: usize,
    input: usize,
    chunk: usize,
    series: Arc<SeriesName>,
}

struct Kept {
    cells: Arc<Cells>,
    /// Number of samples in the chunk when it was decoded: a growing log adds to its last chunk.
    num_samples: usize,
    used: u64,
}

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
        let mut all: Vec<Vec<Part>> = vec![Vec::new(); wanted.names.len()];
        for input in 0..wanted.side.inputs().len() {
            let mut found: Vec<Vec<Arc<Cells>>> = vec![Vec::new(); wanted.names.len()];
            let chunks = chunks_in(wanted.side, input, wanted.span);
            let is_of = |name: &Arc<SeriesName>| wanted.side.inputs_of(&name.host).any(|of| of == input);
            let series: Vec<usize> = (0..wanted.names.len()).filter(|at| is_of(&wanted.names[*at])).collect();
            for chunks in stretches(&chunks) {
                self.fill(wanted, input, chunks.clone(), &series, cancel, &mut found)?;
            }
            let capture = wanted.side.capture_of(input);
            for (all, found) in all.iter_mut().zip(found) {
                all.extend(found.into_iter().map(|cells| (capture, cells)));
            }
        }
        let source = |number: usize| &*wanted.side.inputs()[number].source;
        let covers = |captures: [usize; 2], time: i64, short_s: Option<f64>, long_s: f64| {
            let [short, long] = captures.map(source);
            // Raw values that differ are of two recordings.
            let is_one = long.info().is_cooked || short.info().is_cooked;
            is_one && covers(short, Timestamp(time), short_s, long_s)
        };
        let rank = |number: usize| (!source(number).info().is_cooked, source(number).info().authority);
        let rules = Rules { covers: &covers, rank: &rank };
        Ok(all.into_iter().map(|parts| without_repeated(parts, &rules)).collect())
    }

    /// How many samples would have to be decoded.
    pub(crate) fn num_missing(&self, wanted: Wanted<'_>) -> usize {
        let mut shelf = self.lock();
        let mut missing = 0;
        for input in 0..wanted.side.inputs().len() {
            let is_of = |name: &&Arc<SeriesName>| wanted.side.inputs_of(&name.host).any(|of| of == input);
            let names: Vec<&Arc<SeriesName>> = wanted.names.iter().filter(is_of).collect();
            for chunk in chunks_in(wanted.side, input, wanted.span) {
                let len = samples_of(wanted.side, input, chunk).len();
                let has = |name: &&Arc<SeriesName>| {
                    shelf.get(&wanted.key(input, chunk, name), len, wanted.with_raw).is_some()
                };
                if !names.iter().all(has) {
                    missing += len;
                }
            }
        }
        missing
    }

    /// Takes chunks from the shelf, and decodes missing ones.
    fn fill(
        &self,
        wanted: Wanted<'_>,
        input: usize,
        chunks: Range<usize>,
        series: &[usize],
        cancel: &Cancel,
        found: &mut [Vec<Arc<Cells>>],
    ) -> Result<(), Cancelled> {
        let mut missing: Vec<usize> = Vec::new();
        let mut absent: Option<Range<usize>> = None;
        {
            let mut shelf = self.lock();
            for &at in series {
                let mut own = Vec::with_capacity(chunks.len());
                for chunk in chunks.clone() {
                    let len = samples_of(wanted.side, input, chunk).len();
                    let key = wanted.key(input, chunk, &wanted.names[at]);
                    if let Some(cells) = shelf.get(&key, len, wanted.with_raw) {
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
        let decoded = decode(wanted, input, &absent, &names, cancel)?;
        let mut shelf = self.lock();
        for ((at, name), of_series) in missing.iter().zip(&names).zip(decoded) {
            for (chunk, cells) in absent.clone().zip(of_series) {
                let len = samples_of(wanted.side, input, chunk).len();
                shelf.put(wanted.key(input, chunk, name), Arc::new(cells), len);
            }
            // Some of them may have been there before.
            for chunk in chunks.clone() {
                let len = samples_of(wanted.side, input, chunk).len();
                found[*at].extend(shelf.get(&wanted.key(input, chunk, name), len, wanted.with_raw));
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
    fn key(&self, input: usize, chunk: usize, series: &Arc<SeriesName>) -> Key {
        Key { side: self.number, input, chunk, series: Arc::clone(series) }
    }
}

impl Shelf {
    fn get(&mut self, key: &Key, num_samples: usize, with_raw: bool) -> Option<Arc<Cells>> {
        self.clock += 1;
        let kept = self.chunks.get_mut(key)?;
        if kept.num_samples != num_samples || (with_raw && kept.cells.raw.is_none()) {
            return None;
        }
        kept.used = self.clock;
        Some(Arc::clone(&kept.cells))
    }

    fn put(&mut self, key: Key, cells: Arc<Cells>, num_samples: usize) {
        self.clock += 1;
        self.len += cells.len_bytes();
        let kept = Kept { cells, num_samples, used: self.clock };
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

/// The chunks that a span touches.
fn chunks_in(side: &Side, input: usize, span: Span) -> Range<usize> {
    let samples = side.samples_in(input, span);
    if samples.is_empty() {
        return 0..0;
    }
    let chunk_of = |at: usize| {
        let chunk = at / LEN_CHUNK;
        if at < border(side, input, chunk) { chunk - 1 } else { chunk }
    };
    chunk_of(samples.start)..chunk_of(samples.end - 1) + 1
}

fn stretches(chunks: &Range<usize>) -> impl Iterator<Item = Range<usize>> + use<> {
    let chunks = chunks.clone();
    let end = chunks.end;
    chunks.step_by(CHUNKS_AT_ONCE).map(move |from| from..end.min(from + CHUNKS_AT_ONCE))
}

fn samples_of(side: &Side, input: usize, chunk: usize) -> Range<usize> {
    border(side, input, chunk)..border(side, input, chunk + 1)
}

/// The first sample of a chunk. Samples with the same time stay together.
fn border(side: &Side, input: usize, chunk: usize) -> usize {
    let num_samples = side.inputs()[input].samples.len();
    let mut at = (chunk * LEN_CHUNK).min(num_samples);
    while at > 0 && at < num_samples && side.time(input, at) == side.time(input, at - 1) {
        at += 1;
    }
    at
}

/// Decodes chunks for several series together; the result is by series and chunk.
fn decode(
    wanted: Wanted<'_>,
    input: usize,
    chunks: &Range<usize>,
    names: &[Arc<SeriesName>],
    cancel: &Cancel,
) -> Result<Vec<Vec<Cells>>, Cancelled> {
    let side = wanted.side;
    let samples = border(side, input, chunks.start)..border(side, input, chunks.end);
    let selection = selection_of(names.iter().map(|name| &**name));
    let cook = CookOptions { selection, keep_raw: wanted.with_raw, ..CookOptions::default() };
    let mut gathered = Gatherer::new(names, wanted.with_raw);
    load(side, (input, samples), &cook, cancel, |batch| gathered.add(&batch))?;
    let cut = |cells: Cells| {
        let mut from = 0;
        let mut parts = Vec::with_capacity(chunks.len());
        for chunk in chunks.clone() {
            let end = border(side, input, chunk + 1);
            let is_before =
                |time: &i64| end >= side.inputs()[input].samples.len() || *time < side.time(input, end);
            let to = from + cells.times[from..].partition_point(is_before);
            parts.push(cells.part(from..to));
            from = to;
        }
        parts
    };
    Ok(gathered.finish().into_iter().map(cut).collect())
}
