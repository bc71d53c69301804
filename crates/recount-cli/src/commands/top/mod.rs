//! `recount top`

mod app;
mod ascii;
mod columns;
mod draw;
mod fit;
mod groups;
mod keys;
mod prompt;
mod rows;
mod session;
mod tall;
mod terminal;
#[cfg(test)]
mod tests;
mod text;
mod totals;

use std::io::IsTerminal;

use clap::Args;
use recount::{FindingKind, TimeBound};

use self::app::App;
use self::columns::WantedColumns;
use self::groups::By;
use self::session::{Session, TopError};
use crate::args::{Counters, Inputs, time_bound};
use crate::exit::{Outcome, report_health};
use crate::{output, sparkline};

/// Look at processes, or other instances, sample by sample
#[derive(Debug, Args)]
#[command(after_help = "Examples:
  recount top monday.blg
  recount top monday.blg --at 02:55 --sort 'Working Set'
  recount top web1.rcap                                     follows a log that is being recorded
  recount top monday.blg --object PhysicalDisk -c 'Disk Bytes' -c 'Queue'
  recount top monday.blg --at mark:deploy | head -20        one table, as text
  recount top build.rcap --by tree                          who used the processors, by what started it

Keys:
  t, T           next, previous sample        Home, End      first, last sample
  b              go to a time: 02:55, +5m, -30s, mark:TEXT
  up, down       select a row                 left, right    sort by another column (also < and >)
  o              choose another object        /              show only rows with a text
  r              reverse the order            i              hide what is idle, or show it again
  h, ?           help                         q, Ctrl-C      quit

A single instance is shown with a row per counter. + marks instances missing from the previous sample, - those missing from the next. Counters have the names of Windows in \
English where they are known; --names own keeps those of the capture.

Without a terminal, the table of one sample is printed: the newest, or that of --at.")]
pub(crate) struct Top {
    #[command(flatten)]
    inputs: Inputs,
    /// Start at the sample whose interval holds this time, within the capture, in the forms of --begin: 02:55, +5m, -30s,
    /// 2013-02-20T02:55:00Z, mark:TEXT [default: the newest]
    #[arg(long, value_name = "TIME", allow_hyphen_values = true, value_parser = time_bound)]
    at: Option<TimeBound>,
    /// Object whose instances are shown [default: Process]
    #[arg(long, value_name = "NAME")]
    object: Option<String>,
    /// Counter by which instances are sorted, or a part of its name [default: the first column]
    #[arg(long, value_name = "COUNTER")]
    sort: Option<String>,
    /// Show groups of processes over the whole capture instead, those with the most processor time first: by user, unit of systemd,
    /// container, command, or tree (what started them)
    #[arg(long, value_name = "WHAT", conflicts_with_all = ["at", "object", "sort", "counters"])]
    by: Option<By>,
    #[command(flatten)]
    counters: Counters,
}

pub(crate) fn run(arguments: &Top) -> anyhow::Result<Outcome> {
    let captures = arguments.inputs.open_in_english()?;
    if let Some(by) = arguments.by {
        return groups::print(&captures, by);
    }
    let session = Session::new(&captures, arguments.object.as_deref())?;
    let wanted = WantedColumns { counters: arguments.counters.selection()?, sort: arguments.sort.clone() };
    let is_terminal = std::io::stdout().is_terminal();
    let at = match &arguments.at {
        Some(bound) => Some(session.time_of(bound)?),
        None => None,
    };
    if let Some(doubt) = arguments.at.as_ref().and_then(|bound| session.timeline.doubt_about(bound)) {
        output::message(&format!("note: {doubt}\n"));
    }
    if is_terminal {
        let mut app = App::new(session, wanted, at)?;
        app.is_ascii = !sparkline::is_utf8_locale();
        return terminal::run(app, &arguments.inputs);
    }
    let moment = session.newest_at(at)?;
    text::print(&session, &moment, &wanted)?;
    let mut health = session.timeline.health().without(FindingKind::Expected);
    health.absorb(moment.health);
    report_health(&session.timeline.name(), &health);
    Ok(Outcome::of(&health))
}
