//! The mark with which PDH text begins (`formats/pdh-text.md#recognising`).

use recount_model::CounterPath;

use crate::structure::line::{Field, Line};

/// The two dialects of PDH text.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Dialect {
    /// `PDH-CSV`: separated by commas.
    Csv,
    /// `PDH-TSV`: separated by tabs.
    Tsv,
}

impl Dialect {
    /// The beginning of the header.
    pub(crate) const fn tag(self) -> &'static str {
        match self {
            Dialect::Csv => "(PDH-CSV 4.0)",
            Dialect::Tsv => "(PDH-TSV 4.0)",
        }
    }

    /// The separator used by Windows.
    pub(crate) const fn separator(self) -> u8 {
        match self {
            Dialect::Csv => b',',
            Dialect::Tsv => b'\t',
        }
    }
}

/// Whether a line begins like a header.
pub(crate) fn dialect_of(line: &[u8]) -> Option<Dialect> {
    let line = line.trim_ascii_start();
    let line = line.strip_prefix(b"\"").unwrap_or(line);
    let tag = line.get(..9)?;
    if tag.eq_ignore_ascii_case(b"(PDH-CSV ") {
        return Some(Dialect::Csv);
    }
    tag.eq_ignore_ascii_case(b"(PDH-TSV ").then_some(Dialect::Tsv)
}

/// Whether a line names counters in all fields but the first, which isn't the mark of PDH text: some scripts rename it.
pub(crate) fn is_unmarked(line: Line<'_>) -> bool {
    let is_separator = |byte: &u8| matches!(byte, b',' | b';' | b'\t');
    let Some(separator) = line.bytes.iter().copied().find(is_separator) else { return false };
    let mut fields = line.names(separator);
    let is_name = fields.next().is_some_and(|field| field.closed && !field.raw.contains(&b'\\'));
    let is_path = |field: Field<'_>| {
        let path = String::from_utf8_lossy(field.raw);
        path.parse::<CounterPath>().is_ok_and(|path| path.host.is_some_and(|host| !host.is_empty()))
    };
    is_name && fields.next().is_some_and(is_path)
}
