//! Checks that the document has the table of canonical names, and that our own recorder uses these names.

use recount_model::CounterReading;
use recount_testdata::{assert_made, assert_names_are_ours};

use crate::canonical::{CANONICAL, PrefixCounters, Who};

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
                Who::One(number) => format!("{}[{number}]", counter.of.text()),
                _ => counter.of.text().to_owned(),
            };
            made.push_str(&format!("| `{}.` | {object} | {name} | `{of}` | {computed} |\n", row.prefix));
        }
    }
    assert_made("pcp-archive.md", BEGIN, &made);
}

fn computed(reading: CounterReading) -> String {
    match reading {
        CounterReading::Rate => "rate".to_owned(),
        CounterReading::Queue => "time per time".to_owned(),
        CounterReading::Busy => "share of time".to_owned(),
        CounterReading::Idle => "what is left of time".to_owned(),
        CounterReading::Share(base) => format!("share of `{}`", base.text()),
        CounterReading::Average(base) => format!("average over `{}`", base.text()),
        CounterReading::AverageTime(base) => format!("time, averaged over `{}`", base.text()),
        CounterReading::LineUse { speed, .. } => format!("share of `{}`", speed.text()),
        CounterReading::Gauge => "value".to_owned(),
        CounterReading::Whole(divisor) => format!("value / {divisor}, rounded down"),
        CounterReading::Hundredths => "value * 100, rounded".to_owned(),
        CounterReading::Below(limit) => format!("value, if below {limit}"),
        CounterReading::Count => "count since booting".to_owned(),
        CounterReading::Scaled(divisor) => format!("value / {divisor}"),
        CounterReading::Percentage(base) => format!("percentage of `{}`", base.text()),
    }
}

#[test]
fn every_name_is_one_of_our_own_recorder() {
    let of_row = |row: &PrefixCounters| {
        row.counters.iter().map(|counter| (row.object, counter.name)).collect::<Vec<_>>()
    };
    assert_names_are_ours(CANONICAL.iter().flat_map(of_row));
}
