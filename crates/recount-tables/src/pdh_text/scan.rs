//! The one pass over all rows on opening: where they are, when they were taken, and what is wrong with them.

use std::ops::ControlFlow;

use recount_model::{FindingKind, Health};

use super::encoding::{Text, excerpt};
use super::groups::Layout;
use super::header::{Header, dialect_of};
use super::number::MarkVotes;
use super::read::row_place;
use super::row::{Field, Line};
use super::stamp::Stamp;
use super::timeline::ScannedRow;

/// How much is read before a mapped file's pages are given back, bytes.
const LEN_RELEASE: usize = 4 << 20;

/// What the scan found.
#[derive(Debug, Default)]
pub(super) struct Scan {
    pub(super) rows: Vec<ScannedRow>,
    pub(super) votes: MarkVotes,
    /// Lines with anything in them.
    pub(super) num_lines: u64,
    /// What is wrong with the first line that is no sample.
    pub(super) first_fault: Option<String>,
}

/// A scan under way.
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
    /// Reads all rows behind the header.
    pub(super) fn of(text: &Text, header: &Header, layout: &Layout, health: &mut Health) -> Scan {
        let mut scanner = Scanner { text, header, layout, health, scan: Scan::default(), follows: true };
        let (mut ofs, mut ofs_released) = (header.ofs_rows, 0);
        while let Some(line) = Line::at(text.bytes(), ofs) {
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
        let mut fields = line.fields(self.header.separator);
        let stamp = fields.next().filter(|field| field.closed).and_then(|field| {
            let is_torn = !line.ended && !field.quoted && field.raw.len() == line.bytes.len();
            if is_torn { None } else { Stamp::parse(&field.unquoted()) }
        });
        let Some(stamp) = stamp else {
            let what = format!("expected a time, found {:?}: row left out", excerpt(line.bytes));
            let kind = if line.ended { FindingKind::Damaged } else { FindingKind::Truncated };
            self.leave_out(line, kind, "time", what);
            return ControlFlow::Continue(());
        };
        let (num_cells, last) = match self.cells(fields) {
            Ok(found) => found,
            Err(num_cells) => {
                let what = format!(
                    "expected {} values, found {num_cells}: row left out, since which belongs to which column \
                     can't be told",
                    self.layout.targets.len(),
                );
                self.leave_out(line, FindingKind::Dropped, "values", what);
                return ControlFlow::Continue(());
            }
        };
        self.note_lack(line, num_cells, last);
        self.scan.rows.push(ScannedRow { ofs: line.ofs, stamp, follows: self.follows });
        self.follows = true;
        ControlFlow::Continue(())
    }

    /// Counts the cells and has them vote on the decimal mark; `Err` if there are more than columns.
    fn cells<'f>(
        &mut self,
        fields: impl Iterator<Item = Field<'f>>,
    ) -> Result<(usize, Option<Field<'f>>), usize> {
        let (mut num_cells, mut last, mut too_many) = (0, None, false);
        for field in fields {
            match self.layout.targets.get(num_cells) {
                Some(Some(_)) => self.scan.votes.count(field.raw),
                Some(None) => {}
                None => too_many |= !field.is_blank(),
            }
            num_cells += 1;
            last = Some(field);
        }
        if too_many { Err(num_cells) } else { Ok((num_cells, last)) }
    }

    /// Notes values that are missing, or torn off at the end of the file.
    fn note_lack(&mut self, line: Line<'_>, num_cells: usize, last: Option<Field<'_>>) {
        let num_needed = self.layout.num_needed();
        let kind = if line.ended { FindingKind::Damaged } else { FindingKind::Truncated };
        if num_cells < num_needed {
            let what = format!("expected {num_needed} values, found {num_cells}: the others are null");
            self.health.note(kind, row_place(self.text, line.ofs, "values"), what);
        }
        if let Some(field) = last
            && is_torn(line, field)
            && num_cells <= num_needed
        {
            let what = format!(
                "the file ends in the value {:?}, before its quote or line end: it is null",
                excerpt(field.raw)
            );
            self.health.note(FindingKind::Truncated, row_place(self.text, field.ofs, "value"), what);
        }
    }

    fn leave_out(&mut self, line: Line<'_>, kind: FindingKind, field: &'static str, what: String) {
        self.scan.first_fault.get_or_insert_with(|| what.clone());
        self.health.note(kind, row_place(self.text, line.ofs, field), what);
        self.follows = false;
    }

    /// Files of one layout are sometimes put one behind the other; one of another layout can't be read on.
    fn repeated_header(&mut self, line: Line<'_>) -> ControlFlow<()> {
        let is_same = {
            let mut fields = line.fields(self.header.separator);
            let names = Line::at(self.text.bytes(), 0).map(|first| first.fields(self.header.separator));
            fields.next().is_some()
                && names.is_some_and(|names| names.skip(1).map(|f| f.raw).eq(fields.map(|f| f.raw)))
                && self.is_same_zone(line)
        };
        let place = row_place(self.text, line.ofs, "time");
        if is_same {
            self.health.note(FindingKind::Odd, place, "the header stands here again: skipped");
            self.follows = false;
            return ControlFlow::Continue(());
        }
        let what = "another header, with other columns or another zone: the rest of the file is left out";
        self.health.note(FindingKind::Dropped, place, what);
        ControlFlow::Break(())
    }

    fn is_same_zone(&self, line: Line<'_>) -> bool {
        let first = |line: Line<'_>| {
            line.fields(self.header.separator).next().map(|field| field.unquoted().into_owned())
        };
        Line::at(self.text.bytes(), 0).and_then(first) == first(line)
    }
}

/// Whether the end of the file may have cut a field of a line short.
pub(super) fn is_torn(line: Line<'_>, field: Field<'_>) -> bool {
    let is_last = field.ofs + field.raw.len() == line.ofs + line.bytes.len();
    let is_whole = line.ended || (field.quoted && field.closed) || field.is_blank();
    is_last && !is_whole
}
