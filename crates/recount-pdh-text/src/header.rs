//! The header line: `"(PDH-CSV 4.0) (zone)(bias)"` and a counter path per column
//! (`formats/pdh-text.md#header`).

use std::borrow::Cow;

use memchr::memchr_iter;
use recount_model::{FindingKind, Health};

use crate::error::PdhTextError;
use crate::structure::line::{Field, Line, end_of_name, path_start};
use crate::structure::mark::{Dialect, dialect_of, is_unmarked};
use crate::structure::stamp::Stamp;
use crate::text::Text;

/// Maximum offset of local time from UTC in minutes, including daylight saving and a margin.
const MAX_BIAS_MIN: i32 = 16 * 60;

/// A cell of the header.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) struct HeaderCell {
    /// Offset in the text.
    pub(crate) ofs: usize,
    pub(crate) text: String,
}

/// The zone of local time, as the header has it.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) struct HeaderZone {
    pub(crate) name: String,
    /// UTC minus local time at the first row, in minutes.
    pub(crate) bias_min: i16,
}

/// The parsed header line.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) struct Header {
    /// Offset in the text.
    pub(crate) ofs: usize,
    pub(crate) dialect: Dialect,
    pub(crate) separator: u8,
    /// `None` if the header doesn't say.
    pub(crate) zone: Option<HeaderZone>,
    /// The cells after the first, without blank ones at the end.
    pub(crate) cells: Vec<HeaderCell>,
    /// Blank cells at the end.
    pub(crate) num_blank_cells: usize,
    /// Whether separators are missing between paths, so that only rows with exactly as many cells are
    /// reliable.
    pub(crate) is_glued: bool,
    /// Whether it begins with the mark of PDH text.
    pub(crate) is_marked: bool,
    /// Over how many lines it is broken.
    pub(crate) num_lines: usize,
    /// Offset of the line after the header.
    pub(crate) ofs_rows: usize,
}

impl Header {
    /// Reads the header that begins at an offset.
    pub(crate) fn read(text: &Text, ofs: usize) -> Result<Header, PdhTextError> {
        let not_found = || PdhTextError::NotPdhText {
            ofs: text.ofs_in_file(ofs),
            found: text.excerpt(&text.bytes()[ofs..]),
        };
        let first = text.line(ofs).ok_or_else(not_found)?;
        let separator = sniff_separator(text, first)?;
        let dialect = match dialect_of(first.bytes) {
            Some(dialect) => dialect,
            None if is_unmarked(first) && separator == b'\t' => Dialect::Tsv,
            None if is_unmarked(first) => Dialect::Csv,
            None => return Err(not_found()),
        };
        let whole = WholeLine::of(text, first, separator);
        let line = Line { ofs: 0, bytes: &whole.bytes, ..first };
        if let Some(cut) = cut_name(line, separator) {
            let (ofs, found) = (text.ofs_in_file(whole.ofs_in_text(cut.ofs)), text.excerpt(cut.raw));
            return Err(PdhTextError::CutName { ofs, found });
        }
        let mut fields = line.names(separator).map(|field| HeaderCell {
            ofs: whole.ofs_in_text(field.ofs),
            text: text.decode(&field.unquoted()).into_owned(),
        });
        let mut cells = Vec::new();
        let mut first_field = fields.next().map(|cell| cell.text).unwrap_or_default();
        let mut is_glued = false;
        if let Some(at) = first_field.find('\\') {
            // No zone name contains a backslash.
            HeaderCell { ofs, text: first_field.split_off(at) }.split_into(&mut cells);
            is_glued = true;
        }
        let first_field = first_field.trim_end_matches(['"', ',', ' ']);
        for cell in fields {
            let before = cells.len();
            cell.split_into(&mut cells);
            is_glued |= cells.len() > before + 1;
        }
        let num_cells = cells.iter().rposition(|cell| !cell.text.is_empty()).map_or(0, |last| last + 1);
        let num_blank_cells = cells.len() - num_cells;
        cells.truncate(num_cells);
        let (num_lines, ofs_rows) = (whole.num_lines(), whole.ofs_next);
        let is_marked = dialect_of(first.bytes).is_some();
        let zone = read_zone(first_field);
        Ok(Header {
            ofs,
            dialect,
            separator,
            zone,
            cells,
            num_blank_cells,
            is_glued,
            is_marked,
            num_lines,
            ofs_rows,
        })
    }

    /// Reports what is unusual about the header line.
    pub(crate) fn note(&self, text: &Text, health: &mut Health) {
        if !self.is_marked {
            let what = "the first field isn't \"(PDH-CSV 4.0) (zone)(bias)\": read as PDH text, as the others are counter paths";
            health.note(FindingKind::Odd, text.header_place(self.ofs, None), what);
        }
        if self.num_lines > 1 {
            let what = format!("the header is broken over {} lines: they are joined", self.num_lines);
            health.note(FindingKind::Odd, text.header_place(self.ofs, None), what);
        }
    }
}

/// What may be the second half of a name without quotes that a separator has cut in two: it begins with a blank, the paths don't, and another
/// one follows. Which value belongs to which name isn't certain then, however many there are.
fn cut_name(line: Line<'_>, separator: u8) -> Option<Field<'_>> {
    let is_path = |field: &Field<'_>| field.raw.trim_ascii_start().starts_with(b"\\");
    let has_blank = |field: &Field<'_>| field.raw.starts_with(b" ");
    let mut cut = None;
    let mut is_certain = false;
    for field in line.names(separator).skip(1) {
        let is_path = is_path(&field);
        if is_path && (field.quoted || has_blank(&field)) {
            return None;
        }
        if has_blank(&field) && !field.quoted && !is_path && !field.is_blank() {
            cut.get_or_insert(field);
        }
        is_certain |= is_path && cut.is_some();
    }
    cut.filter(|_| is_certain)
}

/// A header line, joined again where a console broke it.
struct WholeLine<'a> {
    bytes: Cow<'a, [u8]>,
    /// Where each of its lines begins: here, and in the text.
    lines: Vec<(usize, usize)>,
    /// Offset in the text after its last line.
    ofs_next: usize,
}

impl<'a> WholeLine<'a> {
    /// A line goes on in the next if it ends within quotes or with a separator, or if the next one begins with a separator;
    /// and if the next has paths and no time.
    fn of(text: &'a Text, first: Line<'a>, separator: u8) -> WholeLine<'a> {
        let mut whole = WholeLine {
            bytes: Cow::Borrowed(first.bytes),
            lines: vec![(0, first.ofs)],
            ofs_next: first.ofs_next,
        };
        let num_quotes = |bytes: &[u8]| memchr_iter(b'"', bytes).count();
        let mut is_open = num_quotes(first.bytes) % 2 == 1;
        while let Some(next) = text.line(whole.ofs_next) {
            let start = next.bytes.trim_ascii_start();
            let begins_row = |field: Field<'_>| Stamp::parse(&field.unquoted()).is_some();
            if start.is_empty()
                || dialect_of(start).is_some()
                || next.values(separator).next().is_some_and(begins_row)
            {
                break;
            }
            let has_path = start.contains(&b'\\');
            let is_split =
                whole.bytes.trim_ascii_end().ends_with(&[separator]) || start.starts_with(&[separator]);
            let goes_on = if is_open { has_path || start.contains(&b'"') } else { has_path && is_split };
            if !goes_on {
                break;
            }
            whole.lines.push((whole.bytes.len(), next.ofs));
            whole.bytes.to_mut().extend_from_slice(next.bytes);
            whole.ofs_next = next.ofs_next;
            is_open ^= num_quotes(next.bytes) % 2 == 1;
        }
        whole
    }

    fn num_lines(&self) -> usize {
        self.lines.len()
    }

    fn ofs_in_text(&self, ofs: usize) -> usize {
        let line = self.lines.partition_point(|(start, _)| *start <= ofs) - 1;
        let (start, ofs_line) = self.lines[line];
        ofs_line + ofs - start
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
/// unquoted one has separators in parentheses only.
fn sniff_separator(text: &Text, line: Line<'_>) -> Result<u8, PdhTextError> {
    let is_separator = |byte: &u8| matches!(byte, b',' | b';' | b'\t');
    let no_counters = || PdhTextError::NoCounters { ofs: text.ofs_in_file(line.ofs) };
    let start = line.bytes.len() - line.bytes.trim_ascii_start().len();
    if line.bytes.get(start) != Some(&b'"') {
        let end = end_of_name(line.bytes, |byte| is_separator(&byte), path_start(line.bytes));
        return end.map(|end| line.bytes[end]).ok_or_else(no_counters);
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
pub(crate) fn read_zone(first: &str) -> Option<HeaderZone> {
    let (_, behind) = first.split_once(')')?;
    let (name, bias) = behind.trim().strip_suffix(')')?.rsplit_once('(')?;
    let name = name.trim().strip_prefix('(')?.strip_suffix(')')?;
    let bias_min: i32 = bias.trim().parse().ok()?;
    let bias_min =
        i16::try_from(bias_min).ok().filter(|bias_min| i32::from(*bias_min).abs() <= MAX_BIAS_MIN)?;
    // `()(0)` says nothing.
    (!name.is_empty() || bias_min != 0).then(|| HeaderZone { name: name.to_owned(), bias_min })
}

impl HeaderZone {
    /// Local time minus UTC at the first row, in minutes.
    pub(crate) const fn offset_min(&self) -> i16 {
        -self.bias_min
    }

    /// Whether the name is that of daylight saving time.
    pub(crate) fn is_daylight(&self) -> bool {
        is_daylight_name(&self.name)
    }
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
    /// Abbreviations of Europe, North America and Australia.
    const SHORT: [&str; 16] = [
        "edt", "cdt", "mdt", "pdt", "akdt", "hdt", "adt", "ndt", "bst", "west", "cest", "eest", "mesz",
        "aedt", "acdt", "nzdt",
    ];
    let name = name.to_lowercase();
    WORDS.iter().any(|word| name.contains(word)) || SHORT.contains(&name.as_str())
}

#[cfg(test)]
mod tests {
    use std::sync::Arc;

    use super::*;

    fn read(header: &str) -> Result<Header, PdhTextError> {
        Header::read(&Text::of(Arc::new(header.as_bytes().to_vec()), None, &mut Health::default()), 0)
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
        let own = header.zone.expect("zone");
        assert_eq!(
            (own.zone().name_at(-240), own.zone().bias_min, own.bias_min),
            ("Eastern Daylight Time", 300, 240)
        );
        assert_eq!(header.cells, [HeaderCell { ofs: 46, text: r"\\H\O(a,b)\C".into() }]);

        let header = sound("\"(PDH-TSV 4.0) (Mitteleurop. Zeit (Berlin))(-60)\"\t\"\\O\\C\"");
        assert_eq!((header.dialect, header.separator), (Dialect::Tsv, b'\t'));
        let own = header.zone.expect("zone");
        assert_eq!((own.name.as_str(), own.bias_min), ("Mitteleurop. Zeit (Berlin)", -60));

        let header = sound("(PDH-TSV 4.0) (Paris, Madrid)(-60)\t\\O(a, b)\\C\t\\O\\D\n");
        assert_eq!((header.separator, paths(&header)), (b'\t', vec![r"\O(a, b)\C", r"\O\D"]));
        let own = header.zone.expect("zone");
        assert_eq!((own.name.as_str(), own.bias_min), ("Paris, Madrid", -60));

        let header = sound("(PDH-CSV 4.0) ()(0);\\O\\C;\\O\\D\n");
        assert_eq!((header.separator, header.cells.len()), (b';', 2));
    }

    #[test]
    fn a_zone_may_be_missing_or_cut_off() {
        for first in ["", " (", " (RTZ 2 (", " (Tokyo)", " (X)(9999)", " (X)(one)", " ()(0)"] {
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
