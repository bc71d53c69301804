//! `recount view`

use std::path::{Path, PathBuf};
use std::time::Duration;

use anyhow::Context;
use clap::Args;
use recount::analysis::report::ViewFile;
use recount::{Interrupts, OnInterrupt};
use recount_view::{Align, Opener, Opening, Quit, Viewer, open_browser};

use crate::args::{Inputs, Reading, time_bound};
use crate::exit::Outcome;
use crate::output;
use crate::rule_sets::rule_sets;

/// Look into captures in the browser: charts at any zoom, who it was, all processes at any time
#[derive(Debug, Args)]
#[command(after_help = "Examples:
  recount view monday.blg
  recount view web1.rcap                                  (also while it is being recorded)
  recount view monday.blg --compare tuesday.blg
  recount view before.rcap --compare after.rcap --align mark:deploy
  recount view tuesday.blg --view monday.view.toml
  recount view monday.blg --no-open --port 8000           (on another machine: ssh -L 8000:127.0.0.1:8000 HOST)

The page's address is printed, and opened in the browser. It works on this machine only, and only for those who know the \
address. Nothing goes to the network. Ctrl-C ends it.

Rules and the first charts use English names, so names in other languages are translated; --names own keeps them.")]
pub(crate) struct View {
    #[command(flatten)]
    inputs: Inputs,
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
    let inputs = &arguments.inputs.inputs;
    let reading = arguments.inputs.reading();
    let files = inputs.iter().map(|input| output::file_name(input)).collect::<Vec<_>>().join(", ");
    let view =
        arguments.saved.as_deref().map(|path| Ok::<_, anyhow::Error>((path.to_path_buf(), view_file(path)?)));
    let opening = Opening {
        open: opener(reading, inputs)?,
        compare: arguments
            .compare
            .as_ref()
            .map(|path| opener(reading, std::slice::from_ref(path)))
            .transpose()?,
        align: arguments.align.clone(),
        inputs: inputs.clone(),
        compared: arguments.compare.clone(),
        title: files,
        sets: rule_sets(&[])?,
        view: view.transpose()?,
    };
    let interrupts = Interrupts::new()?;
    interrupts.on_signals(OnInterrupt::End)?;
    let viewer = Viewer::start(opening, arguments.port)?;
    let url = viewer.url();
    output::print(&format!("{url}\n"))?;
    if !arguments.no_open
        && let Err(error) = open_browser(&url)
    {
        output::tell(&format!("note: no browser could be started ({error}); open the address yourself\n"));
    }
    if !quiet {
        output::tell("Ctrl-C ends it\n");
    }
    end_on(interrupts, viewer.quit())?;
    viewer.run()?;
    Ok(Outcome::Done)
}

fn opener(reading: &Reading, paths: &[PathBuf]) -> anyhow::Result<Opener> {
    let open = reading.opener(paths)?;
    Ok(Box::new(move || open().map_err(Into::into)))
}

/// Reads a saved view.
pub(crate) fn view_file(path: &Path) -> anyhow::Result<ViewFile> {
    let name = || path.display().to_string();
    let text = std::fs::read_to_string(path).with_context(name)?;
    let view = ViewFile::parse(&text).with_context(name)?;
    for (key, bound) in [("begin", &view.view.begin), ("end", &view.view.end)] {
        if let Some(bound) = bound {
            time_bound(bound).map_err(|error| anyhow::anyhow!("{}: {key}: {error}", path.display()))?;
        }
    }
    Ok(view)
}

/// Ends the viewer when somebody interrupts.
fn end_on(interrupts: Interrupts, quit: Quit) -> std::io::Result<()> {
    const BETWEEN_LOOKS: Duration = Duration::from_millis(200);
    let wait = move || {
        while interrupts.ended_by().is_none() {
            interrupts.wait(BETWEEN_LOOKS);
        }
        quit.quit();
    };
    std::thread::Builder::new().name("view-interrupts".into()).spawn(wait).map(|_| ())
}
