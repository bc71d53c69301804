//! Files of processes that stay open from sample to sample.
//!
//! Rereading an open file costs less than half of opening, reading and closing it: the kernel needn't resolve
//! the path, create the inode and free it. Also, an open file belongs to one process and can't become that of
//! another process with the same id.

use std::os::fd::OwnedFd;

use rustix::io::Errno;
use rustix::process::{Resource, getrlimit};

use super::proc_dir::{Path, ProcDir, is_gone, len_of, read_start};

/// Maximum number of files kept open. Each uses about a page of kernel memory: 80 MiB if there are that many, which takes
/// 4,000 processes.
const MAX_KEPT: u64 = 16 << 10;

/// Open files that are left for everything else, if the limit allows more.
const NUM_OTHER: u64 = 2048;

/// How many more files may be kept open.
#[derive(Debug)]
pub(super) struct Budget {
    num_left: u64,
    is_known: bool,
}

impl Budget {
    /// Most of the files that this program may have open when the first sample is taken, since a recorder raises the limit
    /// before that; the rest is for everything else.
    pub(super) fn of_limit() -> Budget {
        Budget { num_left: 0, is_known: false }
    }

    /// To be called before every sample.
    pub(super) fn settle(&mut self) {
        if !std::mem::replace(&mut self.is_known, true) {
            let limit = getrlimit(Resource::Nofile).current.unwrap_or(u64::MAX);
            self.num_left = (limit / 2).max(limit.saturating_sub(NUM_OTHER)).min(MAX_KEPT);
        }
    }

    #[cfg(test)]
    pub(super) fn of(num_files: u64) -> Budget {
        Budget { num_left: num_files, is_known: true }
    }

    #[cfg(test)]
    pub(super) fn num_left(&self) -> u64 {
        self.num_left
    }
}

/// A file that is read in every sample, kept open if the budget allows.
#[derive(Debug, Default)]
pub(super) struct KeptFile(Option<OwnedFd>);

impl KeptFile {
    /// Reads all of it and returns the filled part of `buffer`. If the process of the kept file is gone, the
    /// file at `path` is opened, which may belong to another process.
    pub(super) fn read<'b>(
        &mut self,
        proc_dir: &ProcDir,
        path: &Path,
        budget: &mut Budget,
        buffer: &'b mut [u8],
    ) -> Result<&'b [u8], Errno> {
        if let Some(file) = &self.0 {
            match read_start(file, buffer) {
                Err(Errno::SRCH) => self.close(budget),
                read => return Ok(&buffer[..read?]),
            }
        }
        let file = proc_dir.open_file(path)?;
        let len = read_start(&file, buffer)?;
        if budget.num_left > 0 {
            budget.num_left -= 1;
            self.0 = Some(file);
        }
        Ok(&buffer[..len])
    }

    /// The size that the file system states for a directory, which is kept without being opened for reading: that needs no
    /// permission.
    pub(super) fn len_stated(
        &mut self,
        proc_dir: &ProcDir,
        path: &Path,
        budget: &mut Budget,
    ) -> Result<u64, Errno> {
        if let Some(file) = &self.0 {
            match len_of(file) {
                Err(error) if is_gone(error) => self.close(budget),
                len => return len,
            }
        }
        if budget.num_left == 0 {
            return proc_dir.len_stated(path);
        }
        let file = proc_dir.open_path(path)?;
        let len = len_of(&file)?;
        budget.num_left -= 1;
        self.0 = Some(file);
        Ok(len)
    }

    #[cfg(test)]
    pub(super) fn is_kept(&self) -> bool {
        self.0.is_some()
    }

    /// Closes it. Dropping it without this call would leak a place in the budget.
    pub(super) fn close(&mut self, budget: &mut Budget) {
        if self.0.take().is_some() {
            budget.num_left += 1;
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn reads_anew_and_keeps_to_the_budget() {
        let proc = tempfile::tempdir().expect("a folder");
        std::fs::create_dir(proc.path().join("7")).expect("made");
        let proc_dir = ProcDir::at(proc.path()).expect("there");
        let (mut budget, mut buffer) = (Budget::of(1), [0; 4096]);
        let path = Path::of_process(7, "stat");
        let (mut one, mut other) = (KeptFile::default(), KeptFile::default());
        for text in ["7 (before) S 1", "7 (after) R 1"] {
            std::fs::write(proc.path().join("7/stat"), text).expect("written");
            for file in [&mut one, &mut other] {
                let found = file.read(&proc_dir, &path, &mut budget, &mut buffer).expect("readable");
                assert_eq!(found, text.as_bytes());
            }
        }
        assert!(one.is_kept() && !other.is_kept());
        one.close(&mut budget);
        assert_eq!(budget.num_left(), 1);
    }

    #[cfg(feature = "live-tests")]
    #[test]
    fn live_a_process_that_has_ended_leaves_its_place() {
        let proc_dir = ProcDir::open().expect("there");
        let (mut budget, mut buffer) = (Budget::of(1), [0; 4096]);
        let mut sleeper = std::process::Command::new("sleep").arg("60").spawn().expect("runs");
        let path = Path::of_process(sleeper.id().cast_signed(), "stat");
        let mut stat = KeptFile::default();
        let text = stat.read(&proc_dir, &path, &mut budget, &mut buffer).expect("readable");
        assert!(text.starts_with(sleeper.id().to_string().as_bytes()));
        sleeper.kill().expect("killed");
        sleeper.wait().expect("reaped");
        let error = stat.read(&proc_dir, &path, &mut budget, &mut buffer).expect_err("gone");
        assert_eq!(error, Errno::NOENT);
        assert_eq!(budget.num_left(), 1);
    }
}
