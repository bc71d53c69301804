//! Checks that the document has the table of canonical names, and that our own recorder uses these names.

use recount_testdata::{assert_made, assert_names_are_ours};

use crate::canonical::{CANONICAL, Reading, Row, Who};

const BEGIN: &str = "<!-- begin: made by `RECOUNT_BLESS=1 cargo nextest run -p recount-pcp document` -->\n";
#[test]
fn the_document_has_the_table() {
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
    assert_made("pcp-archive.md", BEGIN, &made);
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
    let of_row =
        |row: &Row| row.counters.iter().map(|counter| (row.object, counter.name)).collect::<Vec<_>>();
    assert_names_are_ours(CANONICAL.iter().flat_map(of_row));
}
