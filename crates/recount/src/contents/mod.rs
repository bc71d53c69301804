//! What is in a capture: its objects, counters and instances, and a summary.

pub(crate) mod found_objects;
pub(crate) mod near;
pub(crate) mod summary;
pub(crate) mod surveys;
