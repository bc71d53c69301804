//! Written tables, read back: exactly the same cells.

#[path = "../../../recount-compute/tests/suite/support/mod.rs"]
mod support;

mod cells;
mod files;
mod foreign;
mod hostile;
mod random;
mod shapes;
mod windows;
