//! Decodes a stretch of samples, with as many samples before it as its values need.

use std::collections::HashSet;
use std::ops::Range;
use std::sync::Arc;

use recount_compute::{CookOptions, Cooked, Input, PipelineOptions, run};

use super::cancel::{Cancel, Cancelled};
use super::side::{ObjectKey, Side};

/// A stretch of the samples of an input, by their indices among those used.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) struct Stretch {
    pub(crate) input: usize,
    pub(crate) samples: Range<usize>,
}

/// Cooked values, the first of which precede the stretch.
pub(crate) struct Piece {
    pub(crate) cooked: Cooked,
    /// Number of samples before the stretch.
    pub(crate) skip: usize,
}

/// Why a pass over a stretch ended early.
enum Stop {
    Cancelled,
    /// An object's previous sample is further back than was read.
    TooShort,
}

/// Raw bytes decoded at a time: less than in a pass over everything, since several requests may run in
/// parallel.
const LEN_SLICE: usize = 2 << 20;

/// Cooks a stretch; its values equal those of a pass over the whole capture, to the bit. `make` creates the object to
/// which `add` adds batches; it is called again if more samples before the stretch turn out to be needed.
pub(crate) fn load<T: Send>(
    side: &Side,
    stretch: &Stretch,
    cook: &CookOptions,
    cancel: &Cancel,
    make: impl Fn() -> T,
    add: impl Fn(&mut T, Vec<Piece>) + Sync + Send,
) -> Result<T, Cancelled> {
    // Usually the previous sample suffices. Objects that are sampled at other times have theirs further back.
    let has_history = side.inputs()[stretch.input].source.info().has_aggregates;
    let mut lead = if has_history { usize::MAX } else { 1 };
    loop {
        let (inputs, is_all) = with_lead(side, stretch, lead);
        let mut gathered = make();
        match attempt(side, stretch, (&inputs, is_all), cook, cancel, |pieces| add(&mut gathered, pieces)) {
            Ok(()) => return Ok(gathered),
            Err(Stop::Cancelled) => return Err(Cancelled),
            Err(Stop::TooShort) => lead = lead.saturating_mul(16),
        }
    }
}

fn attempt(
    side: &Side,
    stretch: &Stretch,
    (inputs, is_all): (&[Input], bool),
    cook: &CookOptions,
    cancel: &Cancel,
    mut add: impl FnMut(Vec<Piece>) + Send,
) -> Result<(), Stop> {
    if stretch.samples.is_empty() {
        return Ok(());
    }
    let begin = side.time(stretch.input, stretch.samples.start);
    let options = PipelineOptions { cook: cook.clone(), len_slice: LEN_SLICE };
    let mut met: HashSet<ObjectKey> = HashSet::new();
    let done = run(inputs, &options, |batch, _| {
        cancel.check().map_err(|Cancelled| Stop::Cancelled)?;
        let mut pieces = Vec::with_capacity(batch.len());
        for cooked in batch {
            let skip = cooked.times.partition_point(|time| time.utc.0 < begin);
            let key = (Arc::clone(&cooked.host), Arc::clone(&cooked.object.name), cooked.object.stream);
            if let Some(first) = cooked.times.first().filter(|_| !met.contains(&key)) {
                let has_begun = side.begun(stretch.input, &key) == Some(first.utc.0);
                if skip == 0 && !has_begun {
                    if !is_all {
                        return Err(Stop::TooShort);
                    }
                    side.note_begun(stretch.input, key.clone(), first.utc.0);
                }
                met.insert(key);
            }
            if skip < cooked.num_samples() {
                pieces.push(Piece { cooked, skip });
            }
        }
        add(pieces);
        Ok(())
    });
    // The pass over everything reports what can't be read.
    done.map(|_| ())
}

/// The samples of a stretch and `lead` samples before it, including those of inputs that it continues; and whether
/// these are all there are.
fn with_lead(side: &Side, stretch: &Stretch, lead: usize) -> (Vec<Input>, bool) {
    let mut parts: Vec<(usize, Range<usize>)> = Vec::new();
    let (mut input, mut end, mut missing) = (stretch.input, stretch.samples.start, lead);
    let begin = end.saturating_sub(missing);
    parts.push((input, begin..stretch.samples.end));
    missing -= end - begin;
    let mut is_all = begin == 0;
    while is_all && let Some(earlier) = side.inputs()[input].continues.filter(|earlier| *earlier < input) {
        if missing == 0 {
            is_all = false;
            break;
        }
        input = earlier;
        end = side.inputs()[input].samples.len();
        let begin = end.saturating_sub(missing);
        parts.push((input, begin..end));
        missing -= end - begin;
        is_all = begin == 0;
    }
    let num_parts = parts.len();
    parts.reverse();
    let made = parts.into_iter().enumerate().map(|(at, (input, samples))| Input {
        source: Arc::clone(&side.inputs()[input].source),
        samples: side.inputs()[input].samples[samples].to_vec(),
        continues: at.checked_sub(1),
    });
    (made.take(num_parts).collect(), is_all)
}
