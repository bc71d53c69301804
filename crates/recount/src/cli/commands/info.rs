//! `recount info`

use std::fmt::Write;

use clap::Args;
use recount::{CaptureSummary, open, summarise};

use crate::cli::args::Inputs;
use crate::cli::exit::Outcome;
use crate::cli::output;

/// Show what captures hold: host, system, span, samples, objects, and whether they are sound
#[derive(Debug, Args)]
#[command(after_help = "Examples:
  recount info monday.blg
  recount info captures/*.blg --json")]
pub(crate) struct Info {
    #[command(flatten)]
    inputs: Inputs,
    /// As JSON: one array with an object per capture
    #[arg(long)]
    json: bool,
}

pub(crate) fn run(arguments: &Info) -> anyhow::Result<Outcome> {
    let captures = open(&arguments.inputs.inputs, &arguments.inputs.names.read()?)?;
    let mut outcome = Outcome::Done;
    let mut summaries = Vec::with_capacity(captures.len());
    for capture in &captures {
        let (summary, health) = summarise(capture);
        if Outcome::of(&health) == Outcome::Findings {
            outcome = Outcome::Findings;
        }
        summaries.push(summary);
    }
    if arguments.json {
        output::print_json(&summaries)?;
    } else {
        let texts: Vec<String> = summaries.iter().map(text).collect();
        output::print(&texts.join("\n"))?;
    }
    Ok(outcome)
}

fn text(summary: &CaptureSummary) -> String {
    let mut text = String::new();
    let mut line = |name: &str, value: &str| {
        if !value.is_empty() {
            // Writing to a string can't fail.
            let _ = writeln!(text, "{name:<21} {}", output::clean(value));
        }
    };
    line("file", &summary.files.join(", "));
    line("format", &summary.format);
    line("host", &summary.hosts.join(", "));
    line("system", summary.os.as_deref().unwrap_or_default());
    if let (Some(zone), Some(bias)) = (&summary.zone, summary.zone_bias_min) {
        line("zone", &format!("{zone} (standard time is UTC {})", hours(-bias)));
    }
    line("booted", summary.boot_time.as_deref().unwrap_or_default());
    let span = |first: &Option<String>, last: &Option<String>| match (first, last) {
        (Some(first), Some(last)) => format!("{first} .. {last}"),
        _ => String::new(),
    };
    line("UTC", &span(&summary.first_sample, &summary.last_sample));
    if summary.zone.is_some() {
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
    line(
        "counters",
        &format!(
            "{} of {}",
            output::plural(summary.num_paths as u64, "path"),
            output::plural(summary.objects.len() as u64, "object")
        ),
    );
    for object in &summary.objects {
        let instances = object
            .num_instances
            .map(|num| format!(", {}", output::plural(num as u64, "instance")))
            .unwrap_or_default();
        line(
            "  object",
            &format!(
                "{}: {}{instances}",
                object.object,
                output::plural(object.num_counters as u64, "counter")
            ),
        );
    }
    let health = match summary.num_findings {
        0 => "sound".to_owned(),
        findings => output::plural(findings, "finding"),
    };
    line("health", &health);
    for finding in &summary.findings {
        line("  finding", finding);
    }
    text
}

fn hours(minutes: i32) -> String {
    let sign = if minutes < 0 { '-' } else { '+' };
    format!("{sign}{:02}:{:02}", minutes.abs() / 60, minutes.abs() % 60)
}
