//! All files of `/proc` about the machine as a whole, with their formats.

use std::io;
use std::path::Path;

use super::fields::Form;
use super::kept_file::KeptFile;

/// A file from which objects are read. Each is read at most once per sample, on the first request.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum SystemFile {
    Stat,
    Meminfo,
    Vmstat,
    Loadavg,
    FileNr,
    Swaps,
    Diskstats,
    Mountinfo,
    NetDev,
    Snmp,
    Snmp6,
    Sockstat,
    PressureCpu,
    PressureIo,
    PressureMemory,
    PressureIrq,
    Cpuinfo,
}

impl SystemFile {
    const NUM: usize = SystemFile::Cpuinfo as usize + 1;

    /// Its path.
    pub(crate) const fn path(self) -> &'static str {
        match self {
            SystemFile::Stat => "/proc/stat",
            SystemFile::Meminfo => "/proc/meminfo",
            SystemFile::Vmstat => "/proc/vmstat",
            SystemFile::Loadavg => "/proc/loadavg",
            SystemFile::FileNr => "/proc/sys/fs/file-nr",
            SystemFile::Swaps => "/proc/swaps",
            SystemFile::Diskstats => "/proc/diskstats",
            SystemFile::Mountinfo => "/proc/self/mountinfo",
            // The directory of this thread's network namespace; `/proc/net` itself is a link to it.
            SystemFile::NetDev => "/proc/net/dev",
            SystemFile::Snmp => "/proc/net/snmp",
            SystemFile::Snmp6 => "/proc/net/snmp6",
            SystemFile::Sockstat => "/proc/net/sockstat",
            SystemFile::PressureCpu => "/proc/pressure/cpu",
            SystemFile::PressureIo => "/proc/pressure/io",
            SystemFile::PressureMemory => "/proc/pressure/memory",
            SystemFile::PressureIrq => "/proc/pressure/irq",
            SystemFile::Cpuinfo => "/proc/cpuinfo",
        }
    }

    /// Its format, if its numbers are found by name.
    pub(super) const fn form(self) -> Form {
        match self {
            SystemFile::Snmp => Form::Pairs,
            SystemFile::Sockstat => Form::Keyed,
            SystemFile::Loadavg | SystemFile::FileNr => Form::Positional,
            SystemFile::PressureCpu
            | SystemFile::PressureIo
            | SystemFile::PressureMemory
            | SystemFile::PressureIrq => Form::Pressure,
            _ => Form::Named,
        }
    }
}

/// The files, kept open from the first request.
#[derive(Debug, Default)]
pub(crate) struct SystemFiles {
    slots: [FileSlot; SystemFile::NUM],
}

#[derive(Debug, Default)]
struct FileSlot {
    state: State,
    /// Whether a reading was attempted in this sample, and its result.
    is_done: bool,
    is_readable: bool,
}

#[derive(Debug, Default)]
enum State {
    #[default]
    Untried,
    Absent,
    Open(KeptFile),
}

impl SystemFiles {
    /// Begins a sample: earlier texts are out of date.
    pub(super) fn begin(&mut self) {
        self.slots.iter_mut().for_each(|slot| slot.is_done = false);
    }

    /// Makes sure that a file was read in this sample. The error is returned once per sample and file. A file
    /// that this machine doesn't have (`None`) isn't a failed reading.
    pub(super) fn read(&mut self, file: SystemFile) -> Result<(), Option<io::Error>> {
        let slot = &mut self.slots[file as usize];
        if slot.is_done {
            return if slot.is_readable { Ok(()) } else { Err(None) };
        }
        slot.is_done = true;
        let result = slot.read(Path::new(file.path()));
        slot.is_readable = result.is_ok();
        result
    }

    /// The text read in this sample; `None` if reading failed.
    pub(super) fn text(&self, file: SystemFile) -> Option<&str> {
        match &self.slots[file as usize] {
            FileSlot { state: State::Open(kept), is_done: true, is_readable: true } => Some(kept.text()),
            _ => None,
        }
    }
}

impl FileSlot {
    fn read(&mut self, path: &Path) -> Result<(), Option<io::Error>> {
        if matches!(self.state, State::Untried) {
            self.state = match KeptFile::open(path) {
                Ok(file) => State::Open(file),
                Err(error) => {
                    self.state = State::Absent;
                    let is_missing = error.kind() == io::ErrorKind::NotFound;
                    return Err(if is_missing { None } else { Some(error) });
                }
            };
        }
        match &mut self.state {
            State::Open(file) => file.read().map(drop).map_err(Some),
            State::Untried | State::Absent => Err(None),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[cfg(feature = "live-tests")]
    #[test]
    fn live_a_file_is_read_once_per_sample() {
        let mut files = SystemFiles::default();
        assert_eq!(files.text(SystemFile::Stat), None);
        files.read(SystemFile::Stat).expect("every Linux has it");
        let first = files.text(SystemFile::Stat).expect("read").to_owned();
        std::thread::sleep(std::time::Duration::from_millis(30));
        files.read(SystemFile::Stat).expect("every Linux has it");
        assert_eq!(files.text(SystemFile::Stat), Some(&*first), "the same sample, the same text");
        files.begin();
        assert_eq!(files.text(SystemFile::Stat), None);
        files.read(SystemFile::Stat).expect("every Linux has it");
        assert_ne!(files.text(SystemFile::Stat), Some(&*first), "time has passed");
    }

    #[test]
    fn what_is_missing_is_no_error_and_what_is_forbidden_is_one_once() {
        let mut missing = FileSlot::default();
        assert!(matches!(missing.read(Path::new("/none-such")), Err(None)));
        // A directory can be opened but not read.
        let mut folder = FileSlot::default();
        assert!(matches!(folder.read(Path::new("/")), Err(Some(_))));
    }
}
