//! `cargo xtask dist --check`: each result is installed where nothing of this machine is, and used there. Files: `used` is what is tried
//! with a program, `roots` has the clean folders; the others are the kinds of results.

pub(super) mod archive;
pub(super) mod installed;
pub(super) mod python;
mod roots;
pub(super) mod unit;
mod used;
pub(super) mod windows;
