//! `recount moved`, and spans of `recount diff`

use serde_json::Value;

use super::run::{Outputs, recount, sample};

/// One hour at 5 s: from minute 40 on for `busy` samples the processor and the disk's queue are busy, with noise on top that has a memory.
/// A third counter never changes, a fourth rises steadily, a fifth is noise, and memory falls a little later.
fn capture(outputs: &Outputs, name: &str, busy: usize) -> String {
    let names = [
        r"Processor(_Total)\% Processor Time",
        r"Processor(_Total)\% Idle Time",
        r"PhysicalDisk(_Total)\Current Disk Queue Length",
        r"System\Processes",
        r"System\File Data Operations/sec",
        r"Cache\Copy Reads/sec",
        r"Memory\Available Bytes",
    ];
    let header = names.map(|name| format!(",\"\\\\A\\{name}\""));
    let mut text = format!("\"(PDH-CSV 4.0) (UTC)(0)\"{}\n", header.concat());
    let mut states = [3_u64, 5, 7, 11];
    let mut noises = [0.0; 4];
    for at in 0..720_usize {
        for (state, noise) in states.iter_mut().zip(&mut noises) {
            *state = state.wrapping_mul(6_364_136_223_846_793_005).wrapping_add(1_442_695_040_888_963_407);
            *noise = 0.6 * *noise + (*state >> 40) as f64 / f64::from(1_u32 << 24) - 0.5;
        }
        let is_busy = (480..480 + busy).contains(&at);
        let processor = if is_busy { 90.0 } else { 12.0 } + noises[0];
        let queue = if is_busy { 16.0 } else { 0.4 } + 0.1 * noises[1];
        let available = if (482..482 + busy).contains(&at) { 2e9 } else { 8e9 } + 1e7 * noises[3];
        let values = [
            processor,
            100.0 - processor,
            queue,
            77.0,
            1_000.0 * at as f64,
            5_000.0 * (2.0 + noises[2]),
            available,
        ];
        let (minute, second) = (at * 5 / 60, at * 5 % 60);
        text.push_str(&format!("\"11/21/2026 10:{minute:02}:{second:02}.000\""));
        for value in values {
            text.push_str(&format!(",\"{value}\""));
        }
        text.push('\n');
    }
    outputs.write(name, text)
}

fn answer(arguments: &[&str]) -> Value {
    let done = recount(&[&["moved"][..], arguments, &["--format", "json"]].concat());
    assert_eq!(done.code, Some(0), "{}{}", done.stdout, done.stderr);
    serde_json::from_str(&done.stdout).expect("JSON")
}

#[test]
fn the_group_that_moved_comes_first_and_nothing_else() {
    let outputs = Outputs::new();
    let path = capture(&outputs, "c.csv", 60);
    let done = recount(&["moved", &path, "--span", "10:40..10:46"]);
    assert_eq!(done.code, Some(0), "{}{}", done.stdout, done.stderr);
    let lines: Vec<&str> = done.stdout.lines().collect();
    assert!(
        lines[0].starts_with("Between 10:39:55 and 10:40:00 Processor % Processor Time rose from 12")
            && lines[0].contains("to 90")
            && lines[0].contains(" for 5 min; with it ")
            && lines[0].contains("PhysicalDisk Current Disk Queue Length"),
        "{lines:?}"
    );
    let last = lines.last().expect("a line");
    assert_eq!(*last, "10:40:00 to 10:46:00 against 10:16:00 to 10:40:00: 4 of 7 counters moved, in 1 group");
    let json = answer(&[&path, "--span", "10:40..10:46"]);
    let group = &json["groups"][0];
    let members: Vec<&str> = group["members"]
        .as_array()
        .expect("members")
        .iter()
        .filter_map(|one| one["counter"].as_str())
        .collect();
    assert!(members.contains(&"% Idle Time") && members.contains(&"Available Bytes"), "{members:?}");
    let memory =
        group["members"].as_array().expect("members").iter().find(|one| one["counter"] == "Available Bytes");
    assert_eq!(memory.map(|one| one["lag_s"].as_f64()), Some(Some(10.0)), "two samples later");
    assert_eq!(group["leader"]["onset"]["end"], "2026-11-21T10:40:00Z");
    assert_eq!((&json["counts"]["still"], &json["counts"]["moved"]), (&1.into(), &4.into()));
}

#[test]
fn a_quiet_span_has_no_group() {
    let outputs = Outputs::new();
    let path = capture(&outputs, "c.csv", 60);
    for span in ["10:20..10:25", "10:32..10:36", "10:25..10:38"] {
        let json = answer(&[&path, "--span", span]);
        assert_eq!(json["groups"], Value::Array(Vec::new()), "{span}");
    }
    let done = recount(&["moved", &path, "--span", "10:20..10:25"]);
    assert!(
        done.stdout.contains("of 7 counters, nothing moved by more than chance explains"),
        "{}",
        done.stdout
    );
}

#[test]
fn the_time_after_is_used_if_nothing_is_before() {
    let outputs = Outputs::new();
    let path = capture(&outputs, "c.csv", 60);
    let done = recount(&["moved", &path, "--span", "..10:05"]);
    assert!(done.stdout.contains("note: hardly anything was recorded before the span"), "{}", done.stdout);
    let against = answer(&[&path, "--span", "10:40..10:45", "--against", "10:00..10:20"]);
    assert_eq!(against["against"]["end"], "2026-11-21T10:20:00Z");
    assert_eq!(against["groups"][0]["leader"]["counter"], "% Processor Time");
    let whole = recount(&["moved", &path, "--span", "10:00..10:59:55"]);
    assert_eq!(whole.code, Some(2), "{}", whole.stdout);
    assert!(whole.stderr.contains("--against"), "{}", whole.stderr);
}

#[test]
fn spans_that_mean_nothing_are_errors() {
    let path = sample("objects.blg");
    let overlap = recount(&["moved", &path, "--span", "+10s..+30s", "--against", "+20s..+1m"]).failed();
    assert!(overlap.contains("overlap"), "{overlap}");
    let overlap = recount(&["diff", &path, "--base", "+10s..+50s", "--new", "+20s..+1m"]).failed();
    assert!(overlap.contains("--base and --new overlap"), "{overlap}");
    let help = recount(&["moved", "--help"]).fine();
    assert!(!help.contains("parquet") && !help.contains("- csv"), "{help}");
    for (span, said) in [
        ("14:00", "two times"),
        ("14:00-14:10", "two times"),
        ("mark:nope..+5s", "nope"),
        ("2001-01-01T00:00:00Z..2001-01-02T00:00:00Z", "the span: none of"),
        ("+5s..+1s", "ends before it begins"),
    ] {
        let done = recount(&["moved", &path, "--span", span]);
        assert_eq!(done.code, Some(2), "{span}: {}", done.stdout);
        assert!(done.stderr.contains(said), "{span}: {}", done.stderr);
    }
}

/// Against a time that comes after it, nothing rose or fell.
#[test]
fn a_later_time_is_said_to_be_later() {
    let outputs = Outputs::new();
    let path = capture(&outputs, "c.csv", 60);
    let said = recount(&["moved", &path, "--span", "10:41..10:45", "--against", "10:46..10:58"]).fine();
    let first = said.lines().next().unwrap_or_default();
    assert!(first.starts_with("From 10:41:00 to 10:44:55 Processor % Processor Time was 90"), "{said}");
    assert!(first.contains(" %, against 12 % afterwards; ") && !said.contains("rose"), "{said}");
}

#[test]
fn what_was_not_recorded_of_a_span_is_said() {
    let outputs = Outputs::new();
    let path = capture(&outputs, "c.csv", 60);
    let said = recount(&["moved", &path, "--span", "10:50..11:20"]).fine();
    assert!(
        said.contains(
            "note: of the span there are samples from 2026-11-21 10:50:00 to 2026-11-21 10:59:55 only"
        ),
        "{said}"
    );
    let whole = recount(&["moved", &path, "--span", "10:50..10:59:55"]).fine();
    assert!(!whole.contains(" only"), "{whole}");
}

/// A counter that rises by a million every five seconds, and falls to a sixth at minute 50.
#[test]
fn what_left_its_trend_is_compared_with_where_it_led() {
    let outputs = Outputs::new();
    let mut text = String::from("\"(PDH-CSV 4.0) (UTC)(0)\",\"\\\\A\\Foo\\Bytes\"\n");
    for at in 0..720_usize {
        let value = if at > 600 { 1e8 } else { 1e6 * at as f64 } + [0.0, 3e4, -2e4][at % 3];
        text.push_str(&format!("\"11/21/2026 10:{:02}:{:02}.000\",\"{value}\"\n", at * 5 / 60, at * 5 % 60));
    }
    let path = outputs.write("trend.csv", text);
    let json = answer(&[&path, "--span", "10:50..10:59:55"]);
    let leader = &json["groups"][0]["leader"];
    assert_eq!(leader["left_trend"], true, "{json}");
    // Where it led to, in the middle of the part that stands out: about 659 million.
    let before = leader["before"].as_f64().unwrap_or_default();
    assert!((640e6..690e6).contains(&before), "{before}");
    let said = recount(&["moved", &path, "--span", "10:50..10:59:55"]).fine();
    assert!(said.contains("Foo Bytes fell below its trend: "), "{said}");
}

#[test]
fn two_spans_of_one_capture_are_compared() {
    let outputs = Outputs::new();
    let path = capture(&outputs, "c.csv", 200);
    let json = outputs.path("d.json");
    let done = recount(&[
        "diff",
        &path,
        "--base",
        "10:00..10:39:55",
        "--new",
        "10:40..10:56",
        "--json",
        &json,
        "-c",
        "Processor Time",
    ]);
    assert_eq!(done.code, Some(1), "{}{}", done.stdout, done.stderr);
    assert!(
        done.stdout.contains("1 regression,") && done.stdout.contains("0 only in the new span"),
        "{}",
        done.stdout
    );
    let found: Value = serde_json::from_str(&std::fs::read_to_string(&json).expect("JSON")).expect("JSON");
    let change = &found["changes"][0];
    assert_eq!((&change["base"]["count"], &change["new"]["count"]), (&480.into(), &193.into()));
    // Of two captures each has its span, or one of them.
    let other = capture(&outputs, "quiet.csv", 0);
    let both = recount(&[
        "diff",
        &other,
        &path,
        "--base",
        "10:40..10:56",
        "--new",
        "10:40..10:56",
        "-c",
        "Processor Time",
    ]);
    assert_eq!(both.code, Some(1), "{}{}", both.stdout, both.stderr);
    let one = recount(&["diff", &other, &path, "--new", "10:00..10:39:55", "-c", "Processor Time"]);
    assert_eq!(one.code, Some(0), "{}{}", one.stdout, one.stderr);
}

#[test]
fn a_capture_alone_needs_both_spans() {
    let path = sample("objects.blg");
    for arguments in
        [&["diff", &path][..], &["diff", &path, "--base", "..+3s"], &["diff", &path, "--new", "+3s.."]]
    {
        let done = recount(arguments);
        assert_eq!(done.code, Some(2), "{}", done.stdout);
        assert!(done.stderr.contains("--base 13:00..14:00 --new 14:00..14:10"), "{}", done.stderr);
    }
    let empty =
        recount(&["diff", &path, "--base", "..+3s", "--new", "2001-01-01T00:00:00Z..2001-01-02T00:00:00Z"]);
    assert_eq!(empty.code, Some(2), "{}", empty.stdout);
    assert!(empty.stderr.contains("--new") && empty.stderr.contains("none of"), "{}", empty.stderr);
}

/// A text log of counters that have a value each second from 13:10:00 on.
fn each_second(outputs: &Outputs, name: &str, counters: &[&str], values: &[Vec<f64>]) -> String {
    let header: Vec<String> = counters.iter().map(|name| format!(",\"\\\\A\\{name}\"")).collect();
    let mut text = format!("\"(PDH-CSV 4.0) (UTC)(0)\"{}\n", header.concat());
    for at in 0..values[0].len() {
        let (minute, second) = (10 + at / 60, at % 60);
        text.push_str(&format!("\"11/21/2026 13:{minute:02}:{second:02}.000\""));
        for series in values {
            text.push_str(&format!(",\"{}\"", series[at]));
        }
        text.push('\n');
    }
    outputs.write(name, text)
}

/// Values between -0.5 and 0.5.
fn noise(seed: u64) -> impl FnMut() -> f64 {
    let mut state = seed;
    move || {
        state = state.wrapping_mul(6_364_136_223_846_793_005).wrapping_add(1_442_695_040_888_963_407);
        (state >> 40) as f64 / f64::from(1_u32 << 24) - 0.5
    }
}

/// The queue is empty until 13:14:59, and 50 from 13:15:00 on.
#[test]
fn a_begin_that_is_a_sample_off_hides_nothing() {
    let outputs = Outputs::new();
    let queue: Vec<f64> = (0..420).map(|at| if at >= 300 { 50.0 } else { 0.0 }).collect();
    let mut random = noise(3);
    let busy: Vec<f64> = queue.iter().map(|queue| 20.0 + queue + random()).collect();
    let names = [r"PhysicalDisk(_Total)\Current Disk Queue Length", r"Processor(_Total)\% Processor Time"];
    let path = each_second(&outputs, "step.csv", &names, &[queue, busy]);
    for span in ["13:14:58..", "13:14:59..", "13:15:00..", "13:15:01.."] {
        let said = recount(&["moved", &path, "--span", span]).fine();
        let first = said.lines().next().unwrap_or_default();
        assert!(
            first.starts_with("At 13:15:00 Processor % Processor Time rose from 20 % to 70 %"),
            "{span}: {said}"
        );
        assert!(first.contains("; with it PhysicalDisk Current Disk Queue Length"), "{span}: {said}");
    }
    // The time before comes later.
    for end in ["13:14:59", "13:15:00", "13:15:01"] {
        let span = format!("13:14:30..{end}");
        let said =
            recount(&["moved", &path, "--span", &span, "--against", &format!("{end}..13:16:30")]).fine();
        assert!(
            said.contains(
                "Processor % Processor Time was 20 %, against 70 % afterwards; with it PhysicalDisk"
            ),
            "{span}: {said}"
        );
    }
}

/// 20 % more, of a counter that varies by 1 %.
#[test]
fn a_small_change_that_is_certain_is_said() {
    let outputs = Outputs::new();
    let mut random = noise(5);
    let level = |at: usize| if at >= 300 { 60.0 } else { 50.0 };
    let values: Vec<f64> = (0..420).map(|at| level(at) + random()).collect();
    let path =
        each_second(&outputs, "small.csv", &[r"PhysicalDisk(_Total)\Current Disk Queue Length"], &[values]);
    let said = recount(&["moved", &path, "--span", "13:15:00..13:16:59"]).fine();
    assert!(
        said.starts_with("At 13:15:00 PhysicalDisk Current Disk Queue Length rose by 20 %, from 50"),
        "{said}"
    );
    let said = recount(&["moved", &path, "--span", "13:12:00..13:14:00"]).fine();
    assert!(said.contains("nothing moved"), "{said}");
}

/// It rises from 10 to 40 before, with much noise, and is 2,000 then.
#[test]
fn what_rose_before_is_not_said_to_come_from_the_middle_of_the_rise() {
    let outputs = Outputs::new();
    let mut random = noise(9);
    let course = |at: usize| if at >= 300 { 2_000.0 } else { 10.0 + 0.1 * at as f64 };
    let values: Vec<f64> = (0..420).map(|at| course(at) + 10.0 * random()).collect();
    let names = [r"PhysicalDisk(_Total)\Current Disk Queue Length"];
    let path = each_second(&outputs, "rise.csv", &names, &[values]);
    let said = recount(&["moved", &path, "--span", "13:15:00..13:16:59"]).fine();
    assert!(
        said.contains(" right before the span to 2,00") || said.contains(" right before the span to 1,99"),
        "{said}"
    );
    let before = answer(&[&path, "--span", "13:15:00..13:16:59"])["groups"][0]["leader"]["before"].as_f64();
    assert!(before.is_some_and(|before| (36.0..41.0).contains(&before)), "{before:?}");
}

/// Java has most memory throughout; leak takes 2 GB in the span.
#[test]
fn who_has_most_memory_is_not_who_took_it() {
    let outputs = Outputs::new();
    let mut random = noise(11);
    let taken = |at: usize| if at >= 300 { 2e9 } else { 0.0 };
    let available: Vec<f64> = (0..420).map(|at| 3e9 - taken(at) + 1e6 * random()).collect();
    let java = vec![6e9; 420];
    let leak: Vec<f64> = (0..420).map(|at| 4e9 + taken(at)).collect();
    let names = [r"Memory\Available Bytes", r"Process(java)\Private Bytes", r"Process(leak)\Private Bytes"];
    let path = each_second(&outputs, "leak.csv", &names, &[available, java, leak]);
    let span = ["--span", "13:15:00..13:16:59"];
    let said = recount(&[&["moved", &path][..], &span].concat()).fine();
    let first = said.lines().next().unwrap_or_default();
    assert!(first.starts_with("At 13:15:00 Memory Available Bytes fell"), "{said}");
    assert!(first.ends_with("; private bytes that grew most: leak +1.86 GiB"), "{said}");
    let json = answer(&[&[path.as_str()][..], &span].concat());
    assert_eq!(json["groups"][0]["who"]["is_growth"], true, "{json}");
}

/// Twice busy, of which the second time is the larger one.
#[test]
fn the_first_of_several_times_is_the_onset() {
    let outputs = Outputs::new();
    let mut random = noise(13);
    let values: Vec<f64> = (0..420)
        .map(|at| if (310..330).contains(&at) || (370..420).contains(&at) { 40.0 } else { 2.0 } + random())
        .collect();
    let path =
        each_second(&outputs, "twice.csv", &[r"PhysicalDisk(_Total)\Current Disk Queue Length"], &[values]);
    let said = recount(&["moved", &path, "--span", "13:15:00..13:16:59"]).fine();
    assert!(said.starts_with("At 13:15:10 "), "{said}");
    assert!(said.contains(", 2 times: 13:15:10 to 13:15:29, 13:16:10 to 13:16:59"), "{said}");
}

/// A second capture has a value every 10 s.
#[test]
fn a_slower_capture_has_no_times_of_the_faster_one() {
    let outputs = Outputs::new();
    let mut random = noise(17);
    let values: Vec<f64> = (0..420).map(|_| random()).collect();
    let fast = each_second(&outputs, "fast.csv", &[r"System\Processes"], &[values]);
    let mut text = String::from(
        "\"(PDH-CSV 4.0) (UTC)(0)\",\"\\\\B\\PhysicalDisk(_Total)\\Current Disk Queue Length\"\n",
    );
    for at in 0..42 {
        let queue = if at >= 30 { 40.0 } else { 2.0 } + random();
        text.push_str(&format!("\"11/21/2026 13:{:02}:{:02}.500\",\"{queue}\"\n", 10 + at / 6, at % 6 * 10));
    }
    let slow = outputs.write("slow.csv", text);
    let said = recount(&["moved", &fast, "--with", &slow, "--span", "13:15:00..13:16:59"]);
    assert!(
        said.stdout.starts_with("B: Between 13:14:50.500 and 13:15:00.500 ")
            || said.stdout.starts_with("B: Between 13:14:50 and 13:15:00 "),
        "{}{}",
        said.stdout,
        said.stderr
    );
}

const QUEUE: &str = r"PhysicalDisk(_Total)\Current Disk Queue Length";

/// The first sentence about a counter with a value each second, from 13:10:00 on.
fn first_sentence(values: Vec<f64>, counter: &str, span: &str) -> String {
    let outputs = Outputs::new();
    let path = each_second(&outputs, "one.csv", &[counter], &[values]);
    let said = recount(&["moved", &path, "--span", span]).fine();
    said.lines().next().unwrap_or_default().to_owned()
}

/// A queue of 0 to 5, then eight times as long: from 0 to 48.
#[test]
fn begin_extreme_and_length_are_of_the_same_values() {
    let long = [
        16, 8, 8, 24, 0, 8, 16, 0, 0, 8, 8, 48, 0, 8, 8, 32, 16, 8, 24, 32, 16, 16, 16, 0, 16, 32, 24, 8, 16,
        16, 16, 8, 24, 16, 40, 16, 0, 16, 8, 16,
    ];
    let short = [4, 1, 1, 1, 5, 2, 3, 1, 3, 0, 2, 2, 4, 0, 1, 3];
    let usual = |num: usize| short.into_iter().cycle().take(num);
    let values: Vec<f64> = usual(300).chain(long).chain(usual(40)).map(f64::from).collect();
    let said = first_sentence(values, QUEUE, "13:15:00..13:15:40");
    assert!(said.starts_with("At 13:15:00 "), "{said}");
    assert!(said.ends_with(" rose 8.0-fold, from 2 to 16, at most 48 for 40 s"), "{said}");
}

/// It is busy from the second before the span on, with values near the usual ones among the first.
#[test]
fn an_onset_is_not_the_first_value_without_returns() {
    let busy = [
        79.9, 74.7, 43.9, 52.3, 24.4, 52.0, 68.0, 72.4, 57.1, 73.8, 83.7, 71.0, 72.0, 87.2, 81.5, 82.4, 74.6,
        50.2, 59.3, 74.0, 84.5, 59.6, 68.4, 90.9, 90.0, 75.3, 57.7, 63.6, 72.2, 62.7, 71.4, 69.5, 69.4, 67.1,
        74.9, 71.1, 71.5, 78.6, 65.5, 64.2, 74.1,
    ];
    let mut random = noise(23);
    let mut values: Vec<f64> = (0..299).map(|_| 30.0 + 14.0 * random()).collect();
    values.extend(busy);
    values.extend((0..40).map(|_| 30.0 + 14.0 * random()));
    let said = first_sentence(values, r"Processor(_Total)\% Processor Time", "13:15:00..13:15:40");
    assert!(said.starts_with("At 13:14:59 Processor % Processor Time rose from "), "{said}");
    assert!(said.contains(" for 41 s"), "{said}");
}

#[test]
fn what_came_back_did_not_last_until_the_end() {
    let course = |last: usize| {
        let mut random = noise(29);
        (0..420)
            .map(move |at| if (300..last).contains(&at) { 40.0 } else { 2.0 } + random())
            .collect::<Vec<f64>>()
    };
    // One value, four, and many before the end.
    for (last, long) in [(360, "1 min"), (357, "57 s"), (330, "30 s")] {
        let said = first_sentence(course(last), QUEUE, "13:14:59..13:16:00");
        assert!(
            said.starts_with("At 13:15:00 ") && said.ends_with(&format!(" for {long}")),
            "{last}: {said}"
        );
    }
    let said = first_sentence(course(420), QUEUE, "13:14:59..13:16:00");
    assert!(
        said.ends_with(", until the end of the span 61 s later")
            || said.contains("until the end of the span 1 min"),
        "{said}"
    );
    // Nothing is known of the end of the span.
    let said = first_sentence(course(420), QUEUE, "13:14:59..13:20:00");
    assert!(said.contains(", until the last sample of the span 2 min"), "{said}");
}

/// Half of the values are back.
#[test]
fn what_came_and_went_often_is_counted() {
    let mut random = noise(31);
    let is_long = |at: usize| at >= 300 && at % 12 < 6;
    let values: Vec<f64> = (0..420).map(|at| if is_long(at) { 40.0 } else { 2.0 } + random()).collect();
    let said = first_sentence(values, QUEUE, "13:14:59..13:16:59");
    assert!(said.contains(", 10 times from 13:14:59 to 13:16:53"), "{said}");
}

/// Of three load runs the third is asked about: there was as much load for most of the time before.
#[test]
fn a_load_that_there_was_before_is_compared_with_the_pause() {
    let mut random = noise(37);
    let is_calm = |at: usize| [0..8, 120..140, 260..280, 400..420].iter().any(|pause| pause.contains(&at));
    let values: Vec<f64> = (0..420).map(|at| if is_calm(at) { 2.0 } else { 88.0 } + 3.0 * random()).collect();
    let said = first_sentence(values.clone(), r"Processor(_Total)\% Processor Time", "13:14:40..13:16:40");
    assert!(
        said.starts_with("At 13:14:40 Processor % Processor Time rose from 2")
            && said.contains("(its median since 13:14:20)"),
        "{said}"
    );
    assert!(said.ends_with("; it had been as high from 13:12:20 to 13:14:19"), "{said}");
    // Of the first one only what comes later is known.
    let said = first_sentence(values, r"Processor(_Total)\% Processor Time", "13:10:08..13:11:59");
    assert!(
        said.contains(" was 88 %, against 1.69 % right after, until 13:12:19; it was as high again from "),
        "{said}"
    );
}

/// Values with a memory.
fn correlated(seed: u64, num: usize, by: f64) -> Vec<f64> {
    let mut random = noise(seed);
    let mut value = 0.0;
    (0..num)
        .map(|_| {
            let new: f64 = (0..12).map(|_| random()).sum();
            value = by * value + (1.0 - by * by).sqrt() * new;
            value
        })
        .collect()
}

/// 30 % to 50 % more or less, of counters that vary by 10 %, with a memory.
#[test]
fn a_step_in_the_noise_is_said() {
    let cases =
        [(0.8, 1.5, 100, 4), (0.7, 0.6, 50, 5), (0.5, 1.3, 50, 5), (0.5, 0.6, 50, 8), (0.3, 1.3, 50, 6)];
    for (by, times, long, least) in cases {
        let mut num_said = 0;
        for seed in 1..=10 {
            let is_in = |at: usize| (300..300 + long).contains(&at);
            let values: Vec<f64> = correlated(seed, 420, by)
                .iter()
                .enumerate()
                .map(|(at, value)| (200.0 + 20.0 * value) * if is_in(at) { times } else { 1.0 })
                .collect();
            let end = 15 * 60 + long;
            let span = format!("13:15:00..13:{}:{:02}", end / 60, end % 60);
            let said = first_sentence(values, r"PhysicalDisk(_Total)\Disk Transfers/sec", &span);
            let verb = if times > 1.0 { " rose by " } else { " fell by " };
            num_said += u32::from(said.contains(verb));
        }
        assert!(num_said >= least, "{by} {times} {long}: {num_said} of 10");
    }
}

/// Samples of a minute, which aren't at whole seconds.
#[test]
fn a_second_means_the_sample_in_it() {
    let outputs = Outputs::new();
    let mut text = String::from(
        "\"(PDH-CSV 4.0) (UTC)(0)\",\"\\\\A\\PhysicalDisk(a)\\Disk Read Bytes/sec\",\"\\\\A\\PhysicalDisk(a)\\Disk Write Bytes/sec\"\n",
    );
    let values =
        [(0.0, 0.0), (7.3e7, 3e6), (7.6e7, 4e4), (8e4, 2e4), (3.9e6, 7e4), (1.8e5, 1e4), (3.8e4, 6e3)];
    for (at, (read, write)) in values.into_iter().enumerate() {
        text.push_str(&format!("\"11/21/2026 13:{:02}:39.451\",\"{read}\",\"{write}\"\n", 25 + at));
    }
    let path = outputs.write("minutes.csv", text);
    let json = answer(&[&path, "--span", "13:26:39..13:27:39", "--against", "13:27:39..13:31:39"]);
    assert_eq!(json["counts"]["samples"], 2, "{json}");
    let leader = &json["groups"][0]["leader"];
    assert_eq!(leader["counter"], "Disk Read Bytes/sec", "{json}");
}
