//! `Processor Information`: frequencies.

use std::collections::BTreeMap;
use std::fs;
use std::path::PathBuf;

use recount_perf_data::{InstanceName, ObjectStream};

use super::collector::{Collector, Tick};
use super::counter_slots::CounterSlots;
use super::fields::number;
use super::kept_file::KeptFile;
use super::object_spec::{CounterSpec, ObjectSpec};
use super::system_files::SystemFile;
use super::type_words::PERF_COUNTER_RAWCOUNT;

static COUNTERS: [CounterSpec; 2] = [
    CounterSpec {
        name: "Processor Frequency",
        help: "Frequency in MHz. /sys/devices/system/cpu/cpuN/cpufreq/scaling_cur_freq; without it /proc/cpuinfo, cpu MHz, \
               which may be the nominal one on a virtual machine.",
        word: PERF_COUNTER_RAWCOUNT,
        scale: -2,
    },
    CounterSpec {
        name: "% of Maximum Frequency",
        help: "Frequency as a share of the highest. /sys/devices/system/cpu/cpuN/cpufreq/scaling_cur_freq by \
               cpuinfo_max_freq; left out on machines without them.",
        word: PERF_COUNTER_RAWCOUNT,
        scale: 0,
    },
];

pub(super) static SPEC: ObjectSpec = ObjectSpec {
    index: 11_000,
    name: "Processor Information",
    help: "Frequencies of processors. One instance per processor that is online, named by its NUMA node and its number \
           (0,3).",
    instanced: true,
    counters: &COUNTERS,
};

/// Frequencies that the kernel shows in `/sys`.
struct CpuFreq {
    current: KeptFile,
    /// kHz.
    maximum: u64,
}

impl CpuFreq {
    fn open(number_of: u32) -> Option<CpuFreq> {
        let folder = folder(number_of).join("cpufreq");
        let maximum = fs::read_to_string(folder.join("cpuinfo_max_freq")).ok()?;
        let maximum = number(&maximum).filter(|maximum| *maximum > 0)?;
        Some(CpuFreq { current: KeptFile::open(&folder.join("scaling_cur_freq")).ok()?, maximum })
    }
}

fn folder(number_of: u32) -> PathBuf {
    PathBuf::from(format!("/sys/devices/system/cpu/cpu{number_of}"))
}

/// The NUMA node of a processor: its directory has a link `nodeN`. Without NUMA there is only node 0.
fn node(number_of: u32) -> u32 {
    let Ok(entries) = fs::read_dir(folder(number_of)) else { return 0 };
    let mut names = entries.filter_map(|entry| entry.ok()?.file_name().into_string().ok());
    names.find_map(|name| name.strip_prefix("node")?.parse().ok()).unwrap_or(0)
}

/// The number of every processor in `/proc/cpuinfo`, with its frequency in MHz.
fn parse_cpuinfo(text: &str, found: &mut Vec<(u32, u64)>) {
    found.clear();
    let mut processor = None;
    for line in text.split('\n') {
        // Lines of flags are long, so only these two names are searched for.
        if let Some(value) = value_of(line, "processor") {
            processor = number(value).and_then(|processor| u32::try_from(processor).ok());
        } else if let Some(value) = value_of(line, "cpu MHz")
            && let (Some(processor), Some(mhz)) = (processor, rounded(value))
        {
            found.push((processor, mhz));
        }
    }
}

/// The text after a name, tabs and a colon.
fn value_of<'t>(line: &'t str, name: &str) -> Option<&'t str> {
    line.strip_prefix(name)?.trim_start_matches('\t').strip_prefix(": ")
}

/// A decimal fraction to the nearest whole number, halves up.
fn rounded(text: &str) -> Option<u64> {
    let (whole, fraction) = text.split_once('.').unwrap_or((text, ""));
    Some(number(whole)? + u64::from(fraction.as_bytes().first().is_some_and(|digit| *digit >= b'5')))
}

/// Reads `Processor Information`.
pub(super) struct ProcessorInformationCollector {
    /// Every processor seen so far: its instance name, and where its frequency is read.
    processors: BTreeMap<u32, (String, Option<CpuFreq>)>,
    has_cpufreq: bool,
    frequencies: Vec<(u32, u64)>,
    slots: CounterSlots,
}

impl ProcessorInformationCollector {
    pub(super) fn new(tick: &mut Tick) -> Option<ProcessorInformationCollector> {
        let has_cpufreq = CpuFreq::open(0).is_some();
        let mut collector = ProcessorInformationCollector {
            processors: BTreeMap::new(),
            has_cpufreq,
            frequencies: Vec::new(),
            slots: CounterSlots::new([true, has_cpufreq].into_iter()),
        };
        collector.prepare(tick).then_some(collector)
    }

    /// The processors online, from `/proc/stat`, which is read anyway.
    fn read_cpufreq(&mut self, tick: &mut Tick) {
        self.frequencies.clear();
        let Some(stat) = tick.file(SystemFile::Stat) else { return };
        let names = stat.split('\n').map_while(|line| line.strip_prefix("cpu")?.split(' ').next());
        let online = names.filter_map(|digits| u32::try_from(number(digits)?).ok());
        for processor in online {
            let (_, cpufreq) = self.processors.entry(processor).or_insert_with(|| describe(processor));
            // A processor that went offline between the two readings has no frequency.
            let text = cpufreq.as_mut().and_then(|cpufreq| cpufreq.current.read().ok());
            if let Some(khz) = text.and_then(number) {
                self.frequencies.push((processor, khz));
            }
        }
    }
}

fn describe(processor: u32) -> (String, Option<CpuFreq>) {
    (format!("{},{processor}", node(processor)), CpuFreq::open(processor))
}

impl Collector for ProcessorInformationCollector {
    fn spec(&self) -> &'static ObjectSpec {
        &SPEC
    }

    fn has_counter(&self, counter: usize) -> bool {
        self.slots.has(counter)
    }

    fn prepare(&mut self, tick: &mut Tick) -> bool {
        if self.has_cpufreq {
            self.read_cpufreq(tick);
        } else {
            let Some(text) = tick.file(SystemFile::Cpuinfo) else { return false };
            parse_cpuinfo(text, &mut self.frequencies);
        }
        !self.frequencies.is_empty()
    }

    fn collect(&mut self, _tick: &mut Tick, object: &mut ObjectStream<'_>) {
        for &(processor, frequency) in &self.frequencies {
            let (name, cpufreq) = self.processors.entry(processor).or_insert_with(|| describe(processor));
            let mut block = object.instance(InstanceName::new(name));
            match cpufreq {
                Some(CpuFreq { maximum, .. }) => {
                    self.slots.set_all(&mut block, &[frequency / 1000, frequency * 100 / *maximum]);
                }
                None => self.slots.set(&mut block, 0, frequency),
            }
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn cpuinfo_gives_numbers_and_frequencies() {
        let text = "processor\t: 0\nvendor_id\t: X\ncpu MHz\t\t: 2596.126\nflags\t\t: fpu\n\nprocessor\t: 3\ncpu MHz\t\t: 800.500\n";
        let mut found = Vec::new();
        parse_cpuinfo(text, &mut found);
        assert_eq!(found, [(0, 2596), (3, 801)]);
        parse_cpuinfo("Processor\t: ARMv7\nBogoMIPS\t: 4.80\n", &mut found);
        assert_eq!(found, []);
    }
}
