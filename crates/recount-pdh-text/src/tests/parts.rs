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
