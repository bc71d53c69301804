//! Tables for people. On a terminal a row fits into a line; elsewhere lines are as long as they need to be, so that `grep`
//! and `cut` work.

use ratatui::text::Span;
use recount::analysis::shown::{size, unit_of};

use crate::paragraph::room;

/// Spaces between columns.
const GAP: usize = 2;
/// Names are cut to less than this only if no column can be left out, and never to less than the second.
const WIDTH_NAME: usize = 30;
const MIN_WIDTH_NAME: usize = 24;

/// How the values of a counter are shown: sizes on a terminal with the unit that suits each (`5.9 GiB`), all else as numbers.
pub(crate) struct Amounts<'u> {
    unit: &'u str,
    /// The unit of the sizes.
    of_sizes: Option<&'u str>,
}

impl<'u> Amounts<'u> {
    pub(crate) fn of(counter: &str, unit: &'u str) -> Amounts<'u> {
        Amounts::shown(counter, unit, room().is_some())
    }

    fn shown(counter: &str, unit: &'u str, is_terminal: bool) -> Amounts<'u> {
        let own = unit_of(counter, unit);
        Amounts { unit, of_sizes: Some(own).filter(|unit| is_terminal && size(0.0, unit).is_some()) }
    }

    /// A value; `number` shows one that isn't a size.
    pub(crate) fn cell(&self, value: f64, number: impl Fn(f64) -> String) -> String {
        self.of_sizes.and_then(|unit| size(value, unit)).unwrap_or_else(|| number(value))
    }

    /// What the column of units has.
    pub(crate) fn unit(&self) -> String {
        if self.of_sizes.is_some() { String::new() } else { self.unit.to_owned() }
    }
}

/// A table without rules.
pub(crate) struct Table {
    header: Vec<String>,
    rows: Vec<Vec<String>>,
    /// Columns aligned to the right.
    right: Vec<usize>,
    /// The column that gives way, which has counter paths or other long names.
    name: usize,
    /// Columns that are left out if there is no room for them, the first one first.
    optional: Vec<&'static str>,
}

impl Table {
    pub(crate) fn new<H: Into<String>>(header: impl IntoIterator<Item = H>, right: &[usize]) -> Table {
        let header = header.into_iter().map(Into::into).collect();
        Table { header, rows: Vec::new(), right: right.to_vec(), name: 0, optional: Vec::new() }
    }

    /// Says which column has the names, if not the first.
    pub(crate) fn with_name(self, name: usize) -> Table {
        Table { name, ..self }
    }

    /// Names columns that a narrow terminal needn't show, the least important first.
    pub(crate) fn with_optional(self, optional: &[&'static str]) -> Table {
        Table { optional: optional.to_vec(), ..self }
    }

    pub(crate) fn add_row(&mut self, cells: impl IntoIterator<Item = String>) {
        self.rows.push(cells.into_iter().collect());
    }

    /// The lines of the table, for standard output.
    pub(crate) fn text(self) -> String {
        match room() {
            Some(room) => self.fitted(room).drawn(),
            None => self.drawn(),
        }
    }

    /// The lines of the table, as long as they need to be.
    pub(crate) fn drawn(&self) -> String {
        let widths: Vec<usize> = (0..self.header.len()).map(|column| self.width_of(column)).collect();
        let mut text = String::new();
        for cells in std::iter::once(&self.header).chain(&self.rows) {
            let num_lines = cells.iter().map(|cell| cell.split('\n').count()).max().unwrap_or(1);
            for number in 0..num_lines {
                let mut line = String::new();
                for (at, (cell, width)) in cells.iter().zip(&widths).enumerate() {
                    let part = cell.split('\n').nth(number).unwrap_or_default();
                    let room = " ".repeat(width.saturating_sub(width_of(part)));
                    let (before, after) =
                        if self.right.contains(&at) { (room.as_str(), "") } else { ("", room.as_str()) };
                    line.push_str(&format!("{before}{part}{after}{:GAP$}", ""));
                }
                text.push_str(line.trim_end());
                text.push('\n');
            }
        }
        text
    }

    /// The same in a limited width: without a host that all names have in common, without optional columns, and with names
    /// cut in the middle, but each only if necessary.
    fn fitted(mut self, room: usize) -> Table {
        if self.width() > room {
            self.hide_host();
        }
        while self.width() - self.width_of(self.name).saturating_sub(WIDTH_NAME) > room
            && self.leave_one_out()
        {}
        let excess = self.width().saturating_sub(room);
        if excess > 0 {
            let width = self.width_of(self.name).saturating_sub(excess).max(MIN_WIDTH_NAME);
            for name in self.rows.iter_mut().map(|row| &mut row[self.name]) {
                *name = shortened(name, width);
            }
        }
        self
    }

    pub(crate) fn width(&self) -> usize {
        (0..self.header.len()).map(|column| self.width_of(column) + GAP).sum::<usize>() - GAP
    }

    fn width_of(&self, column: usize) -> usize {
        let rows = std::iter::once(&self.header).chain(&self.rows);
        rows.flat_map(|row| row[column].split('\n').map(width_of)).max().unwrap_or_default()
    }

    /// `\\web1\Memory\Pages/sec` becomes `\Memory\Pages/sec` if all names are of the same host.
    fn hide_host(&mut self) {
        let host_of = |name: &str| Some(name.strip_prefix(r"\\")?.split_once('\\')?.0.len() + 2);
        let Some(len) = self.rows.first().and_then(|row| host_of(&row[self.name])) else { return };
        let host = self.rows[0][self.name][..len].to_owned();
        let is_of_host = |name: &str| host_of(name) == Some(len) && name.starts_with(&host);
        if self.rows.iter().all(|row| is_of_host(&row[self.name])) {
            self.rows.iter_mut().for_each(|row| drop(row[self.name].drain(..len)));
            self.header[self.name] = format!("{} on {}", self.header[self.name], &host[2..]);
        }
    }

    fn leave_one_out(&mut self) -> bool {
        if self.optional.is_empty() {
            return false;
        }
        let title = self.optional.remove(0);
        if let Some(at) = self.header.iter().position(|other| other == title) {
            for row in std::iter::once(&mut self.header).chain(&mut self.rows) {
                row.remove(at);
            }
            self.right.retain(|column| *column != at);
            self.right.iter_mut().for_each(|column| *column -= usize::from(*column > at));
            self.name -= usize::from(self.name > at);
        }
        true
    }
}

/// Cells that a text takes on a terminal.
pub(crate) fn width_of(text: &str) -> usize {
    Span::raw(text).width()
}

/// The beginning and the end of a text that is longer than `width`.
fn shortened(text: &str, width: usize) -> String {
    if width_of(text) <= width {
        return text.to_owned();
    }
    let half = width.saturating_sub(1) / 2;
    let chars: Vec<char> = text.chars().collect();
    let fitting = |chars: &mut dyn Iterator<Item = &char>| {
        let mut used = 0;
        chars
            .take_while(|c| {
                used += width_of(c.encode_utf8(&mut [0; 4]));
                used <= half
            })
            .count()
    };
    let (first, last) = (fitting(&mut chars.iter()), fitting(&mut chars.iter().rev()));
    chars[..first].iter().chain(['…'].iter()).chain(&chars[chars.len() - last..]).collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    fn table() -> Table {
        let mut table = Table::new(["counter", "mean", "std", "unit"], &[1, 2]).with_optional(&["std"]);
        for (name, mean) in
            [(r"\\web1\Processor(_Total)\% Processor Time", "12.5"), (r"\\web1\Memory\Pages/sec", "1,024")]
        {
            table.add_row([name, mean, "0.25", "%"].map(str::to_owned));
        }
        table
    }

    #[test]
    fn sizes_have_the_unit_that_suits_them() {
        let cells = |counter: &str, unit: &str, is_terminal: bool| {
            let amounts = Amounts::shown(counter, unit, is_terminal);
            (amounts.cell(6_442_450_944.0, |value| value.to_string()), amounts.unit())
        };
        let of = |cell: &str, unit: &str| (cell.to_owned(), unit.to_owned());
        assert_eq!(cells("Available Bytes", "", true), of("6 GiB", ""));
        assert_eq!(cells("Disk Read Bytes/sec", "/sec", true), of("6 GiB/s", ""));
        assert_eq!(cells("Available Bytes", "", false), of("6442450944", ""));
        assert_eq!(cells("Page Faults/sec", "/sec", true), of("6442450944", "/sec"));
    }

    #[test]
    fn a_wide_terminal_shows_everything() {
        let width = table().width();
        assert_eq!(table().fitted(width).drawn(), table().drawn());
    }

    #[test]
    fn the_host_gives_way_first_then_columns_then_names() {
        let lines = |room: usize| table().fitted(room).drawn().lines().map(str::to_owned).collect::<Vec<_>>();
        assert_eq!(
            lines(table().width() - 1),
            [
                "counter on web1                       mean   std  unit",
                r"\Processor(_Total)\% Processor Time   12.5  0.25  %",
                r"\Memory\Pages/sec                    1,024  0.25  %",
            ]
        );
        assert_eq!(
            lines(44),
            [
                "counter on web1                   mean  unit",
                r"\Processor(_Tot… Processor Time   12.5  %",
                r"\Memory\Pages/sec                1,024  %",
            ]
        );
        for room in 1..80 {
            let width = lines(room).iter().map(|line| width_of(line)).max();
            assert!(width <= Some(room.max(44)), "{room}: {width:?}");
        }
    }

    #[test]
    fn texts_are_cut_in_the_middle() {
        for (text, width, expected) in [
            ("abcdefgh", 8, "abcdefgh"),
            ("abcdefghi", 8, "abc…ghi"),
            ("日本語日本語", 8, "日…語"),
            ("äöüßäöüß", 7, "äöü…öüß"),
        ] {
            assert_eq!(shortened(text, width), expected, "{text}");
        }
    }
}
