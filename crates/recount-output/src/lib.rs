//! Outputs that appear whole or not at all.
//!
//! An output is built under a temporary name next to its target, synced, and renamed. The rules are the same
//! for every output: an existing file is replaced only with `force`; a link, a device or a directory is never
//! replaced by a file; and a directory is replaced only if it holds only files that the caller writes.

mod access;
mod aside;
mod aside_directory;
mod error;
mod partial;
mod target;

pub use access::Access;
pub use aside::{Aside, remove_left_over, write_aside};
pub use aside_directory::{AsideDirectory, check_own_files};
pub use error::OutputError;
pub use partial::remove_partial;
pub use target::{check_directory, check_not_input, check_outputs, check_target, directory_of};

/// The example of README.md compiles.
#[cfg(doctest)]
#[doc = include_str!("../README.md")]
struct Readme;
