//! The log from its users' view: what goes in, what comes out, and what happens in between.

mod bad_disk;
mod clock;
mod crash;
mod disk;
mod flipped;
mod follow;
mod frames;
mod full_disk;
mod marks;
mod reading;
mod round_trip;
mod seekable;
mod series;
mod source;
mod torn_tail;
mod unknown;
#[cfg(unix)]
mod watched_file;
