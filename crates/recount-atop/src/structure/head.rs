//! The header of the file and that of each sample (`formats/atop.md#file-header`, `#record-header`).

use std::fmt;
use std::ops::RangeInclusive;

use super::layout::{Item, Kind, Layout, Type, facts, fields, reserved};
use super::{CGROUP, SYSTEM, TASK};

/// Length of the file's header.
pub const LEN_FILE_HEADER: usize = 480;
/// Length of a sample's header.
pub const LEN_RECORD_HEADER: usize = 96;

/// The file's header.
pub(crate) const FILE_HEADER: &[Item] = &[
    facts(Type::U32, &["magic"]),
    facts(Type::U16, &["version"]),
    reserved(Type::U16, 2),
    facts(Type::U16, &["len_header", "len_record_header", "hertz", "num_pid_digits"]),
    reserved(Type::U16, 5),
    facts(Type::U32, &["len_system", "len_task"]),
    facts(Type::Text(65), &["system", "host", "release", "kernel_version", "machine", "domain"]),
    reserved(Type::C8, 8),
    facts(Type::U32, &["page_size"]),
    facts(Type::I32, &["support", "kernel_major", "kernel_minor", "kernel_patch", "len_cgroup"]),
    reserved(Type::I32, 5),
];

/// A sample's header.
pub(crate) const RECORD_HEADER: &[Item] = &[
    facts(Type::I64, &["time"]),
    fields(Type::U16, Kind::Other, &["flags"]),
    facts(Type::U16, &["num_cgroups"]).since(11),
    reserved(Type::U16, 1).until(10),
    reserved(Type::U16, 2),
    facts(Type::U32, &["len_system_part", "len_task_part", "interval", "num_tasks", "num_active"]),
    facts(Type::U32, &["num_tasks_again"]),
    fields(Type::U32, Kind::Gauge, &["processes", "running", "sleeping", "blocked", "zombies"]),
    fields(Type::U32, Kind::Gauge, &["exited", "overflow"]),
    fields(Type::U32, Kind::Gauge, &["idle"]).since(10),
    reserved(Type::U32, 1).until(9),
    facts(Type::U32, &["len_cgroup_part", "len_cgroups", "num_pids", "len_pid_part"]).since(11),
    reserved(Type::U32, 4).until(10),
    reserved(Type::U32, 1),
];

/// Flags of a sample's header.
pub mod flag {
    /// Values since boot: the first sample of a run of the recorder.
    pub const SINCE_BOOT: u16 = 0x0001;
    /// The network values of tasks are real.
    pub const NETATOP: u16 = 0x0004;
    /// Those of exited processes, too.
    pub const NETATOP_DAEMON: u16 = 0x0008;
    /// The disk values of tasks are real.
    pub const DISK: u16 = 0x0020;
    /// The GPU values of tasks are real.
    pub const GPU: u16 = 0x0080;
    /// The machine has cgroups of version 2; from atop 2.11 on their parts follow.
    pub const CGROUPS: u16 = 0x0100;
}

/// The version that wrote a log. The third number isn't stored.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, PartialOrd, Ord)]
pub struct Version {
    /// 2 of 2.12.
    pub major: u8,
    /// 12 of 2.12.
    pub minor: u8,
}

impl Version {
    /// The second numbers of the known versions, 2.3 and so on.
    const MINORS: RangeInclusive<u8> = 3..=13;

    /// Whether the layouts of this version are known.
    pub fn is_known(self) -> bool {
        self.major == 2 && Version::MINORS.contains(&self.minor)
    }

    /// Whether it is older than the oldest known one.
    pub fn is_too_old(self) -> bool {
        self < Version { major: 2, minor: 3 }
    }
}

impl fmt::Display for Version {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{}.{}", self.major, self.minor)
    }
}

/// The layouts of one version.
#[derive(Debug)]
pub(crate) struct Layouts {
    pub(crate) record: Layout,
    pub(crate) system: Layout,
    pub(crate) task: Layout,
    pub(crate) cgroup: Layout,
}

impl Layouts {
    pub(crate) fn of(version: Version) -> Layouts {
        let of = |items| Layout::new(items, version.minor);
        Layouts { record: of(RECORD_HEADER), system: of(SYSTEM), task: of(TASK), cgroup: of(CGROUP) }
    }

    fn all(&self) -> [&Layout; 4] {
        [&self.record, &self.system, &self.task, &self.cgroup]
    }

    /// Whether both have the same fields at the same places.
    fn has_fields_of(&self, other: &Layouts) -> bool {
        self.all().into_iter().zip(other.all()).all(|(one, other)| one.fields().eq(other.fields()))
    }
}

/// What the file's header says.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct FileHeader {
    /// Version of the recorder.
    pub version: Version,
    /// Clock ticks per second.
    pub hertz: u16,
    /// Bytes of a page of memory.
    pub page_size: u32,
    /// The machine's name.
    pub host: String,
    /// Name of its system: `Linux`.
    pub system: String,
    /// Release of its kernel.
    pub release: String,
    /// Its architecture: `x86_64`.
    pub machine: String,
    /// Lengths that the header states: header, record header, system, task and cgroup structure.
    pub lens: [u64; 5],
}

impl FileHeader {
    /// `0xFEEDBEEF` as in the file.
    pub const MAGIC: [u8; 4] = 0xFEED_BEEF_u32.to_le_bytes();

    /// Names of [`FileHeader::lens`].
    pub(crate) const LEN_FIELDS: [&str; 5] =
        ["len_header", "len_record_header", "len_system", "len_task", "len_cgroup"];

    /// Reads a header. `bytes` must be complete.
    pub fn read(bytes: &[u8]) -> FileHeader {
        let layout = Layout::new(FILE_HEADER, 0);
        let int = |name: &str| layout.slot(name).map_or(0, |slot| slot.int(bytes, 0));
        let text = |name: &str| layout.slot(name).map_or_else(String::new, |slot| slot.text(bytes, 0).into());
        let word = int("version");
        FileHeader {
            version: Version { major: (word >> 8) as u8 & 0x7F, minor: word as u8 },
            hertz: int("hertz") as u16,
            page_size: int("page_size") as u32,
            host: text("host"),
            system: text("system"),
            release: text("release"),
            machine: text("machine"),
            lens: Self::LEN_FIELDS.map(|name| u64::from(int(name) as u32)),
        }
    }

    /// The release whose layouts a header of a known version has: its own, or the one whose lengths it has. A recorder
    /// that was built between two releases has the number of one and the structures of the other. `None` if the lengths
    /// are of no release, or of several with different fields.
    pub(crate) fn layout_version(&self) -> Option<Version> {
        let alike = self.versions_of_lens();
        if alike.contains(&self.version) {
            return Some(self.version);
        }
        let (first, others) = alike.split_first()?;
        let layouts = Layouts::of(*first);
        others.iter().all(|other| Layouts::of(*other).has_fields_of(&layouts)).then_some(*first)
    }

    /// The releases that have the lengths of this header.
    pub(crate) fn versions_of_lens(&self) -> Vec<Version> {
        let minors = Version::MINORS.map(|minor| Version { minor, ..self.version });
        minors
            .filter(|version| self.lens == FileHeader::lens_expected(&Layouts::of(*version), *version))
            .collect()
    }

    /// The lengths that a header of a known version has.
    pub(crate) fn lens_expected(layouts: &Layouts, version: Version) -> [u64; 5] {
        let len_cgroup = if version.minor >= 11 { layouts.cgroup.len } else { 0 };
        [LEN_FILE_HEADER, LEN_RECORD_HEADER, layouts.system.len, layouts.task.len, len_cgroup]
            .map(|len| len as u64)
    }
}

/// The contents of a sample's header, and its offset.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Record {
    /// Offset in the file.
    pub ofs: usize,
    /// End of the interval, seconds since 1970.
    pub time: i64,
    /// Flags ([`flag`]).
    pub flags: u16,
    /// Seconds since the previous sample, or since boot.
    pub interval: u32,
    /// Structures in the task part.
    pub num_tasks: u32,
    /// Structures in the cgroup part.
    pub num_cgroups: u16,
    /// Unpacked length of the cgroup part.
    pub len_cgroups: u32,
    /// Numbers in the pid part.
    pub num_pids: u32,
    /// Packed lengths of the parts: system, task, cgroup, pid.
    pub parts: [u32; 4],
    /// Whether no sample begins where this one ends: its lengths may be wrong.
    pub(crate) is_suspect: bool,
}

/// More than any machine has: a header that states more is fabricated, and its values would take all memory.
pub(crate) const MAX_TASKS: u32 = 1 << 18;

/// 2261-12-31T23:59:59Z: tables count nanoseconds in 64 bits, which end in April 2262.
pub(crate) const MAX_TIME: i64 = 9_214_646_399;

impl Record {
    /// Reads the header at `ofs`; `None` if the file ends in it.
    pub(crate) fn read(file: &[u8], ofs: usize, layout: &Layout) -> Option<Record> {
        let bytes = file.get(ofs..ofs.checked_add(LEN_RECORD_HEADER)?)?;
        let int = |name: &str| layout.slot(name).map_or(0, |slot| slot.int(bytes, 0));
        let len = |name: &str| int(name) as u32;
        Some(Record {
            ofs,
            time: int("time"),
            flags: int("flags") as u16,
            interval: len("interval"),
            num_tasks: len("num_tasks"),
            num_cgroups: int("num_cgroups") as u16,
            len_cgroups: len("len_cgroups"),
            num_pids: len("num_pids"),
            parts: ["len_system_part", "len_task_part", "len_cgroup_part", "len_pid_part"].map(len),
            is_suspect: false,
        })
    }

    /// Whether values are totals since boot.
    pub fn is_since_boot(&self) -> bool {
        self.flags & flag::SINCE_BOOT != 0
    }

    /// Bytes of the sample with its header.
    pub fn len_sample(&self) -> u64 {
        LEN_RECORD_HEADER as u64 + self.parts.iter().map(|len| u64::from(*len)).sum::<u64>()
    }

    /// The packed bytes of a part, by its number; `None` if it is empty.
    pub(crate) fn part<'a>(&self, file: &'a [u8], part: usize) -> Option<(usize, &'a [u8])> {
        let ofs =
            self.ofs + LEN_RECORD_HEADER + self.parts[..part].iter().map(|len| *len as usize).sum::<usize>();
        let bytes = file.get(ofs..ofs + self.parts[part] as usize)?;
        (!bytes.is_empty()).then_some((ofs, bytes))
    }

    /// Whether a sample can begin with this header, with this many bytes left in the file.
    pub(crate) fn is_plausible(&self, len_rest: usize) -> bool {
        self.has_time() && self.has_parts(len_rest)
    }

    /// Whether tables can hold its time.
    pub(crate) fn has_time(&self) -> bool {
        (1..=MAX_TIME).contains(&self.time)
    }

    fn has_parts(&self, len_rest: usize) -> bool {
        self.parts[0] > 0 && self.len_sample() <= len_rest as u64
    }

    /// Whether this is certainly a sample: redundant fields agree, reserved fields are 0, and its parts begin like zlib
    /// streams. For continuing after damage.
    pub(crate) fn is_certain(&self, file: &[u8]) -> bool {
        self.has_time() && self.is_certain_but_for_time(file)
    }

    /// Whether this is certainly a sample, whatever its time.
    pub(crate) fn is_certain_but_for_time(&self, file: &[u8]) -> bool {
        let Some(bytes) = file.get(self.ofs..self.ofs + LEN_RECORD_HEADER) else { return false };
        let begins_stream = |part| match self.part(file, part) {
            Some((_, [first, second, ..])) => {
                first & 0x0F == 8 && u16::from_be_bytes([*first, *second]) % 31 == 0
            }
            _ => false,
        };
        self.has_parts(file.len() - self.ofs)
            && bytes[28..32] == bytes[36..40]
            && bytes[12..16] == [0; 4]
            && bytes[88..92] == [0; 4]
            && self.flags & !0x1FF == 0
            && self.interval > 0
            && begins_stream(0)
            && (self.num_tasks == 0 || begins_stream(1))
    }
}
