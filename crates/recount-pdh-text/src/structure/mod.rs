//! The elements of PDH text: lines of fields, the header, times and numbers.

pub(crate) mod header;
pub(crate) mod line;
pub(crate) mod number;
pub(crate) mod stamp;
