//! Comparisons of very wide captures: memory is bounded, and nothing is quadratic.
#![cfg(target_os = "linux")]

use std::fmt::Write as _;
use std::path::Path;
use std::process::{Command, Stdio};
use std::time::Duration;

/// A capture of `num` counters and 10 samples.
fn write_wide(path: &Path, num: usize, seed: usize) {
    let mut text = r#""(PDH-CSV 4.0) (UTC)(0)""#.to_owned();
    for counter in 0..num {
        write!(text, r#","\\host1\Tasks({counter}:task{counter})\% Busy""#).expect("a String");
    }
    for sample in 0..10 {
        write!(text, "\n\"01/02/2026 10:{:02}:{:02}.000\"", sample / 3, sample % 3 * 20).expect("a String");
        for counter in 0..num {
            let value = (sample * 7919 + counter * 104_729 + seed * 31) % 10_007;
            write!(text, ",\"{:.2}\"", value as f64 / 100.0).expect("a String");
        }
    }
    std::fs::write(path, text + "\n").expect("a capture");
}

/// Most memory that a command had at a time, in MB, and its processor time in clock ticks, as the kernel shows them until it
/// ends.
fn cost(command: &mut Command) -> (u64, u64) {
    let mut child = command.stdout(Stdio::null()).stderr(Stdio::null()).spawn().expect("running recount");
    let read =
        |name: &str| std::fs::read_to_string(format!("/proc/{}/{name}", child.id())).unwrap_or_default();
    let (mut most, mut ticks) = (0, 0);
    loop {
        let status = read("status");
        let line = status.lines().find_map(|line| line.strip_prefix("VmHWM:"));
        let kib: Option<u64> = line.and_then(|line| line.trim().trim_end_matches(" kB").parse().ok());
        most = most.max(kib.unwrap_or(0) * 1024 / 1_000_000);
        // User and system time are the 12th and 13th field behind the name.
        let stat = read("stat");
        let fields = stat.rsplit(") ").next().unwrap_or_default().split(' ');
        ticks = ticks.max(fields.skip(11).take(2).filter_map(|field| field.parse::<u64>().ok()).sum());
        if stat.contains(") Z ") || stat.is_empty() {
            break;
        }
        std::thread::sleep(Duration::from_millis(5));
    }
    assert!(child.wait().expect("a child").code() < Some(2), "{command:?}");
    (most, ticks)
}

#[test]
fn a_comparison_of_a_hundred_thousand_counters_takes_little() {
    let folder = tempfile::tempdir().expect("a temporary folder");
    let [base, new] = ["base.csv", "new.csv"].map(|name| folder.path().join(name));
    let of_size = |num: usize| {
        write_wide(&base, num, 1);
        write_wide(&new, num, 2);
        cost(Command::new(env!("CARGO_BIN_EXE_recount")).args(["-q", "diff"]).args([&base, &new]))
    };
    let (_, of_few) = of_size(20_000);
    let (memory, of_many) = of_size(100_000);
    // 450 to 510 MB, by which thread is how far.
    assert!(memory < 600, "{memory} MB");
    // Five times as much; quadratic work would take 25 times as long.
    assert!(of_many < 12 * of_few, "{of_few} ticks for 20,000 counters, {of_many} for 100,000");
}
