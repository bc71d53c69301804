//! Samples of this machine, judged by what the test does in between and by what the same files say to others.

mod disks;
mod document;
mod machine;
mod network;
mod processors;
mod sample;
mod selection;
