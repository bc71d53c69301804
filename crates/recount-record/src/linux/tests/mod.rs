//! The objects that this source has; and, live, samples of this machine, checked against the test's own activity and against other
//! readings of the same files.

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
#[cfg(feature = "live-tests")]
mod live_sample;
#[cfg(feature = "live-tests")]
mod live_selection;
mod tables;
