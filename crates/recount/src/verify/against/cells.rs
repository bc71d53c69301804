//! The cells of a window of samples.

use std::collections::HashMap;
use std::sync::Arc;

use arrow_array::cast::AsArray;
use arrow_array::types::{Float64Type, Int32Type, TimestampNanosecondType};
use arrow_array::{Array, RecordBatch, StringArray};
use recount_model::{Health, Selection, Timestamp};
use recount_tables::Layout;

use super::AgainstError;
use super::moments::Moment;
use crate::Timeline;

/// The columns that are read.
const COLUMNS: [&str; 7] = ["time", "host", "object", "instance", "counter", "value", "status"];
const NANOS_OF_TICK: i64 = 100;

/// What a series is known by: host, object, instance, counter.
type Key = [u32; 4];

/// The names of series, by number.
#[derive(Debug, Default)]
pub(super) struct SeriesNames {
    texts: Vec<Arc<str>>,
    /// By text in lower case.
    text_numbers: HashMap<String, u32>,
    series: Vec<Key>,
    series_numbers: HashMap<Key, usize>,
}

impl SeriesNames {
    pub(super) fn len(&self) -> usize {
        self.series.len()
    }

    fn text_number(&mut self, text: &str) -> u32 {
        let lower = text.to_lowercase();
        if let Some(number) = self.text_numbers.get(&lower) {
            return *number;
        }
        let number = self.texts.len() as u32;
        self.texts.push(text.into());
        self.text_numbers.insert(lower, number);
        number
    }

    fn number(&mut self, key: Key) -> usize {
        let next = self.series.len();
        let number = *self.series_numbers.entry(key).or_insert(next);
        if number == next {
            self.series.push(key);
        }
        number
    }

    fn text(&self, series: usize, place: usize) -> &str {
        &self.texts[self.series[series][place] as usize]
    }

    pub(super) fn host(&self, series: usize) -> &str {
        self.text(series, 0)
    }

    pub(super) fn instance(&self, series: usize) -> &str {
        self.text(series, 2)
    }

    /// Object and counter.
    pub(super) fn counter(&self, series: usize) -> String {
        format!("{}\\{}", self.text(series, 1), self.text(series, 3))
    }

    /// `\Processor(_Total)\% Processor Time`.
    pub(super) fn path(&self, series: usize) -> String {
        let [host, object, instance, counter] = std::array::from_fn(|place| self.text(series, place));
        let host = if host.is_empty() { String::new() } else { format!("\\\\{host}") };
        let instance = if instance.is_empty() { String::new() } else { format!("({instance})") };
        format!("{host}\\{object}{instance}\\{counter}")
    }
}

/// A cell.
#[derive(Clone, Debug, PartialEq)]
pub(super) struct Cell {
    pub(super) value: Option<f64>,
    pub(super) status: Arc<str>,
}

/// The cells of one side.
#[derive(Debug, Default)]
pub(super) struct Cells {
    /// By moment of the window.
    by_moment: Vec<HashMap<usize, Cell>>,
    pub(super) num_repeated: u64,
}

impl Cells {
    /// Reads the cells of a window. `at` is the time of a moment on this side.
    pub(super) fn read(
        timeline: &Timeline,
        selection: &Selection,
        window: &[Moment],
        at: impl Fn(&Moment) -> Option<Timestamp>,
        names: &mut SeriesNames,
    ) -> Result<(Cells, Health), AgainstError> {
        let mut cells = Cells { by_moment: window.iter().map(|_| HashMap::new()).collect(), num_repeated: 0 };
        let places: HashMap<i64, usize> = window
            .iter()
            .enumerate()
            .filter_map(|(place, moment)| Some((at(moment)?.unix_nanos()?, place)))
            .collect();
        let times = || window.iter().filter_map(&at);
        let (Some(begin), Some(end)) = (times().min(), times().max()) else {
            return Ok((cells, Health::default()));
        };
        let has_one_host = timeline.hosts().len() < 2;
        let batches = timeline.batches().select(selection.clone()).layout(Layout::Tidy);
        let mut reader = batches.within(Some(begin), Some(end)).columns(COLUMNS).reader()?;
        let mut statuses = HashMap::new();
        for batch in &mut reader {
            cells.add(&batch?, &places, has_one_host, (names, &mut statuses));
        }
        Ok((cells, reader.health().clone()))
    }

    fn add(
        &mut self,
        batch: &RecordBatch,
        places: &HashMap<i64, usize>,
        has_one_host: bool,
        (names, statuses): (&mut SeriesNames, &mut HashMap<String, Arc<str>>),
    ) {
        let times = batch.column(0).as_primitive::<TimestampNanosecondType>();
        let values = batch.column(5).as_primitive::<Float64Type>();
        // The numbers of this batch's texts, by column and key of its dictionary.
        let numbers: [(Vec<u32>, _); 4] = std::array::from_fn(|column| {
            let texts = batch.column(column + 1).as_dictionary::<Int32Type>();
            let all: &StringArray = texts.values().as_string();
            let numbers = all.iter().map(|text| names.text_number(text.unwrap_or_default())).collect();
            (numbers, texts)
        });
        let none = names.text_number("");
        let said = batch.column(6).as_dictionary::<Int32Type>();
        let words: &StringArray = said.values().as_string();
        for row in 0..batch.num_rows() {
            let Some(&place) = places.get(&(times.value(row) / NANOS_OF_TICK * NANOS_OF_TICK)) else {
                continue;
            };
            let mut key = [none; 4];
            for (part, (numbers, texts)) in key.iter_mut().zip(&numbers) {
                if let Some(text) = texts.key(row) {
                    *part = numbers[text];
                }
            }
            if has_one_host {
                key[0] = none;
            }
            let word = said.key(row).map_or("", |word| words.value(word));
            let status = match statuses.get(word) {
                Some(status) => Arc::clone(status),
                None => Arc::clone(statuses.entry(word.to_owned()).or_insert_with(|| word.into())),
            };
            let value = values.is_valid(row).then(|| values.value(row));
            let series = names.number(key);
            if self.by_moment[place].insert(series, Cell { value, status }).is_some() {
                self.num_repeated += 1;
            }
        }
    }

    /// How many there are.
    pub(super) fn len(&self) -> usize {
        self.by_moment.iter().map(HashMap::len).sum()
    }

    /// The series of all cells, each as often as it has cells.
    pub(super) fn series(&self) -> impl Iterator<Item = usize> {
        self.by_moment.iter().flat_map(|cells| cells.keys().copied())
    }

    /// The cells of a moment, by series.
    pub(super) fn take(&mut self, moment: usize) -> Vec<(usize, Cell)> {
        let mut cells: Vec<(usize, Cell)> = std::mem::take(&mut self.by_moment[moment]).into_iter().collect();
        cells.sort_unstable_by_key(|(series, _)| *series);
        cells
    }

    /// The cell of a series at a moment, which is then gone.
    pub(super) fn remove(&mut self, moment: usize, series: usize) -> Option<Cell> {
        self.by_moment[moment].remove(&series)
    }
}
