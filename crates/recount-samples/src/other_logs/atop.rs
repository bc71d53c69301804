//! A small writer of logs of any version, which lays structures out by the tables.

use std::sync::Arc;

use recount_atop::structure::layout::{Item, Layout, Type};
use recount_atop::structure::{CGROUP, SYSTEM, TASK};
use recount_atop::{AtopError, AtopLog};

use super::zlib::zip;

/// 2026-11-22T00:00:00Z.
pub const START: i64 = 1_795_305_600;

/// A structure with all its bytes.
#[derive(Clone)]
pub struct Structure {
    layout: Arc<Layout>,
    pub bytes: Vec<u8>,
}

impl Structure {
    fn new(items: &[Item], minor: u8, fill: u8) -> Structure {
        let layout = Layout::new(items, minor);
        Structure { bytes: vec![fill; layout.len], layout: Arc::new(layout) }
    }

    pub fn system(minor: u8) -> Structure {
        Structure::new(SYSTEM, minor, 0)
    }

    /// A process in left-over memory.
    pub fn task(minor: u8) -> Structure {
        let mut task = Structure::new(TASK, minor, 0xAA);
        let names: Vec<String> = task.layout.fields().map(|(name, _)| name.to_owned()).collect();
        // Fields that the version defines are set, but for those of GPUs.
        names.iter().filter(|name| !name.starts_with("gpu.")).for_each(|name| task.zero(name));
        task.set("gen.is_process", 1).set("gen.state", i64::from(b'S')).set("gen.start", START - 100);
        task.set("gen.pid", 42).set("gen.tgid", 42).text("gen.name", "busy");
        task
    }

    pub fn cgroup(name: &str, number: i64, parent: i64, num_processes: i64) -> Vec<u8> {
        let mut cgroup = Structure::new(CGROUP, 12, 0);
        let len = (cgroup.bytes.len() + name.len() + 1).next_multiple_of(8);
        cgroup.set("gen.length", len as i64).set("gen.sequence", number).set("gen.parent", parent);
        cgroup.set("gen.processes", num_processes).set("cpu.user", 250_000).set("mem.current", -1);
        let mut bytes = cgroup.bytes;
        bytes.extend(name.bytes());
        bytes.resize(len, 0);
        bytes
    }

    fn zero(&mut self, name: &str) {
        let slot = self.layout.slot(name).expect("a field");
        let len = match slot.of {
            Type::Text(len) => len,
            Type::C8 | Type::I8 | Type::U8 => 1,
            Type::I16 | Type::U16 => 2,
            Type::I32 | Type::U32 | Type::F32 => 4,
            Type::I64 | Type::U64 => 8,
        };
        self.bytes[slot.ofs..slot.ofs + len].fill(0);
    }

    pub fn set(&mut self, name: &str, value: i64) -> &mut Structure {
        self.set_at(name, 0, value)
    }

    pub fn set_at(&mut self, name: &str, entry: usize, value: i64) -> &mut Structure {
        let slot = self.layout.slot(name).unwrap_or_else(|| panic!("no field {name}"));
        let ofs = slot.ofs + entry * slot.len_entry;
        let bytes = match slot.of {
            Type::C8 | Type::I8 | Type::U8 => value.to_le_bytes()[..1].to_vec(),
            Type::I16 | Type::U16 => value.to_le_bytes()[..2].to_vec(),
            Type::I32 | Type::U32 => value.to_le_bytes()[..4].to_vec(),
            Type::F32 => (value as f32).to_le_bytes().to_vec(),
            Type::I64 | Type::U64 => value.to_le_bytes().to_vec(),
            Type::Text(_) => panic!("{name} is text"),
        };
        self.bytes[ofs..ofs + bytes.len()].copy_from_slice(&bytes);
        self
    }

    pub fn has(&self, name: &str) -> bool {
        self.layout.slot(name).is_some()
    }

    pub fn text(&mut self, name: &str, text: &str) -> &mut Structure {
        self.text_at(name, 0, text)
    }

    pub fn text_at(&mut self, name: &str, entry: usize, text: &str) -> &mut Structure {
        let slot = self.layout.slot(name).expect("a field");
        let ofs = slot.ofs + entry * slot.len_entry;
        self.bytes[ofs..ofs + text.len()].copy_from_slice(text.as_bytes());
        self.bytes[ofs + text.len()] = 0;
        self
    }
}

/// A sample to be written.
pub struct Sample {
    pub time: i64,
    pub interval: u32,
    pub flags: u16,
    pub system: Structure,
    pub tasks: Vec<Structure>,
    pub cgroups: Vec<Vec<u8>>,
    /// The processes of the cgroups, by id.
    pub pids: Vec<i32>,
}

impl Sample {
    pub fn new(minor: u8, time: i64, interval: u32) -> Sample {
        let mut system = Structure::system(minor);
        system.set("cpu.n_cpus", 2);
        if system.has("cpu.n_slots") {
            system.set("cpu.n_slots", 3).set_at("cpu.cpus.online", 0, 1).set_at("cpu.cpus.online", 2, 1);
            system.set_at("cpu.cpus.number", 2, 2);
        } else {
            system.set_at("cpu.cpus.number", 1, 1);
        }
        let second = if system.has("cpu.n_slots") { 2 } else { 1 };
        for entry in [0, second] {
            system.set_at("cpu.cpus.system", entry, 25).set_at("cpu.cpus.idle", entry, 75);
        }
        system.set("cpu.all.system", 50).set("cpu.all.idle", 150);
        system.set("mem.total", 1000).set("mem.free", 250).set("cpu.context_switches", 600);
        Sample { time, interval, flags: 0, system, tasks: Vec::new(), cgroups: Vec::new(), pids: vec![0] }
    }

    pub fn bytes(&self) -> Vec<u8> {
        let system = zip(&self.system.bytes);
        let all: Vec<u8> = self.tasks.iter().flat_map(|task| task.bytes.iter().copied()).collect();
        let tasks = zip(&all);
        let (cgroups, raw) = (zip(&self.cgroups.concat()), self.cgroups.concat().len());
        let has_cgroups = !self.cgroups.is_empty();
        let pids = zip(&self.pids.iter().flat_map(|pid| pid.to_le_bytes()).collect::<Vec<u8>>());
        let num_tasks = self.tasks.len() as u32;
        let mut bytes = self.time.to_le_bytes().to_vec();
        bytes.extend(self.flags.to_le_bytes());
        bytes.extend((self.cgroups.len() as u16).to_le_bytes());
        bytes.extend([0; 4]);
        let counts = [num_tasks, num_tasks, num_tasks, 2, 3, 0, 0, 0, 0, 0];
        let words = [system.len() as u32, tasks.len() as u32, self.interval].into_iter().chain(counts);
        bytes.extend(words.flat_map(u32::to_le_bytes));
        bytes.resize(72, 0);
        let tail = if has_cgroups {
            [cgroups.len() as u32, raw as u32, self.pids.len() as u32, pids.len() as u32]
        } else {
            [0; 4]
        };
        bytes.extend(tail.iter().flat_map(|word| word.to_le_bytes()));
        bytes.resize(96, 0);
        bytes.extend(system);
        bytes.extend(tasks);
        if has_cgroups {
            bytes.extend(cgroups);
            bytes.extend(pids);
        }
        bytes
    }
}

pub fn header(minor: u8) -> Vec<u8> {
    let mut bytes = vec![0; 480];
    let mut put = |ofs: usize, value: &[u8]| bytes[ofs..ofs + value.len()].copy_from_slice(value);
    put(0, &0xFEED_BEEF_u32.to_le_bytes());
    put(4, &(0x8200 | u16::from(minor)).to_le_bytes());
    put(10, &480_u16.to_le_bytes());
    put(12, &96_u16.to_le_bytes());
    put(14, &100_u16.to_le_bytes());
    put(28, &(Layout::new(SYSTEM, minor).len as u32).to_le_bytes());
    put(32, &(Layout::new(TASK, minor).len as u32).to_le_bytes());
    put(36, b"Linux");
    put(101, b"web1");
    put(166, b"6.1.0");
    put(436, &4096_u32.to_le_bytes());
    put(456, &if minor >= 11 { 432_u32 } else { 0 }.to_le_bytes());
    bytes
}

pub fn file(minor: u8, samples: &[Sample]) -> Vec<u8> {
    let mut bytes = header(minor);
    bytes.extend(samples.iter().flat_map(Sample::bytes));
    bytes
}

/// Three samples: one since boot, and two with a process each.
pub fn three(minor: u8) -> Vec<Sample> {
    (0..3)
        .map(|number| {
            let mut sample = Sample::new(minor, START + 10 * number, 10);
            if number == 0 {
                sample.flags = 1;
                sample.interval = 1000;
            }
            let mut task = Structure::task(minor);
            task.set("cpu.user", 500).set("mem.virtual", 8192).set("mem.resident", 2048);
            sample.tasks.push(task);
            sample
        })
        .collect()
}

pub fn open(bytes: Vec<u8>) -> Result<AtopLog, AtopError> {
    AtopLog::open(Arc::new(bytes))
}
