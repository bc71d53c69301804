//! `Processor`.

use recount_perf_data::{InstanceName, ObjectStream};

use super::collector::{Collector, Tick};
use super::counter_slots::CounterSlots;
use super::fields::number;
use super::object_spec::{CounterSpec, ObjectSpec};
use super::system_files::SystemFile;
use super::total_identity::TotalIdentity;
use super::type_words::{PERF_100NSEC_TIMER, PERF_100NSEC_TIMER_INV};

const fn share(name: &'static str, word: u32, help: &'static str) -> CounterSpec {
    CounterSpec { name, help, word, scale: 0 }
}

/// In the order of [`CpuTimes::values`].
#[rustfmt::skip]
static COUNTERS: [CounterSpec; NUM_COUNTERS] = [
    share("% Processor Time", PERF_100NSEC_TIMER_INV,
        "Share of time in which the processor was not idle; the raw value is its idle time. /proc/stat, cpuN, idle + iowait."),
    share("% User Time", PERF_100NSEC_TIMER,
        "Share of time spent in processes' own code, nice or not, guests of virtual machines included. /proc/stat, cpuN, user + nice."),
    share("% Privileged Time", PERF_100NSEC_TIMER,
        "Share of time spent in the kernel, interrupts included. /proc/stat, cpuN, system + irq + softirq."),
    share("% Idle Time", PERF_100NSEC_TIMER,
        "Share of time in which the processor had nothing to run. /proc/stat, cpuN, idle + iowait."),
    share("% Interrupt Time", PERF_100NSEC_TIMER,
        "Share of time spent on interrupts. /proc/stat, cpuN, irq."),
    share("% DPC Time", PERF_100NSEC_TIMER,
        "Share of time spent on soft interrupts, which Windows calls deferred procedure calls. /proc/stat, cpuN, softirq."),
    share("% Nice Time", PERF_100NSEC_TIMER,
        "Share of time spent in the own code of processes of lowered priority; part of % User Time. /proc/stat, cpuN, nice."),
    share("% IO Wait Time", PERF_100NSEC_TIMER,
        "Share of time in which the processor was idle while a thread of it waited for I/O; part of % Idle Time. /proc/stat, cpuN, iowait."),
    share("% Steal Time", PERF_100NSEC_TIMER,
        "Share of time in which the hypervisor ran something else; part of % Processor Time, but neither of % User Time nor of % Privileged Time. /proc/stat, cpuN, steal."),
    share("% Guest Time", PERF_100NSEC_TIMER,
        "Share of time spent running virtual machines; part of % User Time. /proc/stat, cpuN, guest + guest_nice."),
];

const NUM_COUNTERS: usize = 10;

pub(super) static SPEC: ObjectSpec = ObjectSpec {
    index: 10_000,
    name: "Processor",
    help: "Times of processors. One instance per processor that is online, named by its number, and _Total, their mean. \
           The kernel counts in ticks, mostly of 10 ms, and sometimes corrects idle time downward; that interval has no value.",
    instanced: true,
    counters: &COUNTERS,
};

/// The kernel's counts for one processor, in its ticks.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
struct CpuTimes {
    number: u32,
    /// user, nice, system, idle, iowait, irq, softirq, steal, guest, `guest_nice`.
    ticks: [u64; 10],
}

impl CpuTimes {
    /// In the order of [`COUNTERS`], in ticks.
    fn values(&self) -> [u64; NUM_COUNTERS] {
        let [user, nice, system, idle, iowait, irq, softirq, steal, guest, guest_nice] = self.ticks;
        let idle = idle.wrapping_add(iowait);
        [
            idle,
            user.wrapping_add(nice),
            system.wrapping_add(irq).wrapping_add(softirq),
            idle,
            irq,
            softirq,
            nice,
            iowait,
            steal,
            guest.wrapping_add(guest_nice),
        ]
    }
}

/// The processors of `/proc/stat`. `None` if a line doesn't have all ten times, as since Linux 2.6.33.
fn parse(text: &str, processors: &mut Vec<CpuTimes>) -> Option<()> {
    processors.clear();
    // The total comes first, then the processors; the rest isn't used here.
    for line in text.split('\n').take_while(|line| line.starts_with("cpu")) {
        let (name, times) = line.split_once(' ')?;
        let Some(number_of) = name.strip_prefix("cpu").filter(|digits| !digits.is_empty()) else { continue };
        let mut cpu = CpuTimes { number: u32::try_from(number(number_of)?).ok()?, ..CpuTimes::default() };
        let mut words = times.split_ascii_whitespace();
        for ticks in &mut cpu.ticks {
            *ticks = number(words.next()?)?;
        }
        processors.push(cpu);
    }
    if processors.is_empty() { None } else { Some(()) }
}

/// Kernel ticks in 100 ns.
fn in_100ns(ticks: u64, num_ticks_per_second: u64) -> u64 {
    // 64 bits of 100 ns are 58,000 years.
    (u128::from(ticks) * 10_000_000 / u128::from(num_ticks_per_second.max(1))) as u64
}

/// Reads `Processor`.
pub(super) struct ProcessorCollector {
    num_ticks_per_second: u64,
    processors: Vec<CpuTimes>,
    name: String,
    total: TotalIdentity,
    slots: CounterSlots,
}

impl ProcessorCollector {
    pub(super) fn new(tick: &mut Tick) -> Option<ProcessorCollector> {
        let mut processors = Vec::new();
        parse(tick.file(SystemFile::Stat)?, &mut processors)?;
        Some(ProcessorCollector {
            num_ticks_per_second: rustix::param::clock_ticks_per_second(),
            processors,
            name: String::new(),
            total: TotalIdentity::default(),
            slots: CounterSlots::new(COUNTERS.iter().map(|_| true)),
        })
    }
}

impl Collector for ProcessorCollector {
    fn spec(&self) -> &'static ObjectSpec {
        &SPEC
    }

    fn prepare(&mut self, tick: &mut Tick) -> bool {
        let Some(text) = tick.file(SystemFile::Stat) else { return false };
        let parsed = parse(text, &mut self.processors);
        if parsed.is_none() {
            tick.unreadable(SystemFile::Stat.path(), "expected lines cpuN with ten times each");
        }
        parsed.is_some()
    }

    fn collect(&mut self, _tick: &mut Tick, object: &mut ObjectStream<'_>) {
        let mut sums = [0_u64; NUM_COUNTERS];
        for cpu in &self.processors {
            let values = cpu.values().map(|ticks| in_100ns(ticks, self.num_ticks_per_second));
            for (sum, value) in sums.iter_mut().zip(values) {
                *sum = sum.wrapping_add(value);
            }
            self.name.clear();
            let _ = std::fmt::Write::write_fmt(&mut self.name, format_args!("{}", cpu.number));
            self.slots.set_all(&mut object.instance(InstanceName::new(&self.name)), &values);
        }
        let unique_id = self.total.unique_id(self.processors.iter().map(|cpu| cpu.number));
        let means = sums.map(|sum| sum / self.processors.len().max(1) as u64);
        let name = InstanceName { name: "_Total", parent: None, unique_id };
        self.slots.set_all(&mut object.instance(name), &means);
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn processors_are_read_and_the_total_line_is_not() {
        let text = "cpu  30 2 4 6 8 10 12 14 16 18\ncpu0 1 2 3 4 5 6 7 8 9 10\ncpu12 2 0 0 0 0 0 0 0 0 0 99\nintr 5\n";
        let mut processors = Vec::new();
        parse(text, &mut processors).expect("sound");
        assert_eq!(processors.iter().map(|cpu| cpu.number).collect::<Vec<_>>(), [0, 12]);
        assert_eq!(processors[0].values(), [9, 3, 16, 9, 6, 7, 2, 5, 8, 19]);
        for unsound in
            ["", "cpu  1 2 3 4 5 6 7 8 9 10\n", "cpu0 1 2 3 4 5 6 7\n", "cpux 1 2 3 4 5 6 7 8 9 10\n"]
        {
            assert_eq!(parse(unsound, &mut processors), None, "{unsound}");
        }
    }

    #[test]
    fn ticks_become_100_ns() {
        assert_eq!(in_100ns(804_484, 100), 80_448_400_000);
        assert_eq!(in_100ns(1024, 1024), 10_000_000);
    }
}
