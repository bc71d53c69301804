//! Why there is no catalogue.

use std::io;
use std::path::PathBuf;

use recount_compute::Cancelled;
use recount_output::OutputError;
use recount_tables::CatalogueReadError;

use crate::Hint;

/// Why a catalogue could not be made. The one that was there is unchanged.
#[derive(Debug, thiserror::Error)]
#[non_exhaustive]
pub enum CatalogueError {
    /// One of the paths can't be accessed.
    #[error("{}: {source}", path.display())]
    Input {
        /// The path.
        path: PathBuf,
        /// What the system said.
        source: io::Error,
    },
    /// A file with the catalogue's name exists, but can't be read as a catalogue.
    #[error("{}: {source}", path.display())]
    Known {
        /// The file.
        path: PathBuf,
        /// Why.
        source: CatalogueReadError,
    },
    /// The catalogue can't be replaced.
    #[error(transparent)]
    Output(#[from] OutputError),
    /// The reading was cancelled by its callback.
    #[error(transparent)]
    Cancelled(#[from] Cancelled),
}

impl Hint for CatalogueError {
    fn hint(&self) -> Option<&'static str> {
        Some(match self {
            CatalogueError::Cancelled(_) => return None,
            CatalogueError::Input { .. } => "check the path and its permissions",
            CatalogueError::Known { .. } => {
                "choose another name, or --force to replace it and to read every capture anew"
            }
            CatalogueError::Output(OutputError::NoDirectory { .. }) => {
                "create it first, or choose another place"
            }
            CatalogueError::Output(_) => "choose another name, or remove it first",
        })
    }
}
