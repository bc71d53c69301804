//! Input made to do harm: it may be refused, but takes no memory to speak of, no time, and never the process.
//!
//! Checksums are right throughout: what is tested is the parser after them.

mod bombs;
mod frames;
mod many;
mod memory;
mod mutated;
mod sealing;

use memory::Measured;

#[global_allocator]
static ALLOCATOR: Measured = Measured;
