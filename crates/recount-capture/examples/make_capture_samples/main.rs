//! Writes the capture logs of `samples/`: `cargo run -p recount-capture --example make_capture_samples -- samples/`.
//!
//! Files that are there stay as they are: a log of a version of the format has to be read for ever as it was written
//! then, and this program may write other bytes by now (as does another version of zstd). Tests compare what is *in*
//! the files with what this program puts in.

mod captures;

use std::fs::File;
use std::io::{self, Write};
use std::path::PathBuf;

fn main() -> io::Result<()> {
    let Some(directory) = std::env::args_os().nth(1).map(PathBuf::from) else {
        return Err(io::Error::new(
            io::ErrorKind::InvalidInput,
            "name the directory to write the samples to",
        ));
    };
    for (name, bytes) in captures::all()? {
        let path = directory.join(name);
        if let Some(parent) = path.parent() {
            std::fs::create_dir_all(parent)?;
        }
        match File::create_new(path) {
            Ok(mut file) => file.write_all(&bytes)?,
            Err(error) if error.kind() == io::ErrorKind::AlreadyExists => {}
            Err(error) => return Err(error),
        }
    }
    Ok(())
}
