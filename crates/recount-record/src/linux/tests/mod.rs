//! Samples of this machine, judged by what the test does in between and by what the same files say to others.

mod document;
mod full_disks;
mod full_machine;
mod full_network;
mod full_processors;
mod sample;
mod selection;
