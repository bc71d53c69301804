//! What everybody expects to have values, and has none in a part of the samples.

use recount_model::{Instance, Pattern, Status};

use super::observe::Observed;
use crate::shown::{plural, series_label, short};

/// By these rules and people judge a machine.
const EXPECTED: [&str; 6] = [
    r"\Processor(_Total)\% Processor Time",
    r"\Processor Information(_Total)\% Processor Time",
    r"\Processor Information(_Total)\% Processor Utility",
    r"\Memory\Available *Bytes",
    r"\PhysicalDisk(*)\Disk * Bytes/sec",
    r"\Network Interface(*)\Bytes Total/sec",
];

impl Observed {
    /// `Processor % Processor Time has no value in 80 of 480 samples`: counters that couldn't be read, or are blank in a text, in more than a few.
    pub fn missing_in_words(&self) -> Vec<String> {
        /// Samples, and their share of all.
        const LEAST: (u64, f64) = (3, 0.05);
        let patterns: Vec<Pattern> = EXPECTED.iter().filter_map(|path| path.parse().ok()).collect();
        let (candidates, _) = self.candidates();
        let met = self.figures.iter().filter(|(_, figures)| figures.count > 0);
        let mut found: Vec<((u64, u64), String, usize)> = Vec::new();
        for (candidate, (_, figures)) in candidates.iter().zip(met) {
            let of_reason = Status::REASONS.iter().zip(figures.nulls);
            let num =
                of_reason.filter(|(status, _)| **status == Status::InvalidData).map(|(_, num)| num).sum();
            let all = figures.count + figures.nulls.iter().sum::<u64>();
            let is_much = num >= LEAST.0 && num as f64 >= LEAST.1 * all as f64;
            if !is_much || !patterns.iter().any(|pattern| candidate.matches(pattern)) {
                continue;
            }
            if let Some((.., more)) = found.iter_mut().find(|(counts, ..)| *counts == (num, all)) {
                *more += 1;
                continue;
            }
            let instance = candidate.instance.map(Instance::shown);
            let label = series_label(candidate.object, instance.as_deref(), None, candidate.counter);
            let is_one = self.facts.hosts.len() < 2 || candidate.host.is_empty();
            let label = if is_one { label } else { format!("{}: {label}", short(candidate.host)) };
            found.push(((num, all), label, 0));
        }
        let words = |((num, all), label, more): ((u64, u64), String, usize)| match more {
            0 => format!("{label} has no value in {num} of {}", plural(all, "sample")),
            more => {
                let others = plural(more as u64, "more counter");
                format!("{label} and {others} have no value in {num} of {}", plural(all, "sample"))
            }
        };
        found.into_iter().map(words).collect()
    }
}
