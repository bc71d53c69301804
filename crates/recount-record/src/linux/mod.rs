//! The Linux source: `/proc` and `/sys`.

mod collector;
mod object_spec;
