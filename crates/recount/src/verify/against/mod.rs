//! Two captures cell by cell: for `recount verify --against`.
//!
//! Cells are compared in windows of samples, so memory is bounded by [`CELLS_OF_WINDOW`] however long the captures are.

mod cells;
mod moments;

use std::collections::{BTreeMap, HashMap};

use recount_compute::{Cancelled, OnProgress, Progress};
use recount_model::{Health, Selection, Timestamp};
use serde::Serialize;

use crate::{BatchError, Timeline};
use cells::{Cell, Cells, SeriesNames};
use moments::{Moment, moments};

/// Cells of a window, of one side.
const CELLS_OF_WINDOW: usize = 2_000_000;
/// Samples of the first window, whose size says how many a window may have.
const FIRST_WINDOW: usize = 8;
/// Counters that are listed with their differences.
const MAX_COUNTERS: usize = 100;
/// What is said of a cell without a row.
const NO_ROW: &str = "no row";
/// Series of one side only that are named.
const MAX_NAMED: usize = 20;

/// What counts as equal.
#[derive(Clone, Debug)]
#[non_exhaustive]
pub struct AgainstOptions {
    /// The counters that are compared.
    pub selection: Selection,
    /// By how much two values may differ, as a part of the larger one: 0 if every bit has to be the same.
    pub tolerance: f64,
    /// By how many 100 ns two samples' times may differ: PDH text has milliseconds.
    pub time_tolerance_100ns: i64,
    /// Whether samples and series that only one side has are no difference.
    pub common: bool,
}

impl Default for AgainstOptions {
    fn default() -> AgainstOptions {
        let time_tolerance_100ns = Timestamp::TICKS_PER_SECOND / 1000;
        AgainstOptions { selection: Selection::all(), tolerance: 0.0, time_tolerance_100ns, common: false }
    }
}

/// What two captures have in common.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize)]
pub struct Shared {
    /// Of both sides.
    pub both: u64,
    /// Of the first only.
    pub first_only: u64,
    /// Of the other only.
    pub other_only: u64,
}

/// How the cells of the samples and series that both sides have agree.
#[derive(Clone, Debug, Default, PartialEq, Serialize)]
#[non_exhaustive]
pub struct CellCounts {
    /// Values that are equal to the bit.
    pub equal: u64,
    /// Values that differ within the tolerance.
    pub within_tolerance: u64,
    /// Values that differ by more.
    pub different: u64,
    /// Cells without a value on both sides.
    pub without_value: u64,
    /// Cells with a value in the first capture only, by the status of the other; `no row` if that has none.
    pub first_only: BTreeMap<String, u64>,
    /// Cells with a value in the other only, by the status of the first.
    pub other_only: BTreeMap<String, u64>,
    /// Rows that one side has several times.
    pub repeated: u64,
}

/// The differences of one counter.
#[derive(Clone, Debug, PartialEq, Serialize)]
#[non_exhaustive]
pub struct CounterDifference {
    /// `Processor\% Processor Time`.
    pub counter: String,
    /// Cells that don't agree.
    pub different: u64,
    /// The largest difference of two values, as a part of the larger one; `None` if only one side had values.
    pub largest: Option<f64>,
    /// The cell with the largest difference, or the first.
    pub example: CellDifference,
}

/// A cell that differs.
#[derive(Clone, Debug, PartialEq, Serialize)]
#[non_exhaustive]
pub struct CellDifference {
    /// When, in UTC.
    pub time: String,
    /// Machine; empty if unknown.
    pub host: String,
    /// Instance; empty without one.
    pub instance: String,
    /// The value or the status of each side.
    pub first: String,
    /// Likewise.
    pub other: String,
}

/// How two captures agree.
#[derive(Clone, Debug, Default, PartialEq, Serialize)]
#[non_exhaustive]
pub struct Agreement {
    /// Samples.
    pub samples: Shared,
    /// Series: a counter of an instance.
    pub series: Shared,
    /// Some of the series that only the first has, as paths.
    pub first_only: Vec<String>,
    /// Some of those that only the other has.
    pub other_only: Vec<String>,
    /// The cells of samples and series that both have.
    pub cells: CellCounts,
    /// Counters with cells that don't agree, those with the most first; at most 100.
    pub counters: Vec<CounterDifference>,
    /// Whether samples and series that only one side has are no difference.
    pub common: bool,
    /// What was found while reading, of both.
    #[serde(skip)]
    pub health: [Health; 2],
}

impl Agreement {
    /// Whether there is no difference.
    pub fn agrees(&self) -> bool {
        let cells = &self.cells;
        let is_even = |shared: &Shared| shared.first_only == 0 && shared.other_only == 0;
        let has_all = is_even(&self.samples) && is_even(&self.series);
        cells.different == 0
            && cells.first_only.is_empty()
            && cells.other_only.is_empty()
            && (self.common || has_all)
    }
}

/// Why two captures can't be compared.
#[derive(Debug, thiserror::Error)]
#[non_exhaustive]
pub enum AgainstError {
    /// A capture can't be read as batches.
    #[error(transparent)]
    Batch(#[from] BatchError),
    /// Reading failed.
    #[error("{0}")]
    Read(#[from] arrow_schema::ArrowError),
    /// No sample of one has the time of a sample of the other.
    #[error("no sample of one capture has the time of a sample of the other, within {tolerance_ms} ms")]
    NothingInCommon {
        /// The tolerance in milliseconds.
        tolerance_ms: f64,
    },
    /// They have no series in common.
    #[error("the two captures have no counter in common: {first} series of the first, {other} of the other")]
    NoSeries {
        /// Series of the first.
        first: u64,
        /// Series of the other.
        other: u64,
    },
    /// The work was cancelled.
    #[error(transparent)]
    Cancelled(#[from] Cancelled),
}

impl crate::Hint for AgainstError {
    fn hint(&self) -> Option<&'static str> {
        match self {
            AgainstError::Batch(error) => error.hint(),
            AgainstError::NothingInCommon { .. } => {
                Some("if they are of one recording, a zone may be missing: see --zone, and --time-tolerance")
            }
            AgainstError::NoSeries { .. } => {
                Some("`recount list` shows what each has; --names own keeps the names of its recorder")
            }
            _ => None,
        }
    }
}

/// Compares two captures: every value of every counter at every time. Names are compared without regard to case; the machine's
/// name doesn't matter if each side has one machine.
///
/// ```
/// use recount::{AgainstOptions, against, open, unwatched};
///
/// # let sample = |name: &str| format!("{}/../../samples/{name}", env!("CARGO_MANIFEST_DIR"));
/// let log = open(sample("objects.blg"))?.timeline();
/// let found = against(&log, &log, &AgainstOptions::default(), &unwatched)?;
/// assert!(found.agrees() && found.cells.equal > 0);
/// # Ok::<(), Box<dyn std::error::Error>>(())
/// ```
pub fn against(
    first: &Timeline,
    other: &Timeline,
    options: &AgainstOptions,
    progress: OnProgress<'_>,
) -> Result<Agreement, AgainstError> {
    let moments = moments(first, other, options.time_tolerance_100ns);
    let mut found = Comparison::new(options);
    if !moments.iter().any(Moment::is_shared) {
        let tolerance_ms = options.time_tolerance_100ns as f64 / 10_000.0;
        return Err(AgainstError::NothingInCommon { tolerance_ms });
    }
    let (mut rest, mut len_window) = (&moments[..], FIRST_WINDOW);
    while !rest.is_empty() {
        let (window, later) = rest.split_at(len_window.min(rest.len()));
        rest = later;
        let cells = found.window(window, first, other)?;
        len_window = (CELLS_OF_WINDOW * window.len() / cells.max(1)).clamp(1, 16 * len_window);
        Cancelled::check(progress(Progress { len_raw: 0, num_samples: window.len() as u64 }))?;
    }
    let found = found.finish(&moments);
    if found.series.both == 0 {
        let Shared { first_only: first, other_only: other, .. } = found.series;
        return Err(AgainstError::NoSeries { first, other });
    }
    Ok(found)
}

/// What has been compared so far.
struct Comparison<'o> {
    options: &'o AgainstOptions,
    names: SeriesNames,
    /// By series: whether the sides have it.
    seen: Vec<[bool; 2]>,
    /// By series: values that one side has and the other no row for, which count if that has others of the series.
    unmatched: HashMap<usize, Unmatched>,
    cells: CellCounts,
    /// By object and counter.
    counters: BTreeMap<String, CounterDifference>,
    health: [Health; 2],
}

/// Values of a series for which the other side has no row.
struct Unmatched {
    /// By the side that has them.
    nums: [u64; 2],
    example: CellDifference,
}

impl Comparison<'_> {
    fn new(options: &AgainstOptions) -> Comparison<'_> {
        Comparison {
            options,
            names: SeriesNames::default(),
            seen: Vec::new(),
            unmatched: HashMap::new(),
            cells: CellCounts::default(),
            counters: BTreeMap::new(),
            health: <[Health; 2]>::default(),
        }
    }

    /// Compares the cells of a window; returns how many one side has at most.
    fn window(
        &mut self,
        window: &[Moment],
        first: &Timeline,
        other: &Timeline,
    ) -> Result<usize, AgainstError> {
        let mut read = |side: usize, timeline: &Timeline| {
            let at = |moment: &Moment| [moment.first, moment.other][side];
            let (cells, health) =
                Cells::read(timeline, &self.options.selection, window, at, &mut self.names)?;
            self.health[side].absorb(health);
            Ok::<Cells, AgainstError>(cells)
        };
        let sides = [read(0, first)?, read(1, other)?];
        self.seen.resize(self.names.len(), [false; 2]);
        for (side, cells) in sides.iter().enumerate() {
            self.cells.repeated += cells.num_repeated;
            cells.series().for_each(|series| self.seen[series][side] = true);
        }
        let len = sides[0].len().max(sides[1].len());
        let [mut first, mut other] = sides;
        for (moment, times) in window.iter().enumerate().filter(|(_, one)| one.is_shared()) {
            for (series, cell) in first.take(moment) {
                let opposite = other.remove(moment, series);
                self.compare(times, series, Some(&cell), opposite.as_ref());
            }
            for (series, cell) in other.take(moment) {
                self.compare(times, series, None, Some(&cell));
            }
        }
        Ok(len)
    }

    fn compare(&mut self, moment: &Moment, series: usize, first: Option<&Cell>, other: Option<&Cell>) {
        let value = |cell: Option<&Cell>| cell.and_then(|cell| cell.value);
        let status =
            |cell: Option<&Cell>| cell.map_or_else(|| NO_ROW.to_owned(), |cell| cell.status.to_string());
        let shown = |cell: Option<&Cell>| value(cell).map_or_else(|| status(cell), |value| value.to_string());
        let names = &self.names;
        let example = || CellDifference {
            time: moment.first.or(moment.other).map(|time| time.to_string()).unwrap_or_default(),
            host: names.host(series).to_owned(),
            instance: names.instance(series).to_owned(),
            first: shown(first),
            other: shown(other),
        };
        let apart = match (value(first), value(other)) {
            (None, None) => {
                self.cells.without_value += u64::from(first.is_some() && other.is_some());
                return;
            }
            (a, _) if first.is_none() || other.is_none() => {
                let none = || Unmatched { nums: [0; 2], example: example() };
                self.unmatched.entry(series).or_insert_with(none).nums[usize::from(a.is_none())] += 1;
                return;
            }
            (Some(a), Some(b)) if a.to_bits() == b.to_bits() => {
                self.cells.equal += 1;
                return;
            }
            (Some(a), Some(b)) => {
                let difference = (a - b).abs();
                // Of two zeros with other signs the quotient is none.
                let apart = if difference > 0.0 { difference / a.abs().max(b.abs()) } else { 0.0 };
                if apart <= self.options.tolerance {
                    self.cells.within_tolerance += 1;
                    return;
                }
                self.cells.different += 1;
                Some(apart)
            }
            (Some(_), None) => {
                *self.cells.first_only.entry(status(other)).or_default() += 1;
                None
            }
            (None, Some(_)) => {
                *self.cells.other_only.entry(status(first)).or_default() += 1;
                None
            }
        };
        let example = example();
        self.differs(series, 1, apart, example);
    }

    /// Notes cells of a counter that don't agree.
    fn differs(&mut self, series: usize, num: u64, apart: Option<f64>, example: CellDifference) {
        let counter = self.names.counter(series);
        let known = self.counters.entry(counter.clone()).or_insert_with(|| CounterDifference {
            counter,
            different: 0,
            largest: None,
            example: example.clone(),
        });
        known.different += num;
        if apart.is_some_and(|apart| known.largest.is_none_or(|largest| apart > largest)) {
            (known.largest, known.example) = (apart, example);
        }
    }

    /// Counts what one side has no rows for, of the series that both have.
    fn add_unmatched(&mut self) {
        let mut unmatched: Vec<(usize, Unmatched)> =
            std::mem::take(&mut self.unmatched).into_iter().collect();
        unmatched.sort_unstable_by_key(|(series, _)| *series);
        for (series, Unmatched { nums, example }) in unmatched {
            if self.seen[series] != [true, true] {
                continue;
            }
            for (num, by_status) in
                nums.into_iter().zip([&mut self.cells.first_only, &mut self.cells.other_only])
            {
                if num > 0 {
                    *by_status.entry(NO_ROW.to_owned()).or_default() += num;
                }
            }
            self.differs(series, nums.iter().sum(), None, example);
        }
    }

    fn finish(mut self, moments: &[Moment]) -> Agreement {
        self.add_unmatched();
        let count = |has: &dyn Fn(&Moment) -> bool| moments.iter().filter(|one| has(one)).count() as u64;
        let both = count(&Moment::is_shared);
        let samples = Shared {
            both,
            first_only: count(&|one| one.first.is_some()) - both,
            other_only: count(&|one| one.other.is_some()) - both,
        };
        let of = |sides: [bool; 2]| -> Vec<usize> {
            let seen = self.seen.iter().enumerate();
            seen.filter(|(_, seen)| **seen == sides).map(|(series, _)| series).collect()
        };
        let [first_only, other_only] = [of([true, false]), of([false, true])];
        let series = Shared {
            both: of([true, true]).len() as u64,
            first_only: first_only.len() as u64,
            other_only: other_only.len() as u64,
        };
        let named = |series: &[usize]| series.iter().take(MAX_NAMED).map(|at| self.names.path(*at)).collect();
        let (first_only, other_only) = (named(&first_only), named(&other_only));
        let mut counters: Vec<CounterDifference> = self.counters.into_values().collect();
        counters.sort_by(|a, b| b.different.cmp(&a.different).then_with(|| a.counter.cmp(&b.counter)));
        counters.truncate(MAX_COUNTERS);
        let (cells, common, health) = (self.cells, self.options.common, self.health);
        Agreement { samples, series, first_only, other_only, cells, counters, common, health }
    }
}

#[cfg(test)]
mod tests;
