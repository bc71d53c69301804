//! The input of the benchmarks: a performance log like that of a busy Windows server.
//!
//! [`generate`] writes it, of any length, from a simulated [`machine`]: processors, disks, network adapters
//! and about 300 processes that start and end, most of them idle most of the time. The same parameters give
//! the same bytes. [`generate_capture`](generate_capture::generate_capture) writes the same samples to a
//! capture log. [`bench_data`] keeps generated logs for the next run.

pub mod bench_data;
pub mod generate;
pub mod generate_capture;
mod log_header;
pub mod machine;
mod random;
mod record_list;
mod record_objects;
pub mod storm;
