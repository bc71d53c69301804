//! By which counters processes are chosen, and what is said of them.

use recount_tables::processes::PROCESSORS;

use super::rule::Who;

/// The object of processors. Those of large Windows machines, in groups, are in another one.
const PROCESSOR: &str = "Processor";
const PROCESSOR_TIME: &str = "% Processor Time";

/// Which processes may be behind a counter, by its object.
pub(crate) fn who_by_object(object: &str, counter: &str) -> Option<Who> {
    match object {
        _ if PROCESSORS.contains(&object) => Some(Who::Cpu),
        "Memory" if counter.contains("Commit") => Some(Who::Commit),
        "Memory" => Some(Who::Memory),
        "Paging File" => Some(Who::Commit),
        "PhysicalDisk" => Some(Who::Io),
        _ => None,
    }
}

/// The counters by which processes are chosen.
pub(super) fn counters_of(who: Who) -> impl Iterator<Item = &'static str> {
    who.measures().iter().flat_map(|measure| measure.counters).copied()
}

/// How processes are chosen, and what is said of them.
pub(super) struct Measure {
    /// Counters whose sum says it.
    pub(super) counters: &'static [&'static str],
    pub(super) words: &'static str,
    /// Of the growth; empty of what has no level.
    pub(super) words_of_growth: &'static str,
    pub(super) unit: &'static str,
    /// Less than this, and nobody is named.
    pub(super) least: f64,
    /// Whether the values of several processes have a sum. Working sets share pages.
    pub(super) has_sum: bool,
    /// The object and counter of what they use together.
    pub(super) whole: Option<(&'static str, &'static str)>,
}

const MIB: f64 = 1_048_576.0;
const WORKING_SET: Measure =
    memory(&["Working Set"], ["largest working sets", "working sets that grew most"], false);
const PRIVATE_WORKING_SET: Measure = memory(
    &["Working Set - Private"],
    ["largest private working sets", "private working sets that grew most"],
    true,
);
const PRIVATE_BYTES: Measure =
    memory(&["Private Bytes"], ["most private bytes", "private bytes that grew most"], true);

const fn memory(counters: &'static [&'static str], words: [&'static str; 2], has_sum: bool) -> Measure {
    let [words, words_of_growth] = words;
    Measure { counters, words, words_of_growth, unit: "bytes", least: 10.0 * MIB, has_sum, whole: None }
}

const fn traffic(counters: &'static [&'static str], words: &'static str, of_disks: &'static str) -> Measure {
    let whole = Some(("PhysicalDisk", of_disks));
    Measure {
        counters,
        words,
        words_of_growth: "",
        unit: "bytes/sec",
        least: MIB / 4.0,
        has_sum: true,
        whole,
    }
}

impl Who {
    /// The first of which the capture has any counter is used.
    pub(super) fn measures(self) -> &'static [Measure] {
        const CPU: &str = "most processor time (100 % is one processor)";
        const READ: &str = "most read by";
        const WRITTEN: &str = "most written by";
        const BOTH: &str = "most read and written by";
        const READ_BYTES: &str = "Disk Read Bytes/sec";
        const WRITTEN_BYTES: &str = "Disk Write Bytes/sec";
        const BYTES: &str = "Disk Bytes/sec";
        match self {
            Who::Cpu => {
                const {
                    let counters = &[PROCESSOR_TIME];
                    &[Measure {
                        counters,
                        words: CPU,
                        words_of_growth: "",
                        unit: "%",
                        least: 5.0,
                        has_sum: true,
                        whole: Some((PROCESSOR, PROCESSOR_TIME)),
                    }]
                }
            }
            Who::Memory => const { &[WORKING_SET, PRIVATE_WORKING_SET, PRIVATE_BYTES] },
            Who::Commit => const { &[PRIVATE_BYTES, PRIVATE_WORKING_SET, WORKING_SET] },
            Who::Reads => {
                const {
                    &[
                        traffic(&["Storage Read Bytes/sec"], READ, READ_BYTES),
                        traffic(&["IO Read Bytes/sec"], READ, READ_BYTES),
                    ]
                }
            }
            Who::Writes => {
                const {
                    &[
                        traffic(&["Storage Write Bytes/sec"], WRITTEN, WRITTEN_BYTES),
                        traffic(&["IO Write Bytes/sec"], WRITTEN, WRITTEN_BYTES),
                    ]
                }
            }
            Who::Io => {
                const {
                    &[
                        traffic(&["Storage Read Bytes/sec", "Storage Write Bytes/sec"], BOTH, BYTES),
                        traffic(&["IO Data Bytes/sec"], BOTH, BYTES),
                        traffic(&["IO Read Bytes/sec", "IO Write Bytes/sec"], BOTH, BYTES),
                    ]
                }
            }
            Who::None => &[],
        }
    }
}
