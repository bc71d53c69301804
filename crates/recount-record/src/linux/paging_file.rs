//! `Paging File`: swap areas.

use recount_perf_data::{InstanceName, ObjectStream};

use super::collector::{Collector, Tick};
use super::counter_slots::CounterSlots;
use super::escapes::unescape;
use super::fields::number;
use super::object_spec::{CounterSpec, ObjectSpec};
use super::system_files::SystemFile;
use super::total_identity::TotalIdentity;
use super::totals::in_32_bits;
use super::type_words::{PERF_COUNTER_LARGE_RAWCOUNT, PERF_RAW_BASE, PERF_RAW_FRACTION};

static COUNTERS: [CounterSpec; 4] = [
    CounterSpec {
        name: "% Usage",
        help: "Share of the area that is in use. /proc/swaps, Used.",
        word: PERF_RAW_FRACTION,
        scale: 0,
    },
    CounterSpec {
        name: "% Usage Base",
        help: "The base of % Usage. /proc/swaps, Size.",
        word: PERF_RAW_BASE,
        scale: 0,
    },
    CounterSpec {
        name: "Used Bytes",
        help: "Bytes of the area that are in use. /proc/swaps, Used.",
        word: PERF_COUNTER_LARGE_RAWCOUNT,
        scale: -6,
    },
    CounterSpec {
        name: "Size Bytes",
        help: "Size of the area. /proc/swaps, Size.",
        word: PERF_COUNTER_LARGE_RAWCOUNT,
        scale: -6,
    },
];

pub(super) static SPEC: ObjectSpec = ObjectSpec {
    index: 18_000,
    name: "Paging File",
    help: "Swap areas. One instance per area, named by its path, and _Total, their sum, if there is any.",
    instanced: true,
    counters: &COUNTERS,
};

/// An area; sizes in kB.
#[derive(Clone, Debug, PartialEq, Eq)]
struct Area {
    path: String,
    size: u64,
    used: u64,
}

impl Area {
    fn values(&self) -> [u64; 4] {
        let (part, whole) = in_32_bits(self.used, self.size);
        [part, whole, self.used.saturating_mul(1024), self.size.saturating_mul(1024)]
    }
}

/// The areas of `/proc/swaps`. The error describes the first invalid line.
fn parse(text: &str) -> Result<Vec<Area>, String> {
    text.lines()
        .skip(1)
        .map(|line| {
            area(line).ok_or_else(|| format!("expected path, type, size, used and priority, found {line:?}"))
        })
        .collect()
}

/// Blanks in the path are written as `\040`, but ` (deleted)` may follow the path, so the numbers are taken
/// from the end.
fn area(line: &str) -> Option<Area> {
    let words: Vec<&str> = line.split_ascii_whitespace().collect();
    let [path @ .., _kind, size, used, _priority] = &words[..] else { return None };
    if path.is_empty() {
        return None;
    }
    Some(Area { path: unescape(&path.join(" ")), size: number(size)?, used: number(used)? })
}

/// Reads `Paging File`.
pub(super) struct PagingFileCollector {
    areas: Vec<Area>,
    total: TotalIdentity,
    slots: CounterSlots,
}

impl PagingFileCollector {
    pub(super) fn new(tick: &mut Tick) -> Option<PagingFileCollector> {
        tick.file(SystemFile::Swaps)?;
        Some(PagingFileCollector {
            areas: Vec::new(),
            total: TotalIdentity::default(),
            slots: CounterSlots::new(COUNTERS.iter().map(|_| true)),
        })
    }
}

impl Collector for PagingFileCollector {
    fn spec(&self) -> &'static ObjectSpec {
        &SPEC
    }

    fn prepare(&mut self, tick: &mut Tick) -> bool {
        let Some(text) = tick.file(SystemFile::Swaps) else { return false };
        match parse(text) {
            Ok(areas) => {
                self.areas = areas;
                true
            }
            Err(what) => {
                tick.unreadable(SystemFile::Swaps.path(), what);
                false
            }
        }
    }

    fn collect(&mut self, _tick: &mut Tick, object: &mut ObjectStream<'_>) {
        for area in &self.areas {
            self.slots.set_all(&mut object.instance(InstanceName::new(&area.path)), &area.values());
        }
        if !self.areas.is_empty() {
            let sum = |size: fn(&Area) -> u64| self.areas.iter().map(size).fold(0, u64::saturating_add);
            let total =
                Area { path: String::new(), size: sum(|area| area.size), used: sum(|area| area.used) };
            let unique_id = self.total.unique_id(self.areas.iter().map(|area| &area.path));
            let name = InstanceName { name: "_Total", parent: None, unique_id };
            self.slots.set_all(&mut object.instance(name), &total.values());
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    const HEADER: &str = "Filename\t\t\t\tType\t\tSize\t\tUsed\t\tPriority\n";

    #[test]
    fn areas_are_read() {
        let text = format!(
            "{HEADER}/dev/dm-1                               partition\t8388604\t\t1024\t\t-2\n\
             /var/my\\040swap\\040(deleted)                   file\t\t524284\t\t0\t\t5\n"
        );
        let areas = parse(&text).expect("sound");
        assert_eq!(areas[0], Area { path: "/dev/dm-1".into(), size: 8_388_604, used: 1024 });
        assert_eq!(areas[1].path, "/var/my swap (deleted)");
        assert_eq!(areas[0].values(), [1024, 8_388_604, 1_048_576, 8_589_930_496]);
        assert_eq!(parse(HEADER), Ok(Vec::new()));
    }

    #[test]
    fn an_unsound_line_is_reported() {
        for line in ["/dev/sda2 partition 5", "/dev/sda2 partition x 5 -2", "partition 1 2 3"] {
            assert!(parse(&format!("{HEADER}{line}\n")).expect_err("unsound").contains(line));
        }
    }
}
