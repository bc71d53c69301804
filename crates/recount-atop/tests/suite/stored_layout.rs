//! Compares the tables of fields with an independently made list of every field of every version.

use recount_atop::structure::layout::{Item, Kind, Layout, Type};
use recount_atop::structure::{CGROUP, SYSTEM, TASK};
use recount_testdata::shared;

fn minor(version: &str) -> u8 {
    version.strip_prefix("2.").and_then(|minor| minor.parse().ok()).expect("a version")
}

fn type_of(of: Type) -> (String, String) {
    match of {
        Type::Text(len) => ("text".into(), len.to_string()),
        other => (format!("{other:?}").to_lowercase(), String::new()),
    }
}

#[test]
#[ignore = "reads ../shared/data"]
fn every_field_of_every_version_is_where_the_list_has_it() {
    let csv = String::from_utf8(shared("atop/layout.csv")).expect("UTF-8");
    let (mut num_fields, mut num_layouts) = (0, 0);
    for (structure, items, versions) in
        [("system", SYSTEM, 3..=13), ("task", TASK, 3..=13), ("cgroup", CGROUP, 11..=13_u8)]
    {
        for version in versions {
            let items: &[Item] = items;
            let layout = Layout::new(items, version);
            let mut expected = Vec::new();
            for line in csv.lines().skip(1) {
                let cells: Vec<&str> = line.split(',').collect();
                if cells[0] == structure && (minor(cells[1])..=minor(cells[2])).contains(&version) {
                    expected.push(cells[3..10].join(","));
                }
            }
            let found = layout.fields().map(|(name, slot)| {
                let (of, len) = type_of(slot.of);
                let array =
                    |number: usize| if slot.len_entry == 0 { String::new() } else { number.to_string() };
                let kind = match slot.kind {
                    Kind::Difference => "d",
                    Kind::Gauge => "g",
                    Kind::Static => "s",
                    Kind::Either => "d/g",
                    Kind::Other => "",
                };
                let (len_entry, room) = (array(slot.len_entry), array(slot.room));
                format!("{name},{},{of},{len},{len_entry},{room},{kind}", slot.ofs)
            });
            let mut found: Vec<String> = found.collect();
            num_fields += found.len();
            num_layouts += 1;
            found.sort();
            expected.sort();
            let differ = |line: &&String| !expected.contains(line);
            assert_eq!(
                found.iter().filter(differ).collect::<Vec<_>>(),
                Vec::<&String>::new(),
                "2.{version} {structure}"
            );
            assert_eq!(found, expected, "2.{version} {structure}");
        }
    }
    assert_eq!(num_layouts, 25);
    assert!(num_fields > 3_320, "{num_fields}");
}

#[test]
#[ignore = "reads ../shared/data"]
fn structures_have_the_lengths_that_headers_state() {
    let lens = |minor| [SYSTEM, TASK, CGROUP].map(|items| Layout::new(items, minor).len);
    for (minor, system, task) in [
        (3, 711_904, 784),
        (4, 716_656, 840),
        (5, 716_656, 840),
        (6, 716_656, 840),
        (7, 954_360, 840),
        (8, 1_021_960, 968),
        (9, 1_021_960, 968),
        (10, 1_030_216, 992),
        (11, 1_064_016, 968),
        (12, 1_064_016, 968),
        (13, 1_408_336, 992),
    ] {
        assert_eq!(lens(minor)[..2], [system, task], "2.{minor}");
        assert_eq!(lens(minor)[2], 432);
    }
}
