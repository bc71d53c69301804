//! `recount show --follow`

use std::io::{self, IsTerminal};
use std::path::Path;
use std::time::Duration;

use indicatif::{ProgressBar, ProgressDrawTarget, ProgressStyle};
use recount::{Follower, Interrupts, NewValue, OnInterrupt, Selection, Span};
use serde::Serialize;

use crate::exit::{Outcome, no_counters, report_health};
use crate::output;

/// How often the log is checked. A check is cheap while the log doesn't grow.
const BETWEEN_LOOKS: Duration = Duration::from_millis(200);

/// Shows a log as it grows, until it is closed or the user interrupts.
pub(super) fn run(path: &Path, span: Span, selection: &Selection, json: bool) -> anyhow::Result<Outcome> {
    let interrupts = Interrupts::new()?;
    interrupts.on_signals(OnInterrupt::End)?;
    let mut follower = Follower::new(path, span, selection.clone())?;
    let mut screen = Screen::new(json);
    let mut has_shown = false;
    while interrupts.take_requests().ended_by.is_none() {
        if let Some(values) = follower.refresh()? {
            has_shown |= !values.is_empty();
            screen.show(&follower, &values)?;
        }
        if follower.is_closed() {
            break;
        }
        interrupts.wait(BETWEEN_LOOKS);
    }
    screen.finish(&follower)?;
    if !selection.is_all() && !has_shown && follower.is_closed() {
        return Err(no_counters(selection, &[]).into());
    }
    report_health(&path.display().to_string(), follower.health());
    Ok(Outcome::of(follower.health()))
}

/// Where values are shown.
enum Screen {
    /// A terminal: the table, drawn anew in its place.
    Table(ProgressBar),
    /// A line per value.
    Lines,
    /// A JSON object per value and line.
    JsonLines,
}

impl Screen {
    fn new(json: bool) -> Screen {
        if json {
            return Screen::JsonLines;
        }
        let target = ProgressDrawTarget::stdout();
        if !io::stdout().is_terminal() || target.is_hidden() {
            return Screen::Lines;
        }
        let bar = ProgressBar::with_draw_target(None, target);
        if let Ok(style) = ProgressStyle::with_template("{msg}") {
            bar.set_style(style);
        }
        Screen::Table(bar)
    }

    fn show(&mut self, follower: &Follower, values: &[NewValue]) -> anyhow::Result<()> {
        match self {
            // As many of its lines as the terminal has are drawn.
            Screen::Table(bar) => bar.set_message(super::table(&follower.series()).trim_end().to_owned()),
            Screen::Lines => output::print(&values.iter().map(line).collect::<String>())?,
            Screen::JsonLines => {
                let lines: Result<Vec<String>, _> = values.iter().map(json_line).collect();
                output::print(&lines?.concat())?;
            }
        }
        Ok(())
    }

    /// Leaves the whole table on a terminal.
    fn finish(&mut self, follower: &Follower) -> io::Result<()> {
        let Screen::Table(bar) = self else { return Ok(()) };
        bar.finish_and_clear();
        output::print(&super::table(&follower.series()))
    }
}

fn line(value: &NewValue) -> String {
    let why = || value.text.as_deref().map_or_else(|| value.status.to_owned(), output::visible);
    let shown = value.value.map_or_else(why, |number| output::styled_number(number, value.style));
    format!("{}\t{}\t{shown}\t{}\n", value.time.utc, output::visible(&value.path), value.unit)
}

/// What a JSON line says.
#[derive(Serialize)]
struct JsonLine<'a> {
    time: String,
    path: &'a str,
    value: Option<f64>,
    status: &'a str,
    #[serde(skip_serializing_if = "Option::is_none")]
    text: Option<&'a str>,
    unit: &'a str,
}

fn json_line(value: &NewValue) -> serde_json::Result<String> {
    let NewValue { time, path, value, status, text, unit, .. } = value;
    let text = text.as_deref();
    let line = JsonLine { time: time.utc.to_string(), path, value: *value, status, text, unit };
    Ok(serde_json::to_string(&line)? + "\n")
}
