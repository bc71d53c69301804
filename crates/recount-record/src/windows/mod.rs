//! The Windows source: what the registry answers to queries of `HKEY_PERFORMANCE_DATA`.
//!
//! The system is asked through two traits (`registry.rs`), which one file (`system.rs`) implements. All else, what to ask
//! for and what to make of the answers, compiles and is tested on every system.

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

#[cfg(windows)]
pub use windows_source::WindowsSource;
