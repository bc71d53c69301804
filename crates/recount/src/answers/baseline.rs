//! What is usual for a machine: for `recount baseline`, and `recount report --baseline`.

use std::path::{Path, PathBuf};

use recount_analysis::baseline::{Baseline, BaselineError};
use recount_compute::{Cancelled, OnProgress};
use recount_model::{Health, Selection};

use super::report::facts;
use crate::{Hint, Timeline};

/// Why a baseline can't be read.
#[derive(Debug, thiserror::Error)]
#[non_exhaustive]
pub enum BaselineFileError {
    /// The file can't be read.
    #[error("{}: {error}", path.display())]
    Io {
        /// Which.
        path: PathBuf,
        /// Why.
        error: std::io::Error,
    },
    /// It isn't a baseline.
    #[error("{}: {error}", path.display())]
    Contents {
        /// Which.
        path: PathBuf,
        /// Why.
        error: BaselineError,
    },
}

impl Hint for BaselineFileError {
    fn hint(&self) -> Option<&'static str> {
        match self {
            BaselineFileError::Contents {
                error: BaselineError::NotOne(_) | BaselineError::Unreadable,
                ..
            } => Some("recount baseline DIR -o base.parquet makes one"),
            _ => None,
        }
    }
}

/// Whether a file is a baseline. Anything else, such as a directory, isn't.
pub fn is_baseline(path: &Path) -> bool {
    path.is_file()
        && std::fs::File::open(path).and_then(|mut file| Baseline::is_one(&mut file)).unwrap_or(false)
}

/// Reads a baseline.
pub fn read_baseline(path: &Path) -> Result<Baseline, BaselineFileError> {
    let io = |error| BaselineFileError::Io { path: path.to_path_buf(), error };
    let bytes = std::fs::read(path).map_err(io)?;
    Baseline::read(bytes).map_err(|error| BaselineFileError::Contents { path: path.to_path_buf(), error })
}

/// Adds what is usual in captures to a baseline, without what it has of the same machine and time. Returns what could not be
/// read, and how many hours are new. Captures are read once.
///
/// ```
/// use recount::analysis::baseline::Baseline;
/// use recount::{Selection, learn, unwatched};
///
/// # let path = concat!(env!("CARGO_MANIFEST_DIR"), "/../../samples/sysstat-be.sa");
/// let capture = recount::open(path)?;
/// let mut baseline = Baseline::default();
/// let (health, hours) = learn(&mut baseline, &capture.timeline(), &Selection::all(), &unwatched)?;
/// assert!(health.is_complete() && hours > 0.0);
/// # Ok::<(), Box<dyn std::error::Error>>(())
/// ```
pub fn learn(
    baseline: &mut Baseline,
    timeline: &Timeline,
    selection: &Selection,
    progress: OnProgress<'_>,
) -> Result<(Health, f64), Cancelled> {
    let found =
        recount_analysis::baseline::learn(baseline, timeline.inputs(), &facts(timeline), selection, progress);
    let (mut health, hours) = found?;
    timeline.add_health(&mut health);
    Ok((health, hours))
}
