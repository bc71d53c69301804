//! The single pass over all rows on opening: their offsets, times and faults.

use std::sync::Arc;

use recount_model::{FindingKind, Health};

use super::parts::{FileParts, News, Section};
use super::rows::ScannedRow;
use crate::error::RowFault;
use crate::structure::line::{Field, Line};
use crate::structure::mark::dialect_of;
use crate::structure::number::{self, MarkVotes};
use crate::structure::stamp::Stamp;
use crate::text::Text;

/// Bytes read before a mapped file's pages are released.
const LEN_RELEASE: usize = 4 << 20;

/// The result of the scan.
#[derive(Debug, Default)]
pub(crate) struct Scan {
    pub(crate) rows: Vec<ScannedRow>,
    pub(crate) parts: FileParts,
    pub(crate) votes: MarkVotes,
    /// Number of lines that aren't blank.
    pub(crate) num_lines: u64,
    /// The fault of the first line that isn't a sample.
    pub(crate) first_fault: Option<(RowFault, String)>,
}

/// A scan in progress.
struct Scanner<'a> {
    text: &'a Text,
    health: &'a mut Health,
    scan: Scan,
    /// The part whose rows are read, and its columns; `None` if its header can't be read.
    part: Option<(usize, Arc<Section>)>,
    /// Whether the next row follows one that is a sample.
    follows: bool,
    /// Whether a row of the part has as many values as its header has columns.
    has_whole_row: bool,
    /// Lines of words after the last row: the first of them, and how many.
    words: Option<(usize, u64)>,
}

impl Scan {
    /// Reads all rows, and the headers after the first.
    pub(crate) fn of(text: &Text, parts: FileParts, ofs_rows: usize, health: &mut Health) -> Scan {
        let part = parts.current();
        let scan = Scan { parts, ..Scan::default() };
        let mut scanner =
            Scanner { text, health, scan, part, follows: true, has_whole_row: false, words: None };
        let (mut ofs, mut ofs_released) = (ofs_rows, 0);
        while let Some(line) = text.line(ofs) {
            ofs = line.ofs_next;
            if dialect_of(line.bytes).is_some() {
                ofs = scanner.header(line);
            } else if !line.bytes.trim_ascii().is_empty() {
                scanner.line(line);
            }
            if ofs - ofs_released >= LEN_RELEASE {
                text.release(ofs_released..ofs);
                ofs_released = ofs;
            }
        }
        scanner.end_words();
        text.release(ofs_released..ofs);
        scanner.scan
    }
}

impl Scanner<'_> {
    fn line(&mut self, line: Line<'_>) {
        self.scan.num_lines += 1;
        let Some((part, section)) = self.part.clone() else { return };
        let mut fields = line.values(section.separator);
        let first = fields.next();
        let stamp = first.filter(|field| field.closed).and_then(|field| self.stamp(line, field));
        let Some(stamp) = stamp else {
            if is_words(line, section.separator) {
                let what = format!("expected a date and a time, found `{}`", self.text.excerpt(line.bytes));
                self.scan.first_fault.get_or_insert((RowFault::NoTime, what));
                self.words.get_or_insert((line.ofs, 0)).1 += 1;
                self.follows = false;
            } else {
                self.interrupted_by_words();
                self.no_time(line, first);
            }
            return;
        };
        self.interrupted_by_words();
        let (num_cells, last) = match self.cells(line, fields, &section) {
            Ok(found) => found,
            Err(num_cells) => {
                let num_columns = section.layout.targets.len();
                let (fault, why) = if line.bytes.contains(&b'\r') {
                    (RowFault::Returns, "it has carriage returns, which don't end a line here")
                } else if num_cells > num_columns {
                    (RowFault::TooManyValues, "which belongs to which column isn't certain")
                } else {
                    (RowFault::TooFewValues, "which belongs to which column isn't certain")
                };
                let what = format!(
                    "number of values: expected {num_columns}, found {num_cells}: row left out: {why}"
                );
                self.leave_out(line, FindingKind::Dropped, fault, what);
                return;
            }
        };
        self.note_lack(line, num_cells, last, section.layout.num_needed());
        self.scan.rows.push(ScannedRow { ofs: line.ofs, stamp, follows: self.follows, part: part as u32 });
        self.follows = true;
    }

    /// A line that should be a row, but doesn't begin with a time.
    fn no_time(&mut self, line: Line<'_>, first: Option<Field<'_>>) {
        let fault = first.map_or(RowFault::NoTime, |field| time_fault(line, field));
        let expected = match fault {
            RowFault::NoDate => "a date before the time",
            RowFault::ShortYear => "a year with four digits",
            _ => "a date and a time",
        };
        let what = format!("expected {expected}, found `{}`: row left out", self.text.excerpt(line.bytes));
        let kind = if line.ended { FindingKind::Damaged } else { FindingKind::Truncated };
        self.leave_out(line, kind, fault, what);
    }

    /// Another header: the file goes on with its columns, by its zone. Returns where its rows begin.
    fn header(&mut self, line: Line<'_>) -> usize {
        self.end_words();
        self.follows = false;
        self.has_whole_row = false;
        let place = self.text.row_place(line.ofs, "time");
        match self.scan.parts.add(line.ofs, self.text, self.health) {
            Ok((ofs_rows, news)) => {
                let (kind, what) = match news {
                    News::Nothing => (FindingKind::Odd, "the header is repeated here: skipped"),
                    News::Zone => (
                        FindingKind::Time,
                        "the header is repeated here with another zone or bias: used for the rows after it",
                    ),
                    News::Columns => (
                        FindingKind::Odd,
                        "another header, with other columns: the rows after it are read by it",
                    ),
                };
                self.health.note(kind, place, what);
                self.part = self.scan.parts.current();
                ofs_rows
            }
            Err(error) => {
                let what =
                    format!("another header, which can't be read: {error}: the rows after it are left out");
                self.health.note(FindingKind::Dropped, place, what);
                self.part = None;
                line.ofs_next
            }
        }
    }

    /// The words after the last row are what a program wrote at its end: nothing is lost.
    fn end_words(&mut self) {
        let Some((ofs, num_lines)) = self.words.take() else { return };
        let Some(line) = self.text.line(ofs) else { return };
        let lines = if num_lines == 1 { "a line that is no row" } else { "lines that are no rows" };
        let what = format!("the rows end before {lines}: `{}`", self.text.excerpt(line.bytes.trim_ascii()));
        self.health.note(FindingKind::Odd, self.text.row_place(ofs, "time"), what);
    }

    /// More rows follow the words, so these are in place of rows.
    fn interrupted_by_words(&mut self) {
        let Some((mut ofs, mut num_lines)) = self.words.take() else { return };
        while let Some(line) = self.text.line(ofs).filter(|_| num_lines > 0) {
            ofs = line.ofs_next;
            if !line.bytes.trim_ascii().is_empty() {
                num_lines -= 1;
                self.no_time(line, None);
            }
        }
    }

    /// The time of a row, unless the end of the file may have truncated it.
    fn stamp(&self, line: Line<'_>, field: Field<'_>) -> Option<Stamp> {
        let is_torn = !line.ended && !field.quoted && field.raw.len() == line.bytes.len();
        if is_torn {
            return None;
        }
        let bytes = field.unquoted();
        if bytes.is_ascii() {
            Stamp::parse(&bytes)
        } else {
            Stamp::parse(self.text.decode(&bytes).as_bytes())
        }
    }

    /// Counts the cells, and uses them to decide on the decimal mark; `Err` if their columns aren't certain.
    fn cells<'f>(
        &mut self,
        line: Line<'f>,
        fields: impl Iterator<Item = Field<'f>>,
        section: &Section,
    ) -> Result<(usize, Option<Field<'f>>), usize> {
        let (mut num_cells, mut num_filled, mut num_quoted, mut last) = (0, 0, 0, None);
        for field in fields {
            if let Some(Some(_)) = section.layout.targets.get(num_cells) {
                self.scan.votes.count(field.raw);
            }
            num_cells += 1;
            if !field.is_blank() {
                num_filled = num_cells;
            }
            if field.quoted {
                num_quoted = num_cells;
            }
            last = Some(field);
        }
        let layout = &section.layout;
        let num_columns = layout.targets.len();
        let whole = num_columns..=num_columns + layout.num_blank_cells;
        self.has_whole_row |= num_filled <= num_columns && whole.contains(&num_cells);
        let is_certain = if num_filled > num_columns || layout.has_stray_cell && !self.has_whole_row {
            // There is a value without a column, or the cell that isn't a path may belong to a name.
            false
        } else if num_cells < num_columns {
            !line.ended || !may_lack_separators(line, section)
        } else {
            // A blank in quotes is a value that is missing: of which column isn't known.
            self.has_whole_row || num_quoted <= *whole.end()
        };
        if is_certain { Ok((num_cells, last)) } else { Err(num_cells) }
    }

    /// Reports values that are missing, or truncated at the end of the file.
    fn note_lack(&mut self, line: Line<'_>, num_cells: usize, last: Option<Field<'_>>, num_needed: usize) {
        let kind = if line.ended { FindingKind::Damaged } else { FindingKind::Truncated };
        if num_cells < num_needed {
            let what =
                format!("number of values: expected {num_needed}, found {num_cells}: the others are null");
            self.health.note(kind, self.text.row_place(line.ofs, "values"), what);
        }
        if let Some(field) = last
            && line.may_cut(field)
            && num_cells <= num_needed
        {
            let what = format!(
                "the file ends in the value `{}`, before its quote or line end: it is null",
                self.text.excerpt(field.raw)
            );
            self.health.note(FindingKind::Truncated, self.text.row_place(field.ofs, "value"), what);
        }
    }

    fn leave_out(&mut self, line: Line<'_>, kind: FindingKind, fault: RowFault, what: String) {
        let is_of_values =
            matches!(fault, RowFault::TooManyValues | RowFault::TooFewValues | RowFault::Returns);
        let field = if is_of_values { "values" } else { "time" };
        self.scan.first_fault.get_or_insert_with(|| (fault, what.clone()));
        self.health.note(kind, self.text.row_place(line.ofs, field), what);
        self.follows = false;
    }
}

/// Whether cells of a short row may have been joined, so that later ones appear in wrong columns.
fn may_lack_separators(line: Line<'_>, section: &Section) -> bool {
    let mut values = line.values(section.separator).skip(1);
    section.is_glued || values.any(|value| !number::may_be_number(value.raw))
}

/// Whether a line is neither a row nor what is left of one: letters, no digit at its beginning, and no values.
fn is_words(line: Line<'_>, separator: u8) -> bool {
    let start = line.bytes.trim_ascii_start();
    let start = start.strip_prefix(b"\"").unwrap_or(start);
    let has_letters = start.iter().any(|byte| byte.is_ascii_alphabetic() || *byte >= 0x80);
    let is_value = |field: Field<'_>| !field.is_blank() && number::may_be_number(field.raw);
    has_letters && !start[0].is_ascii_digit() && !line.values(separator).skip(1).any(is_value)
}

/// What is wrong with a field that isn't a date and a time.
fn time_fault(line: Line<'_>, field: Field<'_>) -> RowFault {
    match Stamp::fault(&field.unquoted()) {
        RowFault::NoTime if !line.ended => RowFault::CutOff,
        fault => fault,
    }
}
