//! The files of a cgroup.

use std::os::fd::OwnedFd;
use std::os::unix::ffi::OsStrExt;
use std::path::Path;

use rustix::fs::{CWD, Mode, OFlags, openat};
use rustix::io::{Errno, read, retry_on_intr};

use super::tree::Cgroup;

/// Initial buffer size, enough for `memory.stat`, the longest file.
const LEN_FIRST: usize = 8 << 10;
const MAX_LEN: usize = 1 << 20;

/// Reads files below the mount point.
#[derive(Debug)]
pub(super) struct Files {
    root: OwnedFd,
    path: Vec<u8>,
    text: Vec<u8>,
}

impl Files {
    pub(super) fn open(mount: &Path) -> Result<Files, Errno> {
        let flags = OFlags::RDONLY | OFlags::DIRECTORY | OFlags::CLOEXEC;
        let root = openat(CWD, mount.as_os_str().as_bytes(), flags, Mode::empty())?;
        Ok(Files { root, path: Vec::new(), text: vec![0; LEN_FIRST] })
    }

    /// Reads a file of a cgroup. `None` if the cgroup doesn't have the file because the controller isn't
    /// enabled, or if the cgroup is gone.
    pub(super) fn read(&mut self, cgroup: &Cgroup<'_>, file: &str) -> Result<Option<&[u8]>, Errno> {
        self.path.clear();
        self.path.extend_from_slice(b".");
        self.path.extend_from_slice(cgroup.path());
        self.path.push(b'/');
        self.path.extend_from_slice(file.as_bytes());
        match self.read_path() {
            Ok(len) => Ok(Some(&self.text[..len])),
            // "Not supported" means that pressure isn't measured.
            Err(Errno::NOENT | Errno::NODEV | Errno::OPNOTSUPP) => Ok(None),
            Err(error) => Err(error),
        }
    }

    fn read_path(&mut self) -> Result<usize, Errno> {
        loop {
            let file = openat(&self.root, &*self.path, OFlags::RDONLY | OFlags::CLOEXEC, Mode::empty())?;
            // The kernel returns such a file in a single read, if the buffer is large enough.
            let len = retry_on_intr(|| read(&file, &mut *self.text))?;
            if len < self.text.len() {
                return Ok(len);
            }
            if self.text.len() >= MAX_LEN {
                return Err(Errno::FBIG);
            }
            self.text.resize(self.text.len() * 2, 0);
        }
    }
}
