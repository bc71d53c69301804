//! A baseline as a Parquet file: `formats/baseline.md`.

use std::collections::HashMap;
use std::io::{Read, Seek, SeekFrom, Write};
use std::sync::Arc;

use arrow_array::builder::{Int32Builder, ListBuilder, UInt32Builder};
use arrow_array::cast::AsArray;
use arrow_array::types::{Float64Type, Int32Type, UInt32Type, UInt64Type};
use arrow_array::{
    Array, ArrayRef, Float64Array, Int32Array, ListArray, RecordBatch, StringArray, UInt64Array,
};
use recount_tables::{read_parquet, write_parquet};
use serde::{Deserialize, Serialize};

use super::blocks::BLOCK_S;
use super::held::{Held, Spread, Values};
use super::known::{Baseline, Key, KnownBlocks};
use super::observe::lower;
use super::sketch::Sketch;
use crate::AnswerError;

/// The entry of the file's metadata that makes it a baseline.
const ENTRY: &str = "recount.baseline";
const VERSION: u32 = 1;

#[derive(Serialize, Deserialize)]
struct Head {
    version: u32,
    block_s: i64,
    captures: u64,
    samples: u64,
    machines: Vec<MachineHead>,
}

#[derive(Serialize, Deserialize)]
struct MachineHead {
    host: String,
    covered: Vec<(i64, i64)>,
}

/// Why a file can't be read as a baseline.
#[derive(Debug, thiserror::Error)]
#[non_exhaustive]
pub enum BaselineError {
    /// It is something else.
    #[error("not a baseline of recount: {0}")]
    NotOne(String),
    /// It begins as Parquet does, but can't be read.
    #[error("a damaged or incomplete Parquet file")]
    Unreadable,
    /// It was written by a newer version.
    #[error("a baseline of version {0}, which this version of recount can't read")]
    Version(u32),
    /// Its contents contradict each other.
    #[error("a damaged baseline: {0}")]
    Damaged(&'static str),
}

impl BaselineError {
    fn not_one(error: impl std::fmt::Display) -> BaselineError {
        BaselineError::NotOne(error.to_string())
    }
}

type Row<'a> = (&'a Key, Option<u8>, &'a Values, Option<&'a Spread>);

impl Baseline {
    /// Whether a file is a baseline, by the end of it.
    pub fn is_one(file: &mut (impl Read + Seek)) -> std::io::Result<bool> {
        /// The length of the footer and Parquet's mark.
        const LEN_END: u64 = 8;
        let len = file.seek(SeekFrom::End(0))?;
        if len < 2 * LEN_END {
            return Ok(false);
        }
        let mut end = [0; LEN_END as usize];
        file.seek(SeekFrom::Start(len - LEN_END))?;
        file.read_exact(&mut end)?;
        let [a, b, c, d, mark @ ..] = end;
        let len_footer = u64::from(u32::from_le_bytes([a, b, c, d]));
        if &mark != b"PAR1" || len_footer + LEN_END > len {
            return Ok(false);
        }
        file.seek(SeekFrom::Start(len - LEN_END - len_footer))?;
        let mut footer = Vec::new();
        file.take(len_footer).read_to_end(&mut footer)?;
        Ok(footer.windows(ENTRY.len()).any(|part| part == ENTRY.as_bytes()))
    }

    /// Writes it as Parquet.
    pub fn write(&self, out: impl Write + Send) -> Result<(), AnswerError> {
        let failed = |error: &dyn std::fmt::Display| AnswerError::Write(error.to_string());
        let machines = self.machines.values().map(|(name, covered)| MachineHead {
            host: name.to_string(),
            covered: covered.ranges().to_vec(),
        });
        let head = Head {
            version: VERSION,
            block_s: BLOCK_S,
            captures: self.captures,
            samples: self.samples,
            machines: machines.collect(),
        };
        let head = serde_json::to_string(&head).map_err(|error| failed(&error))?;
        let batch = self.batch()?;
        let schema = batch.schema().as_ref().clone();
        let schema = schema.with_metadata(HashMap::from([(ENTRY.to_owned(), head)]));
        let batch = batch.with_schema(Arc::new(schema))?;
        write_parquet(out, &batch).map_err(|error| failed(&error))
    }

    fn batch(&self) -> Result<RecordBatch, AnswerError> {
        let rows: Vec<Row<'_>> = self
            .series
            .iter()
            .flat_map(|(key, held)| {
                let of_hours = held.hours.iter().map(move |(hour, values)| (key, Some(*hour), values, None));
                std::iter::once((key, None, &held.all, Some(&held.spread))).chain(of_hours)
            })
            .collect();
        let texts = |of: fn(&Key) -> Option<&str>| -> ArrayRef {
            Arc::new(rows.iter().map(|(key, ..)| of(key)).collect::<StringArray>())
        };
        let numbers = |of: fn(&Values) -> f64| -> ArrayRef {
            Arc::new(rows.iter().map(|(_, _, values, _)| Some(of(values))).collect::<Float64Array>())
        };
        let spreads = |of: fn(&Spread) -> f64| -> ArrayRef {
            Arc::new(rows.iter().map(|(.., spread)| spread.map(of)).collect::<Float64Array>())
        };
        let wholes = |of: fn(&Row<'_>) -> Option<u64>| -> ArrayRef {
            Arc::new(rows.iter().map(of).collect::<UInt64Array>())
        };
        let smalls = |of: fn(&Row<'_>) -> Option<i32>| -> ArrayRef {
            Arc::new(rows.iter().map(of).collect::<Int32Array>())
        };
        let mut bins = ListBuilder::new(Int32Builder::new());
        let mut counts = ListBuilder::new(UInt32Builder::new());
        for (_, _, values, _) in &rows {
            bins.append_value(values.sketch.bins().iter().map(|(bin, _)| Some(*bin)));
            counts.append_value(values.sketch.bins().iter().map(|(_, count)| Some(*count)));
        }
        let columns: [(&str, ArrayRef); 18] = [
            ("host", texts(|key| Some(&key.host))),
            ("object", texts(|key| Some(&key.object))),
            ("instance", texts(|key| key.instance.as_deref())),
            ("counter", texts(|key| Some(&key.counter))),
            ("hour_of_week", smalls(|(_, hour, ..)| hour.map(i32::from))),
            ("count", wholes(|(_, _, values, _)| Some(values.sketch.count()))),
            ("least", numbers(|values| values.least)),
            ("p05", numbers(|values| values.quantile(0.05))),
            ("p50", numbers(|values| values.quantile(0.5))),
            ("p95", numbers(|values| values.quantile(0.95))),
            ("most", numbers(|values| values.most)),
            ("mean", spreads(|spread| spread.mean)),
            ("squares", spreads(|spread| spread.squares)),
            ("steps", wholes(|(.., spread)| spread.map(|spread| spread.steps))),
            ("step_squares", spreads(|spread| spread.step_squares)),
            ("level", smalls(|(_, _, values, _)| Some(i32::from(values.sketch.level())))),
            ("bins", Arc::new(bins.finish())),
            ("counts", Arc::new(counts.finish())),
        ];
        Ok(RecordBatch::try_from_iter_with_nullable(columns.map(|(name, column)| (name, column, true)))?)
    }

    /// Reads one from the bytes of its file.
    pub fn read(bytes: Vec<u8>) -> Result<Baseline, BaselineError> {
        /// Parquet's mark.
        const BEGIN: &[u8] = b"PAR1";
        let is_parquet = bytes.starts_with(BEGIN);
        let (entries, batches) = read_parquet(bytes).map_err(|_| {
            if is_parquet {
                BaselineError::Unreadable
            } else {
                BaselineError::NotOne("it isn't a Parquet file".to_owned())
            }
        })?;
        let head = entries.get(ENTRY);
        let head = head.ok_or_else(|| BaselineError::NotOne(format!("it has no entry {ENTRY}")))?;
        let mut baseline = Baseline::default();
        baseline.read_head(head)?;
        for batch in &batches {
            Columns::of(batch)?.read_into(&mut baseline)?;
        }
        Ok(baseline)
    }

    fn read_head(&mut self, head: &str) -> Result<(), BaselineError> {
        #[derive(Deserialize)]
        struct Version {
            version: u32,
        }
        let Version { version } = serde_json::from_str(head).map_err(BaselineError::not_one)?;
        if version != VERSION {
            return Err(BaselineError::Version(version));
        }
        let head: Head = serde_json::from_str(head).map_err(BaselineError::not_one)?;
        if head.block_s != BLOCK_S {
            return Err(BaselineError::Damaged("its means aren't of five minutes"));
        }
        (self.captures, self.samples) = (head.captures, head.samples);
        for machine in head.machines {
            let covered = KnownBlocks::from_ranges(machine.covered);
            let covered = covered.ok_or(BaselineError::Damaged("its times aren't in order"))?;
            self.machines.insert(lower(&machine.host), (machine.host.into(), covered));
        }
        Ok(())
    }
}

/// The columns that are needed.
struct Columns<'a> {
    batch: &'a RecordBatch,
    bins: &'a ListArray,
    counts: &'a ListArray,
}

impl<'a> Columns<'a> {
    fn of(batch: &'a RecordBatch) -> Result<Columns<'a>, BaselineError> {
        let list = |name: &str| batch.column_by_name(name).and_then(|column| column.as_list_opt::<i32>());
        let both = list("bins").zip(list("counts"));
        let (bins, counts) = both.ok_or(BaselineError::Damaged("it has no bins"))?;
        Ok(Columns { batch, bins, counts })
    }

    fn text(&self, name: &str, row: usize) -> Option<&'a str> {
        let texts = self.batch.column_by_name(name)?.as_string_opt::<i32>()?;
        texts.is_valid(row).then(|| texts.value(row))
    }

    fn number(&self, name: &str, row: usize) -> Option<f64> {
        let numbers = self.batch.column_by_name(name)?.as_primitive_opt::<Float64Type>()?;
        numbers.is_valid(row).then(|| numbers.value(row)).filter(|value| value.is_finite())
    }

    fn whole(&self, name: &str, row: usize) -> Option<u64> {
        let numbers = self.batch.column_by_name(name)?.as_primitive_opt::<UInt64Type>()?;
        numbers.is_valid(row).then(|| numbers.value(row))
    }

    fn small(&self, name: &str, row: usize) -> Option<u8> {
        let numbers = self.batch.column_by_name(name)?.as_primitive_opt::<Int32Type>()?;
        numbers.is_valid(row).then(|| numbers.value(row))?.try_into().ok()
    }

    fn read_into(&self, baseline: &mut Baseline) -> Result<(), BaselineError> {
        for row in 0..self.batch.num_rows() {
            self.read_row(baseline, row).ok_or(BaselineError::Damaged("a row has no meaning"))?;
        }
        Ok(())
    }

    fn read_row(&self, baseline: &mut Baseline, row: usize) -> Option<()> {
        let key = Key {
            host: self.text("host", row)?.into(),
            object: self.text("object", row)?.into(),
            instance: self.text("instance", row).map(Into::into),
            counter: self.text("counter", row)?.into(),
        };
        let (bins, counts) = (self.bins.value(row), self.counts.value(row));
        let (bins, counts) =
            (bins.as_primitive_opt::<Int32Type>()?, counts.as_primitive_opt::<UInt32Type>()?);
        let is_sound = bins.len() == counts.len() && bins.null_count() == 0 && counts.null_count() == 0;
        let both = bins.values().iter().copied().zip(counts.values().iter().copied()).collect();
        let sketch = Sketch::from_parts(self.small("level", row)?, both).filter(|_| is_sound)?;
        let values = Values { sketch, least: self.number("least", row)?, most: self.number("most", row)? };
        if values.least > values.most || values.sketch.count() == 0 {
            return None;
        }
        match self.small("hour_of_week", row) {
            Some(hour) if hour < 168 => {
                baseline.series.get_mut(&key)?.hours.insert(hour, values).is_none().then_some(())
            }
            Some(_) => None,
            None => {
                let spread = Spread {
                    count: values.sketch.count(),
                    mean: self.number("mean", row)?,
                    squares: self.number("squares", row)?,
                    steps: self.whole("steps", row)?,
                    step_squares: self.number("step_squares", row)?,
                };
                baseline.series.insert(key, Held::new(values, spread)).is_none().then_some(())
            }
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::baseline::blocks::Block;
    use crate::baseline::known::BothHave;
    use recount_model::Timestamp;

    fn baseline(first: i64) -> Baseline {
        let mut baseline = Baseline { captures: 2, samples: 700, ..Baseline::default() };
        let mut held = Held::default();
        let mut covered = KnownBlocks::default();
        for number in first..first + 50 {
            held.push(Block { number, begin: Timestamp(0) }, (number % 7) as f64 - 2.0);
            covered.add(number);
        }
        let key = Key {
            host: "web1".into(),
            object: "PhysicalDisk".into(),
            instance: Some("0 C:".into()),
            counter: "Avg. Disk sec/Transfer".into(),
        };
        baseline.series.insert(Key { instance: None, ..key.clone() }, held.clone());
        baseline.series.insert(key, held);
        baseline.machines.insert("web1".into(), ("WEB1".into(), covered));
        baseline
    }

    fn bytes(baseline: &Baseline) -> Vec<u8> {
        let mut bytes = Vec::new();
        baseline.write(&mut bytes).expect("written");
        bytes
    }

    #[test]
    fn what_was_written_is_read() {
        let written = baseline(1_000);
        let read = Baseline::read(bytes(&written)).expect("it is one");
        assert_eq!(bytes(&read), bytes(&written));
        assert_eq!((read.num_series(), read.hosts(), read.counts()), (2, vec!["WEB1".to_owned()], (2, 700)));
        let is_one = |bytes: Vec<u8>| Baseline::is_one(&mut std::io::Cursor::new(bytes)).expect("in memory");
        assert!(
            is_one(bytes(&written)) && !is_one(b"PAR1 something else PAR1".to_vec()) && !is_one(Vec::new())
        );
    }

    #[test]
    fn two_become_one_unless_they_have_the_same_time() {
        let mut one = baseline(1_000);
        one.merge(Baseline::read(bytes(&baseline(1_050))).expect("it is one")).expect("apart");
        assert!(one.counts() == (4, 1_400) && (one.hours() - 100.0 / 12.0).abs() < 1e-9);
        assert!(one.series.values().all(|held| held.all.sketch.count() == 100 && held.spread.steps == 98));
        assert_eq!(one.merge(baseline(1_099)), Err(BothHave { host: "WEB1".to_owned() }));
    }

    #[test]
    fn damage_is_an_error() {
        let sound = bytes(&baseline(1_000));
        for place in (0..sound.len()).step_by(13) {
            let mut bytes = sound.clone();
            bytes[place] ^= 0x55;
            drop(Baseline::read(bytes));
        }
        assert!(Baseline::read(sound[..sound.len() - 20].to_vec()).is_err());
        assert!(Baseline::read(b"PAR1".to_vec()).is_err());
        let text = |bytes: &[u8]| {
            Baseline::read(bytes.to_vec()).map_or_else(|error| error.to_string(), |_| String::new())
        };
        assert_eq!(text(&sound[..sound.len() / 2]), "a damaged or incomplete Parquet file");
        assert_eq!(text(b"something else"), "not a baseline of recount: it isn't a Parquet file");
    }
}
