//! Raw values to cooked values.

mod cooked;

pub use cooked::{Cooked, CookedColumn};
