//! What the findings of the rules that come with recount say: every sentence has to be true of the values.

use super::run::{Outputs, assert_says, recount};
use super::series::{capture, column, said, said_of};

const MIB: f64 = 1_048_576.0;

#[test]
fn the_worst_spell_leads_and_bounds_are_of_all_spells() {
    // The longer one is harmless beside the shorter one.
    let rows = column(&[(900.0, 5), (110.0, 9), (900.0, 3), (31.0, 3), (64.0, 1), (900.0, 3)]);
    let text = said(&[r"Memory\Available MBytes"], 60, &rows);
    assert!(
        text.contains("Available MBytes was 39.2 MiB on average for 4 min, the worst of 2 times (13 min in all), at least 31 MiB"),
        "{text}"
    );
    assert!(text.contains("2026-11-21T12:16:00Z to 12:20:00; also 12:04:00 to 12:13:00\n"), "{text}");
}

/// Task Manager's counter, of the nominal frequency: a turbo goes beyond 100 %.
#[test]
fn a_processor_is_busy_by_its_utility_too() {
    let text =
        said(&[r"Processor Information(_Total)\% Processor Utility"], 15, &column(&[(3.0, 20), (144.0, 20)]));
    assert!(
        text.contains(
            "Processor Information _Total: % Processor Utility was 144 % on average for 5 min, at most 144 %"
        ),
        "{text}"
    );
    assert!(text.contains("(load/cpu-load)"), "{text}");
}

/// A log may have processors under either of two names.
#[test]
fn threads_wait_for_processors_of_either_name() {
    let of = |object: &str, instances: &[&str], busy: f64| {
        let mut paths: Vec<String> =
            instances.iter().map(|instance| format!(r"{object}({instance})\% Processor Time")).collect();
        paths.push(r"System\Processor Queue Length".to_owned());
        let paths: Vec<&str> = paths.iter().map(String::as_str).collect();
        let mut row = vec![busy; instances.len()];
        row.push(40.0);
        said(&paths, 15, &vec![row; 20])
    };
    let of_groups = ["0,0", "0,1", "1,0", "1,1", "0,_Total", "1,_Total", "_Total"];
    for text in [
        of("Processor", &["0", "1", "2", "3", "_Total"], 98.5),
        of("Processor Information", &of_groups, 98.5),
    ] {
        let said = "Processor Queue Length was 40 for 4 processors that were 98.5 % busy on average";
        assert!(text.contains(said) && text.contains("(windows-system/cpu-saturated)"), "{text}");
    }
    // Threads that are ready on idle processors are about to run.
    let text = of("Processor", &["0", "1", "2", "3", "_Total"], 8.0);
    assert!(!text.contains("cpu-saturated"), "{text}");
}

#[test]
fn a_damped_latency_is_not_shown_as_the_latency() {
    let paths = [r"PhysicalDisk(1 D:)\Avg. Disk sec/Read", r"PhysicalDisk(1 D:)\Disk Reads/sec"];
    let text = said(&paths, 30, &vec![vec![0.3, 4.0]; 10]);
    // Compared were 120 ms.
    assert!(
        text.contains("PhysicalDisk 1 D: Avg. Disk sec/Read was 300 ms with 4 reads/s on average"),
        "{text}"
    );
    assert!(!text.contains("120 ms"), "{text}");
}

#[test]
fn free_space_is_said_in_bytes_and_as_a_share() {
    let paths = [r"LogicalDisk(C:)\% Free Space", r"LogicalDisk(C:)\Free Megabytes"];
    let text = said(&paths, 60, &vec![vec![7.3, 299.0]; 5]);
    assert!(text.contains("LogicalDisk C: 7.3 % (299 MiB of 4 GiB) free on average"), "{text}");
    assert!(text.contains("at least 7.3 %") && !text.contains("of the limit"), "{text}");
    assert!(
        said(&paths, 60, &vec![vec![1.0, 99.0]; 5])
            .contains("critical  LogicalDisk C: 1 % (99 MiB of 9.67 GiB)")
    );
    // What can't be isn't judged.
    for impossible in [[-3.0, 299.0], [150.0, 299.0], [1.0, -5.0]] {
        let text = said(&paths, 60, &vec![impossible.to_vec(); 5]);
        assert!(text.contains("none fired"), "{text}");
    }
    assert!(said(&paths[..1], 60, &vec![vec![-3.0]; 5]).contains("none fired"));
    assert!(said(&paths[1..], 60, &vec![vec![-3.0]; 5]).contains("none fired"));
}

#[test]
fn a_rule_of_ones_own_shows_its_counters_too() {
    let outputs = Outputs::new();
    let rows: Vec<_> = (0..10).map(|at| (at, vec![6.0, 2.0])).collect();
    let log = capture(&outputs, &[r"Q(a)\waits", r"Q(a)\rate"], &rows);
    let report = |lines: &str| {
        let text = format!(
            "[set]\nname = \"t\"\ntitle = \"T\"\nversion = 1\n\n[[rule]]\nid = \"r\"\ntitle = \"R\"\ngroup = \"g\"\nseverity = \"info\"\nexplanation = \"e\"\nthreshold = \"> 1\"\nexpr = 'Q(*)\\waits * min(1, Q(*)\\rate / 10)'\n{lines}\n"
        );
        let rules = outputs.write("r.toml", text);
        recount(&["report", &log, "--rules", &rules])
    };
    let text = report("").fine();
    assert!(text.contains("Q a: waits was 6, rate 2 on average for 9 s, at most 6\n"), "{text}");
    let text = report("measure = \"damped waits\"").fine();
    assert!(
        text.contains("Q a: damped waits was 1.2 on average for 9 s, at most 1.2 (waits 6, rate 2)\n"),
        "{text}"
    );
    let text = report("says = '{Q(*)\\rate | per s} of {Q(*)\\waits * 1000 | ms}'").fine();
    assert!(text.contains("Q a: 2 per s of 6,000 ms on average for 9 s, at most 2 per s\n"), "{text}");
    assert!(report("says = '{Q(*)\\other}'").failed().contains(r"\Q(*)\other isn't in `expr`"));
}

/// A rule over several instances names them, or says how many they are.
#[test]
fn what_was_added_up_is_named() {
    let report = |names: &[&str], expr: &str, more: &str| {
        let outputs = Outputs::new();
        let paths: Vec<String> = names.iter().map(|name| format!(r"{name}\x")).collect();
        let paths: Vec<&str> = paths.iter().map(String::as_str).collect();
        let rows: Vec<_> = (0..10).map(|at| (at, vec![6.0; paths.len()])).collect();
        let log = capture(&outputs, &paths, &rows);
        let text = format!(
            "[set]\nname = \"t\"\ntitle = \"T\"\nversion = 1\n\n[[rule]]\nid = \"r\"\ntitle = \"R\"\ngroup = \"g\"\nseverity = \"info\"\nexplanation = \"e\"\nthreshold = \"> 1\"\nexpr = '{expr}'\n{more}\n"
        );
        let (rules, json) = (outputs.write("r.toml", text), outputs.path("r.json"));
        let printed = recount(&["report", &log, "--rules", &rules]).fine();
        // --quiet concerns notes, and what is written to a file is printed, too.
        assert_eq!(recount(&["report", "-q", &log, "--rules", &rules, "--json", &json]).fine(), printed);
        printed
    };
    let sum = r"sum(P(*)\x)";
    assert!(report(&["P(a)"], sum, "").contains("info      P a: "));
    assert!(report(&["P(a)", "P(_Total)"], sum, "").contains("info      P a: "));
    assert!(report(&["P(_Total)"], sum, "").contains("info      P _Total: "));
    assert!(report(&["P(a)", "P(b)"], r"avg(P(*)\x)", "").contains("info      P a, b: "));
    assert!(report(&["P(a)", "P(b)"], r"avg(P(b)\x)", "").contains("info      P b: "));
    assert!(report(&["P(a)", "P(b)", "P(c)", "P(d)"], sum, "").contains("info      P (4 instances): "));
    assert!(report(&["P"], r"P\x + 1", "").contains("info      P: "));
    // Counters of one name are told apart in an addition, too.
    let text = report(&["P(a)", "Q(a)"], r"P(*)\x + Q(*)\x", "measure = \"both\"");
    assert!(text.contains(r"P a: both was 12 on average for 9 s, at most 12 (P\x 6, Q\x 6)"), "{text}");
    let text = report(&["P(a)", "P(b)"], r"P(a)\x + P(b)\x", "measure = \"both\"");
    assert!(text.contains(r"(P(a)\x 6, P(b)\x 6)"), "{text}");
}

#[test]
fn growth_is_what_was_seen() {
    let paths = [r"Process(app)\Private Bytes", r"Process(app)\ID Process"];
    let text = said(
        &paths,
        30,
        &(0..20).map(|at| vec![(50.0 + 2.0 * f64::from(at)) * MIB, 7.0]).collect::<Vec<_>>(),
    );
    assert!(
        text.contains("Private Bytes grew from 50 MiB to 88 MiB in 9 min 30 s; the line through it has a slope of 4 MiB a minute"),
        "{text}"
    );
    assert!(!text.contains("grew by"), "{text}");
    // 4 MiB of 65.
    let rows: Vec<_> = (0..20).map(|at| vec![(65.0 + 4.0 / 19.0 * f64::from(at)) * MIB, 7.0]).collect();
    let text = said(&paths, 30, &rows);
    assert!(text.contains("none fired"), "{text}");
    // The line through it rises, and at the end nothing is left of it.
    let back = |at: i32| if at < 19 { 50.0 + f64::from(at) } else { 50.0 };
    let text = said(&paths, 30, &(0..20).map(|at| vec![back(at) * MIB, 7.0]).collect::<Vec<_>>());
    assert!(text.contains("none fired"), "{text}");
}

#[test]
fn nobody_watched_during_a_gap() {
    let path = [r"PhysicalDisk(0)\Avg. Disk Queue Length"];
    let mut rows: Vec<_> = (0..20).map(|at| (at, vec![0.1])).collect();
    rows.push((5300, vec![9.0]));
    rows.extend((5301..5310).map(|at| (at, vec![0.1])));
    let text = said_of(&path, &rows);
    assert!(text.contains("could be checked"), "{text}");
    // A spell on both sides of the gap is two of them.
    let mut rows: Vec<_> = (0..40).map(|at| (at, vec![9.0])).collect();
    rows.extend((5300..5340).map(|at| (at, vec![9.0])));
    let text = said_of(&path, &rows);
    assert!(
        text.contains("was 9 on average for 39 s, the worst of 2 times (1 min 18 s in all), at most 9"),
        "{text}"
    );
    assert!(
        text.contains("\ngap       no samples for 1 h 27 min, from 2026-11-21T12:00:39Z to 13:28:20\n"),
        "{text}"
    );
}

#[test]
fn what_was_not_judged_is_not_green() {
    let outputs = Outputs::new();
    let rows: Vec<_> = (0..20).map(|at| (at, vec![1.0])).collect();
    let log = capture(&outputs, &[r"Shop\Orders"], &rows);
    let (page, markdown) = (outputs.path("p.html"), outputs.path("p.md"));
    let text = recount(&["report", &log]).fine();
    assert!(text.starts_with("0 of ") && text.contains(" need counters that this capture lacks)"), "{text}");
    assert!(text.contains(r"the capture has no \Processor(_Total)\% Processor Time"), "{text}");
    recount(&["report", &log, "-o", &page, "--markdown", &markdown]).fine();
    let page = std::fs::read_to_string(page).expect("a page");
    assert!(page.contains("class=\"none unjudged\"") && !page.contains("No rule fired"));
    assert!(std::fs::read_to_string(markdown).expect("Markdown").contains("0 of "));
    // Two of them were.
    let text = said(&[r"Memory\Available MBytes"], 60, &vec![vec![5000.0]; 20]);
    assert!(text.starts_with("2 of ") && text.contains("rules could be checked, none fired ("), "{text}");
}

#[test]
fn busy_processors_are_said_without_a_queue() {
    let total = [r"Processor(_Total)\% Processor Time"];
    // Noise crosses the limit in every other sample.
    let noisy =
        |count: usize| (0..count).map(|at| vec![if at % 2 == 0 { 97.0 } else { 79.0 }]).collect::<Vec<_>>();
    let text = said(&total, 10, &noisy(80));
    assert!(text.contains("warning   Processor _Total: % Processor Time was 87.9 %"), "{text}");
    assert!(
        text.contains("at most 97 %")
            && text.contains("load/cpu-high")
            && text.contains("could be checked, 1 finding"),
        "{text}"
    );
    let short = [column(&[(5.0, 30)]), column(&[(100.0, 8)]), column(&[(5.0, 30)])].concat();
    let text = said(&total, 10, &short);
    assert!(
        text.contains("info      Processor _Total: % Processor Time was") && text.contains("load/cpu-load"),
        "{text}"
    );
    let text = said(&total, 10, &column(&[(5.0, 30), (100.0, 3), (5.0, 30)]));
    assert!(text.contains("none fired"), "{text}");
    // Without the mean of all of them.
    let each = [r"Processor(0)\% Processor Time", r"Processor(1)\% Processor Time"];
    assert!(said(&each, 10, &vec![vec![100.0, 80.0]; 20]).contains("was 90 % on average"));
    assert!(said(&each, 10, &vec![vec![100.0, 8.0]; 20]).contains("none fired"));
    // How many processors there are isn't known: no share of the queue.
    let paths = [r"Processor(_Total)\% Processor Time", r"System\Processor Queue Length"];
    assert!(said(&paths, 10, &vec![vec![30.0, 5.0]; 20]).contains("none fired"));
    // But the processors' own share is judged, as it is without a queue.
    let text = said(&paths, 10, &vec![vec![97.0, 50.0]; 80]);
    assert!(text.contains("warning   Processor _Total: % Processor Time was 97 %"), "{text}");
    assert!(text.contains("load/cpu-high") && text.contains("could be checked, 1 finding"), "{text}");
    // With both the queue decides, however busy they are.
    let paths = [paths[0], paths[1], r"Processor(0)\% Processor Time", r"Processor(1)\% Processor Time"];
    let text = said(&paths, 10, &vec![vec![97.0, 1.0, 97.0, 97.0]; 80]);
    assert!(!text.contains("load/cpu-high") && text.contains("info      Processor _Total"), "{text}");
    assert!(said(&each, 10, &vec![vec![97.0, 95.0]; 80]).contains("load/cpu-high-of-each"));
}

/// A rule that lacks one of its counters has another in its place; with all of them only the first is judged.
#[test]
fn rules_that_lack_a_counter_have_one_in_their_place() {
    const GIB: f64 = 1024.0 * MIB;
    let constant = |values: &[f64]| vec![values.to_vec(); 80];
    let cases: [(&[&str], &[f64], &str); 19] = [
        (&[r"Memory\Available Bytes"], &[90.0 * MIB], "windows-system/memory-low-bytes"),
        (&[r"Memory\Available KBytes"], &[90.0 * 1024.0], "windows-system/memory-low-kilobytes"),
        (
            &[r"Memory\Available MBytes", r"Memory\Available Bytes"],
            &[90.0, 90.0 * MIB],
            "windows-system/memory-low",
        ),
        (
            &[r"Memory\Pages Input/sec", r"Memory\Available Bytes"],
            &[3e3, 0.5 * GIB],
            "windows-system/hard-faults-bytes",
        ),
        (
            &[r"Memory\Pages Input/sec", r"Memory\Available KBytes"],
            &[3e3, 5e5],
            "windows-system/hard-faults-kilobytes",
        ),
        (
            &[r"Memory\Committed Bytes", r"Memory\Commit Limit"],
            &[95e9, 100e9],
            "windows-system/commit-high-bytes",
        ),
        (&[r"Processor(_Total)\% Privileged Time"], &[70.0], "windows-system/kernel-time-old"),
        (
            &[r"Processor(3)\% DPC Time", r"Processor(3)\% Interrupt Time"],
            &[40.0, 30.0],
            "windows-system/one-cpu-on-interrupts-old",
        ),
        (&[r"PhysicalDisk(0 C:)\Avg. Disk sec/Read"], &[0.04], "disk/reads-slow-alone"),
        (&[r"LogicalDisk(C:)\Avg. Disk sec/Write"], &[0.09], "disk/writes-slow-alone"),
        (&[r"PhysicalDisk(_Total)\Avg. Disk sec/Read"], &[0.04], "disk/reads-slow-in-all"),
        (&[r"PhysicalDisk(0 C:)\Avg. Disk sec/Transfer"], &[0.09], "disk/transfers-slow"),
        (&[r"PhysicalDisk(_Total)\Avg. Disk sec/Transfer"], &[0.09], "disk/transfers-slow-in-all"),
        (&[r"sar.disk(dev8-0)\await", r"sar.disk(dev8-0)\tps"], &[90.0, 50.0], "disk/await-long"),
        (&[r"PhysicalDisk(0 C:)\% Idle Time"], &[1.0], "disk/disk-busy"),
        (&[r"PhysicalDisk(0 C:)\% Disk Time"], &[99.0], "disk/disk-time-high"),
        (&[r"LogicalDisk(C:)\% Free Space"], &[3.0], "disk/space-low-share"),
        (&[r"LogicalDisk(C:)\Free Megabytes"], &[500.0], "disk/space-low-megabytes"),
        (
            &[r"Network Interface(a)\Bytes Sent/sec", r"Network Interface(a)\Current Bandwidth"],
            &[115e6, 1e9],
            "network/link-saturated-sent",
        ),
    ];
    for (paths, values, rule) in cases {
        let text = said(paths, 10, &constant(values));
        assert!(text.contains(&format!("{rule})")) || text.contains(&format!("{rule}\n")), "{rule}: {text}");
        assert!(!text.contains("2 findings of"), "{rule}: {text}");
    }
    // A fast disk with its reads and writes: nothing in the place of the rules is judged.
    let all = ["Avg. Disk sec/Read", "Disk Reads/sec", "Avg. Disk sec/Transfer"];
    let paths = all.map(|counter| format!(r"PhysicalDisk(0 C:)\{counter}"));
    let paths: Vec<&str> = paths.iter().map(String::as_str).collect();
    let text = said(&paths, 10, &constant(&[0.3, 0.1, 0.3]));
    assert!(text.contains("none fired"), "{text}");
}

/// What one machine has doesn't keep another from being judged.
#[test]
fn a_rule_is_judged_in_the_place_of_another_by_machine() {
    let outputs = Outputs::new();
    let text = |host: &str, counters: &[&str], values: &str| {
        let path = |counter: &&str| format!(",\"\\\\{host}\\{counter}\"");
        let header = counters.iter().map(path).collect::<String>();
        let row = |minute: usize| format!("\"11/21/2026 10:{minute:02}:00.000\"{values}\n");
        let rows = (0..30).map(row).collect::<String>();
        outputs.write(&format!("{host}.csv"), format!("\"(PDH-CSV 4.0) (UTC)(0)\"{header}\n{rows}"))
    };
    let all = [
        r"System\Processor Queue Length",
        r"Processor(0)\% Processor Time",
        r"Processor(_Total)\% Processor Time",
    ];
    let one = text("ONE", &all, ",\"0\",\"99\",\"99\"");
    let two = text("TWO", &all[2..], ",\"99\"");
    let done = recount(&["report", &one, &two]).fine();
    let high: Vec<&str> = done.lines().filter(|line| line.starts_with("warning ")).collect();
    assert!(high.len() == 1 && high[0].contains("TWO"), "{done}");
}

#[test]
fn memory_in_steps_is_said() {
    let levels = [(9000.0, 20), (4500.0, 20), (9100.0, 20), (4400.0, 20)];
    let text = said(&[r"Memory\Available MBytes"], 60, &column(&levels));
    assert!(
        text.contains(
            "Available MBytes moved in 3 steps of more than 25 % (2 down, 1 up) in 1 h 19 min, between levels of 4.3 GiB and 8.89 GiB"
        ),
        "{text}"
    );
    let text = said(&[r"Memory\Available MBytes"], 60, &column(&[(9000.0, 40), (7500.0, 40)]));
    assert!(text.contains("none fired"), "{text}");
    // Only down, and a steady fall.
    let stairs = [(9000.0, 20), (6000.0, 20), (4000.0, 20), (2500.0, 20)];
    let falling: Vec<Vec<f64>> = (0..120).map(|at| vec![8000.0 - 60.0 * f64::from(at)]).collect();
    for rows in [column(&stairs), falling] {
        let text = said(&[r"Memory\Available MBytes"], 60, &rows);
        assert!(text.contains("none fired"), "{text}");
    }
}

#[test]
fn who_has_memory_is_said_by_what_is_short() {
    let of = |name: &str, counter: &str| format!("Process({name})\\{counter}");
    let said_by = |short: &str, value: f64| {
        let (a_set, a_private) = (of("a", "Working Set"), of("a", "Private Bytes"));
        let (b_set, b_private) = (of("b", "Working Set"), of("b", "Private Bytes"));
        let paths = [short, a_set.as_str(), &a_private, &b_set, &b_private];
        let rows = vec![vec![value, 3e9, 1e8, 2e8, 9e9]; 10];
        let rows: Vec<_> = rows.into_iter().enumerate().map(|(at, row)| (at * 60, row)).collect();
        let outputs = Outputs::new();
        let json = outputs.path("f.json");
        let text = recount(&["report", &capture(&outputs, &paths, &rows), "--json", &json]).fine();
        let found: serde_json::Value =
            serde_json::from_str(&std::fs::read_to_string(&json).expect("written")).expect("JSON");
        (text, found["findings"][0]["who"].clone())
    };
    let (text, who) = said_by(r"Memory\Available MBytes", 60.0);
    // b has less than a tenth of it.
    assert!(text.contains("; largest working sets: a 2.79 GiB\n"), "{text}");
    let first = &who["processes"][0];
    assert_eq!((&who["counters"][0], &who["unit"]), (&"Working Set".into(), &"bytes".into()));
    assert_eq!((&first["name"], &first["pid"], &first["value"]), (&"a".into(), &().into(), &3e9.into()));
    let (text, who) = said_by(r"Memory\% Committed Bytes In Use", 97.0);
    assert!(text.contains("; most private bytes: b 8.38 GiB"), "{text}");
    assert_eq!(&who["counters"][0], "Private Bytes");
}

/// A thousand samples of a disk that fills up, while one process writes a little and another in few of them.
#[test]
fn who_it_was_is_known_from_every_sample() {
    let paths = [
        r"LogicalDisk(E:)\% Free Space",
        r"LogicalDisk(E:)\Free Megabytes",
        r"Process(steady)\IO Write Bytes/sec",
        r"Process(burst)\IO Write Bytes/sec",
        r"Process(once)\IO Write Bytes/sec",
    ];
    for shift in 0..9_usize {
        let row = |at: usize| {
            let free = at as f64;
            let burst = if at % 9 == shift { 2.7e9 } else { 0.0 };
            let once = if at == 500 + shift { 3e9 } else { 0.0 };
            (10 * at, vec![60.0 - 0.03 * free, 60_000.0 - 30.0 * free, 1e6, burst, once])
        };
        let outputs = Outputs::new();
        let json = outputs.path("f.json");
        let log = capture(&outputs, &paths, &(0..1081).map(row).collect::<Vec<_>>());
        let text = recount(&["report", &log, "--rules", "disk", "--json", &json]).fine();
        let found: serde_json::Value =
            serde_json::from_str(&std::fs::read_to_string(&json).expect("written")).expect("JSON");
        let processes = found["findings"][0]["who"]["processes"].as_array().expect("who").clone();
        assert_eq!(processes[0]["name"], "burst", "{text}");
        let (value, expected) = (processes[0]["value"].as_f64().expect("a number"), 2.7e9 / 9.0);
        assert!((value / expected - 1.0).abs() < 0.002, "{value}");
        assert!(text.contains("; most written by: burst 286 MiB/s\n"), "{text}");
    }
}

/// Findings of several machines and spans, all answered by one pass.
#[test]
fn who_it_was_is_known_of_every_machine_and_span() {
    let paths = [
        r"\\A\Processor(_Total)\% Processor Time",
        r"\\A\Process(x)\% Processor Time",
        r"\\A\Process(y)\% Processor Time",
        r"\\B\Processor(_Total)\% Processor Time",
        r"\\B\Process(x)\% Processor Time",
        r"\\B\Process(y)\% Processor Time",
    ];
    // A is busy by x in the first hour, B by y in the last.
    let row = |at: usize| {
        let (first, last) = (f64::from(u8::from(at < 360)), f64::from(u8::from(at >= 720)));
        let values = [99.0 * first, 90.0 * first, 60.0 * last, 99.0 * last, 60.0 * first, 90.0 * last];
        (10 * at, values.to_vec())
    };
    let outputs = Outputs::new();
    let log = capture(&outputs, &paths, &(0..1080).map(row).collect::<Vec<_>>());
    let text = recount(&["report", &log]).fine();
    let who = |machine: &str| {
        let line =
            text.lines().find(|line| line.contains(&format!(" {machine}: Processor"))).unwrap_or(&text);
        line.rsplit("; ").next().unwrap_or_default().to_owned()
    };
    assert_eq!(who("A"), "most processor time (100 % is one processor): x 90 %");
    assert_eq!(who("B"), "most processor time (100 % is one processor): y 90 %");
}

/// What the processors did and no process has used is said beside those that are named.
#[test]
fn what_nobody_has_used_is_said() {
    let paths = [
        r"Processor(0)\% Processor Time",
        r"Processor(1)\% Processor Time",
        r"Processor(_Total)\% Processor Time",
        r"Process(x)\% Processor Time",
        r"Process(y)\% Processor Time",
        r"Process(Idle)\% Processor Time",
        r"Process(_Total)\% Processor Time",
    ];
    let of = |y: f64| {
        let row = vec![98.0, 94.0, 96.0, 60.0, y, 8.0, 60.0 + y + 8.0];
        let rows: Vec<_> = (0..120).map(|at| (10 * at, row.clone())).collect();
        let outputs = Outputs::new();
        let json = outputs.path("f.json");
        let text = recount(&["report", &capture(&outputs, &paths, &rows), "--json", &json]).fine();
        let found: serde_json::Value =
            serde_json::from_str(&std::fs::read_to_string(&json).expect("written")).expect("JSON");
        (text, found["findings"][0]["who"]["unattributed"].clone())
    };
    let (text, rest) = of(40.0);
    assert!(text.contains(": not attributed 92 %, x 60 %, y 40 %\n"), "{text}");
    assert_eq!(rest, 92.0);
    let (text, rest) = of(131.0);
    assert!(text.contains(": y 131 %, x 60 %\n"), "{text}");
    assert!(rest.is_null(), "{rest}");
}

#[test]
fn hosts_of_virtual_machines_have_rules() {
    let paths = [
        r"Group Cpu(123:vm)\% Ready",
        r"Group Cpu(1:idle)\% Ready",
        r"Group Cpu(123:vm)\% CoStop",
        r"Physical Disk Adapter(vmhba0)\Average Driver MilliSec/Command",
        r"Physical Disk Adapter(vmhba0)\Average Kernel MilliSec/Command",
        r"Memory\Memctl Current MBytes",
        r"Memory\Swap Used MBytes",
    ];
    let text = said(&paths, 5, &vec![vec![25.0, 800.0, 5.0, 40.0, 3.0, 512.0, 100.0]; 20]);
    assert_says(
        &text,
        &[
            "Group Cpu 123:vm: % Ready was 25 % on average",
            "% CoStop was 5 %",
            "Average Driver MilliSec/Command was 40 ms",
            "Average Kernel MilliSec/Command was 3 ms",
            "Memctl Current MBytes was 512 MiB",
            "Swap Used MBytes was 100 MiB",
            "could be checked, 6 findings",
        ],
    );
    let text = said(&paths, 5, &vec![vec![2.0, 800.0, 0.0, 4.0, 0.1, 0.0, 0.0]; 20]);
    assert!(text.contains("none fired"), "{text}");
}

/// Latency of an idle adapter is no finding; of a busy one the finding shows what was measured.
#[test]
fn storage_that_has_nothing_to_do_is_not_slow() {
    for object in ["Physical Disk Adapter(vmhba1)", "Physical Disk SCSI Device(naa.1)"] {
        let counters = ["Average Driver MilliSec/Command", "Average Kernel MilliSec/Command", "Commands/sec"];
        let paths = counters.map(|counter| format!(r"{object}\{counter}"));
        let paths = [paths[0].as_str(), &paths[1], &paths[2]];
        let text = said(&paths, 5, &vec![vec![90.0, 9.0, 0.5]; 20]);
        assert!(text.contains("none fired"), "{text}");
        let text = said(&paths, 5, &vec![vec![90.0, 9.0, 5.0]; 20]);
        assert_says(
            &text,
            &[
                "Average Driver MilliSec/Command was 90 ms with 5 commands/s on average for 1 min 35 s, at most 90 ms",
                "Average Kernel MilliSec/Command was 9 ms with 5 commands/s on average for 1 min 35 s, at most 9 ms",
                "could be checked, 2 findings",
            ],
        );
    }
}

#[test]
fn page_life_is_judged_without_the_pool() {
    let paths =
        [r"MSSQL$PROD:Buffer Manager\Page life expectancy", r"SQLServer:Buffer Manager\Page life expectancy"];
    let text = said(&paths, 60, &vec![vec![20.0, 5000.0]; 15]);
    assert!(
        text.contains("MSSQL$PROD:Buffer Manager: Page life expectancy was 20 s on average for 14 min"),
        "{text}"
    );
    assert!(text.contains("could be checked, 1 finding"), "{text}");
}

/// Seven tenths of a link for minutes are a note; of a link that is nearly full, only that is said.
#[test]
fn a_link_that_is_used_much_is_said() {
    let of = |name: &str| {
        ["Bytes Received/sec", "Bytes Sent/sec", "Current Bandwidth"]
            .map(|counter| format!(r"Network Interface({name})\{counter}"))
    };
    let names = [of("eth0"), of("eth1")].concat();
    let paths: Vec<&str> = names.iter().map(String::as_str).collect();
    // Percent of 1 Gbit/s.
    let rows = |one: f64, other: f64| {
        let row = [one, other].map(|percent| vec![percent * 1.25e6, 1e3, 1e9]).concat();
        vec![row; 20]
    };
    let told = |severity: &str, name: &str, percent: u32| {
        format!(
            "{severity:<8}  Network Interface {name}: the busier direction carried {percent} % of the link"
        )
    };
    let text = said(&paths, 10, &rows(74.0, 10.0));
    assert!(
        text.contains(&told("info", "eth0", 74)) && text.contains("could be checked, 1 finding"),
        "{text}"
    );
    let text = said(&paths, 10, &rows(92.0, 74.0));
    assert!(
        text.contains(&told("warning", "eth0", 92)) && text.contains(&told("info", "eth1", 74)),
        "{text}"
    );
    assert!(text.contains("could be checked, 2 findings"), "{text}");
    assert!(said(&paths, 10, &rows(66.0, 10.0)).contains("none fired"));
}

#[test]
fn findings_name_who() {
    let paths = [
        r"Processor(_Total)\% Processor Time",
        r"Process(indexer)\% Processor Time",
        r"Process(indexer)\ID Process",
        r"Process(shell)\% Processor Time",
        r"Process(shell)\ID Process",
        r"Process(_Total)\% Processor Time",
    ];
    let row = |at: usize| match at {
        30..=60 => vec![100.0, 360.0, 41.0, 39.0, 42.0, 400.0],
        // Before and after it somebody else runs.
        _ => vec![10.0, 1.0, 41.0, 38.0, 42.0, 40.0],
    };
    let text = said(&paths, 10, &(0..90).map(row).collect::<Vec<_>>());
    let who = "; most processor time (100 % is one processor): indexer (pid 41) 360 %, shell (pid 42) 39 %\n";
    let line = text.lines().find(|line| line.contains("Processor _Total")).unwrap_or_default();
    assert!(format!("{line}\n").ends_with(who), "{text}");
}

#[test]
fn those_that_compete_are_few_and_say_what_they_got() {
    let mut paths = vec![r"System\Runnable Threads".to_owned(), r"Processor(0)\% Processor Time".to_owned()];
    for pid in 1..=9 {
        paths.push(format!(r"Process(cc{pid})\% Processor Time"));
        paths.push(format!(r"Process(cc{pid})\ID Process"));
    }
    let paths: Vec<&str> = paths.iter().map(String::as_str).collect();
    let row = || {
        let each = (1..=9).flat_map(|pid| [10.0 + f64::from(pid) / 10.0, f64::from(pid)]);
        [10.0, 100.0].into_iter().chain(each).collect::<Vec<f64>>()
    };
    let text = said(&paths, 10, &vec![row(); 20]);
    assert_eq!(text.matches("process-starved").count(), 3, "{text}");
    assert!(
        text.contains(
            "cc9 (pid 9): it used 10.9 % of one processor while 10 threads wanted to run on 1 on average"
        ),
        "{text}"
    );
    assert!(text.contains("(6 more like it)"), "{text}");
    assert!(!text.contains("of its share"), "{text}");
}

/// Windows since 11 has both, and typeperf users take the newer one.
#[test]
fn processes_named_by_id_say_what_process_does() {
    let outputs = Outputs::new();
    let log = |name: &str, object: &str, ids: [&str; 2], id: &str| {
        let mut text = String::from("\"(PDH-CSV 4.0) (UTC)(0)\"");
        for path in [
            "Processor(_Total)\\% Processor Time",
            "Processor(0)\\% Processor Time",
            "Processor(1)\\% Processor Time",
            "System\\Processor Queue Length",
        ] {
            text.push_str(&format!(",\"\\\\A\\{path}\""));
        }
        for process in [format!("chrome{}", ids[0]), format!("sqlservr{}", ids[1])] {
            for counter in ["% Processor Time", "Private Bytes", id] {
                text.push_str(&format!(",\"\\\\A\\{object}({process})\\{counter}\""));
            }
        }
        text.push('\n');
        for at in 0..121 {
            let (minute, second) = (at / 4, at % 4 * 15);
            text.push_str(&format!(
                "\"03/02/2026 09:{minute:02}:{second:02}.000\",\"98\",\"98\",\"98\",\"20\",\"190\",\"500000000\",\"4312\",\"4\",\"{}\",\"1208\"\n",
                1_073_741_824_u64 + at * 17_895_697
            ));
        }
        outputs.write(name, text)
    };
    let old = log("v1.csv", "Process", ["", ""], "ID Process");
    let new = log("v2.csv", "Process V2", [":4312", ":1208"], "Process ID");
    let output = recount(&["report", &old]).fine();
    assert_says(&output, &["chrome (pid 4312)", "sqlservr (pid 1208)"]);
    assert_eq!(recount(&["report", &new]).fine(), output);
    // The same by a value of the registry.
    let formatted = log("formatted.csv", "Process", ["_4312", "_1208"], "ID Process");
    assert_eq!(recount(&["report", &formatted]).fine(), output);
    let workers = log("workers.csv", "Process", ["_1", "_2"], "ID Process");
    assert_says(&recount(&["report", &workers]).fine(), &["chrome_1 (pid 4312)", "sqlservr_2 (pid 1208)"]);
    let diff = recount(&["diff", &old, &new]).fine();
    assert!(diff.contains(" 8 the same; 0 series with values only in the base, 0 only in the new"), "{diff}");
    let shown = recount(&["show", &new]).fine();
    assert!(shown.contains(r"\Process V2(chrome:4312)\% Processor Time"), "{shown}");
}
