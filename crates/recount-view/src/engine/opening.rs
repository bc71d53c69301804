//! What to look into, and how its times are laid on one axis.

use std::error::Error;
use std::path::PathBuf;
use std::str::FromStr;

use recount::Capture;
use recount::analysis::report::ViewFile;
use recount::analysis::rules::RuleSet;

/// Opens the captures of a side; again, when one of them grew.
pub type Opener = Box<dyn Fn() -> Result<Vec<Capture>, Box<dyn Error + Send + Sync>> + Send + Sync>;

/// Why captures can't be looked into.
#[derive(Debug, thiserror::Error)]
#[non_exhaustive]
pub enum ViewError {
    /// A capture can't be opened.
    #[error(transparent)]
    Open(Box<dyn Error + Send + Sync>),
    /// There is nothing to see.
    #[error("{0}: there is no sample in it")]
    Empty(String),
    /// Times of known and of unknown zones, or a mark that isn't there.
    #[error(transparent)]
    Span(#[from] recount::SpanError),
    /// The times of a saved view are the wrong way round.
    #[error("{}: its span ends before it begins, in this capture", .0.display())]
    ViewSpan(PathBuf),
    /// No port could be had.
    #[error("no server can be started on port {port}: {source}")]
    Listen {
        /// The port asked for; 0 for any.
        port: u16,
        /// What the system said.
        source: std::io::Error,
    },
    /// Threads, or the source of random numbers.
    #[error("the server can't be started: {0}")]
    Start(String),
}

/// How the times of a second capture are laid on those of the first.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub enum Align {
    /// They begin together.
    #[default]
    Start,
    /// As they are.
    Time,
    /// At the mark with this text, which both have.
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

/// Everything that a viewer begins with.
pub struct Opening {
    /// Opens the captures.
    pub open: Opener,
    /// Opens those that they are compared with.
    pub compare: Option<Opener>,
    /// How the times of those are laid on the first.
    pub align: Align,
    /// The inputs, as named on the command line.
    pub inputs: Vec<PathBuf>,
    /// Those of the comparison.
    pub compared: Option<PathBuf>,
    /// Title of the page.
    pub title: String,
    /// Rules for the findings.
    pub sets: Vec<RuleSet>,
    /// A saved view, and the file that it is from.
    pub view: Option<(PathBuf, ViewFile)>,
}
