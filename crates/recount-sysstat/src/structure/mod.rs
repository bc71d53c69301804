//! The structures of the file: `formats/sa.md`.

pub(crate) mod activity;
pub(crate) mod header;
pub(crate) mod number;
pub(crate) mod record;
pub(crate) mod seconds;
