//! Malicious input: it may be refused, but must not take much memory or be read many times over, nor crash the process. There
//! are no limits in seconds, which would depend on the machine: what takes forever, the test runner ends.
//!
//! Checksums are right throughout: what is tested is the parser after them.

mod bombs;
mod counted;
mod frames;
mod many;
mod memory;
mod mutated;
mod sealing;

use memory::Measured;

#[global_allocator]
static ALLOCATOR: Measured = Measured;
