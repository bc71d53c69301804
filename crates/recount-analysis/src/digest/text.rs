//! A digest as text.

use std::fmt::Write;

use recount_tables::processes::NOT_ATTRIBUTED;

use super::answer::Digest;
use super::processes::UsedMost;
use super::resources::{Measure, Resource};
use crate::shown::{duration, plural, quantity, table_cell, visible};

impl Digest {
    /// The digest as lines: a word, and what there is to say about it.
    pub fn text(&self) -> String {
        let mut text = Lines::default();
        self.capture_lines(&mut text);
        self.health_lines(&mut text);
        self.finding_lines(&mut text);
        self.resource_lines(&mut text);
        self.load_lines(&mut text);
        let processes = &self.processes;
        for (name, used) in [("cpu", &processes.processor), ("mem", &processes.memory), ("io", &processes.io)]
        {
            if let Some(used) = used.as_ref().filter(|used| !used.most.is_empty()) {
                text.line(&format!("top {name}"), &used_text(used));
            }
        }
        for lack in &self.lacks {
            text.line("lacks", lack);
        }
        if !self.left_out.is_empty() {
            text.line("left out", &format!("{} (for the length of this answer)", self.left_out.join(", ")));
        }
        for question in &self.next {
            text.line("next", &format!("{}  # {}", question.command, question.about));
        }
        text.0
    }

    fn capture_lines(&self, text: &mut Lines) {
        let capture = &self.capture;
        text.line("capture", &capture.files.join(", "));
        let os = capture.os.iter().cloned();
        text.line("machine", &capture.hosts.iter().cloned().chain(os).collect::<Vec<_>>().join(", "));
        let span = [&capture.begin, &capture.end].map(|time| time.as_deref().unwrap_or("-"));
        let lasted = capture.duration_s.map(duration).unwrap_or_default();
        let every = capture.interval_s.map(|s| format!(" every {}", duration(s))).unwrap_or_default();
        text.line(
            "span",
            &format!(
                "{} to {} ({lasted}), {}{every}, {} series; times in sentences: {}",
                span[0],
                span[1],
                plural(capture.num_samples as u64, "sample"),
                capture.num_series,
                capture.zone
            ),
        );
        for (time, mark) in &capture.marks {
            text.line("mark", &format!("{time} \"{mark}\""));
        }
    }

    fn health_lines(&self, text: &mut Lines) {
        let health = &self.health;
        text.line("health", if health.is_sound { "sound" } else { "incomplete" });
        for finding in health.findings.iter().chain(&health.notes) {
            text.line("", finding);
        }
        for gap in &health.gaps {
            text.line("gap", &format!("{} to {} ({})", gap.begin, gap.end, gap.duration));
        }
        let missing =
            health.missing.iter().map(|one| format!("{} {} ({})", one.reason, one.count, one.share));
        text.line("no value", &missing.collect::<Vec<_>>().join(", "));
    }

    fn finding_lines(&self, text: &mut Lines) {
        for finding in &self.findings {
            text.line(finding.severity, &finding.evidence);
            let often =
                if finding.num_spans > 1 { format!(", {} times", finding.num_spans) } else { String::new() };
            text.line(
                "",
                &format!("{} ({}), {} to {}{often}", finding.title, finding.rule, finding.begin, finding.end),
            );
        }
        for change in &self.changed {
            text.line(change.kind, &change.text);
        }
    }

    fn resource_lines(&self, text: &mut Lines) {
        if self.resources.is_empty() {
            return;
        }
        text.line("resource", "name | utilisation | saturation | errors | rules");
        for Resource { host, resource, utilisation, saturation, errors, rules, .. } in &self.resources {
            let (resource, host) = (table_cell(resource), table_cell(host));
            let on = if host.is_empty() { String::new() } else { format!(" on {host}") };
            let [utilisation, saturation, errors] =
                [utilisation, saturation, errors].map(|measure| measure_text(measure.as_ref()));
            text.line("", &format!("{resource}{on} | {utilisation} | {saturation} | {errors} | {rules}"));
        }
    }

    fn load_lines(&self, text: &mut Lines) {
        let Some(load) = &self.load else { return };
        let columns: Vec<&str> = load.columns.iter().map(|column| &*column.name).collect();
        text.line("load", &format!("from | {}, by {}", columns.join(" | "), load.step_in_words()));
        for row in &load.rows {
            let cells = row.values.iter().zip(&load.columns).map(|(value, column)| {
                value.map_or_else(|| "-".to_owned(), |value| quantity(value, column.unit))
            });
            text.line("", &format!("{} | {}", row.begin, cells.collect::<Vec<_>>().join(" | ")));
        }
    }
}

#[derive(Default)]
struct Lines(String);

impl Lines {
    /// A line, unless it has nothing to say. Foreign names can't begin another.
    fn line(&mut self, word: &str, text: &str) {
        if !text.is_empty() {
            // Writing to a string can't fail.
            let _ = writeln!(self.0, "{word:<9} {}", visible(text));
        }
    }
}

fn measure_text(measure: Option<&Measure>) -> String {
    let Some(measure) = measure else { return "-".to_owned() };
    let worst = quantity(measure.worst, measure.unit);
    let counter = &measure.counter;
    match (measure.mean, measure.worst_is) {
        (_, "growth") => format!("{counter} grew by {worst}"),
        (Some(mean), extreme) => format!("{counter} {}, {extreme} {worst}", quantity(mean, measure.unit)),
        (None, extreme) => format!("{counter} {extreme} {worst}"),
    }
}

fn used_text(used: &UsedMost) -> String {
    let one = |one: &super::processes::Used| {
        let num = one.num.filter(|num| *num > 1).map(|num| format!(" ({num} processes)")).unwrap_or_default();
        format!("{}{num} {}", one.name, quantity(one.value, used.unit))
    };
    let mut all: Vec<String> = used.most.iter().map(one).collect();
    if let Some(rest) = used.not_attributed {
        // The largest is first.
        let place = used.most.partition_point(|one| one.value >= rest);
        all.insert(place, format!("{NOT_ATTRIBUTED} {}", quantity(rest, used.unit)));
    }
    format!("{} ({})", all.join(", "), used.what)
}
