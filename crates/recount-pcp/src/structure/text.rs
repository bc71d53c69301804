//! Help texts.

use recount_bytes::ByteOrder;
use recount_bytes::FormatError;
use recount_bytes::fields::Fields;
use recount_bytes::parse::by_fields;

use super::{Frame, placed, text};

#[derive(Clone, Debug, Default)]
pub(crate) struct TextRecord {
    /// Bits: 1 one line, 2 long, 4 of a metric, 8 of an instance domain.
    pub(crate) kind: u32,
    pub(crate) id: u32,
    pub(crate) text: String,
}

impl TextRecord {
    pub(crate) const NAME: &'static str = "help text";
    pub(crate) const ONE_LINE_OF_METRIC: u32 = 5;
    pub(crate) const ONE_LINE_OF_DOMAIN: u32 = 9;

    pub(crate) fn parse(frame: &Frame<'_>) -> Result<TextRecord, FormatError> {
        let whole = frame.bytes.get(..frame.bytes.len() - 4).unwrap_or_default();
        let parsed = by_fields(TextRecord::NAME, ByteOrder::Big, |record: &mut TextRecord, f| {
            record.fields(f)?;
            record.text = text(f.rest());
            Ok(())
        })(whole);
        placed(parsed, frame)
    }

    pub(crate) fn fields<F: Fields>(&mut self, f: &mut F) -> Result<(), F::Error> {
        f.hidden("length", &mut 0_u32)?;
        f.hidden("type", &mut 0_u32)?;
        f.field("kind", &mut self.kind)?;
        f.shown("id", &mut self.id, |id| format!("{id:#010x}"))
    }
}
