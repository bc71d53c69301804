//! Decodes a stretch of samples for an answer, which may be cancelled.

use std::ops::Range;

use recount_compute::{Cancelled, CookOptions, Cooked, PipelineOptions, Stretch};
use recount_model::Timestamp;

use super::cancel::Cancel;
use super::side::Side;
use super::time::Span;

/// Raw bytes decoded at a time: less than in a pass over everything, since several requests may run in
/// parallel.
const LEN_SLICE: usize = 2 << 20;

/// Cooks samples of each input, by their indices among those used; their values equal those of a pass over everything,
/// to the bit. `add` is called with batch after batch.
pub(crate) fn load(
    side: &Side,
    samples: &[Range<usize>],
    cook: &CookOptions,
    cancel: &Cancel,
    add: impl FnMut(Vec<Cooked>) + Send,
) -> Result<(), Cancelled> {
    cooked(&Stretch::new(side.inputs(), &side.landmarks, samples), cook, cancel, add)
}

/// Cooks the samples of all inputs in a span. A value that several captures have is there once.
pub(crate) fn load_span(
    side: &Side,
    span: Span,
    cook: &CookOptions,
    cancel: &Cancel,
    add: impl FnMut(Vec<Cooked>) + Send,
) -> Result<(), Cancelled> {
    let (begin, end) = (Some(Timestamp(span.from)), Some(Timestamp(span.to)));
    cooked(&Stretch::between(side.inputs(), &side.landmarks, begin, end), cook, cancel, add)
}

fn cooked(
    stretch: &Stretch<'_>,
    cook: &CookOptions,
    cancel: &Cancel,
    mut add: impl FnMut(Vec<Cooked>) + Send,
) -> Result<(), Cancelled> {
    let options = PipelineOptions { cook: cook.clone(), len_slice: LEN_SLICE };
    let done = stretch.run(&options, |batch, _| {
        cancel.check()?;
        add(batch);
        Ok(())
    });
    // The pass over everything reports what can't be read.
    done.map(|_| ())
}
