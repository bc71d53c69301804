//! The load over time: means and extremes of stretches, as `stats --by` has them.

use recount_model::Cooked;
use serde::ser::SerializeSeq;
use serde::{Serialize, Serializer};

use super::series::rounded;
use crate::load::{Figure, LoadKind, LoadOverTime, LoadTally, Placing};
use crate::report::CaptureFacts;
use crate::shown::duration;

/// The load over time.
#[derive(Clone, Debug, PartialEq, Serialize)]
pub struct LoadTable {
    /// Length of a stretch, as `--by` takes it.
    pub by: String,
    /// What is in the columns after the first, which is the begin of the stretch.
    pub columns: Vec<LoadColumn>,
    /// A row per stretch that has values.
    pub rows: Vec<LoadRow>,
}

/// A column.
#[derive(Clone, Debug, PartialEq, Eq, Serialize)]
pub struct LoadColumn {
    /// What it is.
    pub name: String,
    /// Unit of its values.
    pub unit: &'static str,
    /// The object whose counters it is made of.
    #[serde(skip)]
    pub(super) object: String,
}

/// A stretch of time. In JSON an array: its begin, and the values.
#[derive(Clone, Debug, PartialEq)]
pub struct LoadRow {
    /// Begin of the stretch.
    pub begin: String,
    /// A value per column.
    pub values: Vec<Option<f64>>,
}

impl Serialize for LoadRow {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        let mut row = serializer.serialize_seq(Some(1 + self.values.len()))?;
        row.serialize_element(&self.begin)?;
        for value in &self.values {
            row.serialize_element(value)?;
        }
        row.end()
    }
}

/// Lengths of stretches, in seconds.
const STEPS: [(i64, &str); 14] = [
    (10, "10s"),
    (60, "1m"),
    (300, "5m"),
    (900, "15m"),
    (3_600, "1h"),
    (14_400, "4h"),
    (43_200, "12h"),
    (86_400, "24h"),
    (7 * 86_400, "168h"),
    (30 * 86_400, "720h"),
    (90 * 86_400, "2160h"),
    (365 * 86_400, "8760h"),
    (3_650 * 86_400, "87600h"),
    (36_500 * 86_400, "876000h"),
];

/// Most rows of a table, and of a shorter one.
const MOST_ROWS: [f64; 2] = [25.0, 12.0];

/// Sums of a few counters, over stretches of two lengths.
pub struct Load {
    /// The lengths in words.
    steps: Vec<&'static str>,
    tally: LoadTally,
}

impl Load {
    /// For a capture. Of several machines nothing is added up.
    pub fn new(facts: &CaptureFacts) -> Load {
        let seconds = facts.span().map_or(0.0, |(begin, end)| end.utc.seconds_since(begin.utc));
        let least = 2.0 * facts.interval_s.unwrap_or(0.0);
        let step = |most: f64| {
            STEPS.iter().find(|(step, _)| {
                let step = *step as f64;
                step >= least && seconds / step + 1.0 <= most
            })
        };
        let is_one = facts.hosts.len() <= 1 && seconds > 0.0;
        let mut steps: Vec<&(i64, &str)> = MOST_ROWS.into_iter().filter_map(step).collect();
        steps.retain(|(step, _)| is_one && (*step as f64) < seconds);
        steps.dedup();
        Load {
            tally: LoadTally::new(Placing::Utc, steps.iter().map(|(step, _)| *step)),
            steps: steps.into_iter().map(|(_, by)| *by).collect(),
        }
    }

    /// Adds values, in the order of time.
    pub fn add(&mut self, batch: &[Cooked]) {
        self.tally.add(batch);
    }

    /// The tables, the longest first.
    pub(super) fn finish(self, facts: &CaptureFacts) -> Vec<LoadTable> {
        let found = self.steps.into_iter().zip(self.tally.finish());
        found.filter_map(|(by, load)| table(by, load, facts)).collect()
    }
}

fn table(by: &str, load: LoadOverTime, facts: &CaptureFacts) -> Option<LoadTable> {
    let stated = |begin: &_| LoadRow { begin: super::options::stated(facts, *begin), values: Vec::new() };
    let mut rows: Vec<LoadRow> = load.begins.iter().map(stated).collect();
    let mut columns = Vec::new();
    for figures in load.figures {
        columns.push(LoadColumn {
            name: name(figures.kind),
            unit: figures.unit,
            object: figures.object.to_owned(),
        });
        rows.iter_mut().zip(figures.values).for_each(|(row, value)| row.values.push(value.map(rounded)));
    }
    (!columns.is_empty() && rows.len() > 1).then(|| LoadTable { by: by.to_owned(), columns, rows })
}

fn name(kind: &LoadKind) -> String {
    let figure = match kind.figure {
        Figure::Mean => "mean",
        Figure::Least => "min",
        Figure::Most => "max",
    };
    format!("{} {figure}", kind.resource)
}

impl LoadTable {
    /// The length of a stretch, for people.
    pub(super) fn step_in_words(&self) -> String {
        let step = STEPS.iter().find(|(_, by)| *by == self.by);
        step.map_or_else(|| self.by.clone(), |(seconds, _)| duration(*seconds as f64))
    }
}

#[cfg(test)]
mod tests {
    use recount_model::Timestamp;

    use super::*;

    #[test]
    fn steps_are_what_stats_takes() {
        for (seconds, by) in STEPS {
            let period: recount_model::Period = by.parse().expect(by);
            assert_eq!(period.ticks(), seconds * Timestamp::TICKS_PER_SECOND, "{by}");
        }
    }
}
