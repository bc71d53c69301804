//! Decodes a stretch of samples for an answer, which may be cancelled.

use std::ops::Range;

use recount_compute::{Cancelled, CookOptions, Cooked, PipelineOptions, Stretch};

use super::cancel::Cancel;
use super::side::Side;

/// Raw bytes decoded at a time: less than in a pass over everything, since several requests may run in
/// parallel.
const LEN_SLICE: usize = 2 << 20;

/// Cooks samples of an input, by their indices among those used; their values equal those of a pass over the whole capture,
/// to the bit. `add` is called with batch after batch.
pub(crate) fn load(
    side: &Side,
    (input, samples): (usize, Range<usize>),
    cook: &CookOptions,
    cancel: &Cancel,
    mut add: impl FnMut(Vec<Cooked>) + Send,
) -> Result<(), Cancelled> {
    let options = PipelineOptions { cook: cook.clone(), len_slice: LEN_SLICE };
    let done = Stretch::of_input(side.inputs(), &side.landmarks, input, samples).run(&options, |batch, _| {
        cancel.check()?;
        add(batch);
        Ok(())
    });
    // The pass over everything reports what can't be read.
    done.map(|_| ())
}
