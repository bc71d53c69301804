//! What the sentences of `recount moved` say is so, computed from series that are known.

use super::run::{Outputs, recount};

const PROCESSOR: &str = r"Processor(_Total)\% Processor Time";
const QUEUE: &str = r"PhysicalDisk(_Total)\Current Disk Queue Length";

/// Values between -0.5 and 0.5.
fn noise(seed: u64) -> impl FnMut() -> f64 {
    let mut state = seed;
    move || {
        state = state.wrapping_mul(6_364_136_223_846_793_005).wrapping_add(1_442_695_040_888_963_407);
        (state >> 40) as f64 / f64::from(1_u32 << 24) - 0.5
    }
}

/// A text log of a counter that has a value each second from 13:10:00 on, or none: NaN.
fn each_second(outputs: &Outputs, counter: &str, values: &[f64]) -> String {
    let mut text = format!("\"(PDH-CSV 4.0) (UTC)(0)\",\"\\\\A\\{counter}\"\n");
    for (at, value) in values.iter().enumerate() {
        let (minute, second) = (10 + at / 60, at % 60);
        let value = if value.is_nan() { " ".to_owned() } else { value.to_string() };
        text.push_str(&format!("\"11/21/2026 13:{minute:02}:{second:02}.000\",\"{value}\"\n"));
    }
    outputs.write("one.csv", text)
}

/// What is said of a counter in a span, against another one if it is named.
fn said(counter: &str, values: &[f64], spans: &[&str]) -> String {
    let outputs = Outputs::new();
    let path = each_second(&outputs, counter, values);
    recount(&[&["moved", &path, "--span"][..], spans].concat()).fine()
}

/// At 6 until 13:15:00, at 20 until 13:15:30, at 89 until 13:16:20, and at 18 then.
fn three_levels() -> Vec<f64> {
    let mut random = noise(41);
    let level = |at: usize| match at {
        0..300 => 6.0,
        300..330 => 20.0,
        330..380 => 89.0,
        _ => 18.0,
    };
    (0..440).map(|at| level(at) + if at < 300 { 0.6 } else { 3.0 } * random()).collect()
}

#[test]
fn a_level_in_between_is_no_part_of_the_stretch() {
    for span in ["13:15:10..13:16:30", "13:15:20..13:16:50", "13:15:20..13:16:40", "13:15:29..13:16:30"] {
        let said = said(PROCESSOR, &three_levels(), &[span]);
        assert!(said.starts_with("At 13:15:30 Processor % Processor Time rose from "), "{span}: {said}");
        assert!(said.lines().next().is_some_and(|line| line.ends_with(" for 50 s")), "{span}: {said}");
    }
}

/// `moved` is sure that it rose, so `diff` can't be unsure, although the new values are at two levels.
#[test]
fn diff_is_as_sure_of_two_spans() {
    let outputs = Outputs::new();
    let path = each_second(&outputs, PROCESSOR, &three_levels());
    let spans = ["13:10:00..13:14:59", "13:15:00..13:16:19"];
    let moved = recount(&["moved", &path, "--against", spans[0], "--span", spans[1]]).fine();
    assert!(moved.starts_with("At 13:15:30 Processor % Processor Time rose from "), "{moved}");
    let diff = recount(&["diff", &path, "--base", spans[0], "--new", spans[1]]);
    assert!(diff.stdout.contains("1 regression, ") && diff.stdout.contains(" 0 unsure, "), "{}", diff.stdout);
}

#[test]
fn missing_values_are_said_and_stretch_nothing() {
    let mut random = noise(43);
    let mut values: Vec<f64> =
        (0..420).map(|at| if (300..360).contains(&at) { 40.0 } else { 2.0 } + random()).collect();
    values[320..340].fill(f64::NAN);
    let during = said(QUEUE, &values, &["13:14:50..13:16:50"]);
    assert!(during.starts_with("At 13:15:00 "), "{during}");
    let line = during.lines().next().unwrap_or_default();
    assert!(line.ends_with(" for 1 min (20 of 60 values are missing)"), "{during}");
    // It began some time in the gap, and is known to have lasted 30 s.
    values[320..340].fill(40.0);
    values[290..330].fill(f64::NAN);
    let before = said(QUEUE, &values, &["13:14:55..13:16:50"]);
    let line = before.lines().next().unwrap_or_default();
    assert!(line.starts_with("Between 13:14:49 and 13:15:30 ") && line.ends_with(" for 30 s"), "{before}");
}

/// It is busy from 13:14:00 on, which is in neither of the two times.
#[test]
fn a_begin_that_is_not_compared_is_not_said() {
    let mut random = noise(47);
    let values: Vec<f64> =
        (0..420).map(|at| if (240..360).contains(&at) { 40.0 } else { 2.0 } + random()).collect();
    let said = said(QUEUE, &values, &["13:15:00..13:16:50", "--against", "13:10:00..13:13:30"]);
    assert!(said.starts_with("By 13:15:00 PhysicalDisk Current Disk Queue Length rose 2"), "{said}");
    let line = said.lines().next().unwrap_or_default();
    assert!(line.ends_with(" for at least 1 min"), "{said}");
}

#[test]
fn what_was_busy_throughout_is_a_note() {
    let mut random = noise(53);
    let values: Vec<f64> = (0..420).map(|_| 88.0 + 4.0 * random()).collect();
    let busy = said(PROCESSOR, &values, &["13:15:00..13:16:50"]);
    assert!(busy.contains("note: Processor % Processor Time was busy in both times: 8"), "{busy}");
    let calm: Vec<f64> = values.iter().map(|value| value - 60.0).collect();
    let calm = said(PROCESSOR, &calm, &["13:15:00..13:16:50"]);
    assert!(!calm.contains("busy in both times"), "{calm}");
}

/// It is four times as high through the span. Before, it was at that level for an eighth of the time.
#[test]
fn a_level_that_was_there_before_hides_nothing() {
    let mut random = noise(59);
    let is_high = |at: usize| (60..98).contains(&at) || at >= 300;
    let values: Vec<f64> = (0..420).map(|at| if is_high(at) { 40.0 } else { 10.0 } + random()).collect();
    let said = said(QUEUE, &values, &["13:15:00..13:16:59"]);
    let start = "At 13:15:00 PhysicalDisk Current Disk Queue Length rose 4.0-fold, from 10";
    assert!(said.starts_with(start), "{said}");
    let line = said.lines().next().unwrap_or_default();
    assert!(line.contains(", until the end of the span "), "{said}");
    assert!(line.ends_with("; it had been as high from 13:11:00 to 13:11:37"), "{said}");
}

/// At 10, from 13:15:00 on at 20, and from 13:15:30 on at 50.
#[test]
fn a_second_step_is_compared_with_the_first_one() {
    let mut random = noise(61);
    let level = |at: usize| [10.0, 20.0, 50.0][usize::from(at >= 300) + usize::from(at >= 330)];
    let values: Vec<f64> = (0..420).map(|at| level(at) + 0.5 * random()).collect();
    let said = said(QUEUE, &values, &["13:15:00..13:16:59"]);
    let line = said.lines().next().unwrap_or_default();
    assert!(line.starts_with("At 13:15:30 "), "{said}");
    assert!(line.contains(" rose 2.5-fold, from 20 (its median since 13:15:00) to 50"), "{said}");
}

/// Two samples a minute, and a window of one minute.
#[test]
fn too_few_samples_are_said() {
    let outputs = Outputs::new();
    let mut random = noise(67);
    let mut text = format!("\"(PDH-CSV 4.0) (UTC)(0)\",\"\\\\A\\{PROCESSOR}\"\n");
    for at in 0..20 {
        let value = if at >= 18 { 80.0 } else { 20.0 } + 5.0 * random();
        text.push_str(&format!("\"11/21/2026 13:{:02}:{:02}.000\",\"{value}\"\n", 10 + at / 2, at % 2 * 30));
    }
    let path = outputs.write("few.csv", text);
    let said = recount(&["moved", &path, "--span", "13:18:45..13:19:30"]).fine();
    let is_named = said.contains("Perhaps: ")
        || said.contains("note: too few samples to judge Processor % Processor Time: 8");
    assert!(is_named, "{said}");
}

/// A leak that goes on doesn't move, and is said beside it.
#[test]
fn what_goes_on_rising_is_said() {
    let mut random = noise(7);
    let leak: Vec<f64> = (0..600).map(|at| 1e8 + 1e5 * f64::from(at) + 2e4 * random()).collect();
    let said = said(r"Process(java)\Private Bytes", &leak, &["13:16:00..13:18:00"]);
    assert!(said.contains("nothing moved by more than chance explains"), "{said}");
    assert!(
        said.contains("note: Process(java) Private Bytes went on rising steadily, by 343 MiB an hour"),
        "{said}"
    );
}

/// The time between the two that are compared counts.
#[test]
fn a_trend_goes_on_between_spans_that_are_apart() {
    let mut random = noise(3);
    let rising: Vec<f64> = (0..1_800).map(|at| 2.0 * f64::from(at) + random()).collect();
    let counter = r"Memory\Available MBytes";
    let spans = ["13:35:00..13:37:00", "--against", "13:11:00..13:16:00"];
    let text = said(counter, &rising, &spans);
    assert!(text.contains("nothing moved"), "{text}");
    let higher: Vec<f64> = rising
        .iter()
        .enumerate()
        .map(|(at, value)| if at < 1_500 { *value } else { value + 300.0 })
        .collect();
    let text = said(counter, &higher, &spans);
    assert!(text.contains("rose above its trend"), "{text}");
}
