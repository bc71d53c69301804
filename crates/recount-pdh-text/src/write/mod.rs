//! Writing PDH text in the form used by Windows' own tools (`formats/pdh-text.md#writing`).

mod columns;
mod times;

use std::collections::HashMap;
use std::io::Write;

use recount_model::{Cooked, CookedColumn, ObjectDef, SampleTime, Status, Timestamp};

use crate::error::PdhWriteError;
use crate::structure::mark::Dialect;
use crate::structure::number::push_g17;
pub use columns::{Columns, CounterColumn};
pub use times::WrittenTimes;

/// Writes cooked values as PDH text. Each row is written with one call to `out`.
#[derive(Debug)]
pub struct PdhTextWriter<W> {
    out: W,
    separator: u8,
    column_at: HashMap<CounterColumn, usize>,
    /// The current row.
    row: Vec<RowCell>,
    line: Vec<u8>,
    written: Option<Timestamp>,
    is_year_first: bool,
}

/// A cell of the current row.
#[derive(Clone, Copy, Debug, PartialEq)]
enum RowCell {
    /// No sample has this counter.
    Free,
    /// A sample has it, but without a value.
    Null,
    Value(f64),
}

/// The target of a cell of cooked values: its column in `columns`, its instance, the column of the text.
type Way = (usize, usize, usize);

/// A sample of one of the cooked values of a slice.
#[derive(Clone, Copy)]
struct Sample {
    time: SampleTime,
    /// Index in the slice.
    cooked: usize,
    /// Index in its times.
    at: usize,
}

impl<W: Write> PdhTextWriter<W> {
    /// Writes the header. `zone` is the name of the zone and UTC minus local time in minutes (240 for Eastern
    /// Daylight Time), both at the first sample: readers follow daylight saving from there. `None` if
    /// unknown.
    ///
    /// If a column is given twice, the first one gets the values.
    pub fn new(
        mut out: W,
        dialect: Dialect,
        zone: Option<(&str, i32)>,
        columns: &[CounterColumn],
    ) -> Result<PdhTextWriter<W>, PdhWriteError> {
        if columns.is_empty() {
            return Err(PdhWriteError::NoCounters);
        }
        let separator = dialect.separator();
        let mut line = Vec::new();
        match zone {
            Some((name, bias_min)) => {
                push_quoted(&mut line, &format!("{} ({name})({bias_min})", dialect.tag()));
            }
            None => push_quoted(&mut line, dialect.tag()),
        }
        let mut column_at = HashMap::with_capacity(columns.len());
        for (at, column) in columns.iter().enumerate() {
            line.push(separator);
            push_quoted(&mut line, &column.to_string());
            column_at.entry(column.as_shown()).or_insert(at);
        }
        line.extend_from_slice(b"\r\n");
        out.write_all(&line)?;
        let row = vec![RowCell::Free; columns.len()];
        Ok(PdhTextWriter { out, separator, column_at, row, line, written: None, is_year_first: false })
    }

    /// Writes dates as `yyyy-MM-dd` from here on, instead of as Windows does ([`WrittenTimes::is_year_first`]).
    #[must_use]
    pub fn with_year_first(self, is_year_first: bool) -> PdhTextWriter<W> {
        PdhTextWriter { is_year_first, ..self }
    }

    /// Writes a slice of time: all the cooked values in it, of all objects, in any order. Slices must be in
    /// time order. Samples with equal times form one row, unless they have a counter in common: then each
    /// gets a row. Counters without a column are left out.
    pub fn write(&mut self, slice: &[Cooked]) -> Result<(), PdhWriteError> {
        let ways: Vec<Vec<Way>> = slice.iter().map(|cooked| self.ways(cooked)).collect();
        let mut samples: Vec<Sample> = Vec::new();
        for (at, cooked) in slice.iter().enumerate().filter(|&(at, _)| !ways[at].is_empty()) {
            let times = cooked.times.iter().enumerate();
            samples.extend(times.map(|(sample, &time)| Sample { time, cooked: at, at: sample }));
        }
        // A stable sort: samples with equal times keep their order.
        samples.sort_by_key(|sample| sample.time.utc);
        for same_time in samples.chunk_by(|one, other| one.time.utc == other.time.utc) {
            let mut waiting = same_time.to_vec();
            while let Some(first) = waiting.first() {
                self.begin_row(first.time)?;
                waiting.retain(|sample| !self.place(&slice[sample.cooked], &ways[sample.cooked], sample.at));
                self.end_row()?;
            }
        }
        Ok(())
    }

    /// Flushes, and returns the output.
    pub fn finish(mut self) -> Result<W, PdhWriteError> {
        self.out.flush()?;
        Ok(self.out)
    }

    fn ways(&self, cooked: &Cooked) -> Vec<Way> {
        let mut ways = Vec::with_capacity(cooked.columns.len() * cooked.instances.len());
        for (at, column) in cooked.columns.iter().enumerate() {
            let Some(counter) = cooked.object.counters.get(column.counter) else { continue };
            for (at_instance, instance) in cooked.instances.iter().enumerate() {
                if !column.covers(at_instance) {
                    continue;
                }
                let key = CounterColumn::of(&cooked.host, &cooked.object, instance, &counter.name);
                ways.extend(self.column_at.get(&key).map(|&target| (at, at_instance, target)));
            }
        }
        ways
    }

    /// Puts a sample into the row; `false` if one of its cells is taken.
    fn place(&mut self, cooked: &Cooked, ways: &[Way], sample: usize) -> bool {
        if ways.iter().any(|&(_, _, target)| self.row[target] != RowCell::Free) {
            return false;
        }
        for &(at, instance, target) in ways {
            let cell = sample * cooked.instances.len() + instance;
            self.row[target] = slot(&cooked.object, &cooked.columns[at], cell);
        }
        true
    }

    /// Begins a row with its time. A time that can't be written leaves everything unchanged.
    fn begin_row(&mut self, time: SampleTime) -> Result<(), PdhWriteError> {
        if let Some(written) = self.written.filter(|&written| time.utc < written) {
            return Err(PdhWriteError::OutOfOrder { time: time.utc, written });
        }
        self.line.clear();
        push_time(&mut self.line, time, self.is_year_first)?;
        self.written = Some(time.utc);
        Ok(())
    }

    /// Writes the row and clears it.
    fn end_row(&mut self) -> Result<(), PdhWriteError> {
        for slot in &mut self.row {
            self.line.push(self.separator);
            match *slot {
                RowCell::Value(value) if value.is_finite() => {
                    self.line.push(b'"');
                    push_g17(&mut self.line, value);
                    self.line.push(b'"');
                }
                _ => self.line.extend_from_slice(b"\" \""),
            }
            *slot = RowCell::Free;
        }
        self.line.extend_from_slice(b"\r\n");
        self.out.write_all(&self.line)?;
        Ok(())
    }
}

/// The contents of a cell. An average over no operations is 0, as in relog; any other missing value is blank.
fn slot(object: &ObjectDef, column: &CookedColumn, cell: usize) -> RowCell {
    match column.status_at(cell) {
        status if status.has_value() => RowCell::Value(column.values[cell]),
        Status::NoOperations if is_average(object, column.counter) => RowCell::Value(0.0),
        _ => RowCell::Null,
    }
}

fn is_average(object: &ObjectDef, counter: usize) -> bool {
    object.counters.get(counter).is_some_and(|def| def.formula().is_average())
}

/// `MM/dd/yyyy HH:mm:ss.fff`, local, truncated to milliseconds.
fn push_time(line: &mut Vec<u8>, time: SampleTime, is_year_first: bool) -> Result<(), PdhWriteError> {
    let civil = time.civil().filter(|civil| civil.year() >= 0);
    let civil = civil.ok_or(PdhWriteError::TimeOutOfRange { time: time.utc })?;
    let (year, month, day) = (civil.year(), civil.month(), civil.day());
    line.push(b'"');
    if is_year_first {
        write!(line, "{year:04}-{month:02}-{day:02}")?;
    } else {
        write!(line, "{month:02}/{day:02}/{year:04}")?;
    }
    write!(
        line,
        " {:02}:{:02}:{:02}.{:03}\"",
        civil.hour(),
        civil.minute(),
        civil.second(),
        civil.subsec_nanosecond() / 1_000_000,
    )?;
    Ok(())
}

/// A quoted field: quotes are doubled, and control characters, which would break the line, become blanks.
fn push_quoted(line: &mut Vec<u8>, text: &str) {
    line.push(b'"');
    for byte in text.bytes() {
        match byte {
            b'"' => line.extend_from_slice(b"\"\""),
            0..=0x1F => line.push(b' '),
            _ => line.push(byte),
        }
    }
    line.push(b'"');
}
