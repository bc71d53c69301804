//! `recount verify --against`: two captures cell by cell.

use std::fmt::Write;

use clap::Args;
use recount::{
    AgainstOptions, Agreement, Capture, CellDifference, CounterDifference, FindingKind, Shared, Timeline,
    against,
};

use crate::args::Counters;
use crate::exit::{Outcome, report_health, report_unmatched};
use crate::table::Table;
use crate::{output, progress};

/// Counters that are shown.
const MOST: usize = 20;
const TICKS_PER_MS: f64 = 10_000.0;

/// What counts as equal.
#[derive(Debug, Args)]
pub(super) struct Compared {
    /// By how much two values may differ, as a part of the larger one (1e-12)
    #[arg(long, value_name = "PART", allow_negative_numbers = true, default_value_t = 0.0, value_parser = part, requires = "against")]
    tolerance: f64,
    /// By how many milliseconds the times of two samples may differ
    #[arg(long, value_name = "MS", allow_negative_numbers = true, default_value_t = 1.0, value_parser = milliseconds, requires = "against")]
    time_tolerance: f64,
    /// Compare the samples and counters that both have, and take no notice of others
    #[arg(long, requires = "against")]
    common: bool,
    #[command(flatten)]
    counters: Counters,
}

fn number(text: &str, most: f64, expected: &str) -> Result<f64, String> {
    let number: f64 = text.parse().map_err(|_| expected.to_owned())?;
    if (0.0..=most).contains(&number) { Ok(number) } else { Err(expected.to_owned()) }
}

fn part(text: &str) -> Result<f64, String> {
    number(text, 1.0, "expected a number from 0 to 1, such as 1e-9")
}

fn milliseconds(text: &str) -> Result<f64, String> {
    number(text, 3_600_000.0, "expected milliseconds from 0 to 3600000")
}

/// Compares captures with another one.
pub(super) fn run(
    captures: &[Capture],
    other: &[Capture],
    compared: &Compared,
    (is_json, quiet): (bool, bool),
) -> anyhow::Result<Outcome> {
    let (first, second) = (Timeline::whole(captures)?, Timeline::whole(other)?);
    let selection = compared.counters.selection()?;
    let mut options = AgainstOptions::default();
    options.selection = selection.clone();
    options.tolerance = compared.tolerance;
    options.time_tolerance_100ns = (compared.time_tolerance * TICKS_PER_MS) as i64;
    options.common = compared.common;
    let line = progress::line(quiet);
    let found = against(&first, &second, &options, &progress::steps(&line))?;
    line.finish_and_clear();
    let both: Vec<Capture> = captures.iter().chain(other).cloned().collect();
    report_unmatched(&selection, &both);
    let mut is_whole = true;
    for (timeline, health) in [&first, &second].into_iter().zip(&found.health) {
        let mut of_reading = timeline.health();
        of_reading.absorb(health.clone());
        let health = of_reading.without(FindingKind::Expected);
        is_whole &= health.is_complete();
        report_health(&timeline.name(), &health);
    }
    if is_json {
        output::print_json(&found)?;
    } else {
        output::print(&text(&found, [&first.name(), &second.name()]))?;
    }
    Ok(if found.agrees() && is_whole { Outcome::Done } else { Outcome::Findings })
}

fn text(found: &Agreement, [first, other]: [&str; 2]) -> String {
    let mut text = String::new();
    let mut line = |name: &str, value: &str| {
        // Writing to a string can't fail.
        let _ = writeln!(text, "{name:<21} {}", output::visible(value));
    };
    line("first", first);
    line("other", other);
    line("samples", &shared(&found.samples));
    line("series", &shared(&found.series));
    let cells = &found.cells;
    for (name, count) in [
        ("values equal", cells.equal),
        ("within the tolerance", cells.within_tolerance),
        ("different", cells.different),
        ("without a value", cells.without_value),
        ("rows several times", cells.repeated),
    ] {
        if count > 0 || name == "values equal" || name == "different" {
            line(name, &output::number(count as f64));
        }
    }
    for (name, by_status) in
        [("only in the first", &cells.first_only), ("only in the other", &cells.other_only)]
    {
        for (status, count) in by_status {
            line(name, &format!("{} (the opposite cell: {status})", output::number(*count as f64)));
        }
    }
    for (name, paths, all) in [
        ("series of the first", &found.first_only, found.series.first_only),
        ("series of the other", &found.other_only, found.series.other_only),
    ] {
        if found.common {
            continue;
        }
        for path in paths {
            line(name, path);
        }
        if all > paths.len() as u64 {
            line("", &format!("and {} more", output::number((all - paths.len() as u64) as f64)));
        }
    }
    if !found.counters.is_empty() {
        text.push('\n');
        text.push_str(&differences(&found.counters));
    }
    text.push_str(if found.agrees() { "they agree\n" } else { "they differ\n" });
    text
}

fn shared(shared: &Shared) -> String {
    let number = |count: u64| output::number(count as f64);
    let mut text = format!("{} in both", number(shared.both));
    for (count, of) in [(shared.first_only, "the first"), (shared.other_only, "the other")] {
        if count > 0 {
            let _ = write!(text, ", {} in {of} only", number(count));
        }
    }
    text
}

fn differences(counters: &[CounterDifference]) -> String {
    let titles = ["counter", "cells", "at most", "time", "instance", "first", "other"];
    let mut table = Table::new(titles.map(str::to_owned), &[1, 2, 5, 6]);
    for counter in counters.iter().take(MOST) {
        let CellDifference { time, instance, first, other, .. } = &counter.example;
        table.add_row([
            output::visible(&counter.counter),
            counter.different.to_string(),
            counter.largest.map(|largest| format!("{largest:.1e}")).unwrap_or_default(),
            time.clone(),
            output::visible(instance),
            first.clone(),
            other.clone(),
        ]);
    }
    let mut text = table.text();
    if counters.len() > MOST {
        let _ = writeln!(text, "{} more", output::plural((counters.len() - MOST) as u64, "counter"));
    }
    text
}
