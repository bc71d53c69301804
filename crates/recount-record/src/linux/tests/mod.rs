//! Samples of this machine, checked against the test's own activity and against other readings of the same
//! files.

mod document;
#[cfg(feature = "live-tests")]
mod live_disks;
#[cfg(feature = "live-tests")]
mod live_exits;
#[cfg(feature = "live-tests")]
mod live_machine;
#[cfg(feature = "live-tests")]
mod live_network;
#[cfg(feature = "live-tests")]
mod live_processors;
mod sample;
mod selection;
