//! A machine on which little else runs, for live tests.

use std::thread::sleep;
use std::time::Duration;

/// Share of the machine's processors that others may use.
const MAX_BUSY: f64 = 0.2;
/// The kernel counts in ticks of 10 ms.
const LOOK: Duration = Duration::from_secs(2);

/// Waits until the processors are idle for most of two seconds: what others do would be in the recording of a live test, and
/// could fail it. It has no limit of its own; the test runner ends a test that waits for too long.
///
/// # Panics
///
/// If `/proc/stat` can't be read.
#[expect(clippy::print_stderr, reason = "shown if the test is ended")]
pub fn quiet_machine() {
    loop {
        let before = Ticks::now();
        sleep(LOOK);
        let busy = Ticks::now().busy_since(&before);
        if busy <= MAX_BUSY {
            return;
        }
        eprintln!("waiting for a quiet machine: {:.0} % of its processors are busy", 100.0 * busy);
    }
}

/// Ticks of all processors since the machine started.
struct Ticks {
    idle: u64,
    all: u64,
}

impl Ticks {
    /// `proc_stat(5)`: user, nice, system, idle, iowait, irq, softirq, steal; the others are in user and nice.
    fn now() -> Ticks {
        let text = std::fs::read_to_string("/proc/stat").expect("/proc/stat");
        let line = text.lines().next().expect("the line of all processors");
        let ticks: Vec<u64> = line.split_whitespace().skip(1).take(8).flat_map(str::parse).collect();
        Ticks { idle: ticks[3] + ticks[4], all: ticks.iter().sum() }
    }

    fn busy_since(&self, before: &Ticks) -> f64 {
        let all = self.all.saturating_sub(before.all).max(1);
        1.0 - self.idle.saturating_sub(before.idle) as f64 / all as f64
    }
}
