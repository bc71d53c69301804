//! Buffers, messages and sessions of MS-PCQ.

mod buffers;
mod coverage;
mod data;
mod errors;
mod gaps;
mod messages;
mod metadata;
mod round_trip;
mod support;
