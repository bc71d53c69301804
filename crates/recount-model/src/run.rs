//! The run: the columnar form that every raw source is decoded into.

use std::ops::Range;
use std::sync::Arc;

use crate::{Instances, ObjectDef, SampleTime, Timer, Timestamp};

/// A stretch of consecutive samples of one performance object in which neither the counter definitions nor
/// the instance table changes.
///
/// Cells are laid out sample by sample: the cell of sample `s` and instance `i` is at `s * instances.len() +
/// i`. This is a columnar form of PDH's raw counter (first value, second value, time stamp, multi count,
/// status), so that the arithmetic of a counter is one loop over contiguous memory.
#[derive(Clone, Debug)]
pub struct Run {
    /// Machine that the samples come from, without leading backslashes; empty if the source doesn't say.
    pub host: Arc<str>,
    /// Definitions.
    pub object: Arc<ObjectDef>,
    /// Instance table. An object without instances has one unnamed instance. May be empty.
    pub instances: Instances,
    /// Clocks, one entry per sample.
    pub clocks: Clocks,
    /// One column per counter of `object`, in the same order.
    pub columns: Vec<Column>,
    /// Cells that the source marks as failed or that have no bytes, in any order.
    pub faults: Vec<CellFault>,
}

/// The clocks read with each sample. All vectors have one entry per sample, or are empty if the source has no
/// such clock (a counter list has its clocks in [`Second::Own`]).
#[derive(Clone, Debug, Default)]
pub struct Clocks {
    /// Time of the sample.
    pub time: Vec<SampleTime>,
    /// `PerfTime` of the block, ticks.
    pub perf_time: Vec<u64>,
    /// `PerfFreq` of the block, ticks per second.
    pub perf_freq: Vec<u64>,
    /// `PerfTime100nSec` of the block.
    pub time_100ns: Vec<u64>,
    /// `PerfTime` of the object, ticks.
    pub object_time: Vec<u64>,
    /// `PerfFreq` of the object, ticks per second; 0 if the object has no clock of its own.
    pub object_freq: Vec<u64>,
}

impl Clocks {
    /// The clocks of some samples.
    fn part(&self, samples: &Range<usize>) -> Clocks {
        let part = |ticks: &Vec<u64>| ticks.get(samples.clone()).unwrap_or_default().to_vec();
        Clocks {
            time: self.time.get(samples.clone()).unwrap_or_default().to_vec(),
            perf_time: part(&self.perf_time),
            perf_freq: part(&self.perf_freq),
            time_100ns: part(&self.time_100ns),
            object_time: part(&self.object_time),
            object_freq: part(&self.object_freq),
        }
    }

    /// The reading of the clock that a counter's timer field names, per sample.
    pub fn ticks(&self, timer: Timer) -> &[u64] {
        match timer {
            Timer::Tick => &self.perf_time,
            Timer::HundredNs => &self.time_100ns,
            Timer::Object => &self.object_time,
        }
    }
}

/// The raw values of one counter.
#[derive(Clone, Debug, Default)]
pub struct Column {
    /// First values: the counter's own raw value, zero-extended. Samples × instances.
    pub first: Vec<u64>,
    /// Second values.
    pub second: Second,
    /// Instance counts of a MULTI type.
    pub multi: Multi,
    /// Index of the counter of the object whose raw value is the clock's frequency, in ticks per second;
    /// `None` for the frequency in the run's clocks.
    pub frequency: Option<usize>,
    /// Which instances have this counter; `None` if all do. A counter list may request different counters for
    /// different instances of one object.
    pub covers: Option<Arc<[bool]>>,
    /// The texts of a counter of type TEXT, samples × instances; `None` for all others.
    pub texts: Option<Texts>,
}

/// A text per cell; `None` where there is none. Equal texts of an instance in successive samples are shared.
pub type Texts = Vec<Option<Arc<str>>>;

impl Column {
    /// Adds the text of the next cell, which shares the memory of the same instance's previous one if it is equal.
    pub fn push_text(&mut self, text: Option<&str>, num_instances: usize) {
        let texts = self.texts.get_or_insert_default();
        let before = texts.len().checked_sub(num_instances).and_then(|cell| texts[cell].clone());
        texts.push(text.map(|text| before.filter(|before| **before == *text).unwrap_or_else(|| text.into())));
    }

    /// Whether an instance has this counter.
    pub fn covers(&self, instance: usize) -> bool {
        self.covers.as_ref().is_none_or(|mask| mask.get(instance).is_some_and(|covered| *covered))
    }
}

/// Where a counter's second value comes from.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub enum Second {
    /// The type needs none, or it is missing.
    #[default]
    None,
    /// The run's clock that the timer field names.
    Clock(Timer),
    /// The raw values of another counter of the object, by index: its base.
    Base(usize),
    /// Values of its own, samples × instances: a clock or a base, as the type says.
    Own(Vec<u64>),
}

/// Where the instance count of a MULTI type comes from.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub enum Multi {
    /// The type needs none, or it is missing.
    #[default]
    None,
    /// The raw values of another counter of the object, by index.
    Base(usize),
    /// Values of its own, samples × instances.
    Own(Vec<u64>),
}

/// A cell without a trustworthy raw value.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub struct CellFault {
    /// Index of the sample in the run.
    pub sample: u32,
    /// Index of the counter in the object.
    pub counter: u32,
    /// Index of the instance in the run's table.
    pub instance: u32,
}

impl Run {
    /// Number of samples.
    pub fn num_samples(&self) -> usize {
        self.clocks.time.len()
    }

    /// Number of cells per column: samples × instances.
    pub fn num_cells(&self) -> usize {
        self.num_samples() * self.instances.len()
    }

    /// Some of the samples.
    pub fn part(&self, samples: Range<usize>) -> Run {
        let num = self.instances.len();
        let cells =
            |all: &[u64]| all.get(samples.start * num..samples.end * num).unwrap_or_default().to_vec();
        let column = |column: &Column| Column {
            first: cells(&column.first),
            second: match &column.second {
                Second::Own(values) => Second::Own(cells(values)),
                other => other.clone(),
            },
            multi: match &column.multi {
                Multi::Own(values) => Multi::Own(cells(values)),
                other => other.clone(),
            },
            frequency: column.frequency,
            covers: column.covers.clone(),
            texts: column
                .texts
                .as_ref()
                .map(|texts| texts.get(samples.start * num..samples.end * num).unwrap_or_default().to_vec()),
        };
        let is_within = |fault: &&CellFault| samples.contains(&(fault.sample as usize));
        let moved = |fault: &CellFault| CellFault { sample: fault.sample - samples.start as u32, ..*fault };
        Run {
            host: Arc::clone(&self.host),
            object: Arc::clone(&self.object),
            instances: Arc::clone(&self.instances),
            clocks: self.clocks.part(&samples),
            columns: self.columns.iter().map(column).collect(),
            faults: self.faults.iter().filter(is_within).map(moved).collect(),
        }
    }

    /// The run's first sample without its instances: the object existed, but was empty.
    pub fn without_instances(&self) -> Run {
        let column = |column: &Column| Column {
            first: Vec::new(),
            second: match &column.second {
                Second::Own(_) => Second::Own(Vec::new()),
                other => other.clone(),
            },
            multi: match &column.multi {
                Multi::Own(_) => Multi::Own(Vec::new()),
                other => other.clone(),
            },
            frequency: column.frequency,
            covers: None,
            texts: column.texts.as_ref().map(|_| Texts::new()),
        };
        Run {
            host: Arc::clone(&self.host),
            object: Arc::clone(&self.object),
            instances: Arc::new([]),
            clocks: self.clocks.part(&(0..self.num_samples().min(1))),
            columns: self.columns.iter().map(column).collect(),
            faults: Vec::new(),
        }
    }

    /// The object's time of a sample, on the scale of [`Timestamp`]. Start times are compared with it.
    pub fn start_clock(&self, sample: usize) -> Timestamp {
        let object_freq = self.clocks.object_freq.get(sample).copied().unwrap_or(0);
        match self.clocks.object_time.get(sample) {
            // An object without a clock of its own leaves 0.
            Some(&time) if time != 0 && object_freq == Timestamp::TICKS_PER_SECOND as u64 => {
                Timestamp(time as i64)
            }
            _ => self.clocks.time.get(sample).map_or(Timestamp::default(), |t| t.utc),
        }
    }
}
