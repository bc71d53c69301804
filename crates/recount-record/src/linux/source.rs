//! The source, which takes a sample of every object.

use recount_model::{Event, Facts, NameTable, ProcessNote, Timestamp};
use recount_perf_data::{BlockClocks, BlockStream, ObjectTemplate};
use rustix::time::{ClockId, Timespec, clock_gettime};

use super::collector::{Collector, Tick};
use super::exits::ExitRecords;
use super::facts;
use super::objects::{self, NAME_PROCESS, NAMES_BY_PROCESS, Offered};
use super::type_words::PERF_ELAPSED_TIME;
use crate::{ExitsWanted, LiveSource, ProcessOptions, TakeError, Taken};

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
    /// About this recording.
    facts: Facts,
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
    ///
    /// Of processes only counters are recorded.
    pub fn new(wanted: &dyn Fn(&str, bool) -> bool) -> LinuxSource {
        LinuxSource::of(wanted, Tick::default(), Facts::new())
    }

    /// Like [`LinuxSource::new`], with more about processes, if `Process` is among the objects.
    ///
    /// Fails if exit records are required, but not permitted.
    pub fn with_processes(
        wanted: &dyn Fn(&str, bool) -> bool,
        options: ProcessOptions,
    ) -> Result<LinuxSource, TakeError> {
        let has_process = needs_process(wanted) || wanted(NAME_PROCESS, true);
        let (mut tick, mut facts) = (Tick::default(), Facts::new());
        if has_process && options != ProcessOptions::default() {
            let (exits, fact) = exits(options.exits)?;
            tick.exits = exits;
            tick.describe = options.describe;
            facts.insert("exits".to_owned(), fact);
            facts.insert("describe".to_owned(), options.describe.to_string());
        }
        Ok(LinuxSource::of(wanted, tick, facts))
    }

    fn of(wanted: &dyn Fn(&str, bool) -> bool, mut tick: Tick, facts: Facts) -> LinuxSource {
        let (time_100ns, since_boot_100ns) = clocks();
        tick.begin(time_100ns);
        tick.since_boot_100ns = since_boot_100ns;
        let is_wanted = |offered: &Offered| wanted(offered.spec.name, offered.is_default);
        let needs_process = needs_process(wanted);
        let mut objects = Vec::new();
        for offered in objects::ALL {
            let Some(collector) = (offered.collector)(&mut tick) else { continue };
            let is_needed = needs_process && offered.spec.name == NAME_PROCESS;
            if is_needed || is_wanted(offered) {
                let template = offered.spec.template_of(|counter| collector.has_counter(counter));
                let has_clock = offered.spec.counters.iter().any(|c| c.word == PERF_ELAPSED_TIME);
                objects.push(Recorded { collector, template, has_clock });
            }
        }
        let unreadable_at_start = tick.take_unreadable();
        let stream = BlockStream::new(&facts::host());
        LinuxSource { objects, tick, stream, unreadable_at_start, facts }
    }

    /// The names of the objects in the samples, in order.
    pub fn recorded(&self) -> impl Iterator<Item = &'static str> {
        self.objects.iter().map(|object| object.collector.spec().name)
    }
}

/// Whether instances of wanted objects are named by processes.
fn needs_process(wanted: &dyn Fn(&str, bool) -> bool) -> bool {
    let by_process = |offered: &&Offered| NAMES_BY_PROCESS.contains(&offered.spec.name);
    objects::ALL.iter().filter(by_process).any(|offered| wanted(offered.spec.name, offered.is_default))
}

impl LiveSource for LinuxSource {
    fn facts(&mut self) -> Facts {
        let mut facts = facts::facts();
        facts.extend(self.facts.clone());
        facts
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

    fn processes(&mut self, all: bool) -> Vec<ProcessNote> {
        let mut notes = std::mem::take(&mut self.tick.notes);
        if all {
            notes.retain(|note| matches!(note, ProcessNote::Ended(_)));
            let described = self.tick.described.iter();
            notes.splice(0..0, described.map(|described| ProcessNote::Described((**described).clone())));
        }
        notes
    }

    fn take_events(&mut self) -> Vec<Event> {
        std::mem::take(&mut self.tick.events)
    }
}

/// The exit records of this machine, if they are wanted and may be had, and what the log says about them.
fn exits(wanted: ExitsWanted) -> Result<(Option<ExitRecords>, String), TakeError> {
    if wanted == ExitsWanted::Off {
        return Ok((None, "off".to_owned()));
    }
    match ExitRecords::open() {
        Ok(exits) => Ok((Some(exits), "on".to_owned())),
        Err(error) if wanted == ExitsWanted::Auto => Ok((None, format!("off: {error}"))),
        Err(error) => Err(TakeError::System { function: "exit records", what: error.to_string() }),
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
