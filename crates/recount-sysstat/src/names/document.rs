//! The tables of `formats/sa.md` are generated from those here.

use recount_model::CounterReading;
use recount_testdata::{assert_made, assert_names_are_ours};

use super::canonical::Canonical;
use super::early::Early;
use super::{ACTIVITIES, Activity, CANONICAL, Counter, Groups, Kind, List, RealRange, Span};

const BEGIN: &str =
    "<!-- begin: made by `RECOUNT_BLESS=1 cargo nextest run -p recount-sysstat document` -->\n";

#[test]
fn the_document_has_these_tables() {
    let made: String = ACTIVITIES.iter().map(tables).chain([canonical()]).collect();
    assert_made("sa.md", BEGIN, &made);
}

#[test]
fn every_name_is_one_of_our_own_recorder() {
    let of_row =
        |row: &Canonical| row.counters.iter().map(|counter| (row.object, counter.name)).collect::<Vec<_>>();
    assert_names_are_ours(CANONICAL.iter().flat_map(of_row));
}

fn tables(activity: &Activity) -> String {
    let mut text = format!("\n### {}, {}: `{}`\n\n", activity.id, activity.name, activity.object());
    if !matches!(activity.list, List::Single | List::Sums) {
        text.push_str(&format!("Instances: {}.\n\n", instances(activity.list)));
    }
    text.push_str("| format | magic | layout |\n| --- | --- | --- |\n");
    for (magic, groups) in activity.current {
        text.push_str(&format!("| 0x2175 | {magic:#04x} | {} |\n", in_groups(groups, activity.list)));
    }
    for (magic, spans) in activity.old {
        let spans: Vec<String> = spans.iter().map(|span| in_span(span, activity.list)).collect();
        text.push_str(&format!("| 0x2171, 0x2173 | {magic:#04x} | {} |\n", spans.join("; ")));
    }
    if let Some(early) = Early::find(activity.id) {
        for (variant, spans) in [("", early.plain), (", of RHEL 6", early.vendors)] {
            let spans: Vec<String> = spans.iter().map(|span| in_span(span, activity.list)).collect();
            text.push_str(&format!("| 0x1170, 0x2170{variant} | | {} |\n", spans.join("; ")));
        }
    }
    text.push_str("\n| counter | of | computed | unit | |\n| --- | --- | --- | --- | --- |\n");
    text.extend(activity.counters.iter().map(counter));
    text
}

fn canonical() -> String {
    let mut text =
        "\n### What is the same thing\n\n| activity | object | counter | of | computed |\n".to_owned();
    text.push_str("| --- | --- | --- | --- | --- |\n");
    for row in CANONICAL {
        for counter in row.counters {
            let (name, of) = (counter.name, counter.of.text());
            let activity = Activity::name_of(row.id);
            let object = row.object;
            text.push_str(&format!("| {activity} | {object} | {name} | `{of}` | {} |\n", computed(counter)));
        }
    }
    text
}

fn instances(list: List) -> &'static str {
    match list {
        List::Single | List::Sums => "none",
        List::Cpu => "CPUs, the first item being all of them",
        List::SoftNet => "CPUs, the first item being all of them, left at 0",
        List::Frequency => "CPUs, the first item being the mean of all; those at 0 are off",
        List::FrequencyStates => {
            "CPUs, the first item being all of them; below each its frequencies, up to the first that is 0"
        }
        List::InterruptMatrix => {
            "CPUs, the first item being all of them; below each the interrupts, the first being their sum"
        }
        List::Interrupts => "interrupts by number, the first item being their sum",
        List::Disk => "disks, by `major` and `minor`",
        List::Line => "lines, by `line`",
        List::Named("device") => "file systems, by `device`",
        List::Named(_) => "by `name`",
        List::Sensor(0) => "sensors by position, from 0, and `device`",
        List::Sensor(_) => "sensors by position, from 1, and `device`",
        List::Usb => "devices, by `bus`, `vendor`, `product` and `product_name`",
        List::Numbered => "batteries, by `id`",
    }
}

fn in_groups(groups: &Groups, list: List) -> String {
    let quads = if matches!(list, List::Sensor(_)) { "doubles" } else { "quads" };
    let tail: Vec<String> = groups.tail.iter().map(|(name, len)| format!("{name}[{len}]")).collect();
    let tail = tail.join(" ");
    let parts = [(quads, groups.quads), ("longs", groups.longs), ("words", groups.words), ("tail", &tail)];
    let parts = parts.into_iter().filter(|(_, names)| !names.is_empty());
    parts.map(|(group, names)| format!("{group} `{names}`")).collect::<Vec<_>>().join("; ")
}

fn in_span(span: &Span, list: List) -> String {
    let Span { kind, at, step, names } = span;
    match kind {
        Kind::Quad if matches!(list, List::Sensor(_)) => format!("{at} doubles *{step} `{names}`"),
        Kind::Quad => format!("{at} quads *{step} `{names}`"),
        Kind::Long => format!("{at} longs *{step} `{names}`"),
        Kind::NarrowLong => format!("{at} longs of 32 bits *{step} `{names}`"),
        Kind::NarrowQuad => format!("{at} quads of 32 bits *{step} `{names}`"),
        Kind::Word => format!("{at} words *{step} `{names}`"),
        Kind::Byte => format!("{at} byte `{names}`"),
        Kind::Text(len) => format!("{at} text `{names}[{len}]`"),
    }
}

fn counter(counter: &Counter) -> String {
    let Counter { name, of, unit, help, .. } = counter;
    let of = of.text();
    format!("| `{name}` | `{of}` | {} | {unit} | {help} |\n", computed(counter))
}

fn computed(counter: &Counter) -> String {
    match counter.range {
        None => {}
        Some(RealRange { low: "", high: "" }) => return "real".to_owned(),
        Some(RealRange { low, high: "" }) => return format!("real, less `{low}`"),
        Some(RealRange { low, high }) => return format!("real, of the range from `{low}` to `{high}`"),
    }
    match (counter.reading, counter.clock) {
        (CounterReading::Rate, 1) => "rate".to_owned(),
        (CounterReading::Rate, divisor) => format!("rate / {divisor}"),
        (CounterReading::Queue, _) => "queue, in ms".to_owned(),
        (CounterReading::Busy, 10) => "busy, in ms".to_owned(),
        (CounterReading::Busy, 10_000) => "busy, in µs".to_owned(),
        (CounterReading::Idle, _) => "not busy, in ms".to_owned(),
        (CounterReading::Share(base), _) => format!("share of `{}`", base.text()),
        (CounterReading::Average(base), _) => format!("average over `{}`", base.text()),
        (CounterReading::LineUse { sent, speed }, _) => {
            let fields = sent.terms().chain(speed.terms()).filter_map(|term| term.field);
            let fields: Vec<String> = fields.map(|field| format!("`{field}`")).collect();
            format!("line use, with {}", fields.join(", "))
        }
        (CounterReading::Gauge, _) => "value".to_owned(),
        (CounterReading::Percentage(base), _) if base.text() == "10000" => "value in 1/100".to_owned(),
        (CounterReading::Percentage(base), _) => format!("percentage of `{}`", base.text()),
        (CounterReading::Whole(divisor), _) => format!("value / {divisor}, rounded down"),
        (CounterReading::Scaled(divisor), _) => format!("value / {divisor}"),
        (reading, _) => unreachable!("{reading:?} isn't in these tables"),
    }
}
