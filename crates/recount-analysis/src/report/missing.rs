//! What everybody expects to have values, and has none in a part of the samples.

use recount_model::{Instance, Pattern, Status};

use super::observe::Observed;
use super::overview::candidate;
use crate::shown::{plural, series_label};

/// By these rules and people judge a machine.
const EXPECTED: [&str; 10] = [
    r"\Processor(_Total)\*",
    r"\Processor Information(_Total)\*",
    r"\Memory\*",
    r"\System\Processor Queue Length",
    r"\System\Runnable Threads",
    r"\System\Context Switches/sec",
    r"\System\Processes",
    r"\PhysicalDisk(*)\*",
    r"\LogicalDisk(*)\*",
    r"\Network Interface(*)\*",
];

/// Counters without values in the same samples.
struct Missing {
    /// `has no value in 80 of 480 samples, 10:05:00 to 10:25:00`, but for the verb.
    what: String,
    /// The first of them.
    label: String,
    num_others: u64,
}

impl Observed {
    /// `Processor % Processor Time has no value in 80 of 480 samples, 10:05:00 to 10:25:00`: counters that couldn't be read, or are blank in a text, in more than a few.
    pub fn missing_in_words(&self) -> Vec<String> {
        /// Samples, and their share of all.
        const LEAST: (u64, f64) = (3, 0.05);
        let patterns: Vec<Pattern> = EXPECTED.iter().filter_map(|path| path.parse().ok()).collect();
        let mut found: Vec<Missing> = Vec::new();
        for (id, figures) in &self.figures {
            let of_reason = Status::REASONS.iter().zip(figures.nulls);
            let num: u64 =
                of_reason.filter(|(status, _)| **status == Status::InvalidData).map(|(_, num)| num).sum();
            let all = figures.count + figures.nulls.iter().sum::<u64>();
            let is_much = num >= LEAST.0 && num as f64 >= LEAST.1 * all as f64;
            let Some(unread) = figures.unread.filter(|_| is_much) else { continue };
            let candidate = candidate(self, *id, figures);
            if !patterns.iter().any(|pattern| candidate.matches(pattern)) {
                continue;
            }
            let what = if figures.count == 0 {
                format!("no value in any of {}", plural(all, "sample"))
            } else {
                let at_times = if unread.is_interrupted { "at times from " } else { "" };
                let time = self.facts.shown_span(unread.first, unread.last);
                format!("no value in {num} of {}, {at_times}{time}", plural(all, "sample"))
            };
            if let Some(known) = found.iter_mut().find(|known| known.what == what) {
                known.num_others += 1;
                continue;
            }
            let instance = candidate.instance.map(Instance::shown);
            let label = series_label(candidate.object, instance.as_deref(), None, candidate.counter);
            found.push(Missing { what, label: self.facts.of_host(candidate.host, label), num_others: 0 });
        }
        let words = |Missing { what, label, num_others }: Missing| match num_others {
            0 => format!("{label} has {what}"),
            num => format!("{label} and {} have {what}", plural(num, "more counter")),
        };
        found.into_iter().map(words).collect()
    }
}
