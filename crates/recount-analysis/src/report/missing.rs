//! What everybody expects to have values, and has none in a part of the samples.

use recount_model::{Instance, Pattern, Status};

use super::observe::Observed;
use crate::shown::{plural, series_label};
use crate::stats::SeriesId;

/// By these rules and people judge a machine.
const EXPECTED: [&str; 7] = [
    r"\Processor(_Total)\*",
    r"\Processor Information(_Total)\*",
    r"\Memory\*",
    r"\System\*",
    r"\PhysicalDisk(*)\*",
    r"\LogicalDisk(*)\*",
    r"\Network Interface(*)\*",
];

/// Counters without values in the same samples.
struct Missing {
    /// `80 of 480 samples`
    samples: String,
    /// When, if that is known.
    time: Option<String>,
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
        let (candidates, ids) = self.candidates();
        let met = self.figures.iter().filter(|(_, figures)| figures.count > 0);
        let mut found: Vec<Missing> = Vec::new();
        for ((candidate, id), (_, figures)) in candidates.iter().zip(ids).zip(met) {
            let of_reason = Status::REASONS.iter().zip(figures.nulls);
            let num: u64 =
                of_reason.filter(|(status, _)| **status == Status::InvalidData).map(|(_, num)| num).sum();
            let all = figures.count + figures.nulls.iter().sum::<u64>();
            let is_much = num >= LEAST.0 && num as f64 >= LEAST.1 * all as f64;
            if !is_much || !patterns.iter().any(|pattern| candidate.matches(pattern)) {
                continue;
            }
            let time = self.missing_at(id, num);
            let samples = format!("{num} of {}", plural(all, "sample"));
            // When a counter that has one value else has none isn't known.
            let is_same = |known: &&mut Missing| {
                known.samples == samples && (known.time == time || known.time.is_none() || time.is_none())
            };
            if let Some(known) = found.iter_mut().find(is_same) {
                known.num_others += 1;
                known.time = known.time.take().or(time);
                continue;
            }
            let instance = candidate.instance.map(Instance::shown);
            let label = series_label(candidate.object, instance.as_deref(), None, candidate.counter);
            let label = self.facts.of_host(candidate.host, label);
            found.push(Missing { samples, time, label, num_others: 0 });
        }
        let words = |Missing { samples, time, label, num_others }: Missing| {
            let when = time.map_or_else(String::new, |time| format!(", {time}"));
            match num_others {
                0 => format!("{label} has no value in {samples}{when}"),
                num => {
                    format!("{label} and {} have no value in {samples}{when}", plural(num, "more counter"))
                }
            }
        };
        found.into_iter().map(words).collect()
    }

    /// When a series has no values in `num` samples: the time, or from the first to the last of several. `None` if means hide that.
    fn missing_at(&self, id: SeriesId, num: u64) -> Option<String> {
        /// Of the samples: what means without a value are about. Of more, some have other reasons, but a rate lacks the next one, too.
        const SHARE: (f64, f64) = (0.9, 1.2);
        const NEXT: f64 = 2.0;
        let means = self.tracks.of(id)?.means()?;
        let is_missing = |at: &usize| means[*at].is_nan();
        // A rate has no value in the first sample.
        let first = usize::from(!means.iter().take(2).all(|mean| mean.is_nan()));
        let missing: Vec<usize> = (first..means.len()).filter(is_missing).collect();
        let bin_samples = self.axis.bin_samples();
        let (num, num_missing) = (num as f64, (missing.len() * bin_samples) as f64);
        if num_missing < SHARE.0 * num || num_missing > SHARE.1 * num + NEXT {
            return None;
        }
        let (first, last) = (*missing.first()?, *missing.last()?);
        let time = self.axis.interval(first, last);
        let shown = self.facts.shown_span(time.begin, time.end);
        let shown = if bin_samples > 1 { format!("about {shown}") } else { shown };
        Some(if (first..last).all(|at| is_missing(&at)) { shown } else { format!("at times from {shown}") })
    }
}
