//! What PDH text is made of: lines of fields, the header, and the texts of times and numbers.

pub(crate) mod header;
pub(crate) mod line;
pub(crate) mod number;
pub(crate) mod stamp;
