//! The document has the table of canonical names, and these are names of our own recorder.

use std::path::{Path, PathBuf};

use crate::canonical::{CANONICAL, Reading, Who};

const BEGIN: &str = "<!-- begin: made by `RECOUNT_BLESS=1 cargo nextest run -p recount-pcp document` -->\n";
const END: &str = "<!-- end -->";

fn document(name: &str) -> (PathBuf, String) {
    let path = Path::new(env!("CARGO_MANIFEST_DIR")).join("../../formats").join(name);
    let text = std::fs::read_to_string(&path).expect(name);
    (path, text)
}

#[test]
fn the_document_has_the_table() {
    let (path, text) = document("pcp-archive.md");
    let (before, rest) = text.split_once(BEGIN).expect("the begin of the table");
    let (_, after) = rest.split_once(END).expect("its end");
    let mut made =
        "| metrics | object | counter | of | computed |\n| --- | --- | --- | --- | --- |\n".to_owned();
    for row in CANONICAL {
        let object = match row.who {
            Who::Themselves | Who::One(_) => row.object.to_owned(),
            Who::Total => format!("{}(_Total)", row.object),
            Who::Cpus | Who::Processes | Who::Mounted => format!("{}(*)", row.object),
        };
        for counter in row.counters {
            let (name, computed) = (counter.name, computed(counter.reading));
            let of = match row.who {
                Who::One(number) => format!("{}[{number}]", counter.of),
                _ => counter.of.to_owned(),
            };
            made.push_str(&format!("| `{}.` | {object} | {name} | `{of}` | {computed} |\n", row.prefix));
        }
    }
    let expected = format!("{before}{BEGIN}{made}{END}{after}");
    if std::env::var_os("RECOUNT_BLESS").is_some() {
        std::fs::write(&path, expected).expect("written");
    } else {
        assert!(text == expected, "formats/pcp-archive.md is out of date: {BEGIN}");
    }
}

fn computed(reading: Reading) -> String {
    match reading {
        Reading::Rate => "rate".to_owned(),
        Reading::Queue => "time per time".to_owned(),
        Reading::Busy => "share of time".to_owned(),
        Reading::Idle => "what is left of time".to_owned(),
        Reading::Share(base) => format!("share of `{base}`"),
        Reading::Average(base) => format!("average over `{base}`"),
        Reading::AverageTime(base) => format!("time, averaged over `{base}`"),
        Reading::Gauge => "value".to_owned(),
        Reading::Whole(divisor) => format!("value / {divisor}, rounded down"),
        Reading::Hundredths => "value * 100, rounded".to_owned(),
        Reading::Below(limit) => format!("value, if below {limit}"),
        Reading::Count => "count since booting".to_owned(),
        Reading::Percentage(base) => format!("percentage of `{base}`"),
    }
}

#[test]
fn every_name_is_one_of_our_own_recorder() {
    let (_, text) = document("linux-objects.md");
    for row in CANONICAL {
        let (_, section) = text.split_once(&format!("\n### {}\n", row.object)).expect(row.object);
        let section = section.split("\n### ").next().unwrap_or_default();
        for counter in row.counters {
            assert!(section.contains(&format!(" | {} | ", counter.name)), "{} {}", row.object, counter.name);
        }
    }
}
