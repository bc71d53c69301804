//! Tables that were written, read back: the same cells, and none that wasn't there.

#[path = "../../../recount-compute/tests/support/mod.rs"]
mod support;

mod cells;
mod files;
mod foreign;
mod hostile;
mod random;
mod shapes;
mod windows;
