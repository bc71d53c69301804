//! `recount info`

use std::fmt::Write;

use clap::Args;
use recount::{Capture, CaptureSummary, ObjectGroup, offset_text, summarise};

use crate::args::{Inputs, Json};
use crate::exit::{self, Outcome};
use crate::output;
use crate::paragraph::{hung, room};

/// Each line begins with the name of a field, in as many characters.
const LEN_FIELD: usize = 22;

/// Show what captures contain: host, system, span, samples, objects, and whether they are sound
#[derive(Debug, Args)]
#[command(after_help = "Examples:
  recount info monday.blg
  recount info captures/*.blg --json")]
pub(crate) struct Info {
    #[command(flatten)]
    inputs: Inputs,
    #[command(flatten)]
    json: Json,
}

pub(crate) fn run(arguments: &Info) -> anyhow::Result<Outcome> {
    let (captures, mut outcome) = open(&arguments.inputs)?;
    let mut summaries = Vec::with_capacity(captures.len());
    for capture in &captures {
        let (summary, health) = summarise(capture);
        if outcome == Outcome::Done {
            outcome = Outcome::of(&health);
        }
        summaries.push(summary);
    }
    if arguments.json.json {
        output::print_json(&summaries)?;
    } else {
        let texts: Vec<String> = summaries.iter().map(text).collect();
        output::print(&hung(&texts.join("\n"), LEN_FIELD, &["file"], room()))?;
    }
    Ok(outcome)
}

/// Opens what can be opened. Reports the others if there is more than one.
fn open(inputs: &Inputs) -> anyhow::Result<(Vec<Capture>, Outcome)> {
    let error = match inputs.open() {
        Ok(captures) => return Ok((captures, Outcome::Done)),
        Err(error) if inputs.inputs.len() == 1 => return Err(error),
        Err(error) => error,
    };
    let mut captures = Vec::new();
    for path in &inputs.inputs {
        match inputs.reading().open(std::slice::from_ref(path)) {
            Ok(opened) => captures.extend(opened),
            Err(error) => drop(exit::failure(&error)),
        }
    }
    if captures.is_empty() { Err(error) } else { Ok((captures, Outcome::Code(exit::FAILED))) }
}

/// A recording of a machine that couldn't be reached has a finding for every lost sample.
const MAX_FINDINGS: usize = 20;

fn text(summary: &CaptureSummary) -> String {
    let mut text = String::new();
    let mut line = |name: &str, value: &str| {
        if !value.is_empty() {
            // Writing to a string can't fail.
            let _ = writeln!(text, "{name:<21} {}", output::visible(value));
        }
    };
    line("file", &summary.files.join(", "));
    line("format", &summary.format);
    line("host", &summary.hosts.join(", "));
    line("system", summary.os.as_deref().unwrap_or_default());
    if let (Some(zone), Some(offset)) = (&summary.zone, summary.first_offset_min) {
        line("zone", &format!("{zone} (UTC {} at the first sample)", offset_text(i64::from(offset))));
    }
    if summary.is_zone_unknown {
        line("zone", "unknown: times are local; --zone names it");
    }
    line("booted", summary.boot_time.as_deref().unwrap_or_default());
    let span = |first: &Option<String>, last: &Option<String>| match (first, last) {
        (Some(first), Some(last)) => format!("{first} .. {last}"),
        _ => String::new(),
    };
    line("UTC", &span(&summary.first_sample, &summary.last_sample));
    if summary.zone.is_some() || summary.is_zone_unknown {
        line("local", &span(&summary.first_sample_local, &summary.last_sample_local));
    }
    let interval = summary.interval_median_s.map(|s| format!(", median interval {} s", output::number(s)));
    line("samples", &format!("{}{}", summary.num_samples, interval.unwrap_or_default()));
    for gap in &summary.gaps {
        line("gap", &format!("{} s after {}", output::number(gap.seconds), gap.after));
    }
    if summary.num_gaps > summary.gaps.len() {
        line("gaps", &format!("{} in all", summary.num_gaps));
    }
    for mark in &summary.marks {
        line("mark", &format!("{}  {}", mark.time, mark.text));
    }
    for (name, value) in &summary.details {
        line(name, value);
    }
    let groups = summary.objects_by_name();
    line("counters", &counters(summary, &groups));
    for group in &groups {
        line("  object", &object(summary, group));
    }
    let health = if summary.is_sound { "sound" } else { &output::plural(summary.num_findings, "finding") };
    line("health", health);
    for finding in summary.findings.iter().take(MAX_FINDINGS) {
        line("  finding", finding);
    }
    let num_shown = summary.findings.len().min(MAX_FINDINGS) as u64;
    if summary.num_findings > num_shown {
        line("", &format!("and {} more", summary.num_findings - num_shown));
    }
    text
}

/// `2,600 paths of 3 objects on 26 machines`.
fn counters(summary: &CaptureSummary, groups: &[ObjectGroup<'_>]) -> String {
    let num_objects = groups.chunk_by(|one, other| one.object == other.object).count();
    let paths = output::plural(summary.num_paths as u64, "path");
    let objects = output::plural(num_objects as u64, "object");
    match summary.hosts.len() {
        0 | 1 => format!("{paths} of {objects}"),
        num_hosts => format!("{paths} of {objects} on {num_hosts} machines"),
    }
}

/// One line for an object. With several machines it says on which, unless it is on all of them.
fn object(summary: &CaptureSummary, group: &ObjectGroup<'_>) -> String {
    let counters = output::plural(group.num_counters as u64, "counter");
    let instances = group.num_instances.map(|num| format!(", {}", output::plural(num as u64, "instance")));
    let machines = match (summary.hosts.len(), group.hosts.len()) {
        (0 | 1, _) => String::new(),
        (_, 1) => format!(" on {}", group.hosts[0]),
        (all, some) if some == all => format!(" on each of {all} machines"),
        (_, some) => format!(" on each of {some} machines: {}", group.hosts.join(", ")),
    };
    format!("{}: {counters}{}{machines}", group.object, instances.unwrap_or_default())
}
