//! `recount top --by`: who used the processors, in groups.

use anyhow::bail;
use clap::ValueEnum;
use recount::analysis::attribution::{GroupBy, ProcessGroup, groups};
use recount::analysis::shown::{plural, quantity};
use recount::{Capture, FindingKind, NOT_ATTRIBUTED, Processes, Selection, Timeline};

use crate::exit::{Outcome, nothing, report_health};
use crate::output;
use crate::table::Table;

/// Groups that are shown.
const MOST: usize = 40;

/// If more than this part of the CPU isn't attributed, the text says of how many processes that may be.
const LEAST_EXPLAINED: f64 = 0.05;

/// What the processes of a group have in common.
#[derive(Clone, Copy, Debug, PartialEq, Eq, ValueEnum)]
pub(super) enum By {
    User,
    Unit,
    Container,
    Command,
    Tree,
}

impl From<By> for GroupBy {
    fn from(by: By) -> GroupBy {
        match by {
            By::User => GroupBy::User,
            By::Unit => GroupBy::Unit,
            By::Container => GroupBy::Container,
            By::Command => GroupBy::Command,
            By::Tree => GroupBy::Tree,
        }
    }
}

/// Prints the groups of the processes of captures.
pub(super) fn print(captures: &[Capture], by: By) -> anyhow::Result<Outcome> {
    let timeline = Timeline::whole(captures)?;
    let found = timeline.processes(&recount::unwatched)?;
    if found.rows.is_empty() {
        if timeline.no_samples().is_some() {
            return Err(nothing(&timeline, &Selection::all()));
        }
        bail!("{}: no processes: `recount list` shows what it has", output::visible(&timeline.name()));
    }
    let all = groups(&found.rows, by.into());
    let title = by.to_possible_value().map(|value| value.get_name().to_owned()).unwrap_or_default();
    output::print(&text(&title, &found, &all))?;
    let mut health = timeline.health().without(FindingKind::Expected);
    health.absorb(found.health.clone());
    report_health(&timeline.name(), &health);
    Ok(Outcome::of(&health))
}

fn text(title: &str, found: &Processes, all: &[ProcessGroup]) -> String {
    let used = found.used_s();
    // Shares are of what the processors did; where that isn't known, of what all processes used.
    let whole = found.busy_s.filter(|busy| *busy >= used).unwrap_or(used);
    let share =
        |seconds: f64| if whole > 0.0 { quantity(100.0 * seconds / whole, "%") } else { String::new() };
    // atop knows what they read from storage only.
    let is_of_calls = all.iter().any(|group| group.bytes[..2].iter().any(Option::is_some));
    let is_of_storage = !is_of_calls && all.iter().any(|group| group.bytes.iter().any(Option::is_some));
    let (first, [read, written]) = if is_of_storage {
        (2, ["read from storage", "written to storage"])
    } else {
        (0, ["read", "written"])
    };
    let titles = [title, "processes", "with CPU", "CPU", "of the CPU", read, written, "peak memory"];
    let mut shown = Table::new(titles.map(str::to_owned), &[1, 2, 3, 4, 5, 6, 7]);
    let cell = |value: Option<f64>, unit: &str| value.map(|value| quantity(value, unit)).unwrap_or_default();
    for group in all.iter().take(MOST) {
        shown.add_row([
            output::visible(&group.name),
            group.num.to_string(),
            group.num_with_cpu.to_string(),
            cell(group.cpu_s, "sec"),
            group.cpu_s.map(share).unwrap_or_default(),
            cell(group.bytes[first], "bytes"),
            cell(group.bytes[first + 1], "bytes"),
            cell(group.peak_memory, "bytes"),
        ]);
    }
    let empty = String::new;
    let rest: f64 = found.not_attributed.iter().filter_map(|rest| rest.cpu_s[0]).sum();
    if rest > 0.0 {
        let name = NOT_ATTRIBUTED.to_owned();
        let [read, written, peak] = [empty(), empty(), empty()];
        shown.add_row([name, empty(), empty(), quantity(rest, "sec"), share(rest), read, written, peak]);
    }
    let mut text = shown.text();
    let is_much = found.busy_s.is_some_and(|busy| rest > LEAST_EXPLAINED * busy);
    if let Some(started) = found.num_started.filter(|started| is_much && *started >= 1.0) {
        let (started, seen) = (output::number(started.round()), found.num_started_seen);
        text.push_str(&format!(
            "{started} processes and threads were started meanwhile; the capture has {seen}\n"
        ));
    }
    if all.len() > MOST {
        text.push_str(&format!("{} more\n", plural(all.len() - MOST, "group")));
    }
    text
}
