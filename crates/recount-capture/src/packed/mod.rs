//! A file of any kind in a log, which gives it back byte for byte (`formats/rcap.md#packed-files`).
//!
//! A record is a part of the file, and its time the part's offset: so a damaged log shows what is missing, and the rest keeps
//! its place.

mod content;
mod name;
mod packed_file;
mod samples;
mod writer;

pub use content::{check_packed, write_packed, write_packed_with_gaps};
pub use name::safe_file_name;
pub use packed_file::PackedFile;
pub use samples::{UnpackedSort, names_text_of, write_raw_samples};
pub use writer::{PackWriter, PackedLog};
