//! Files of other formats in a capture log, restored byte for byte.
//!
//! ```text
//! monday.blg --cut--> buffers --split--> pieces --> chunks of monday.rcap
//!            <--------- parts one after the other, length and checksum compared
//! ```

mod error;
mod packer;
mod parts;
#[cfg(test)]
mod size_tests;
mod unpacker;

pub use error::PackError;
pub(crate) use packer::pack_content;
pub use packer::{Packed, pack};
pub(crate) use parts::{MAX_LEN_UNIT, Structure};
pub use recount_capture::UnpackedSort;
pub use unpacker::{UnpackOptions, Unpacked, unpack};
