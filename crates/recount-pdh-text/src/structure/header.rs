//! The header line: `"(PDH-CSV 4.0) (zone)(bias)"` and a counter path per column
//! (`formats/pdh-text.md#header`).

use memchr::memchr_iter;
use recount_model::Zone;

use crate::error::PdhTextError;
use crate::structure::line::Line;
use crate::text::Text;

/// Maximum offset of local time from UTC in minutes, including daylight saving and a margin.
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

/// A cell of the header.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) struct HeaderCell {
    /// Offset in the text.
    pub(crate) ofs: usize,
    pub(crate) text: String,
}

/// The parsed header line.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) struct Header {
    pub(crate) dialect: Dialect,
    pub(crate) separator: u8,
    /// The zone, and UTC minus local time at the first row, in minutes; `None` if the header doesn't say.
    pub(crate) zone: Option<(Zone, i16)>,
    /// The cells after the first, without blank ones at the end.
    pub(crate) cells: Vec<HeaderCell>,
    /// Whether separators are missing between paths, so that only rows with exactly as many cells are
    /// reliable.
    pub(crate) is_glued: bool,
    /// Offset of the line after the header.
    pub(crate) ofs_rows: usize,
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

impl Header {
    /// Reads the first line of the text.
    pub(crate) fn read(text: &Text) -> Result<Header, PdhTextError> {
        let Some((line, dialect)) = text.line(0).and_then(|line| Some((line, dialect_of(line.bytes)?)))
        else {
            let found = text.excerpt(text.bytes());
            return Err(PdhTextError::NotPdhText { ofs: text.ofs_in_file(0), found });
        };
        let separator = sniff_separator(text, line)?;
        let mut fields = line
            .names(separator)
            .map(|field| HeaderCell { ofs: field.ofs, text: text.decode(&field.unquoted()).into_owned() });
        let mut cells = Vec::new();
        let mut first = fields.next().map(|cell| cell.text).unwrap_or_default();
        let mut is_glued = false;
        if let Some(at) = first.find('\\') {
            // No zone name contains a backslash.
            HeaderCell { ofs: line.ofs, text: first.split_off(at) }.split_into(&mut cells);
            is_glued = true;
        }
        let first = first.trim_end_matches(['"', ',', ' ']);
        for cell in fields {
            let before = cells.len();
            cell.split_into(&mut cells);
            is_glued |= cells.len() > before + 1;
        }
        while cells.last().is_some_and(|cell| cell.text.is_empty()) {
            cells.pop();
        }
        Ok(Header { dialect, separator, zone: read_zone(first), cells, is_glued, ofs_rows: line.ofs_next })
    }
}

impl HeaderCell {
    /// The paths in a cell: more than one if a separator is missing, which is recognised by the repeated
    /// machine name.
    fn split_into(self, cells: &mut Vec<HeaderCell>) {
        let text = self.text.trim_ascii();
        let host = text.strip_prefix("\\\\").and_then(|rest| rest.find('\\'));
        let Some(len_host) = host.map(|len| len + 3) else {
            cells.push(HeaderCell { ofs: self.ofs, text: text.to_owned() });
            return;
        };
        let (mut rest, host) = (text, &text[..len_host]);
        while let Some(at) = rest[len_host..].find(host) {
            let (path, next) = rest.split_at(len_host + at);
            let path = path.trim_end_matches(['"', ' ']);
            cells.push(HeaderCell { ofs: self.ofs, text: path.to_owned() });
            rest = next;
        }
        cells.push(HeaderCell { ofs: self.ofs, text: rest.to_owned() });
    }
}

/// The separator after the first field. A quoted field ends at the first quote before a separator; an
/// unquoted one contains no separator.
fn sniff_separator(text: &Text, line: Line<'_>) -> Result<u8, PdhTextError> {
    let is_separator = |byte: &u8| matches!(byte, b',' | b';' | b'\t');
    let no_counters = || PdhTextError::NoCounters { ofs: text.ofs_in_file(0) };
    let start = line.bytes.len() - line.bytes.trim_ascii_start().len();
    if line.bytes.get(start) != Some(&b'"') {
        return line.bytes.iter().copied().find(is_separator).ok_or_else(no_counters);
    }
    let quotes = || memchr_iter(b'"', &line.bytes[start + 1..]).map(|at| start + 1 + at);
    let after = |quote: usize| line.bytes[quote + 1..].iter().find(|&&byte| byte != b' ');
    if let Some(separator) = quotes().find_map(|quote| after(quote).copied().filter(is_separator)) {
        return Ok(separator);
    }
    let first = quotes().next().ok_or_else(no_counters)? + 1;
    match &line.bytes[first..] {
        rest if rest.trim_ascii().is_empty() => Err(no_counters()),
        rest => Err(PdhTextError::NoSeparator {
            ofs: text.ofs_in_file(line.ofs + first),
            found: text.excerpt(rest),
        }),
    }
}

/// Zone and bias of `(PDH-CSV 4.0) (zone)(bias)`; `None` if they are missing. Windows truncates the field at
/// the first character of the zone's name that isn't Western: `(PDH-CSV 4.0) (RTZ 2 (`.
fn read_zone(first: &str) -> Option<(Zone, i16)> {
    let (name, bias_min) = zone_parts(first).filter(|(_, bias_min)| bias_min.abs() <= MAX_BIAS_MIN)?;
    let zone = if is_daylight_name(name) {
        // The bias in force is that of daylight saving time; that of standard time is an hour larger.
        Zone {
            standard_name: String::new(),
            daylight_name: name.into(),
            bias_min: bias_min + 60,
            posix: None,
        }
    } else {
        Zone { standard_name: name.into(), daylight_name: String::new(), bias_min, posix: None }
    };
    Some((zone, bias_min as i16))
}

fn zone_parts(first: &str) -> Option<(&str, i32)> {
    let (_, behind) = first.split_once(')')?;
    let (name, bias) = behind.trim().strip_suffix(')')?.rsplit_once('(')?;
    let name = name.trim().strip_prefix('(')?.strip_suffix(')')?;
    Some((name, bias.trim().parse().ok()?))
}

/// Whether a zone's name is that of its daylight saving time, in languages that have a word for it.
fn is_daylight_name(name: &str) -> bool {
    const WORDS: [&str; 13] = [
        "daylight",
        "summer time",
        "sommerzeit",
        "zomertijd",
        "d'été",
        "d’été",
        "verano",
        "verão",
        "ora legale",
        "sommartid",
        "sommertid",
        "letni",
        "letní",
    ];
    let name = name.to_lowercase();
    WORDS.iter().any(|word| name.contains(word))
}

#[cfg(test)]
mod tests {
    use std::sync::Arc;

    use recount_model::Health;

    use super::*;

    fn read(header: &str) -> Result<Header, PdhTextError> {
        Header::read(&Text::of(Arc::new(header.as_bytes().to_vec()), None, &mut Health::default()))
    }

    fn sound(header: &str) -> Header {
        read(header).expect(header)
    }

    fn paths(header: &Header) -> Vec<&str> {
        header.cells.iter().map(|cell| cell.text.as_str()).collect()
    }

    #[test]
    fn zone_and_cells_are_found() {
        let header = sound("\"(PDH-CSV 4.0) (Eastern Daylight Time)(240)\",\"\\\\H\\O(a,b)\\C\"\r\n");
        assert_eq!((header.dialect, header.separator, header.is_glued), (Dialect::Csv, b',', false));
        let (zone, bias_min) = header.zone.expect("zone");
        assert_eq!((zone.name_at(-240), zone.bias_min, bias_min), ("Eastern Daylight Time", 300, 240));
        assert_eq!(header.cells, [HeaderCell { ofs: 46, text: r"\\H\O(a,b)\C".into() }]);

        let header = sound("\"(PDH-TSV 4.0) (Mitteleurop. Zeit (Berlin))(-60)\"\t\"\\O\\C\"");
        assert_eq!((header.dialect, header.separator), (Dialect::Tsv, b'\t'));
        let (zone, bias_min) = header.zone.expect("zone");
        assert_eq!((zone.standard_name.as_str(), bias_min), ("Mitteleurop. Zeit (Berlin)", -60));

        let header = sound("(PDH-CSV 4.0) ()(0);\\O\\C;\\O\\D\n");
        assert_eq!((header.separator, header.cells.len()), (b';', 2));
    }

    #[test]
    fn a_zone_may_be_missing_or_cut_off() {
        for first in ["", " (", " (RTZ 2 (", " (Tokyo)", " (X)(9999)", " (X)(one)"] {
            let header = sound(&format!("\"(PDH-CSV 4.0){first}\",\"\\O\\C\"\n"));
            assert_eq!((header.zone.clone(), paths(&header)), (None, vec![r"\O\C"]), "{first}");
        }
        // The truncation removes the quote, too.
        let header = sound("\"(PDH-CSV 4.0) (,\"\\\\H\\O\\C\",\"\\\\H\\O\\D\"\n");
        assert_eq!((header.zone.clone(), paths(&header)), (None, vec![r"\\H\O\C", r"\\H\O\D"]));
    }

    #[test]
    fn paths_without_a_separator_are_cut_apart() {
        let glued = [
            "\"(PDH-CSV 4.0) (UTC)(0)\",\"\\\\h\\A\\x\"\"\\\\h\\B(1:s)\\y\",\"\\\\h\\C\\z\"",
            "\"(PDH-CSV 4.0) (UTC)(0)\",\"\\\\h\\A\\x\" \"\\\\h\\B(1:s)\\y\",\"\\\\h\\C\\z\" , \"\"",
            "\"(PDH-CSV 4.0) (UTC)(0)\"\"\\\\h\\A\\x\",\"\\\\h\\B(1:s)\\y\\\\h\\C\\z\",",
        ];
        for header in glued {
            let header = sound(header);
            assert_eq!(paths(&header), [r"\\h\A\x", r"\\h\B(1:s)\y", r"\\h\C\z"]);
            assert!(header.is_glued && header.zone.is_some());
        }
    }

    #[test]
    fn errors_say_what_is_missing() {
        let error = |header: &str| read(header).expect_err(header);
        assert_eq!(error("Time,CPU"), PdhTextError::NotPdhText { ofs: 0, found: "Time,CPU".into() });
        assert_eq!(error("\"(PDH-CSV 4.0) (UTC)(0)\"\r\n"), PdhTextError::NoCounters { ofs: 0 });
        assert_eq!(
            error("\"(PDH-CSV 4.0) (UTC)(0)\"|x\r\n"),
            PdhTextError::NoSeparator { ofs: 24, found: "|x".into() }
        );
    }
}
