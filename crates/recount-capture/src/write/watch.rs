//! What other programs do to the file of an open log: they rename, remove or empty it, or write over its header.

use std::fs::File;
use std::io;
use std::path::{Path, PathBuf};

use super::LogWriter;
use crate::CaptureError;
use crate::read_at::ReadAt;

/// A file is searched for anything but zeros in parts of this many bytes.
const LEN_PART: usize = 64 << 10;

/// The state of an open log's file.
#[derive(Clone, Debug, PartialEq, Eq)]
#[non_exhaustive]
pub enum FileState {
    /// It has its name and all that was written.
    Sound,
    /// It has another name, if the system can say which; all that was written is in it.
    Moved(Option<PathBuf>),
    /// It has no name anymore: nobody can read it.
    Removed,
    /// It is shorter than what was written, but still begins with the header: what is left can be read.
    Cut,
    /// It became shorter, and its header is gone: nothing in it can be read.
    Emptied,
    /// Something else is in place of its header. What comes after it can be read.
    Overwritten,
}

impl LogWriter<File> {
    /// Begins a log in a file that exists and is empty, as a program that rotates logs may leave it.
    pub fn fill(path: &Path, options: super::WriterOptions) -> Result<LogWriter<File>, CaptureError> {
        let file = File::options().read(true).write(true).open(path)?;
        LogWriter::lock(&file);
        if file.metadata()?.len() > 0 {
            return Err(io::Error::from(io::ErrorKind::AlreadyExists).into());
        }
        LogWriter::new(file, options)
    }

    /// Looks at the file of the log, which was begun as, or has become, `path`.
    pub fn state_of_file(&self, path: &Path) -> io::Result<FileState> {
        let metadata = self.storage.metadata()?;
        let is_shorter = metadata.len() < self.len_file;
        match self.has_header()? {
            true if is_shorter => return Ok(FileState::Cut),
            true => {}
            false if is_shorter || self.is_blank()? => return Ok(FileState::Emptied),
            false => return Ok(FileState::Overwritten),
        }
        Ok(state_of_name(&self.storage, &metadata, path))
    }

    /// Empties the file, for a new log in it.
    pub fn empty(self) -> io::Result<()> {
        self.storage.set_len(0)
    }

    fn has_header(&self) -> io::Result<bool> {
        let mut header = vec![0; self.header.len()];
        let len = ReadAt::read_at(&self.storage, 0, &mut header)?;
        Ok(len == header.len() && header == self.header)
    }

    /// Whether there are only zeros before the frame written last: the file was emptied, and then that frame was written at
    /// its place, before anybody looked.
    fn is_blank(&self) -> io::Result<bool> {
        let end = self.len_file.saturating_sub(self.len_last);
        let mut bytes = vec![0; LEN_PART];
        let mut ofs = 0;
        while ofs < end {
            let wanted = usize::try_from(end - ofs).unwrap_or(usize::MAX).min(LEN_PART);
            let len = ReadAt::read_at(&self.storage, ofs, &mut bytes[..wanted])?;
            if bytes[..len].iter().any(|&byte| byte != 0) {
                return Ok(false);
            }
            if len == 0 {
                break;
            }
            ofs += len as u64;
        }
        Ok(true)
    }
}

/// Whether the file still has this name, another, or none.
#[cfg(unix)]
fn state_of_name(file: &File, metadata: &std::fs::Metadata, path: &Path) -> FileState {
    use std::os::unix::fs::MetadataExt;

    let is_it = |path: &Path| {
        let found = path.metadata();
        found.is_ok_and(|found| (found.dev(), found.ino()) == (metadata.dev(), metadata.ino()))
    };
    if is_it(path) {
        return FileState::Sound;
    }
    if metadata.nlink() == 0 {
        return FileState::Removed;
    }
    match name_of(file).filter(|name| is_it(name)) {
        // NFS keeps a removed file under such a name for as long as it is open.
        Some(name) if is_silly(&name) => FileState::Removed,
        name => FileState::Moved(name),
    }
}

/// The present name of an open file.
#[cfg(unix)]
fn name_of(file: &File) -> Option<PathBuf> {
    use std::os::fd::AsRawFd;
    std::fs::read_link(format!("/proc/self/fd/{}", file.as_raw_fd())).ok()
}

#[cfg(unix)]
fn is_silly(path: &Path) -> bool {
    path.file_name().is_some_and(|name| name.as_encoded_bytes().starts_with(b".nfs"))
}

/// An open file can't be renamed or removed here.
#[cfg(not(unix))]
fn state_of_name(_: &File, _: &std::fs::Metadata, _: &Path) -> FileState {
    FileState::Sound
}
