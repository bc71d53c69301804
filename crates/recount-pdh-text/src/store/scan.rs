//! The single pass over all rows on opening: their offsets, times and faults.

use std::cmp::Ordering;
use std::ops::ControlFlow;

use recount_model::{FindingKind, Health};

use super::timeline::ScannedRow;
use crate::error::RowFault;
use crate::names::Layout;
use crate::structure::header::{Header, dialect_of};
use crate::structure::line::{Field, Line};
use crate::structure::number::{self, MarkVotes};
use crate::structure::stamp::Stamp;
use crate::text::Text;

/// Bytes read before a mapped file's pages are released.
const LEN_RELEASE: usize = 4 << 20;

/// The result of the scan.
#[derive(Debug, Default)]
pub(crate) struct Scan {
    pub(crate) rows: Vec<ScannedRow>,
    pub(crate) votes: MarkVotes,
    /// Number of lines that aren't blank.
    pub(crate) num_lines: u64,
    /// The fault of the first line that isn't a sample.
    pub(crate) first_fault: Option<(RowFault, String)>,
}

/// A scan in progress.
struct Scanner<'a> {
    text: &'a Text,
    header: &'a Header,
    layout: &'a Layout,
    health: &'a mut Health,
    scan: Scan,
    /// Whether the next row follows one that is a sample.
    follows: bool,
}

impl Scan {
    /// Reads all rows after the header.
    pub(crate) fn of(text: &Text, header: &Header, layout: &Layout, health: &mut Health) -> Scan {
        let mut scanner = Scanner { text, header, layout, health, scan: Scan::default(), follows: true };
        let (mut ofs, mut ofs_released) = (header.ofs_rows, 0);
        while let Some(line) = text.line(ofs) {
            ofs = line.ofs_next;
            if !line.bytes.trim_ascii().is_empty() && scanner.line(line).is_break() {
                break;
            }
            if ofs - ofs_released >= LEN_RELEASE {
                text.release(ofs_released..ofs);
                ofs_released = ofs;
            }
        }
        text.release(ofs_released..ofs);
        scanner.scan
    }
}

impl Scanner<'_> {
    fn line(&mut self, line: Line<'_>) -> ControlFlow<()> {
        if dialect_of(line.bytes).is_some() {
            return self.repeated_header(line);
        }
        self.scan.num_lines += 1;
        let mut fields = line.values(self.header.separator);
        let first = fields.next();
        let stamp = first.filter(|field| field.closed).and_then(|field| self.stamp(line, field));
        let Some(stamp) = stamp else {
            let fault = first.map_or(RowFault::NoTime, |field| time_fault(line, field));
            let expected = match fault {
                RowFault::NoDate => "a date before the time",
                RowFault::ShortYear => "a year with four digits",
                _ => "a date and a time",
            };
            let what =
                format!("expected {expected}, found `{}`: row left out", self.text.excerpt(line.bytes));
            let kind = if line.ended { FindingKind::Damaged } else { FindingKind::Truncated };
            self.leave_out(line, kind, fault, what);
            return ControlFlow::Continue(());
        };
        let (num_cells, last) = match self.cells(line, fields) {
            Ok(found) => found,
            Err(num_cells) => {
                let num_columns = self.layout.targets.len();
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
                return ControlFlow::Continue(());
            }
        };
        self.note_lack(line, num_cells, last);
        self.scan.rows.push(ScannedRow { ofs: line.ofs, stamp, follows: self.follows });
        self.follows = true;
        ControlFlow::Continue(())
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

    /// Counts the cells, without blank ones at the end, and uses them to decide on the decimal mark; `Err` if
    /// their columns aren't certain.
    fn cells<'f>(
        &mut self,
        line: Line<'f>,
        fields: impl Iterator<Item = Field<'f>>,
    ) -> Result<(usize, Option<Field<'f>>), usize> {
        let (mut num_cells, mut num_filled, mut last) = (0, 0, None);
        for field in fields {
            if let Some(Some(_)) = self.layout.targets.get(num_cells) {
                self.scan.votes.count(field.raw);
            }
            num_cells += 1;
            if !field.is_blank() {
                num_filled = num_cells;
            }
            last = Some(field);
        }
        let num_columns = self.layout.targets.len();
        let is_certain = match num_cells.cmp(&num_columns) {
            Ordering::Less => !line.ended || !self.may_lack_separators(line),
            _ => num_filled <= num_columns,
        };
        if is_certain { Ok((num_cells, last)) } else { Err(num_cells) }
    }

    /// Whether cells of a short row may have been joined, so that later ones appear in wrong columns.
    fn may_lack_separators(&self, line: Line<'_>) -> bool {
        let mut values = line.values(self.header.separator).skip(1);
        self.header.is_glued || values.any(|value| !number::may_be_number(value.raw))
    }

    /// Reports values that are missing, or truncated at the end of the file.
    fn note_lack(&mut self, line: Line<'_>, num_cells: usize, last: Option<Field<'_>>) {
        let num_needed = self.layout.num_needed();
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

    /// Files with the same layout are sometimes concatenated; reading can't continue in a different layout.
    fn repeated_header(&mut self, line: Line<'_>) -> ControlFlow<()> {
        let first = self.text.line(0).map(|line| line.bytes.trim_ascii());
        let place = self.text.row_place(line.ofs, "time");
        if first == Some(line.bytes.trim_ascii()) {
            self.health.note(FindingKind::Odd, place, "the header is repeated here: skipped");
            self.follows = false;
            return ControlFlow::Continue(());
        }
        let what = "another header, with other columns or another zone: the rest of the file is left out";
        self.health.note(FindingKind::Dropped, place, what);
        ControlFlow::Break(())
    }
}

/// What is wrong with a field that isn't a date and a time.
fn time_fault(line: Line<'_>, field: Field<'_>) -> RowFault {
    match Stamp::fault(&field.unquoted()) {
        RowFault::NoTime if !line.ended => RowFault::CutOff,
        fault => fault,
    }
}
