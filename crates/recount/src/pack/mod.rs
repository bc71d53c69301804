//! Files of other formats in a capture log, restored byte for byte.
//!
//! ```text
//! monday.blg --cut--> buffers --split--> pieces --> chunks of monday.rcap
//!            <--------- parts one after the other, length and checksum compared
//! ```

mod content;
mod error;
mod name;
mod packed_file;
mod packer;
mod parts;
mod samples;
#[cfg(test)]
mod size_tests;
mod unpacker;

pub(crate) use content::{check_packed, unpack_content};
pub use error::PackError;
pub(crate) use packed_file::PackedFile;
pub use packer::{Packed, pack};
pub(crate) use parts::{MAX_LEN_UNIT, Structure};
pub use unpacker::{UnpackOptions, Unpacked, UnpackedSort, unpack};
