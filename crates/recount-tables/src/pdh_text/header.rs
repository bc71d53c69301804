//! The header line: `"(PDH-CSV 4.0) (zone)(bias)"` and a counter path per column
//! (`formats/pdh-text.md#header`).

use recount_model::{FindingKind, Health, Place, Zone};

use super::encoding::{Text, decode_narrow, excerpt};
use super::error::PdhTextError;
use super::row::Line;

/// Most minutes that local time is away from UTC anywhere, with daylight saving and some to spare.
const MAX_BIAS_MIN: i32 = 16 * 60;

/// The two dialects of PDH text.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Dialect {
    /// `PDH-CSV`: separated by commas.
    Csv,
    /// `PDH-TSV`: separated by tabs.
    Tsv,
}

impl Dialect {
    /// What the header begins with.
    pub(super) const fn tag(self) -> &'static str {
        match self {
            Dialect::Csv => "(PDH-CSV 4.0)",
            Dialect::Tsv => "(PDH-TSV 4.0)",
        }
    }

    /// What Windows puts between fields.
    pub(super) const fn separator(self) -> u8 {
        match self {
            Dialect::Csv => b',',
            Dialect::Tsv => b'\t',
        }
    }
}

/// A cell of the header.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(super) struct HeaderCell {
    /// Offset in the text.
    pub(super) ofs: usize,
    pub(super) text: String,
}

/// The header line, read.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(super) struct Header {
    pub(super) dialect: Dialect,
    pub(super) separator: u8,
    /// The zone whose name and bias the header tells.
    pub(super) zone: Option<Zone>,
    /// UTC minus local time at the first row, in minutes; 0 where the header doesn't say.
    pub(super) bias_min: i16,
    /// The cells behind the first.
    pub(super) cells: Vec<HeaderCell>,
    /// Offset of the line behind the header.
    pub(super) ofs_rows: usize,
}

/// Whether a line begins as a header does.
pub(super) fn dialect_of(line: &[u8]) -> Option<Dialect> {
    let line = line.trim_ascii_start();
    let line = line.strip_prefix(b"\"").unwrap_or(line);
    let tag = line.get(..9)?;
    if tag.eq_ignore_ascii_case(b"(PDH-CSV ") {
        return Some(Dialect::Csv);
    }
    tag.eq_ignore_ascii_case(b"(PDH-TSV ").then_some(Dialect::Tsv)
}

impl Header {
    /// Reads the first line of the text.
    pub(super) fn read(text: &Text, health: &mut Health) -> Result<Header, PdhTextError> {
        let ofs = text.ofs_in_file(0);
        let Some((line, dialect)) =
            Line::at(text.bytes(), 0).and_then(|line| Some((line, dialect_of(line.bytes)?)))
        else {
            return Err(PdhTextError::NotPdhText { ofs, found: excerpt(text.bytes()) });
        };
        let separator = sniff_separator(text, line)?;
        let mut is_ansi = false;
        let mut cells = line.fields(separator).map(|field| {
            let (text, ansi) = decode_narrow(&field.unquoted());
            is_ansi |= ansi;
            HeaderCell { ofs: field.ofs, text: text.trim_start().to_owned() }
        });
        let first = cells.next().map(|cell| cell.text).unwrap_or_default();
        let cells: Vec<HeaderCell> = cells.collect();
        if is_ansi {
            let what = "names aren't UTF-8: they are taken to be in the Western code page (Windows-1252)";
            health.note(FindingKind::Odd, place(ofs, None), what);
        }
        let (zone, bias_min) = read_zone(&first, ofs, health);
        Ok(Header { dialect, separator, zone, bias_min, cells, ofs_rows: line.ofs_next })
    }
}

/// A place in the header, for findings.
pub(super) fn place(ofs: u64, field: Option<&'static str>) -> Place {
    Place { ofs, structure: Some("PDH text header"), ofs_structure: None, field }
}

/// What stands behind the first field: it holds no separator itself when in quotes, and none but commas in a
/// zone's name when not.
fn sniff_separator(text: &Text, line: Line<'_>) -> Result<u8, PdhTextError> {
    let is_separator = |byte: &u8| matches!(byte, b',' | b';' | b'\t');
    let indent = line.bytes.len() - line.bytes.trim_ascii_start().len();
    let behind = if let Some(b'"') = line.bytes.get(indent) {
        let start = indent + 1;
        line.bytes[start..].iter().position(|&byte| byte == b'"').map(|len| start + len + 1)
    } else {
        line.bytes.iter().position(is_separator)
    };
    let no_counters = || PdhTextError::NoCounters { ofs: text.ofs_in_file(0) };
    let behind = behind.ok_or_else(no_counters)?;
    match line.bytes.get(behind) {
        None => Err(no_counters()),
        Some(byte) if is_separator(byte) => Ok(*byte),
        Some(_) => Err(PdhTextError::NoSeparator {
            ofs: text.ofs_in_file(line.ofs + behind),
            found: excerpt(&line.bytes[behind..]),
        }),
    }
}

/// Zone and bias of `(PDH-CSV 4.0) (zone)(bias)`.
fn read_zone(first: &str, ofs: u64, health: &mut Health) -> (Option<Zone>, i16) {
    let found = zone_parts(first);
    let Some((name, bias_min)) = found.filter(|(_, bias_min)| bias_min.abs() <= MAX_BIAS_MIN) else {
        let what = format!(
            "expected the zone and its bias in minutes, as in `(Eastern Daylight Time)(240)`, found {:?}: local \
             time is taken for UTC",
            excerpt(first.as_bytes()),
        );
        health.note(FindingKind::Odd, place(ofs, Some("zone")), what);
        return (None, 0);
    };
    let zone = if is_daylight_name(name) {
        // The bias in force is that of daylight time; that of standard time is an hour more.
        Zone {
            standard_name: String::new(),
            daylight_name: name.into(),
            bias_min: bias_min + 60,
            posix: None,
        }
    } else {
        Zone { standard_name: name.into(), daylight_name: String::new(), bias_min, posix: None }
    };
    (Some(zone), bias_min as i16)
}

fn zone_parts(first: &str) -> Option<(&str, i32)> {
    let (_, behind) = first.split_once(')')?;
    let (name, bias) = behind.trim().strip_suffix(')')?.rsplit_once('(')?;
    let name = name.trim().strip_prefix('(')?.strip_suffix(')')?;
    Some((name, bias.trim().parse().ok()?))
}

/// Whether a zone's name is that of its daylight saving time, in the languages that say so in a word.
fn is_daylight_name(name: &str) -> bool {
    let name = name.to_lowercase();
    ["daylight", "summer time", "sommerzeit", "zomertijd", "d'été", "verano", "verão", "ora legale"]
        .iter()
        .any(|word| name.contains(word))
}

#[cfg(test)]
mod tests {
    use std::sync::Arc;

    use super::*;

    fn read(header: &str) -> (Result<Header, PdhTextError>, Health) {
        let mut health = Health::default();
        let text = Text::of(Arc::new(header.as_bytes().to_vec()), &mut health);
        (Header::read(&text, &mut health), health)
    }

    fn sound(header: &str) -> Header {
        let (read, health) = read(header);
        assert!(health.is_sound(), "{health:?}");
        read.expect(header)
    }

    #[test]
    fn zone_and_cells_are_found() {
        let header = sound("\"(PDH-CSV 4.0) (Eastern Daylight Time)(240)\",\"\\\\H\\O(a,b)\\C\"\r\n");
        assert_eq!((header.dialect, header.separator, header.bias_min), (Dialect::Csv, b',', 240));
        let zone = header.zone.expect("zone");
        assert_eq!((zone.name_at(-240), zone.bias_min), ("Eastern Daylight Time", 300));
        assert_eq!(header.cells, [HeaderCell { ofs: 46, text: r"\\H\O(a,b)\C".into() }]);

        let header = sound("\"(PDH-TSV 4.0) (Mitteleurop. Zeit (Berlin))(-60)\"\t\"\\O\\C\"");
        assert_eq!((header.dialect, header.separator, header.bias_min), (Dialect::Tsv, b'\t', -60));
        assert_eq!(header.zone.expect("zone").standard_name, "Mitteleurop. Zeit (Berlin)");

        let header = sound("(PDH-CSV 4.0) ()(0);\\O\\C;\\O\\D\n");
        assert_eq!((header.separator, header.cells.len()), (b';', 2));
    }

    #[test]
    fn a_zone_left_out_is_noted() {
        let (header, health) = read("\"(PDH-CSV 4.0)\",\"\\O\\C\"\n");
        assert_eq!(header.expect("a header").zone, None);
        assert_eq!(health.count(FindingKind::Odd), 1);
    }

    #[test]
    fn errors_tell_what_is_missing() {
        let error = |header: &str| read(header).0.expect_err(header);
        assert_eq!(error("Time,CPU"), PdhTextError::NotPdhText { ofs: 0, found: "Time,CPU".into() });
        assert_eq!(error("\"(PDH-CSV 4.0) (UTC)(0)\"\r\n"), PdhTextError::NoCounters { ofs: 0 });
        assert_eq!(
            error("\"(PDH-CSV 4.0) (UTC)(0)\"|x\r\n"),
            PdhTextError::NoSeparator { ofs: 24, found: "|x".into() }
        );
    }
}
