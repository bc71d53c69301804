//! Writes the captures of `samples/`: `cargo run -p recount-samples --example make-samples -- samples/`.
//!
//! Existing capture logs aren't changed: logs of each version of the format must stay readable as originally
//! written, while this program may write different bytes by now (as does another version of zstd). Tests
//! compare the *contents* of these files with this program's data.

use std::fs::File;
use std::io::{self, Write};
use std::path::{Path, PathBuf};

use recount_samples::{capture_logs, captures};

fn main() -> io::Result<()> {
    let Some(directory) = std::env::args_os().nth(1).map(PathBuf::from) else {
        let what = "name the directory to write the samples to";
        return Err(io::Error::new(io::ErrorKind::InvalidInput, what));
    };
    for (name, bytes) in captures::all()? {
        std::fs::write(path(&directory, name)?, bytes)?;
    }
    for (name, bytes) in capture_logs::all()? {
        match File::create_new(path(&directory, name)?) {
            Ok(mut file) => file.write_all(&bytes)?,
            Err(error) if error.kind() == io::ErrorKind::AlreadyExists => {}
            Err(error) => return Err(error),
        }
    }
    Ok(())
}

/// The path of a sample; creates its directory.
fn path(directory: &Path, name: &str) -> io::Result<PathBuf> {
    let path = directory.join(name);
    path.parent().map_or(Ok(()), std::fs::create_dir_all)?;
    Ok(path)
}
