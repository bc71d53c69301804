//! One event is one finding, with all its times; and what a short capture shows.

use super::run::{Outputs, assert_says, recount};
use super::series::{capture, column, every, said};

const CPU: &str = r"Processor(_Total)\% Processor Time";

#[test]
fn a_load_at_the_limit_is_one_event() {
    // An hour around the limit, which dips below it every two minutes.
    let around: Vec<(f64, usize)> = std::iter::repeat_n([(70.0, 4), (58.0, 1)], 30).flatten().collect();
    let rows = column(&[[(3.0, 20)].as_slice(), &around, &[(3.0, 20)]].concat());
    let text = said(&[CPU], 30, &rows);
    assert!(text.contains("was 67.6 % on average for 1 h 15 min, at most 70 %\n"), "{text}");
    assert!(text.contains("(load/cpu-load), 2026-11-21T12:09:30Z to 13:24:30\n"), "{text}");
    // Behind a real pause another one begins.
    let rows = column(&[(3.0, 20), (70.0, 10), (50.0, 2), (70.0, 10), (3.0, 20)]);
    let text = said(&[CPU], 30, &rows);
    assert!(
        text.contains("was 70 % on average for 5 min, the worst of 2 times (10 min in all), at most 70 %\n"),
        "{text}"
    );
    // What goes on has to begin: never for long enough beyond the limit itself.
    let rows = column(&[[(3.0, 20)].as_slice(), &[(70.0, 1), (58.0, 1)].repeat(30), &[(3.0, 20)]].concat());
    let text = said(&[CPU], 30, &rows);
    assert!(!text.contains("load/cpu-load)"), "{text}");
}

#[test]
fn each_time_is_listed_or_counted() {
    let times = |count: usize| column(&[(3.0, 10), (80.0, 4)].repeat(count));
    let text = said(&[CPU], 60, &times(6));
    assert!(text.contains(", the worst of 6 times (24 min in all)"), "{text}");
    assert!(
        text.contains("2026-11-21T12:09:00Z to 12:13:00; also 12:23:00 to 12:27:00, 12:37:00 to 12:41:00, 12:51:00 to 12:55:00, 13:05:00 to 13:09:00, 13:19:00 to 13:23:00\n"),
        "{text}"
    );
    let text = said(&[CPU], 60, &times(60));
    assert!(text.contains(", the worst of 60 times (4 h in all)"), "{text}");
    assert!(text.contains(", and 54 more from 2026-11-21T13:33:00Z to 2026-11-22T01:59:00Z\n"), "{text}");
}

#[test]
fn what_lies_on_a_disk_is_one_event_with_it() {
    let queue = |name: &str| format!(r"PhysicalDisk({name})\Avg. Disk Queue Length");
    let said_of = |names: [&str; 2], rows: &[Vec<f64>]| {
        let paths = names.map(queue);
        said(&paths.each_ref().map(String::as_str), 60, rows)
    };
    let at_once = [vec![vec![0.0, 0.0]; 5], vec![vec![3.0, 4.0]; 5], vec![vec![0.0, 0.0]; 5]].concat();
    for names in [["dev8-0", "dev253-0"], ["sda", "dm-0"], ["nvme0n1", "md127"]] {
        let text = said_of(names, &at_once);
        assert_eq!(text.matches("Requests wait for a disk").count(), 1, "{text}");
        assert!(text.contains(&format!("PhysicalDisk {}: ", names[1])), "{text}");
        assert!(text.contains(&format!("; with it {}\n", names[0])), "{text}");
    }
    // Each volume with its own disk, which is not always the worst.
    let paths = ["sda", "sdb", "dm-0"].map(queue);
    let rows = [vec![vec![3.0, 9.0, 4.0]; 5], vec![vec![0.0, 9.0, 0.0]; 4], vec![vec![0.0; 3]; 3]].concat();
    let text = said(&paths.each_ref().map(String::as_str), 60, &rows);
    assert!(text.contains("PhysicalDisk dm-0: ") && text.contains("; with it sda\n"), "{text}");
    assert!(text.contains("PhysicalDisk sdb: ") && !text.contains("with it sdb"), "{text}");
    // A volume has its own times, too.
    let rows =
        [vec![vec![9.0, 4.0]; 10], vec![vec![0.0, 0.0]; 5], vec![vec![0.0, 4.0]; 9], vec![vec![0.0; 2]; 2]];
    let text = said_of(["sda", "dm-0"], &rows.concat());
    assert_eq!(text.matches("Requests wait for a disk").count(), 2, "{text}");
    assert!(text.contains("PhysicalDisk dm-0: ") && text.contains("; also 12:14:00 to 12:23:00\n"), "{text}");
    // One short time of its own is no event of its own.
    let rows =
        [vec![vec![9.0, 4.0]; 60], vec![vec![0.0, 0.0]; 5], vec![vec![0.0, 4.0]; 5], vec![vec![0.0; 2]; 2]];
    let text = said_of(["sda", "dm-0"], &rows.concat());
    assert_eq!(text.matches("Requests wait for a disk").count(), 1, "{text}");
    assert!(text.contains("; with it dm-0\n"), "{text}");
    // More than three are counted.
    let paths = ["sda", "dm-0", "dm-1", "dm-2", "dm-3", "dm-4"].map(queue);
    let text = said(
        &paths.each_ref().map(String::as_str),
        60,
        &[vec![vec![3.0; 6]; 5], vec![vec![0.0; 6]; 5]].concat(),
    );
    assert!(text.contains(" and 2 more\n"), "{text}");
    assert_eq!(text.matches("Requests wait for a disk").count(), 1, "{text}");
    // Virtual disks count by sixteens; and two disks, or a volume that is busy at another time.
    assert_eq!(said_of(["dev253-0", "dev253-16"], &at_once).matches("Requests wait for a disk").count(), 2);
    let apart = [vec![vec![3.0, 0.0]; 5], vec![vec![0.0, 4.0]; 5], vec![vec![0.0, 0.0]; 5]].concat();
    for (names, rows) in [(["sda", "sdb"], &at_once), (["sda", "dm-0"], &apart)] {
        let text = said_of(names, rows);
        assert_eq!(text.matches("Requests wait for a disk").count(), 2, "{text}");
    }
}

#[test]
fn the_whole_of_a_short_capture_is_enough() {
    let text = said(&[CPU], 1, &column(&[(98.8, 30)]));
    assert!(text.contains("was 98.8 % on average for 29 s (the whole time), at most 98.8 %"), "{text}");
    // Of a longer one it says nothing, nor where it wasn't so from beginning to end, nor in seconds.
    for stretches in [
        &[(98.8, 30), (5.0, 90)][..],
        &[(5.0, 10), (98.8, 20)],
        &[(98.8, 21), (5.0, 9)],
        &[(98.8, 11), (5.0, 5)],
        &[(98.8, 8)],
    ] {
        let text = said(&[CPU], 1, &column(stretches));
        assert!(!text.contains("(load/cpu"), "{stretches:?}: {text}");
    }
    // A process that lived for a moment isn't the whole capture.
    let process = r"Process(short)\% Processor Time";
    let outputs = Outputs::new();
    let mut text = capture(&outputs, &[CPU, process], &every(1, &vec![vec![5.0, 99.0]; 60]));
    let rows = std::fs::read_to_string(&text).expect("written");
    let ended = rows
        .lines()
        .enumerate()
        .map(|(at, line)| if at > 15 { line.replace("\"99\"", "\" \"") } else { line.to_owned() });
    text = outputs.write("d.csv", ended.collect::<Vec<_>>().join("\n"));
    let text = recount(&["report", &text]).fine();
    assert!(!text.contains("process-burns-cpu"), "{text}");
}

/// 8 March 2026 in New York, where 2:00 is followed by 3:00.
#[test]
fn times_are_local_as_they_were_then() {
    let outputs = Outputs::new();
    let rows = (0..120).map(|minute: usize| {
        let at = 90 + minute + if minute < 30 { 0 } else { 60 };
        let busy = if matches!(minute, 10..=14 | 40..=44) { 90 } else { 3 };
        format!("\"03/08/2026 {:02}:{:02}:00.000\",\"{busy}\"\n", at / 60, at % 60)
    });
    let text = format!(
        "\"(PDH-CSV 4.0) (Eastern Standard Time)(300)\",\"\\\\A\\{CPU}\"\n{}",
        rows.collect::<Vec<_>>().concat()
    );
    let path = outputs.write("c.csv", text);
    let text = recount(&["-q", "report", &path]).fine();
    assert!(
        text.contains("2026-03-08T01:39:00-05:00 to 01:44:00; also 2026-03-08T03:09:00-04:00 to 03:14:00\n"),
        "{text}"
    );
    // They mean the same in --begin and --end.
    let text =
        recount(&["-q", "report", &path, "--begin", "2026-03-08T03:09:00-04:00", "--end", "03:14:00"]).fine();
    assert!(text.contains("was 90 % on average for 5 min, at most 90 %"), "{text}");
}

#[test]
fn a_short_time_hides_no_long_one() {
    let rows = column(&[(3.0, 20), (70.0, 4), (3.0, 20), (48.0, 200)]);
    let text = said(&[CPU], 30, &rows);
    assert!(text.contains("70 % on average for 2 min") && text.contains("(load/cpu-load)"), "{text}");
    assert!(
        text.contains("48 % on average for 1 h 40 min") && text.contains("(load/cpu-load-long)"),
        "{text}"
    );
    let rows = column(&[(3.0, 20), (70.0, 200)]);
    let text = said(&[CPU], 30, &rows);
    assert!(!text.contains("cpu-load-long"), "{text}");
    // 20 minutes at 90 % are most of 30 above 65 %, but not of 56 above 40 %.
    let rows = column(&[(3.0, 10), (90.0, 40), (70.0, 20), (48.0, 52), (3.0, 10)]);
    let text = said(&[CPU], 30, &rows);
    assert_says(&text, &["(load/cpu-high)", "(load/cpu-load-long)"]);
    assert!(!text.contains("(load/cpu-load)"), "{text}");
    // Each stretch is told once, by the rule that says most of it.
    let rows = column(&[(3.0, 20), (95.0, 120), (3.0, 60), (70.0, 140), (3.0, 60), (48.0, 60), (3.0, 20)]);
    let text = said(&[CPU], 30, &rows);
    assert_says(
        &text,
        &[
            "95 % on average for 1 h, at most 95 %\n",
            "70 % on average for 1 h 10 min, at most 70 %\n",
            "48 % on average for 30 min, at most 48 %\n",
        ],
    );
}

/// A rule lists no more than a hundred stretches, and has reported them all.
#[test]
fn of_many_stretches_none_is_told_twice() {
    let bursts = |count: usize| [(95.0, 12), (3.0, 8)].repeat(count);
    for count in [150, 250] {
        let text = said(&[CPU], 60, &column(&bursts(count)));
        let more = format!(", the worst of {count} times");
        assert!(text.contains(&more) && text.contains("(load/cpu-high)"), "{text}");
        assert!(!text.contains("(load/cpu-load)"), "{text}");
    }
    // The six worst are listed; the others begin behind them.
    let rows = column(&[vec![(3.0, 1)], [(99.0, 12), (3.0, 8)].repeat(6), bursts(150)].concat());
    let text = said(&[CPU], 60, &rows);
    assert!(text.contains(", and 150 more from 2026-11-21T14:00:00Z to 2026-11-23T15:52:00Z\n"), "{text}");
    let both = [(99.0, 26), (3.0, 6), (75.0, 6), (3.0, 6)].repeat(500);
    let text = said(&[CPU], 30, &column(&both));
    assert!(
        text.contains(
            "99 % on average for 13 min, the worst of 500 times (4 days 12 h in all), at most 99 %"
        ),
        "{text}"
    );
    assert!(
        text.contains("75 % on average for 3 min, the worst of 500 times (25 h in all), at most 75 %"),
        "{text}"
    );
    // What the stronger rule didn't report is found among as many that it did, also if it is shorter than they are.
    let rows = column(&[bursts(220), vec![(84.0, 4), (3.0, 8)], bursts(10)].concat());
    let text = said(&[CPU], 60, &rows);
    assert!(text.contains(", the worst of 230 times"), "{text}");
    assert!(text.contains("was 84 % on average for 4 min"), "{text}");
}

#[test]
fn a_queue_at_an_idle_disk_is_none() {
    let paths = [r"PhysicalDisk(0 C:)\Avg. Disk Queue Length", r"PhysicalDisk(0 C:)\% Idle Time"];
    let text = said(&paths, 60, &vec![vec![3.0, 2.0]; 10]);
    assert!(text.contains("Avg. Disk Queue Length was 3 at 2 % idle time on average"), "{text}");
    let text = said(&paths, 60, &vec![vec![15.9, 96.0]; 10]);
    assert!(!text.contains("Requests wait"), "{text}");
}

#[test]
fn paging_in_bursts_is_seen_where_memory_is_short() {
    let paths = [r"Memory\Pages Input/sec", r"Memory\Available MBytes"];
    let rows = |pages: &[f64], available: f64| -> Vec<Vec<f64>> {
        (0..240).map(|at| vec![pages[at % pages.len()], available]).collect()
    };
    let text = said(&paths, 1, &rows(&[9000.0, 100.0, 0.0, 300.0], 1400.0));
    assert!(
        text.contains("Pages Input/sec was 2,379/s") && text.contains("with 1.37 GiB available"),
        "{text}"
    );
    let text = said(&paths, 1, &rows(&[9000.0], 16_000.0));
    assert!(!text.contains("hard-faults"), "{text}");
    let mut burst = rows(&[0.0], 900.0);
    burst[100][0] = 35_000.0;
    assert!(!said(&paths, 1, &burst).contains("hard-faults"));
}

#[test]
fn a_level_is_judged_by_one_sample() {
    for (path, value, rule) in [
        (r"Memory\Memctl Current MBytes", 5200.0, "esxtop/balloon"),
        (r"Memory\Swap Used MBytes", 900.0, "esxtop/host-swaps"),
        (r"Memory\% Committed Bytes In Use", 97.0, "windows-system/commit-high"),
        (r"Paging File(_Total)\% Usage", 88.0, "windows-system/paging-file-full"),
        (r"Memory\Available MBytes", 60.0, "windows-system/memory-low"),
    ] {
        for rows in [1, 3] {
            assert_says(&said(&[path], 5, &column(&[(value, rows)])), &[&format!("({rule})")]);
        }
    }
    // What moves quickly has to stay low in a capture that has other values.
    let text = said(&[r"Memory\Available MBytes"], 5, &column(&[(900.0, 10), (60.0, 2), (900.0, 10)]));
    assert!(text.contains("none fired"), "{text}");
}

#[test]
fn a_slow_leak_is_a_straight_line_for_half_a_day() {
    let path = r"Process(app)\Private Bytes";
    let line = |hours: usize, rise: f64| -> Vec<Vec<f64>> {
        (0..=hours * 4).map(|at| vec![10e6 + rise * at as f64 / (hours * 4) as f64]).collect()
    };
    let text = said(&[path], 900, &line(24, 9e6));
    assert!(text.contains("(process-leaks/private-bytes-creep)"), "{text}");
    assert!(text.contains("Private Bytes grew from 9.54 MiB to 18.1 MiB in 24 h"), "{text}");
    // Too short, too little; and what is steep enough for the other rule is told once.
    for rows in [line(8, 9e6), line(24, 2e6)] {
        let text = said(&[path], 900, &rows);
        assert!(!text.contains("private-bytes"), "{text}");
    }
    let text = said(&[path], 900, &line(24, 9e8));
    assert!(text.contains("(process-leaks/private-bytes-grow)") && !text.contains("creep"), "{text}");
    // A cache that fills isn't a line.
    let cache: Vec<Vec<f64>> = (0..96).map(|at| vec![30e6 - 20e6 * f64::powi(0.97, at)]).collect();
    assert!(!said(&[path], 900, &cache).contains("private-bytes"));
    let handles = r"Process(app)\Handle Count";
    let text = said(&[handles], 900, &line(24, 9e6).iter().map(|row| vec![row[0] / 2e4]).collect::<Vec<_>>());
    assert!(text.contains("(process-leaks/handles-creep)"), "{text}");
}

#[test]
fn threads_that_wait_are_seen_without_pressure() {
    let paths = [
        r"System\Runnable Threads",
        r"System\Load Average 1 Minute x100",
        r"Processor(0)\% Processor Time",
        r"Processor(1)\% Processor Time",
    ];
    let rows = |threads: f64, load: f64| vec![vec![threads, load, 90.0, 90.0]; 20];
    let text = said(&paths, 30, &rows(11.0, 1160.0));
    assert!(
        text.contains("System: 11 threads (load average 11.6) were ready to run on 2 processors on average for 9 min 30 s, at most 11"),
        "{text}"
    );
    assert!(text.contains("(linux-system/cpu-queue)"), "{text}");
    // Tasks that wait for a disk are in the load average, but don't want to run; a moment isn't in the average.
    for (threads, load) in [(1.0, 1160.0), (11.0, 90.0)] {
        assert!(!said(&paths, 30, &rows(threads, load)).contains("cpu-queue"));
    }
}
