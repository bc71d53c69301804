//! `PERF_DATA_BLOCK`s: read, written, and as a source.

mod round_trip;
mod runs;
mod shared;
mod source;
mod stored_hostile;
mod stored_real_dumps;
mod stream;
