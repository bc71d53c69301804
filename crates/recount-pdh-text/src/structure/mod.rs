//! The elements of PDH text: lines of fields, the mark, times and numbers.

pub(crate) mod line;
pub(crate) mod mark;
pub(crate) mod number;
pub(crate) mod stamp;
