//! Writes the captures of `samples/`: `cargo run -p recount-blg --example make_samples -- samples/`.
//!
//! Every byte follows from this program: no clock, no random number, nothing of the machine it runs on.

mod captures;

use std::io;
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
        std::fs::write(path, bytes)?;
    }
    Ok(())
}
