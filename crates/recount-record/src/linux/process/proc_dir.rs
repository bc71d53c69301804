//! `/proc` as a directory: which processes there are, and their files.

use std::io::Write;
use std::mem::MaybeUninit;
use std::os::fd::OwnedFd;

use rustix::fs::{AtFlags, Mode, OFlags, RawDir, SeekFrom, fstat, openat, readlinkat, seek, statat};
use rustix::io::{Errno, pread};

use super::number::unsigned;

/// Longest path below `/proc` that is built here: `PID/task/TID/schedstat`.
const LEN_PATH: usize = 48;

/// Bytes of directory entries read at once: about a thousand processes.
const LEN_ENTRIES: usize = 32 * 1024;

/// `/proc`, kept open so that paths are resolved from there.
#[derive(Debug)]
pub(crate) struct ProcDir {
    dir: OwnedFd,
    entries: Box<[MaybeUninit<u8>]>,
}

/// A path below `/proc`.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Path {
    bytes: [u8; LEN_PATH],
    len: usize,
}

impl Path {
    /// `PID/file`.
    pub(crate) fn of_process(pid: i32, file: &str) -> Path {
        Path::new(format_args!("{pid}/{file}"))
    }

    /// `PID/task/TID/file`.
    pub(crate) fn of_thread(pid: i32, tid: i32, file: &str) -> Path {
        Path::new(format_args!("{pid}/task/{tid}/{file}"))
    }

    fn new(path: std::fmt::Arguments<'_>) -> Path {
        let mut bytes = [0; LEN_PATH];
        let mut rest = &mut bytes[..];
        let written = rest.write_fmt(path);
        debug_assert!(written.is_ok(), "{path} is longer than {LEN_PATH} bytes");
        let len = LEN_PATH - rest.len();
        Path { bytes, len }
    }

    fn bytes(&self) -> &[u8] {
        &self.bytes[..self.len]
    }
}

impl std::fmt::Display for Path {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        write!(f, "/proc/{}", self.bytes().escape_ascii())
    }
}

impl ProcDir {
    pub(crate) fn open() -> Result<ProcDir, Errno> {
        ProcDir::at(std::path::Path::new("/proc"))
    }

    /// A directory with the layout of `/proc`.
    pub(super) fn at(path: &std::path::Path) -> Result<ProcDir, Errno> {
        let dir =
            rustix::fs::open(path, OFlags::RDONLY | OFlags::DIRECTORY | OFlags::CLOEXEC, Mode::empty())?;
        Ok(ProcDir { dir, entries: vec![MaybeUninit::uninit(); LEN_ENTRIES].into_boxed_slice() })
    }

    /// The ids of all processes, ascending.
    pub(crate) fn list_processes(&mut self, pids: &mut Vec<i32>) -> Result<(), Errno> {
        seek(&self.dir, SeekFrom::Start(0))?;
        list_ids(&self.dir, &mut self.entries, pids)?;
        // The kernel returns them in ascending order, but callers shouldn't have to rely on that.
        if !pids.is_sorted() {
            pids.sort_unstable();
        }
        Ok(())
    }

    /// The ids of a process's threads, in order of creation.
    pub(crate) fn list_threads(&mut self, pid: i32, tids: &mut Vec<i32>) -> Result<(), Errno> {
        let flags = OFlags::RDONLY | OFlags::DIRECTORY | OFlags::CLOEXEC;
        let dir = openat(&self.dir, Path::of_process(pid, "task").bytes(), flags, Mode::empty())?;
        list_ids(&dir, &mut self.entries, tids)
    }

    /// Opens a file for reading.
    pub(crate) fn open_file(&self, path: &Path) -> Result<OwnedFd, Errno> {
        openat(&self.dir, path.bytes(), OFlags::RDONLY | OFlags::CLOEXEC, Mode::empty())
    }

    /// Opens a file or directory only to ask for its size.
    pub(crate) fn open_path(&self, path: &Path) -> Result<OwnedFd, Errno> {
        openat(&self.dir, path.bytes(), OFlags::PATH | OFlags::CLOEXEC, Mode::empty())
    }

    /// Opens, reads and closes a file; returns the filled part of `buffer`.
    pub(crate) fn read<'b>(&self, path: &Path, buffer: &'b mut [u8]) -> Result<&'b [u8], Errno> {
        let len = read_start(&self.open_file(path)?, buffer)?;
        Ok(&buffer[..len])
    }

    /// Opens, reads and closes a file that a single read may not return whole; at most the length of `buffer`.
    pub(crate) fn read_whole<'b>(&self, path: &Path, buffer: &'b mut [u8]) -> Result<&'b [u8], Errno> {
        let file = self.open_file(path)?;
        let mut len = 0;
        while len < buffer.len() {
            match rustix::io::retry_on_intr(|| rustix::io::read(&file, &mut buffer[len..]))? {
                0 => break,
                more => len += more,
            }
        }
        Ok(&buffer[..len])
    }

    /// Where a symbolic link leads.
    pub(crate) fn read_link(&self, path: &Path) -> Result<Vec<u8>, Errno> {
        Ok(readlinkat(&self.dir, path.bytes(), Vec::new())?.into_bytes())
    }

    /// The size that the file system states for a file.
    pub(crate) fn len_stated(&self, path: &Path) -> Result<u64, Errno> {
        Ok(u64::try_from(statat(&self.dir, path.bytes(), AtFlags::empty())?.st_size).unwrap_or(0))
    }
}

/// Reads a file of `/proc` from its beginning, which makes the kernel generate it again. A single read
/// returns all of it, if the buffer is large enough.
pub(crate) fn read_start(file: &OwnedFd, buffer: &mut [u8]) -> Result<usize, Errno> {
    rustix::io::retry_on_intr(|| pread(file, &mut *buffer, 0))
}

/// The size that the file system states for an open file.
pub(crate) fn len_of(file: &OwnedFd) -> Result<u64, Errno> {
    Ok(u64::try_from(fstat(file)?.st_size).unwrap_or(0))
}

/// Whether the error means that a process or thread ended, which isn't a failure and isn't reported.
pub(crate) fn is_gone(error: Errno) -> bool {
    matches!(error, Errno::NOENT | Errno::SRCH)
}

fn list_ids(dir: &OwnedFd, buffer: &mut [MaybeUninit<u8>], ids: &mut Vec<i32>) -> Result<(), Errno> {
    ids.clear();
    let mut entries = RawDir::new(dir, buffer);
    while let Some(entry) = entries.next() {
        let id = unsigned(entry?.file_name().to_bytes()).and_then(|id| i32::try_from(id).ok());
        ids.extend(id);
    }
    Ok(())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[cfg(feature = "live-tests")]
    #[test]
    fn live_lists_processes_and_their_threads() {
        use crate::linux::process::sampler::own_tid;

        let mut proc_dir = ProcDir::open().expect("there");
        let (mut pids, mut tids) = (vec![7], vec![7]);
        proc_dir.list_processes(&mut pids).expect("readable");
        proc_dir.list_processes(&mut pids).expect("readable again");
        let me = std::process::id().cast_signed();
        assert_eq!(pids.iter().filter(|pid| **pid == me).count(), 1);
        let ended = std::thread::spawn(own_tid).join().expect("no panic");
        // Joining returns before the kernel has removed it from the list.
        while std::fs::exists(format!("/proc/self/task/{ended}")).expect("known") {
            std::thread::yield_now();
        }
        proc_dir.list_threads(me, &mut tids).expect("readable");
        assert_eq!(tids.first(), Some(&me));
        assert!(tids.contains(&own_tid()) && !tids.contains(&ended));
        assert_eq!(proc_dir.list_threads(0, &mut tids).expect_err("no such process"), Errno::NOENT);
    }

    #[test]
    fn longest_path_fits() {
        let path = Path::of_thread(i32::MAX, i32::MAX, "schedstat");
        assert_eq!(path.to_string(), "/proc/2147483647/task/2147483647/schedstat");
    }
}
