//! The captures of `samples/`, and what is in them, for the program that makes them and for the tests that read them.
//!
//! Every byte follows from this code: no clock, no random number, nothing of the machine it runs on.
//! `samples/README.md` says what each capture is for.

#![allow(missing_docs, reason = "for our own tests only: the names say what things are")]

pub mod blg_log;
pub mod blocks;
pub mod capture_logs;
pub mod captures;
pub mod other_logs;
