//! Samples of this machine, checked against the test's own activity and against other readings of the same
//! files.

mod document;
#[cfg(feature = "full-tests")]
mod full_disks;
#[cfg(feature = "full-tests")]
mod full_exits;
#[cfg(feature = "full-tests")]
mod full_machine;
#[cfg(feature = "full-tests")]
mod full_network;
#[cfg(feature = "full-tests")]
mod full_processors;
mod sample;
mod selection;
