//! Labels: names and values that agents and sites give to a host, a domain, a metric or an instance.

use recount_bytes::ByteOrder;
use recount_bytes::FormatError;
use recount_bytes::fields::Fields;
use recount_bytes::parse::{Failed, Reader, by_fields};

use super::{Frame, RawStamp, Version, placed};

#[derive(Clone, Debug, Default)]
pub(crate) struct LabelRecord {
    time: RawStamp,
    pub(crate) level: u32,
    pub(crate) id: u32,
    num_sets: u32,
    /// Instance, or -1, and the labels as JSON, or why the source had none: an error code, below 0.
    pub(crate) sets: Vec<(i32, Result<String, i32>)>,
}

impl LabelRecord {
    pub(crate) const NAME: &'static str = "labels";
    /// The labels of the whole host.
    pub(crate) const CONTEXT: u32 = 1;
    const MAX_LEN_JSON: u32 = 0xFFFF;

    pub(crate) fn parse(version: Version, frame: &Frame<'_>) -> Result<LabelRecord, FormatError> {
        let whole = frame.bytes.get(..frame.bytes.len() - 4).unwrap_or_default();
        let parsed = by_fields(LabelRecord::NAME, ByteOrder::Big, |record: &mut LabelRecord, f| {
            record.fields(version, f)?;
            for _ in 0..record.num_sets {
                record.sets.push(labels(f)?);
            }
            Ok(())
        })(whole);
        placed(parsed, frame)
    }

    pub(crate) fn fields<F: Fields>(&mut self, version: Version, f: &mut F) -> Result<(), F::Error> {
        f.hidden("length", &mut 0_u32)?;
        f.hidden("type", &mut 0_u32)?;
        self.time.fields(version, f)?;
        f.field("level", &mut self.level)?;
        f.shown("id", &mut self.id, |id| format!("{id:#010x}"))?;
        f.field("number of sets", &mut self.num_sets)
    }
}

/// The labels of an instance as JSON, or why the source had none.
fn labels<'a>(f: &mut Reader<'a>) -> Result<(i32, Result<String, i32>), Failed<'a>> {
    let (mut instance, mut len, mut num_labels) = (0, 0, 0);
    f.field("instance", &mut instance)?;
    f.bounded("length of the labels", &mut len, 0, LabelRecord::MAX_LEN_JSON as usize)?;
    let json = f.take("labels", len as usize)?;
    f.field("number of labels", &mut num_labels)?;
    let Ok(num_places) = usize::try_from(num_labels) else { return Ok((instance, Err(num_labels))) };
    // The positions of the labels in the text, which are redundant.
    f.take("places", num_places.saturating_mul(8))?;
    Ok((instance, Ok(super::text(json))))
}
