//! What to open, and how its times are aligned on one axis.

use std::error::Error;
use std::path::PathBuf;
use std::str::FromStr;

use recount::Capture;
use recount::analysis::report::ViewFile;
use recount::analysis::rules::RuleSet;

/// Opens the captures of a side; called again when one of them has grown.
pub type Opener = Box<dyn Fn() -> Result<Vec<Capture>, Box<dyn Error + Send + Sync>> + Send + Sync>;

/// Why a viewer can't be started.
#[derive(Debug, thiserror::Error)]
#[non_exhaustive]
pub enum ViewError {
    /// A capture can't be opened.
    #[error(transparent)]
    Open(Box<dyn Error + Send + Sync>),
    /// The captures have no samples.
    #[error("{0}: there is no sample in it")]
    Empty(String),
    /// Known and unknown zones are mixed, or a mark doesn't exist.
    #[error(transparent)]
    Span(#[from] recount::SpanError),
    /// The span of a saved view ends before it begins.
    #[error("{}: its span ends before it begins, in this capture", .0.display())]
    ViewSpan(PathBuf),
    /// The port isn't available.
    #[error("no server can be started on port {port}: {source}")]
    Listen {
        /// The requested port; 0 for any.
        port: u16,
        /// What the system said.
        source: std::io::Error,
    },
    /// Threads can't be started, or random numbers aren't available.
    #[error("the server can't be started: {0}")]
    Start(String),
}

/// How the times of a second capture are aligned with those of the first.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub enum Align {
    /// Both begin at the same point.
    #[default]
    Start,
    /// By the actual times.
    Time,
    /// At the mark with this text, which both must have.
    Mark(String),
}

impl FromStr for Align {
    type Err = String;

    fn from_str(text: &str) -> Result<Align, String> {
        match text {
            "start" => Ok(Align::Start),
            "time" => Ok(Align::Time),
            _ => match text.strip_prefix("mark:") {
                Some(mark) if !mark.is_empty() => Ok(Align::Mark(mark.to_owned())),
                _ => Err("write start, time or mark:TEXT".to_owned()),
            },
        }
    }
}

/// Everything needed to start a viewer.
pub struct Opening {
    /// Opens the captures.
    pub open: Opener,
    /// Opens the captures to compare with.
    pub compare: Option<Opener>,
    /// How their times are aligned with the first ones.
    pub align: Align,
    /// The inputs, as named on the command line.
    pub inputs: Vec<PathBuf>,
    /// Those beside them, on the same time line.
    pub beside: Vec<PathBuf>,
    /// By how much the times of those beside them are moved, as a word of a command line.
    pub shift: Option<String>,
    /// The input to compare with.
    pub compared: Option<PathBuf>,
    /// The options by which other commands read the same, as words of a command line: `--zone +03:00`.
    pub reading: Vec<String>,
    /// Title of the page.
    pub title: String,
    /// Rules for the findings.
    pub sets: Vec<RuleSet>,
    /// A saved view, and its file.
    pub view: Option<(PathBuf, ViewFile)>,
}
