//! The output of one table.

use std::fs::{File, OpenOptions};
use std::io::{self, Write};
use std::path::{Path, PathBuf};

/// A file that is open only while bytes are written to it, or a stream.
///
/// A table partitioned by host and day may have more files than a process may open; they needn't be open
/// between row groups.
pub(crate) enum Target {
    /// A file to be created.
    File {
        /// Where.
        path: PathBuf,
        /// Whether it exists.
        created: bool,
        /// The file, while it is open.
        open: Option<File>,
    },
    /// A stream, such as standard output.
    Stream(Box<dyn Write + Send>),
}

impl Target {
    /// A file to be created, including its parent directories.
    pub(crate) fn file(path: &Path) -> Target {
        Target::File { path: path.into(), created: false, open: None }
    }

    /// Closes the file until the next byte.
    pub(crate) fn release(&mut self) {
        if let Target::File { open, .. } = self {
            *open = None;
        }
    }

    /// Syncs and closes the file.
    pub(crate) fn complete(&mut self) -> io::Result<()> {
        match self {
            Target::File { .. } => {
                self.opened()?.sync_all()?;
                self.release();
                Ok(())
            }
            Target::Stream(stream) => stream.flush(),
        }
    }

    fn opened(&mut self) -> io::Result<&mut File> {
        let Target::File { path, created, open } = self else {
            return Err(io::Error::other("a stream has no file"));
        };
        if open.is_none() {
            let mut options = OpenOptions::new();
            if *created {
                options.append(true);
            } else {
                if let Some(parent) = path.parent() {
                    std::fs::create_dir_all(parent)?;
                }
                options.write(true).create_new(true);
            }
            *open = Some(options.open(&*path)?);
            *created = true;
        }
        open.as_mut().ok_or_else(|| io::Error::other("the file is not open"))
    }
}

impl Write for Target {
    fn write(&mut self, bytes: &[u8]) -> io::Result<usize> {
        match self {
            Target::File { .. } => self.opened()?.write(bytes),
            Target::Stream(stream) => stream.write(bytes),
        }
    }

    fn flush(&mut self) -> io::Result<()> {
        match self {
            Target::File { open: Some(file), .. } => file.flush(),
            Target::File { .. } => Ok(()),
            Target::Stream(stream) => stream.flush(),
        }
    }
}
