//! What moves with a counter, in sentences.

use super::answer::{Companion, Companions};
use super::ranks::LEAST;
use crate::roster::ObjectEntry;
use crate::shown::{duration, markdown_cell, plural, quantity, series_label, short, task_id};
use crate::stats::SeriesId;

/// How people call a counter.
pub(super) fn label(entry: &ObjectEntry, id: SeriesId) -> String {
    let instance = entry.instances.get(id.instance as usize);
    let shown = instance.and_then(|entry| entry.shown.as_deref());
    let task = task_id(&entry.name, instance.and_then(|entry| entry.instance.as_ref()));
    series_label(&entry.name, shown, task, &entry.counters[id.counter as usize].name)
}

pub(super) fn headline(companion: &Companion) -> String {
    let Companion { label, correlation, partial, .. } = companion;
    if companion.only_at_peaks {
        let values = companion.at_peaks.map(|(peaks, rest)| {
            let [peaks, rest] = [peaks, rest].map(|value| quantity(value, companion.unit));
            format!(": {peaks}, {rest} otherwise")
        });
        return format!("{label} stands out at its peaks only{}", values.unwrap_or_default());
    }
    let way = if *correlation > 0.0 { "moves with it" } else { "moves against it" };
    let when = delay(companion.lags_s, companion.longest_s);
    let beyond = partial.map(|partial| format!("; {partial:.2} beyond the load of the processors"));
    format!("{label} {way}, {when} (rank correlation {correlation:.2}{})", beyond.unwrap_or_default())
}

/// `2 s later`, `2 s to 4 s later`, or `at the same time`; beyond the longest delay that is tried nothing is known.
fn delay((first, last): (f64, f64), longest: f64) -> String {
    let is_known = |seconds: f64| seconds.abs() < longest;
    // Behind the target or before it, the way that is nearer comes first.
    let between = |near: f64, far: f64, way: &str| match (is_known(near), is_known(far)) {
        (true, true) if near.to_bits() == far.to_bits() => format!("{} {way}", duration(near)),
        (true, true) => format!("{} to {} {way}", duration(near), duration(far)),
        _ => format!("{} or more {way}", duration(near)),
    };
    match (first, last) {
        (0.0, 0.0) => "at the same time".to_owned(),
        _ if !is_known(first) && !is_known(last) && first < 0.0 && last > 0.0 => {
            "with a delay that can't be told".to_owned()
        }
        (0.0, last) if is_known(last) => format!("at the same time or up to {} later", duration(last)),
        (first, 0.0) if is_known(first) => format!("at the same time or up to {} earlier", duration(-first)),
        _ if first <= 0.0 && last >= 0.0 => "at about the same time".to_owned(),
        _ if first > 0.0 => between(first, last, "later"),
        _ => between(-last, -first, "earlier"),
    }
}

impl Companions {
    /// The answer for people: a sentence per counter, up to `most` of them, and what it is worth.
    pub fn sentences(&self, most: usize) -> Vec<String> {
        let mut lines: Vec<String> =
            self.companions.iter().take(most).map(|companion| companion.headline.clone()).collect();
        lines.push(format!(
            "{}: {} of {} move with it",
            short(&self.target),
            self.companions.len(),
            plural(self.num_series as u64, "other counter")
        ));
        if self.num_values < LEAST {
            lines.push(format!(
                "note: {} are too few to compare: {LEAST} are needed",
                plural(self.num_values as u64, "sample")
            ));
        }
        let of_means = |companion: &Companion| !companion.only_at_peaks && companion.value_s >= self.step_s;
        if self.bin_samples > 1 && self.companions.iter().take(most).any(of_means) {
            lines.push(format!(
                "note: where single samples are too noisy or too many, delays are those of means of {} samples, about {}, and as exact as that",
                self.bin_samples,
                duration(self.step_s)
            ));
        }
        lines.push("note: this is association: it doesn't say what causes what".to_owned());
        if self.load.is_none() {
            lines.push(
                "note: no counter stands for the load of the machine, which may be what all of them follow"
                    .to_owned(),
            );
        }
        lines
    }

    /// The answer as a list in Markdown.
    pub fn markdown(&self, most: usize) -> String {
        self.sentences(most)
            .iter()
            .fold(String::new(), |text, line| text + "- " + &markdown_cell(line) + "\n")
    }
}
