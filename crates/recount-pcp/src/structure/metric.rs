//! The description of a metric.

use recount_bytes::ByteOrder;
use recount_bytes::FormatError;
use recount_bytes::fields::Fields;
use recount_bytes::parse::by_fields;

use super::{DomainId, Frame, Pmid, placed, text, unexpected};
use crate::units::Units;

#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub(crate) struct MetricRecord {
    pub(crate) pmid: u32,
    pub(crate) value_type: i32,
    pub(crate) domain: u32,
    pub(crate) semantics: u32,
    pub(crate) units: u32,
    num_names: u32,
    /// Each once; the first is the metric's name.
    pub(crate) names: Vec<String>,
}

impl MetricRecord {
    pub(crate) const NAME: &'static str = "metric";
    /// Offset of its names in the record.
    pub(crate) const OFS_NAMES: usize = 32;

    pub(crate) fn parse(frame: &Frame<'_>) -> Result<MetricRecord, FormatError> {
        let whole = frame.bytes.get(..frame.bytes.len() - 4).unwrap_or_default();
        let mut len_rest = 0;
        let parsed = by_fields(MetricRecord::NAME, ByteOrder::Big, |metric: &mut MetricRecord, f| {
            metric.fields(f)?;
            for _ in 0..metric.num_names {
                let mut len = 0_u32;
                f.field("length of a name", &mut len)?;
                let name = text(f.take("name", len as usize)?);
                if !name.is_empty() && !metric.names.contains(&name) {
                    metric.names.push(name);
                }
            }
            len_rest = f.rest().len();
            Ok(())
        })(whole);
        let metric = placed(parsed, frame)?;
        if len_rest > 0 {
            let at = whole.len() - len_rest;
            let expected = format!("the end of the record after {} names", metric.num_names);
            let found = format!("{len_rest} more bytes: a count or a length is wrong");
            return Err(unexpected(MetricRecord::NAME, frame.ofs, "names", at, expected, found));
        }
        Ok(metric)
    }

    pub(crate) fn fields<F: Fields>(&mut self, f: &mut F) -> Result<(), F::Error> {
        f.hidden("length", &mut 0_u32)?;
        f.hidden("type", &mut 0_u32)?;
        f.shown("metric id", &mut self.pmid, Pmid)?;
        f.field("value type", &mut self.value_type)?;
        f.shown("instance domain", &mut self.domain, DomainId)?;
        f.shown("semantics", &mut self.semantics, |semantics| match semantics {
            1 => "1 counter".to_owned(),
            3 => "3 instant".to_owned(),
            4 => "4 discrete".to_owned(),
            other => other.to_string(),
        })?;
        f.shown("units", &mut self.units, |units| format!("{units:#010x} {}", Units(units)))?;
        f.field("number of names", &mut self.num_names)
    }
}
