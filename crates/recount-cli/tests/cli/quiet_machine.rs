//! A simulated quiet machine: two hours of values that need no attention, the same in each run.

use serde_json::Value;

use super::run::{Outputs, recount};

const GIB: f64 = (1_u64 << 30) as f64;
const MIB: f64 = (1_u64 << 20) as f64;
/// Longer than any rule waits.
const NUM_SAMPLES: usize = 721;
const INTERVAL_S: usize = 10;

/// How the values of a counter go.
#[derive(Clone, Copy)]
enum Course {
    /// Around a level: it, and how far a value may be off.
    Around(f64, f64),
    /// Up by so much per hour.
    Up(f64, f64),
    /// A level, and for the middle fifth of the time another.
    Raised(f64, f64),
}
use Course::{Around, Raised, Up};

impl Course {
    fn value(self, sample: usize, random: f64) -> f64 {
        match self {
            Around(level, off) => level + off * random,
            Up(level, per_hour) => level + per_hour * (sample * INTERVAL_S) as f64 / 3600.0,
            Raised(level, _) if !(NUM_SAMPLES * 2 / 5..NUM_SAMPLES * 3 / 5).contains(&sample) => level,
            Raised(_, other) => other,
        }
    }
}

/// Of the machine, by counters of the Linux source.
const MACHINE: [(&str, Course); 71] = [
    (r"Processor(_Total)\% Processor Time", Around(12.0, 9.0)),
    (r"Processor(_Total)\% Privileged Time", Around(3.0, 2.0)),
    (r"Processor(_Total)\% Steal Time", Around(0.3, 0.3)),
    (r"Processor(_Total)\% Guest Time", Around(0.0, 0.0)),
    (r"Processor(_Total)\% DPC Time", Around(1.0, 1.0)),
    (r"Processor(_Total)\% Interrupt Time", Around(0.5, 0.5)),
    (r"Processor(0)\% Processor Time", Around(13.0, 12.0)),
    (r"Processor(0)\% DPC Time", Around(1.0, 1.0)),
    (r"Processor(0)\% Interrupt Time", Around(0.5, 0.5)),
    (r"Processor(0)\% Nice Time", Around(0.5, 0.5)),
    (r"Processor(1)\% Processor Time", Around(11.0, 11.0)),
    (r"Processor(1)\% DPC Time", Around(1.0, 1.0)),
    (r"Processor(1)\% Interrupt Time", Around(0.5, 0.5)),
    (r"Processor(1)\% Nice Time", Around(0.5, 0.5)),
    (r"System\% CPU Pressure Some Time", Around(2.0, 2.0)),
    (r"System\% IO Pressure Full Time", Around(1.0, 1.0)),
    (r"System\% Interrupt Pressure Full Time", Around(0.2, 0.2)),
    (r"System\Runnable Threads", Around(1.5, 0.5)),
    (r"System\Processes", Around(180.0, 6.0)),
    (r"System\Open Files", Around(3_000.0, 200.0)),
    (r"System\Open Files Limit", Around(9.2e18, 0.0)),
    (r"Memory\Available Bytes", Around(9.0 * GIB, 0.2 * GIB)),
    (r"Memory\Physical Bytes", Around(16.0 * GIB, 0.0)),
    (r"Memory\Dirty Bytes", Around(4.0 * MIB, 4.0 * MIB)),
    (r"Memory\Writeback Bytes", Around(0.5 * MIB, 0.5 * MIB)),
    (r"Memory\Slab Bytes", Around(600.0 * MIB, 5.0 * MIB)),
    (r"Memory\Slab Reclaimable Bytes", Around(400.0 * MIB, 5.0 * MIB)),
    (r"Memory\Shared Memory Bytes", Around(200.0 * MIB, MIB)),
    (r"Memory\% Pressure Some Time", Around(0.1, 0.1)),
    (r"Memory\% Pressure Full Time", Around(0.05, 0.05)),
    (r"Memory\Out Of Memory Kills/sec", Around(0.0, 0.0)),
    (r"Memory\Swap Pages Input/sec", Around(1.0, 1.0)),
    (r"Paging File(_Total)\% Usage", Around(4.0, 0.1)),
    (r"Paging File(_Total)\Size Bytes", Around(4.0 * GIB, 0.0)),
    (r"Paging File(_Total)\Used Bytes", Around(0.16 * GIB, MIB)),
    (r"Cgroup Throttling(/system.slice/web.service)\Throttled Periods/sec", Around(0.1, 0.1)),
    (r"Cgroup Throttling(/system.slice/web.service)\Periods/sec", Around(8.0, 2.0)),
    (r"Cgroup Pressure(/system.slice/web.service)\% Memory Pressure Full Time", Around(0.1, 0.1)),
    (r"PhysicalDisk(vda)\Avg. Disk sec/Read", Around(0.002, 0.001)),
    (r"PhysicalDisk(vda)\Disk Reads/sec", Around(12.0, 8.0)),
    (r"PhysicalDisk(vda)\Avg. Disk sec/Write", Around(0.006, 0.004)),
    (r"PhysicalDisk(vda)\Disk Writes/sec", Around(20.0, 15.0)),
    (r"PhysicalDisk(vda)\% Idle Time", Around(95.0, 4.0)),
    (r"PhysicalDisk(vda)\Avg. Disk Queue Length", Around(0.15, 0.14)),
    (r"LogicalDisk(/)\% Free Space", Around(43.0, 0.2)),
    (r"LogicalDisk(/)\Free Megabytes", Around(86_000.0, 400.0)),
    (r"LogicalDisk(/)\% Free Inodes", Around(88.0, 0.1)),
    (r"Network Interface(eth0)\Bytes Received/sec", Around(60_000.0, 50_000.0)),
    (r"Network Interface(eth0)\Bytes Sent/sec", Around(40_000.0, 30_000.0)),
    (r"Network Interface(eth0)\Receive Queue Overruns", Around(0.0, 0.0)),
    (r"Network Interface(eth0)\Packets Received Errors", Around(0.0, 0.0)),
    (r"Network Interface(eth0)\Packets Outbound Errors", Around(0.0, 0.0)),
    (r"Network Interface(eth0)\Packets Received Discarded", Around(3.0, 0.0)),
    (r"Network Interface(eth0)\Packets Outbound Discarded", Around(0.0, 0.0)),
    (r"Network Interface(eth0)\Collisions", Around(0.0, 0.0)),
    (r"Network Interface(eth0)\Output Queue Length", Around(0.0, 0.0)),
    (r"Network Adapter(eth0)\Current Bandwidth", Around(1e9, 0.0)),
    (r"TCP\Segments Retransmitted/sec", Around(0.2, 0.2)),
    (r"TCP\Segments Sent/sec", Around(300.0, 200.0)),
    (r"TCP\Connection Failures", Up(40.0, 12.0)),
    (r"TCP\Connections Time-Wait", Around(30.0, 20.0)),
    (r"UDPv4\Receive Buffer Errors", Around(2.0, 0.0)),
    (r"UDPv6\Receive Buffer Errors", Around(0.0, 0.0)),
    (r"IPv4\Fragment Re-assembly Failures", Around(0.0, 0.0)),
    (r"Process(_Total)\% Processor Time", Around(24.0, 18.0)),
    (r"Process(_Total)\Private Bytes", Up(4.0 * GIB, 40.0 * MIB)),
    (r"Process(_Total)\Storage Write Bytes/sec", Around(0.4 * MIB, 0.4 * MIB)),
    // A backup that reads for a while, and a build that takes a processor now and then.
    (r"Process(restic)\Storage Read Bytes/sec", Around(20.0 * MIB, 20.0 * MIB)),
    (r"Process(cc1)\% Processor Time", Around(29.0, 29.0)),
    // A process that has just started and allocated its memory.
    (r"Process(java)\Private Bytes", Raised(900.0 * MIB, 940.0 * MIB)),
    (r"Process(java)\Thread Count", Raised(90.0, 120.0)),
];

/// Of each of some processes.
const OF_PROCESS: [(&str, Course); 6] = [
    ("% Processor Time", Around(6.0, 6.0)),
    ("Private Bytes", Around(150.0 * MIB, 6.0 * MIB)),
    ("Handle Count", Around(60.0, 10.0)),
    ("Thread Count", Around(9.0, 2.0)),
    ("Storage Write Bytes/sec", Around(50_000.0, 50_000.0)),
    ("Storage Read Bytes/sec", Around(20_000.0, 20_000.0)),
];
const PROCESSES: [&str; 5] = ["postgres", "nginx", "systemd", "sshd", "python3"];

/// Rules of the Linux source's counters and of processes.
const SETS: &str = "linux-system,disk,network,process-leaks";
/// Those of them that can't fire: they are for Windows, for captures without the times of transfers or the directions of packets, or of sar,
/// or stand in for rules that could be judged.
const SILENT: [&str; 23] = [
    "cpu-queue",
    "reads-slow-in-all",
    "writes-slow-in-all",
    "transfers-slow",
    "transfers-slow-in-all",
    "await-long",
    "disk-time-high",
    "link-saturated-windows",
    "link-high-windows",
    "link-saturated-received",
    "link-saturated-sent",
    "link-busy",
    "retransmissions-windows",
    "retransmissions-windows-v6",
    "private-bytes-creep",
    "handles-creep",
    "reads-slow-alone",
    "writes-slow-alone",
    "disk-busy",
    "space-low-share",
    "space-low-megabytes",
    "queue-long",
    "queue-long-alone",
];

/// Writes the capture as a PDH text; `other` goes another way.
fn capture(outputs: &Outputs, other: Option<(&str, Course)>) -> String {
    let mut columns: Vec<(String, Course)> = MACHINE.map(|(path, course)| (path.to_owned(), course)).to_vec();
    for process in PROCESSES {
        columns
            .extend(OF_PROCESS.map(|(counter, course)| (format!(r"Process({process})\{counter}"), course)));
    }
    if let Some((path, course)) = other {
        columns.iter_mut().find(|(known, _)| known == path).expect("a counter of the capture").1 = course;
    }
    let mut text = r#""(PDH-CSV 4.0) (UTC)(0)""#.to_owned();
    for (path, _) in &columns {
        text.push_str(&format!(r#","\\quiet1\{path}""#));
    }
    // splitmix64.
    let mut state = 42_u64;
    let mut random = || {
        state = state.wrapping_add(0x9E37_79B9_7F4A_7C15);
        let mixed = (state ^ (state >> 30)).wrapping_mul(0xBF58_476D_1CE4_E5B9);
        let mixed = (mixed ^ (mixed >> 27)).wrapping_mul(0x94D0_49BB_1331_11EB);
        (mixed ^ (mixed >> 31)) as f64 / u64::MAX as f64 * 2.0 - 1.0
    };
    for sample in 0..NUM_SAMPLES {
        let second = sample * INTERVAL_S;
        let (hour, minute) = (8 + second / 3600, second / 60 % 60);
        text.push_str(&format!("\n\"11/20/2026 {hour:02}:{minute:02}:{:02}.000\"", second % 60));
        for (_, course) in &columns {
            text.push_str(&format!(",\"{}\"", course.value(sample, random())));
        }
    }
    outputs.write("quiet.csv", text + "\n")
}

fn report_of(capture: &str, options: &[&str]) -> Value {
    let report = recount(&[&["report", capture, "--json"], options].concat()).fine();
    serde_json::from_str(&report).expect("JSON")
}

fn findings(report: &Value) -> Vec<(&str, &str)> {
    let findings = report["findings"].as_array().expect("findings").iter();
    findings
        .map(|finding| {
            (finding["rule"].as_str().expect("a rule"), finding["headline"].as_str().expect("a text"))
        })
        .collect()
}

#[test]
fn a_quiet_machine_has_no_finding() {
    let outputs = Outputs::new();
    let report = report_of(&capture(&outputs, None), &["--rules", SETS]);
    assert_eq!(findings(&report), []);
    assert_eq!(report["capture"]["num_samples"], NUM_SAMPLES);
    // They did look.
    let unanswered = report["rules"]["not_evaluated"].as_array().expect("rules").iter();
    let unanswered: Vec<&str> = unanswered.map(|rule| rule["rule"].as_str().expect("a rule")).collect();
    assert_eq!(unanswered, SILENT);
    let all = report_of(&capture(&outputs, None), &[]);
    assert_eq!(findings(&all), [], "of all sets");
}

/// Checks that the rules aren't silent merely because they never fire.
#[test]
fn what_is_amiss_is_found_and_nothing_else() {
    let outputs = Outputs::new();
    let cases: [(&str, Course, &[&str], &str); 7] = [
        (
            r"Process(nginx)\% Processor Time",
            Raised(6.0, 97.0),
            &["process-burns-cpu"],
            "Process nginx: % Processor Time was 97 % on average for 24 min",
        ),
        (
            r"Process(sshd)\Private Bytes",
            Up(50.0 * MIB, 30.0 * MIB),
            &["private-bytes-grow"],
            "Process sshd: Private Bytes grew from 50",
        ),
        (
            r"Process(postgres)\Storage Write Bytes/sec",
            Around(60.0 * MIB, 0.0),
            &["process-writes-heavily", "process-writes-for-long"],
            "Process postgres: Storage Write Bytes/sec was > 20 MiB/s in 100 % of the time: 60 MiB/s on average then",
        ),
        (
            r"PhysicalDisk(vda)\Avg. Disk sec/Write",
            Raised(0.006, 0.18),
            &["writes-slow"],
            "PhysicalDisk vda: ",
        ),
        (r"Memory\Available Bytes", Raised(9.0 * GIB, 0.3 * GIB), &["memory-low"], "Memory: "),
        (
            r"LogicalDisk(/)\% Free Inodes",
            Around(2.0, 0.1),
            &["inodes-low"],
            "LogicalDisk /: % Free Inodes was ",
        ),
        (
            r"Processor(_Total)\% Processor Time",
            Raised(12.0, 55.0),
            &["cpu-unexplained"],
            "Processor _Total: the processors were 55 % busy, and ",
        ),
    ];
    for (path, course, rules, headline) in cases {
        let report = report_of(&capture(&outputs, Some((path, course))), &["--rules", SETS]);
        let found = findings(&report);
        let fired: Vec<&str> = found.iter().map(|(rule, _)| *rule).collect();
        assert_eq!(fired, rules, "{path}: {found:?}");
        assert!(found[0].1.starts_with(headline), "{path}: {} instead of {headline}", found[0].1);
    }
}
