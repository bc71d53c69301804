//! Files of processes.

use std::io::Write;
use std::mem::MaybeUninit;
use std::os::fd::OwnedFd;

use anyhow::{Context, Result};
use rustix::fs::{AtFlags, Mode, OFlags, RawDir, SeekFrom, openat, seek, statat};
use rustix::io::{Errno, pread};
use rustix::process::{Resource, getrlimit};

use crate::Tally;

/// `crates/recount-record/src/linux/process/kept_file.rs`.
const MAX_KEPT: u64 = 4096;

/// Bit of a process's flags that tells a thread of the kernel, which has neither memory nor files.
const PF_KTHREAD: u64 = 0x0020_0000;

/// All processes, from sample to sample.
pub(crate) struct Processes {
    proc_dir: OwnedFd,
    entries: Box<[MaybeUninit<u8>]>,
    /// The processes of the previous sample, by id.
    known: Vec<Process>,
    pids: Vec<i32>,
    buffer: Vec<u8>,
    /// How many more files may be kept open.
    budget: u64,
}

/// A process, from sample to sample.
#[derive(Default)]
struct Process {
    pid: i32,
    /// In the order of [`NAMES`].
    files: [Option<OwnedFd>; 3],
    is_kernel_thread: Option<bool>,
}

const NAMES: [&str; 3] = ["stat", "statm", "io"];

impl Processes {
    pub(crate) fn open(keep: bool) -> Result<Processes> {
        let flags = OFlags::RDONLY | OFlags::DIRECTORY | OFlags::CLOEXEC;
        let proc_dir = rustix::fs::open("/proc", flags, Mode::empty()).context("open /proc")?;
        let budget = (getrlimit(Resource::Nofile).current.unwrap_or(u64::MAX) / 2).min(MAX_KEPT);
        Ok(Processes {
            proc_dir,
            entries: vec![MaybeUninit::uninit(); 32 << 10].into(),
            known: Vec::new(),
            pids: Vec::new(),
            buffer: vec![0; 4096],
            budget: if keep { budget } else { 0 },
        })
    }

    /// Lists all processes and reads each.
    pub(crate) fn read(&mut self, tally: &mut Tally) -> Result<()> {
        self.list()?;
        let pids = std::mem::take(&mut self.pids);
        let mut before = std::mem::take(&mut self.known).into_iter().peekable();
        let mut found = Vec::with_capacity(pids.len());
        for &pid in &pids {
            while let Some(ended) = before.next_if(|known| known.pid < pid) {
                self.close(ended);
            }
            let known = before.next_if(|known| known.pid == pid);
            let mut process = known.unwrap_or_else(|| Process { pid, ..Process::default() });
            match self.read_process(&mut process, tally) {
                Ok(()) => found.push(process),
                // It ended meanwhile.
                Err(_) => self.close(process),
            }
        }
        before.for_each(|ended| self.close(ended));
        self.known = found;
        self.pids = pids;
        Ok(())
    }

    fn list(&mut self) -> Result<()> {
        self.pids.clear();
        seek(&self.proc_dir, SeekFrom::Start(0)).context("list /proc")?;
        let mut entries = RawDir::new(&self.proc_dir, &mut self.entries);
        while let Some(entry) = entries.next() {
            let entry = entry.context("list /proc")?;
            let name = entry.file_name().to_str().ok();
            self.pids.extend(name.and_then(|name| name.parse::<i32>().ok()));
        }
        self.pids.sort_unstable();
        Ok(())
    }

    fn read_process(&mut self, process: &mut Process, tally: &mut Tally) -> Result<(), Errno> {
        let len = self.read_file(process, 0, tally)?;
        let buffer = &self.buffer[..len];
        let is_kernel_thread = *process.is_kernel_thread.get_or_insert_with(|| is_kernel_thread(buffer));
        if !is_kernel_thread {
            self.read_file(process, 1, tally)?;
            let mut path = [0; 32];
            statat(&self.proc_dir, write_path(&mut path, process.pid, "fd"), AtFlags::empty())?;
            tally.num_files += 1;
        }
        // Not everybody may read everybody's.
        match self.read_file(process, 2, tally) {
            Err(error @ (Errno::NOENT | Errno::SRCH)) => Err(error),
            _ => Ok(()),
        }
    }

    /// Reads a file with one call, and keeps it open if the budget allows.
    fn read_file(&mut self, process: &mut Process, file: usize, tally: &mut Tally) -> Result<usize, Errno> {
        let len = if let Some(kept) = &process.files[file] {
            pread(kept, &mut *self.buffer, 0)?
        } else {
            let mut path = [0; 32];
            let path = write_path(&mut path, process.pid, NAMES[file]);
            let open = openat(&self.proc_dir, path, OFlags::RDONLY | OFlags::CLOEXEC, Mode::empty())?;
            let len = pread(&open, &mut *self.buffer, 0)?;
            if self.budget > 0 {
                self.budget -= 1;
                process.files[file] = Some(open);
            }
            len
        };
        tally.add(len);
        Ok(len)
    }

    fn close(&mut self, process: Process) {
        // They close as they go out of scope.
        self.budget += process.files.into_iter().flatten().count() as u64;
    }
}

/// Flags are the seventh field after the name, which is in brackets and may contain anything.
fn is_kernel_thread(stat: &[u8]) -> bool {
    let text = String::from_utf8_lossy(stat);
    let flags =
        text.rsplit_once(')').and_then(|(_, rest)| rest.split_ascii_whitespace().nth(6)?.parse().ok());
    flags.is_some_and(|flags: u64| flags & PF_KTHREAD != 0)
}

/// `PID/file`, without an allocation.
fn write_path<'p>(path: &'p mut [u8; 32], pid: i32, file: &str) -> &'p [u8] {
    let mut rest = &mut path[..];
    // The longest is 16 bytes.
    let _ = write!(rest, "{pid}/{file}");
    let len = 32 - rest.len();
    &path[..len]
}
