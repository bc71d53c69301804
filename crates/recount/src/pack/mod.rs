//! Files of other formats kept in a capture log, and given back byte for byte.

mod unpack;

pub(crate) use unpack::unpack_content;
