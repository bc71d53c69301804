//! `recount view`

use std::path::{Path, PathBuf};
use std::sync::Arc;
use std::time::Duration;

use anyhow::Context;
use clap::Args;
use recount::analysis::report::ViewFile;
use recount::{Health, Interrupts, OnInterrupt, OpenError};
use recount_view::{Align, Opener, Opening, Redirect, ViewError, Viewer, open_browser};

use crate::args::{Beside, Inputs, ReadingOptions, time_bound};
use crate::exit::{Outcome, report_health};
use crate::output;
use crate::rule_sets::rule_sets;

/// Look into captures in the browser: zoomable charts, which process it was, all processes at any time
#[derive(Debug, Args)]
#[command(after_help = "Examples:
  recount view monday.blg
  recount view web1.rcap                                  (also while it is being recorded)
  recount view monday.blg --compare tuesday.blg
  recount view db.blg --with web.blg --with load.csv
  recount view before.rcap --compare after.rcap --align mark:deploy
  recount view tuesday.blg --view monday.view.toml
  recount view monday.blg --no-open --port 8000           (on another machine: ssh -L 8000:127.0.0.1:8000 HOST)

The page's address is printed, and opened in the browser. It works on this machine only, and only for those who know the \
address. Nothing goes to the network. Ctrl-C stops it.

Rules and the first charts use English names, so names in other languages are translated; --names own keeps them.")]
pub(crate) struct View {
    #[command(flatten)]
    inputs: Inputs,
    #[command(flatten)]
    beside: Beside,
    /// Captures to compare with, on the same time line
    #[arg(long, value_name = "INPUT")]
    compare: Option<PathBuf>,
    /// How the times of both are laid on one axis: start (they begin together), time (as they are), or mark:TEXT (at the mark)
    #[arg(long, value_name = "start|time|mark:TEXT", default_value = "start", requires = "compare")]
    align: Align,
    /// A view that was saved: its charts and span
    #[arg(long = "view", value_name = "FILE")]
    saved: Option<PathBuf>,
    /// Port of 127.0.0.1 [default: any that is free]
    #[arg(long, value_name = "N", default_value_t = 0, hide_default_value = true)]
    port: u16,
    /// Only print the address
    #[arg(long)]
    no_open: bool,
}

pub(crate) fn run(arguments: &View, quiet: bool) -> anyhow::Result<Outcome> {
    let inputs = &arguments.beside.inputs(&arguments.inputs.inputs);
    let reading = arguments.inputs.reading();
    let mut files = inputs.iter().map(|input| output::file_name(input)).collect::<Vec<_>>().join(", ");
    if let Some(other) = &arguments.compare {
        files = format!("{files} beside {}", output::file_name(other));
    }
    let open_view = |path: &PathBuf| Ok::<_, anyhow::Error>((path.clone(), view_file(path)?));
    let view = arguments.saved.as_ref().map(open_view).transpose()?;
    let title = view.as_ref().and_then(|(_, view)| view.view.title.clone());
    let mut beside = arguments.beside.clone();
    if beside.is_auto() {
        let others = reading.open_in_english(beside.paths())?;
        beside = beside.settled(&arguments.inputs.open_in_english()?, &others)?;
    }
    let opening = Opening {
        open: opener_with(reading, &arguments.inputs.inputs, beside.clone())?,
        compare: arguments
            .compare
            .as_ref()
            .map(|path| opener(reading, std::slice::from_ref(path)))
            .transpose()?,
        align: arguments.align.clone(),
        inputs: arguments.inputs.inputs.clone(),
        beside: arguments.beside.paths().to_vec(),
        shift: beside.shift_word(),
        compared: arguments.compare.clone(),
        reading: reading.words(),
        title: title.unwrap_or(files),
        sets: rule_sets(&[])?,
        view,
    };
    let interrupts = Interrupts::new()?;
    interrupts.on_signals(OnInterrupt::End)?;
    let viewer = Arc::new(Viewer::start(opening, arguments.port).map_err(with_hint)?);
    let opened = viewer.health();
    for (name, health) in &opened {
        report_health(name, health);
    }
    if let Some(error) = viewer.view_error() {
        output::message(&format!(
            "note: the span of the view isn't in this capture: {}\n",
            output::visible(&error)
        ));
    }
    let url = viewer.url();
    output::print(&format!("{url}\n"))?;
    // Until the end: a slow browser may read it late.
    let _redirect = if arguments.no_open { None } else { browse(&url) };
    if !quiet {
        output::message("Press Ctrl-C to stop\n");
    }
    attend(interrupts, Arc::clone(&viewer), opened)?;
    viewer.run()?;
    let is_whole = viewer.health().iter().all(|(_, health)| health.is_complete());
    Ok(if is_whole { Outcome::Done } else { Outcome::Findings })
}

/// Opens the address in the browser.
fn browse(url: &str) -> Option<Redirect> {
    let of_user =
        std::env::var_os("XDG_RUNTIME_DIR").map(PathBuf::from).filter(|directory| directory.is_dir());
    match open_browser(url, &of_user.unwrap_or_else(std::env::temp_dir)) {
        Ok(redirect) => Some(redirect),
        Err(error) => {
            let note = format!("note: no browser could be started ({error}); open the address yourself\n");
            output::message(&note);
            None
        }
    }
}

/// Converts the error to that of other commands, for which there are hints.
fn with_hint(error: ViewError) -> anyhow::Error {
    match error {
        ViewError::Open(error) => match error.downcast::<OpenError>() {
            Ok(error) => (*error).into(),
            Err(error) => anyhow::Error::from_boxed(error),
        },
        ViewError::Span(error) => error.into(),
        error => error.into(),
    }
}

fn opener(reading: &ReadingOptions, paths: &[PathBuf]) -> anyhow::Result<Opener> {
    let open = reading.opener(paths)?;
    Ok(Box::new(move || open().map_err(Into::into)))
}

/// Opens captures and those beside them.
fn opener_with(reading: &ReadingOptions, paths: &[PathBuf], beside: Beside) -> anyhow::Result<Opener> {
    let open = reading.opener(paths)?;
    let open_beside = reading.opener(&beside.inputs(&[]))?;
    Ok(Box::new(move || {
        let captures = open()?;
        Ok(if beside.paths().is_empty() { captures } else { beside.join(captures, open_beside()?) })
    }))
}

/// Reads a saved view.
pub(crate) fn view_file(path: &Path) -> anyhow::Result<ViewFile> {
    let name = || path.display().to_string();
    let text = std::fs::read_to_string(path).with_context(name)?;
    let invalid = |error: &dyn std::fmt::Display| anyhow::anyhow!("{}", on_one_line(&error.to_string()));
    let view = ViewFile::parse(&text).map_err(|error| invalid(&error)).with_context(name)?;
    for (key, bound) in [("begin", &view.view.begin), ("end", &view.view.end)] {
        if let Some(bound) = bound {
            time_bound(bound).map_err(|error| anyhow::anyhow!("{}: {key}: {error}", path.display()))?;
        }
    }
    Ok(view)
}

/// The message of the TOML parser, without its excerpt of the line.
fn on_one_line(text: &str) -> String {
    let is_picture = |line: &&str| {
        line.trim_start_matches([' ', '0', '1', '2', '3', '4', '5', '6', '7', '8', '9']).starts_with('|')
    };
    text.lines().filter(|line| !is_picture(line)).map(str::trim).collect::<Vec<_>>().join(": ")
}

/// Ends the viewer on an interrupt. Until then, reports the findings of reading everything.
fn attend(interrupts: Interrupts, viewer: Arc<Viewer>, opened: Vec<(String, Health)>) -> std::io::Result<()> {
    const BETWEEN_LOOKS: Duration = Duration::from_millis(200);
    let mut unreported = Some(opened);
    let wait = move || {
        while interrupts.take_requests().ended_by.is_none() {
            if let Some(opened) = unreported.take_if(|_| viewer.is_counted()) {
                for ((name, health), (_, opened)) in viewer.health().into_iter().zip(&opened) {
                    report_health(&name, &health.since(opened));
                }
            }
            interrupts.wait(BETWEEN_LOOKS);
        }
        viewer.quit().quit();
    };
    std::thread::Builder::new().name("view-interrupts".into()).spawn(wait).map(|_| ())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn errors_of_toml_are_one_line() {
        let error =
            "TOML parse error at line 12, column 5\n   |\n12 | x = [\n   |     ^\nmissing a bracket\n";
        assert_eq!(on_one_line(error), "TOML parse error at line 12, column 5: missing a bracket");
    }
}
