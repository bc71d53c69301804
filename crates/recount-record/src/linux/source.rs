//! The source, which takes a sample of every object.

use recount_model::{Facts, NameTable, Timestamp};
use recount_perf_data::{BlockClocks, BlockStream, ObjectTemplate};
use rustix::time::{ClockId, Timespec, clock_gettime};

use super::collector::{Collector, Tick};
use super::facts;
use super::objects::{self, NAME_PROCESS, NAMES_BY_PROCESS, Offered};
use super::type_words::PERF_ELAPSED_TIME;
use crate::{LiveSource, TakeError, Taken};

/// Ticks per second of `PerfTime` and of the objects' own clocks.
pub(super) const PERF_FREQ: i64 = Timestamp::TICKS_PER_SECOND;

/// `/proc` and `/sys` as a source of samples.
///
/// `PerfTime` is `CLOCK_BOOTTIME` in 100 ns: it never steps, and it runs while the machine sleeps.
/// `PerfTime100nSec` is `CLOCK_REALTIME` as `FILETIME`, and so is the clock of the objects that have their
/// own clock (those with elapsed times).
pub struct LinuxSource {
    objects: Vec<Recorded>,
    tick: Tick,
    stream: BlockStream,
    /// Readings that failed during detection; reported with the first sample.
    unreadable_at_start: (u64, Option<String>),
}

struct Recorded {
    collector: Box<dyn Collector>,
    template: ObjectTemplate,
    /// Whether a counter needs the object's own clock. Objects without such counters have none: in a log, a
    /// clock costs more than many counters.
    has_clock: bool,
}

impl LinuxSource {
    /// A source of the objects that this machine has and that `wanted` accepts, given their name and whether
    /// they are on by default. Objects whose instances are named by processes also include `Process`.
    pub fn new(wanted: &dyn Fn(&str, bool) -> bool) -> Result<LinuxSource, TakeError> {
        let mut tick = Tick::default();
        let (time_100ns, since_boot_100ns) = clocks();
        tick.begin(time_100ns);
        tick.since_boot_100ns = since_boot_100ns;
        let is_wanted = |offered: &Offered| wanted(offered.spec.name, offered.is_default);
        let by_process = |offered: &&Offered| NAMES_BY_PROCESS.contains(&offered.spec.name);
        let needs_process = objects::ALL.iter().filter(by_process).any(is_wanted);
        let mut objects = Vec::new();
        for offered in objects::ALL {
            let Some(collector) = (offered.collector)(&mut tick) else { continue };
            let is_needed = needs_process && offered.spec.name == NAME_PROCESS;
            if is_needed || is_wanted(offered) {
                let template = offered.spec.template_of(|counter| collector.has_counter(counter))?;
                let has_clock = offered.spec.counters.iter().any(|c| c.word == PERF_ELAPSED_TIME);
                objects.push(Recorded { collector, template, has_clock });
            }
        }
        let unreadable_at_start = tick.take_unreadable();
        let stream = BlockStream::new(&facts::host());
        Ok(LinuxSource { objects, tick, stream, unreadable_at_start })
    }

    /// The names of the objects in the samples, in order.
    pub fn recorded(&self) -> impl Iterator<Item = &'static str> {
        self.objects.iter().map(|object| object.collector.spec().name)
    }
}

impl LiveSource for LinuxSource {
    fn facts(&mut self) -> Facts {
        facts::facts()
    }

    fn texts(&mut self) -> Vec<(String, NameTable)> {
        let mut texts = NameTable::new();
        for object in &self.objects {
            object.collector.spec().add_texts(&mut texts);
        }
        vec![("009".to_owned(), texts)]
    }

    fn take(&mut self) -> Result<Option<Taken>, TakeError> {
        let (time_100ns, since_boot_100ns) = clocks();
        self.tick.begin(time_100ns);
        self.tick.since_boot_100ns = since_boot_100ns;
        let clocks =
            BlockClocks { perf_time: since_boot_100ns, perf_freq: PERF_FREQ, perf_time_100ns: time_100ns };
        self.stream.begin(clocks);
        for Recorded { collector, template, has_clock } in &mut self.objects {
            if collector.prepare(&mut self.tick) {
                let (object_time, object_freq) = if *has_clock { (time_100ns, PERF_FREQ) } else { (0, 0) };
                let mut object = self.stream.object(template, object_time, object_freq);
                collector.collect(&mut self.tick, &mut object);
            }
        }
        self.stream.finish()?;
        let (mut num_unreadable, mut first_unreadable) = std::mem::take(&mut self.unreadable_at_start);
        let (num, first) = self.tick.take_unreadable();
        num_unreadable += num;
        first_unreadable = first_unreadable.or(first);
        Ok(Some(Taken { time: Timestamp(time_100ns), num_unreadable, first_unreadable }))
    }

    fn sample(&self) -> &[u8] {
        self.stream.bytes()
    }
}

/// Wall clock as `FILETIME`, and time since booting, both in 100 ns and read directly after each other.
fn clocks() -> (i64, i64) {
    let wall = clock_gettime(ClockId::Realtime);
    let since_boot = clock_gettime(ClockId::Boottime);
    (Timestamp::UNIX_EPOCH.0.saturating_add(in_100ns(wall)), in_100ns(since_boot))
}

fn in_100ns(time: Timespec) -> i64 {
    time.tv_sec.saturating_mul(10_000_000).saturating_add(time.tv_nsec / 100)
}
