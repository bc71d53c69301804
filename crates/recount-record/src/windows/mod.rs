//! The Windows source: the registry's answers to queries of `HKEY_PERFORMANCE_DATA`.
//!
//! The system is accessed through two traits (`registry.rs`), implemented in one file (`system.rs`) and, for other
//! machines, by `recount-remote`. Everything else, the queries and the processing of answers, compiles and is tested on
//! every system.

mod facts;
mod languages;
mod objects;
mod read;
mod registry;
mod source;
#[cfg(windows)]
mod system;
#[cfg(test)]
mod tests;
#[cfg(windows)]
mod windows_source;
mod zone;

pub use registry::{Key, Machine, Registry, Reply, ValueKind};
pub use source::QuerySource;
#[cfg(windows)]
pub use windows_source::WindowsSource;
pub use zone::ZoneFields;
