//! Small writers of other recorders' logs, with nothing shared with our readers but the tables of atop's structures.

#![allow(
    clippy::missing_panics_doc,
    reason = "for our own tests only: what is written is known when they are compiled"
)]

pub mod atop;
pub mod pcp;
pub mod sa;
pub mod zlib;
