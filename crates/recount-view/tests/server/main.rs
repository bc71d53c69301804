//! A real server on 127.0.0.1, asked by a real client. Values are compared with those of the library's own passes.

mod client;
mod fixture;
mod growing;
mod guarded;
mod known;
mod local;
mod moments;
mod moved;
mod opened;
mod values;
