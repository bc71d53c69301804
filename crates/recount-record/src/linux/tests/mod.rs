//! Samples of this machine, checked against the test's own activity and against other readings of the same
//! files.

mod document;
mod full_disks;
mod full_machine;
mod full_network;
mod full_processors;
mod sample;
mod selection;
