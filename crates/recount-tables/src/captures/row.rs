//! A row of the catalogue, in memory.

use std::collections::HashSet;
use std::sync::Arc;

/// Names that many rows share.
pub type Names = Arc<[String]>;

/// What is known about one capture, or about a file that isn't one (`formats/catalogue.md#columns`).
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct CaptureRow {
    /// Its file, or the directory whose files are one capture.
    pub path: String,
    /// Size in bytes, of all its files.
    pub size: i64,
    /// When it was last written, in microseconds since 1970; `None`: it could not be opened, and the next update
    /// tries again.
    pub modified: Option<i64>,
    /// Version of the content, as reported by an object store; `None` for local files.
    pub etag: Option<String>,
    /// Name of the format; `None`: none that recount reads.
    pub format: Option<String>,
    /// Identifies the capture, even after it has been copied.
    pub capture_id: Option<String>,
    /// Machines, by name.
    pub hosts: Names,
    /// First sample, in microseconds since 1970, rounded down.
    pub begin: Option<i64>,
    /// Last sample, rounded up.
    pub end: Option<i64>,
    /// Whether these are local times of an unknown zone.
    pub is_zone_unknown: bool,
    /// Number of samples; `None`: nothing can be read.
    pub samples: Option<i64>,
    /// Performance objects, by name.
    pub objects: Names,
    /// Whether all of it could be read.
    pub is_complete: bool,
    /// Number of findings.
    pub findings: i64,
    /// The worst finding, or why nothing can be read; `None`: sound.
    pub health: Option<String>,
    /// Version of recount that read it.
    pub version: String,
}

/// Lists of names, each kept once: those of a fleet are mostly the same.
#[derive(Debug, Default)]
pub struct SharedNames(HashSet<Names>);

impl SharedNames {
    /// The list that is equal to this one.
    pub fn share(&mut self, names: Names) -> Names {
        if let Some(known) = self.0.get(&names) {
            return Arc::clone(known);
        }
        self.0.insert(Arc::clone(&names));
        names
    }
}
