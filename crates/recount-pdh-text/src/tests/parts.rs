//! Files that are appended to each other: every header begins a part, and all parts are read.

use super::*;

const FIRST: &str = concat!(
    "\"(PDH-CSV 4.0) (Eastern Daylight Time)(240)\",\"\\\\WEB1\\Memory\\Pages\",\"\\\\WEB1\\Disk(C:)\\Queue\"\r\n",
    "\"11/03/2023 10:00:00.000\",\"1\",\"2\"\r\n",
    "\"11/03/2023 10:00:01.000\",\"3\",\"4\"\r\n",
);
const SECOND: &str = concat!(
    "\"(PDH-CSV 4.0) (Eastern Standard Time)(300)\",\"\\\\web1\\Memory\\Faults\"\r\n",
    "\"11/06/2023 10:00:00.000\",\"5\"\r\n",
    "\"11/06/2023 10:00:01.000\",\"6\"\r\n",
);

#[test]
fn each_part_has_its_own_columns_and_zone() {
    let text = open(format!("{FIRST}Exiting, please wait...\r\n\r\n{SECOND}"));
    assert_eq!(
        cells(&decode(&text).cooked),
        [
            r"2023-11-03T14:00:00Z \\WEB1\Memory\Pages = 1",
            r"2023-11-03T14:00:01Z \\WEB1\Memory\Pages = 3",
            r"2023-11-03T14:00:00Z \\WEB1\Disk(C:)\Queue = 2",
            r"2023-11-03T14:00:01Z \\WEB1\Disk(C:)\Queue = 4",
            r"2023-11-06T15:00:00Z \\WEB1\Memory\Faults = 5",
            r"2023-11-06T15:00:01Z \\WEB1\Memory\Faults = 6",
        ]
    );
    assert_eq!((text.health().is_complete(), text.health().count(FindingKind::Odd)), (true, 2));
    let cooked = decode(&text).cooked;
    assert_eq!((cooked[2].interval_s.clone(), cooked[2].continued[0]), (vec![None, Some(1.0)], false));
    let objects = text.objects();
    assert_eq!((objects.len(), objects[0].1.counters.len()), (2, 2), "the counters of both parts");
    assert_eq!(text.info().hosts, ["WEB1".into()]);
    // Samples of both parts, and none that doesn't exist.
    let some = text.decode(&[1, 2, 9], &Selection::all());
    assert_eq!(cells(&some.cooked).len(), 3);
}

#[test]
fn parts_are_put_in_order() {
    let text = open(format!("{SECOND}{FIRST}"));
    assert_eq!(times(&text)[0], ("2023-11-03T14:00:00Z".to_owned(), -240));
    assert_eq!(cells(&decode(&text).cooked).len(), 6);
    assert_eq!(text.health().count(FindingKind::Time), 1);
}

#[test]
fn the_same_columns_in_another_zone_are_one_object() {
    let winter = SECOND
        .replace(r"\\web1\Memory\Faults", r"\\WEB1\Memory\Pages")
        .replace("\r\n", ",\"\\\\WEB1\\Disk(C:)\\Queue\"\r\n");
    let winter = winter.replacen("\"5\",\"\\\\WEB1\\Disk(C:)\\Queue\"", "\"5\",\"7\"", 1);
    let winter = winter.replacen("\"6\",\"\\\\WEB1\\Disk(C:)\\Queue\"", "\"6\",\"8\"", 1);
    let text = open(format!("{FIRST}{winter}"));
    assert_eq!(times(&text)[2], ("2023-11-06T15:00:00Z".to_owned(), -300));
    assert_eq!(decode(&text).cooked.len(), 2, "one run per object");
    assert!(text.health().findings()[0].what.contains("with another zone or bias"), "{:?}", text.health());
}

#[test]
fn a_part_without_columns_costs_itself() {
    let text = open(format!("{FIRST}\"(PDH-CSV 4.0) (UTC)(0)\"\r\n\"11/05/2023 10:00:00.000\"\r\n{SECOND}"));
    assert_eq!((text.times().len(), text.health().count(FindingKind::Dropped)), (4, 1));
}

#[test]
fn zones_known_and_unknown_are_not_mixed() {
    let text = open(format!("{FIRST}{}", SECOND.replace(" (Eastern Standard Time)(300)", "")));
    assert!(text.info().is_zone_unknown && text.info().zone.is_none());
    assert_eq!(times(&text)[0], ("2023-11-03T10:00:00Z".to_owned(), 0));
    assert!(
        text.health().findings().iter().any(|finding| finding.what.starts_with("some headers have a zone"))
    );
}

#[test]
fn hosts_are_one_whatever_their_case() {
    let text = open(concat!(
        "\"(PDH-CSV 4.0) (UTC)(0)\",\"\\\\WEB1\\Processor(_Total)\\% Processor Time\",\"\\\\WEB2\\Memory\\Pages\",",
        "\"\\\\web1\\Memory\\Pages\",\"\\\\web1\\processor(0)\\% Processor Time\"\r\n",
        "\"01/15/2026 10:00:00\",\"1\",\"2\",\"3\",\"4\"\r\n"
    ));
    assert_eq!(text.info().hosts, ["WEB1".into(), "WEB2".into()]);
    let hosts: Vec<String> =
        text.objects().iter().map(|(host, object)| format!("{host} {}", object.name)).collect();
    assert_eq!(hosts, ["WEB1 Processor", "WEB2 Memory", "WEB1 Memory"]);
    assert!(cells(&decode(&text).cooked).iter().all(|line| !line.contains("web1")));
}

/// Rows of a part with a number each, which is also its minute.
fn numbers(host: &str, minutes: impl IntoIterator<Item = u32>) -> String {
    let rows = minutes.into_iter().map(|at| format!("\"03/06/2026 08:{at:02}:00.000\",\"{at}\"\r\n"));
    let header = format!("\"(PDH-CSV 4.0) (UTC)(0)\",\"\\\\{host}\\Memory\\Pages\"\r\n");
    header + &rows.collect::<String>()
}

fn values_and_intervals(text: &str) -> Vec<(f64, Option<f64>)> {
    let cooked = decode(&open(text.to_owned())).cooked;
    let of = |cooked: &recount_model::Cooked| {
        let intervals: Vec<_> = (0..cooked.num_samples()).map(|at| cooked.interval_of(at, 0)).collect();
        cooked.columns[0].values.clone().into_iter().zip(intervals).collect::<Vec<_>>()
    };
    cooked.iter().flat_map(of).collect()
}

#[test]
fn rows_of_two_parts_count_once() {
    let whole = values_and_intervals(&numbers("A", 0..15));
    let [one, two, all] = [0..10, 5..15, 0..15].map(|minutes| numbers("A", minutes));
    for parts in [&[&one, &two][..], &[&two, &one], &[&one, &two, &one], &[&two, &all], &[&two, &two, &one]] {
        let text: String = parts.iter().map(|part| part.as_str()).collect();
        assert_eq!(values_and_intervals(&text), whole, "{text}");
        let health = open(text).health().clone();
        assert!(health.findings().iter().any(|finding| finding.what.contains("counted once")), "{health:?}");
    }
    // Another value at the same time is kept.
    let other = numbers("A", 5..15).replace("\"7\"", "\"70\"");
    assert_eq!(values_and_intervals(&(one.clone() + &other)).len(), 16);
    // Every second row of the other part: none covers less than it says.
    let thinned = numbers("A", [5, 7, 10]);
    assert_eq!(values_and_intervals(&(one + &thinned)).last(), Some(&(10.0, None)));
}

/// Without its header, too; but idle samples of one second may be the same.
#[test]
fn rows_of_one_part_count_once() {
    let header = "\"(PDH-CSV 4.0) (UTC)(0)\",\"\\\\A\\Memory\\Pages\"\r\n";
    let row = |second: u32, of: &str| format!("\"03/02/2024 10:00:{second:02}{of}\",\"{second}\"\r\n");
    let rows = |of: &str| (0..5).map(|second| row(second, of)).collect::<String>();
    let twice: String = (0..5).map(|second| row(second, ".250").repeat(2)).collect();
    let once = values_and_intervals(&format!("{header}{}", rows(".250")));
    for appended in [rows(".250").repeat(2), rows(".250").repeat(3), twice] {
        assert_eq!(values_and_intervals(&format!("{header}{appended}")), once, "{appended}");
    }
    let text = open(format!("{header}{}", rows(".250").repeat(2)));
    let notes = format!("{:?}", text.health());
    assert!(notes.contains("5 rows are in the file more than once; each is counted once"), "{notes}");
    let idle = format!("{header}{}", row(1, "").repeat(2));
    assert_eq!(values_and_intervals(&idle).len(), 2);
}

#[test]
fn a_header_in_other_case_has_the_same_columns() {
    let text = open(numbers("SRV", 0..10) + &numbers("srv", 5..15));
    assert_eq!(text.times().len(), 15);
    assert!(text.health().findings()[0].what.contains("the header is repeated"), "{:?}", text.health());
    let names = open(numbers("SRV", 0..3) + &numbers("SRV", 3..5).replace("Memory", "MEMORY"));
    assert!(names.health().findings()[0].what.contains("the header is repeated"), "{:?}", names.health());
}

/// A part with these columns: per minute, the column's number plus the minute.
fn columns(paths: &[(&str, f64)], minutes: std::ops::Range<u32>) -> String {
    let header = paths.iter().map(|(path, _)| format!(",\"\\\\A\\{path}\"")).collect::<Vec<_>>().concat();
    let row = |at: u32| {
        let cells = paths.iter().map(|(_, value)| format!(",\"{}\"", value + f64::from(at)));
        let cells = cells.collect::<Vec<_>>().concat();
        format!("\"03/06/2026 08:{at:02}:00.000\"{cells}\r\n")
    };
    format!("\"(PDH-CSV 4.0) (UTC)(0)\"{header}\r\n{}", minutes.map(row).collect::<String>())
}

const PAGES: (&str, f64) = (r"Memory\Pages", 100.0);
const FAULTS: (&str, f64) = (r"Memory\Faults", 200.0);
const QUEUE: (&str, f64) = (r"Disk(C:)\Queue", 300.0);
const OTHER_QUEUE: (&str, f64) = (r"disk(c:)\queue", 300.0);

#[test]
fn columns_that_parts_share_count_once() {
    let one = columns(&[PAGES, FAULTS, QUEUE], 0..10);
    let two = columns(&[OTHER_QUEUE, PAGES, (r"System\Threads", 400.0)], 5..15);
    for text in [format!("{one}{two}"), format!("{two}{one}")] {
        let text = open(text);
        let mut cells = cells(&decode(&text).cooked);
        for cell in &mut cells {
            *cell = cell.to_lowercase();
        }
        let num = |path: &str| cells.iter().filter(|cell| cell.contains(path)).count();
        assert_eq!([r"\pages", r"\faults", r"\queue", r"\threads"].map(num), [15, 10, 15, 10]);
        let note = "5 rows have the time and some of the columns of a row in another part";
        assert!(text.health().findings().iter().any(|one| one.what.starts_with(note)), "{:?}", text.health());
        // One by one as well, and only some of them.
        let single = |sample| text.decode(&[sample], &Selection::all()).cooked;
        let singles: Vec<Cooked> = (0..text.times().len() as u32).flat_map(single).collect();
        assert_eq!(super::cells(&singles).len(), cells.len());
        let threads = Selection::from_iter([r"\System\*".parse().expect("a pattern")]);
        let all: Vec<u32> = (0..text.times().len() as u32).collect();
        assert_eq!(super::cells(&text.decode(&all, &threads).cooked).len(), 10);
    }
    // Each part is thinned out by itself.
    let text = open(one + &two);
    assert_eq!((text.round(0), text.round(13), text.round(19)), (0, 0, 1));
}

#[test]
fn rows_between_those_of_another_part_follow_each_other() {
    let text = open(columns(&[PAGES], 0..4) + &columns(&[FAULTS], 0..4));
    let decoded = decode(&text);
    let intervals: Vec<Option<f64>> =
        decoded.cooked.iter().flat_map(|cooked| cooked.interval_s.clone()).collect();
    let minute = Some(60.0);
    assert_eq!(intervals, [None, None, minute, minute, minute, minute, minute, minute]);
}

#[test]
fn other_values_of_shared_columns_are_kept() {
    let one = columns(&[PAGES, FAULTS], 0..3);
    let other = columns(&[(r"Memory\Pages", 101.0), FAULTS], 0..3);
    let cells = cells(&decode(&open(one.clone() + &other)).cooked);
    let num = |path: &str| cells.iter().filter(|cell| cell.contains(path)).count();
    assert_eq!((num("Pages"), num("Faults")), (6, 3), "{cells:?}");
    // A value beside a blank.
    let blank = one.replace("\"200\"", "\" \"").replace("\"100\"", "\"7\"");
    let cells = super::cells(&decode(&open(blank + &columns(&[FAULTS, QUEUE], 0..3))).cooked);
    assert_eq!(cells.iter().filter(|cell| cell.contains("Faults")).count(), 3, "{cells:?}");
    assert!(cells.contains(&r"2026-03-06T08:00:00Z \\A\Memory\Faults = 200".to_owned()), "{cells:?}");
}

/// Local times of two zones can't be compared: what goes back is said in UTC.
#[test]
fn time_that_goes_back_in_another_zone_is_said_in_utc() {
    let part = |zone: &str, times: &[&str]| {
        let rows: Vec<String> =
            times.iter().map(|time| format!("\"11/20/2023 {time}.000\",\"1\"\n")).collect();
        format!("\"(PDH-CSV 4.0) ({zone})\",\"\\\\WEB1\\Memory\\Pages\"\n{}", rows.concat())
    };
    let utc = part("UTC)(0", &["08:00:00", "08:00:19"]);
    let berlin = part("W. Europe Standard Time)(-60", &["08:59:50", "09:00:18"]);
    let text = open(utc + &berlin);
    let back = "time goes back from 2023-11-20T08:00:19Z to 2023-11-20T07:59:50Z: rows are put in order";
    assert!(text.health().findings().iter().any(|finding| finding.what == back), "{:?}", text.health());
}
