//! Captures of several days: a row a day, with the hour in which most was used of each resource.

use recount_model::{Cooked, Timestamp};
use serde::Serialize;

use super::facts::CaptureFacts;
use crate::load::{Figure, LoadFigures, LoadTally, Placing};
use crate::shown::{markdown_cell, quantity};

/// With fewer days, the findings and charts say it.
const LEAST_DAYS: usize = 3;
/// Of longer captures, nobody reads a table of days.
const MOST_DAYS: f64 = 400.0;
const SECONDS_PER_HOUR: i64 = 3_600;

/// The days of a capture.
#[derive(Clone, Debug, PartialEq, Serialize)]
pub struct Days {
    /// What is used: `processor`, `available memory`, `disk`, `network`.
    pub resources: Vec<&'static str>,
    /// In the order of time.
    pub days: Vec<Day>,
}

/// A day, in local time.
#[derive(Clone, Debug, PartialEq, Serialize)]
pub struct Day {
    /// Its date.
    pub date: String,
    /// Per resource; `None`: there are no values.
    pub worst: Vec<Option<WorstHour>>,
}

/// The hour of a day with the highest mean, or with the least memory available.
#[derive(Clone, Debug, PartialEq, Serialize)]
pub struct WorstHour {
    /// When it begins, in local time.
    pub clock: String,
    /// The mean; the minimum of available memory.
    pub value: f64,
    /// Unit of the value.
    pub unit: &'static str,
}

/// What is kept of the samples.
pub(super) struct DaysTally(LoadTally);

impl DaysTally {
    /// For a capture. Of several machines nothing is added up.
    pub(super) fn new(facts: &CaptureFacts) -> DaysTally {
        const SECONDS_PER_DAY: f64 = 86_400.0;
        let days =
            facts.span().map_or(0.0, |(begin, end)| end.utc.seconds_since(begin.utc) / SECONDS_PER_DAY);
        // Three days are begun by more than one.
        let is_wanted = facts.hosts.len() <= 1 && days > 1.0 && days <= MOST_DAYS;
        DaysTally(LoadTally::new(Placing::Local, is_wanted.then_some(SECONDS_PER_HOUR)))
    }

    /// Adds values, in the order of time.
    pub(super) fn add(&mut self, batch: &[Cooked]) {
        self.0.add(batch);
    }

    /// `None` for a capture of a day or two, or without any of the counters.
    pub(super) fn finish(self) -> Option<Days> {
        let load = self.0.finish().pop()?;
        // The highest mean says more of an hour than its highest value.
        let figures: Vec<LoadFigures> =
            load.figures.into_iter().filter(|figures| figures.kind.figure != Figure::Most).collect();
        let mut days: Vec<Day> = Vec::new();
        for (hour, begin) in load.begins.iter().enumerate() {
            let [date, clock] = shown(*begin);
            if days.last().is_none_or(|day| day.date != date) {
                days.push(Day { date, worst: vec![None; figures.len()] });
            }
            let Some(day) = days.last_mut() else { continue };
            for (figures, worst) in figures.iter().zip(&mut day.worst) {
                let Some(value) = figures.values[hour] else { continue };
                let is_worse = |than: &WorstHour| match figures.kind.figure {
                    Figure::Least => value < than.value,
                    Figure::Mean | Figure::Most => value > than.value,
                };
                if worst.as_ref().is_none_or(is_worse) {
                    *worst = Some(WorstHour { clock: clock.clone(), value, unit: figures.unit });
                }
            }
        }
        let resources: Vec<&'static str> = figures.iter().map(|figures| figures.kind.resource).collect();
        (days.len() >= LEAST_DAYS && !resources.is_empty()).then_some(Days { resources, days })
    }
}

/// Date and time of the day of a local time: `2026-11-21`, `14:00`.
fn shown(local: Timestamp) -> [String; 2] {
    const LEN_CLOCK: usize = "14:00".len();
    let text = local.to_string();
    let (date, clock) = text.split_once('T').unwrap_or((&text, ""));
    [date.to_owned(), clock.chars().take(LEN_CLOCK).collect()]
}

impl Days {
    /// What a table of them shows.
    pub const TITLE: &str = "The worst hour of each day";

    /// What the columns are.
    pub fn header(&self) -> Vec<String> {
        let titles = self.resources.iter().map(|resource| match *resource {
            "available memory" => "least memory".to_owned(),
            resource => resource.to_owned(),
        });
        std::iter::once("day".to_owned()).chain(titles).collect()
    }

    /// A row per day, with as many cells as the header: `63 %, 14:00`.
    pub fn rows(&self) -> impl Iterator<Item = Vec<String>> + '_ {
        let cell = |worst: &Option<WorstHour>| match worst {
            Some(worst) => format!("{}, {}", quantity(worst.value, worst.unit), worst.clock),
            None => "-".to_owned(),
        };
        self.days
            .iter()
            .map(move |day| std::iter::once(day.date.clone()).chain(day.worst.iter().map(cell)).collect())
    }

    /// As GitHub's Markdown.
    pub(super) fn markdown(&self) -> String {
        let line = |cells: Vec<String>| {
            format!("| {} |\n", cells.iter().map(|cell| markdown_cell(cell)).collect::<Vec<_>>().join(" | "))
        };
        let rule = format!("| {} |\n", vec!["---"; 1 + self.resources.len()].join(" | "));
        let rows: String = self.rows().map(line).collect();
        format!("\n**{}**\n\n{}{rule}{rows}", Days::TITLE, line(self.header()))
    }
}
