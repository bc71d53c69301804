//! Malicious input: it may be refused, but must not take much memory or time, nor crash the process.
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
