//! What is compared as one.

use std::sync::Arc;

/// What is compared as one: an object of a machine; of captures with computed values a counter of one, as a file's first sample
/// has no rates.
#[derive(Clone, Debug, PartialEq, Eq, Hash, PartialOrd, Ord)]
#[non_exhaustive]
pub struct Unit {
    /// The machine, in lower case.
    pub host: Arc<str>,
    /// The object.
    pub object: Arc<str>,
    /// The counter; `None`: all.
    pub counter: Option<Arc<str>>,
}
