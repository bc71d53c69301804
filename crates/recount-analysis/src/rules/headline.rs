//! The sentence of a finding.

use super::finding::Finding;
use super::rule::{Aggregate, Rule, Says};
use super::threshold::Comparison;
use super::verdict::Verdict;
use crate::shown::{duration, quantity, short};

/// What a sentence is made of.
pub(super) struct Sentence<'a> {
    pub(super) finding: &'a Finding,
    pub(super) rule: &'a Rule,
    pub(super) verdict: &'a Verdict,
    /// The counter that was compared; of an expression, the first.
    pub(super) counter: &'a str,
    /// Of the values that were compared.
    pub(super) unit: &'a str,
}

impl Sentence<'_> {
    pub(super) fn text(&self) -> String {
        let place = self.finding.place();
        let text = match &self.rule.aggregate {
            Aggregate::Any => self.any(),
            Aggregate::Mean => {
                format!("{} on average over {}", self.was(self.finding.value), self.lasted())
            }
            Aggregate::Min | Aggregate::Max | Aggregate::Percentile(_) => format!(
                "{} of {} was {} over {}",
                self.finding.aggregate,
                self.name(),
                self.shown(self.finding.value),
                self.lasted()
            ),
            Aggregate::Trend { .. } => self.trend(),
            Aggregate::Steps { .. } => self.steps(),
            Aggregate::Share(_) => self.share(),
        };
        // Disks are called `0 C:`.
        let colon = if place.ends_with(':') { "" } else { ":" };
        format!("{place}{colon} {text}{}", self.addition())
    }

    fn shown(&self, value: f64) -> String {
        quantity(value, self.unit)
    }

    fn lasted(&self) -> String {
        duration(self.verdict.worst.seconds)
    }

    /// What was compared, as a name.
    fn name(&self) -> String {
        let is_formula = self.rule.subjects.iter().any(|subject| !subject.expression.is_counter());
        match &self.rule.measure {
            Some(measure) => short(measure),
            None if is_formula => short(&self.finding.subject),
            None => short(self.counter),
        }
    }

    /// `counter was 5 %`. An expression isn't a quantity that anybody knows, so its counters are named instead.
    fn was(&self, value: f64) -> String {
        let says = self.rule.says.as_ref().filter(|says| !says.is_addition);
        let filled = says.and_then(|says| self.filled(says));
        filled.unwrap_or_else(|| format!("{} was {}", self.name(), self.shown(value)))
    }

    /// A sentence with the means of its quantities. `None` if the first of them has no value.
    fn filled(&self, says: &Says) -> Option<String> {
        self.finding.counters.first()?.mean?;
        let mut text = String::new();
        let quantities = self.finding.counters.iter().map(Some).chain(std::iter::repeat(None));
        if says.is_of_operands {
            return Some(self.operands(says));
        }
        for (before, shown) in says.texts.iter().zip(quantities) {
            text.push_str(before);
            match shown.map(|shown| (shown.mean, &shown.unit)) {
                Some((Some(mean), unit)) => text.push_str(&quantity(mean, unit)),
                Some((None, _)) => text.push_str("unknown"),
                None => (),
            }
        }
        Some(short(&text))
    }

    /// The counters that an expression is made of: `Queue was 7, Length 5`. Of a count, for one, the counter of no
    /// instance is shown.
    fn operands(&self, says: &Says) -> String {
        let known = self.finding.counters.iter().filter_map(|shown| Some((shown, shown.mean?)));
        let texts = known.enumerate().map(|(at, (shown, mean))| {
            let verb = if at == 0 && !says.is_addition { " was" } else { "" };
            format!("{}{verb} {}", shown.name, quantity(mean, &shown.unit))
        });
        short(&texts.collect::<Vec<_>>().join(", "))
    }

    /// The counters of a value that has a name.
    fn addition(&self) -> String {
        let says = self.rule.says.as_ref().filter(|says| says.is_addition);
        says.and_then(|says| self.filled(says)).map_or_else(String::new, |text| format!(" ({text})"))
    }

    fn any(&self) -> String {
        let worst = &self.verdict.worst;
        let was = self.was(worst.mean);
        let again = match self.verdict.num_spans {
            1 => String::new(),
            num => format!(", the worst of {num} times ({} in all)", duration(self.verdict.total_s)),
        };
        if worst.seconds == 0.0 {
            return format!("{was} in one sample{again}");
        }
        let whole = if self.verdict.is_whole { " (the whole time)" } else { "" };
        format!("{was} on average for {}{whole}{again}, {}", self.lasted(), self.bound())
    }

    /// The extreme in all spans, of what the sentence shows first.
    fn bound(&self) -> String {
        let is_upper = self.rule.threshold.is_upper();
        let says = self.rule.says.as_ref().filter(|says| !says.is_addition);
        let first = says.and_then(|_| self.finding.counters.first());
        let extreme = first.and_then(|shown| {
            let extreme = if is_upper { shown.max } else { shown.min };
            Some(quantity(extreme?, &shown.unit))
        });
        let extreme = extreme.unwrap_or_else(|| self.shown(self.verdict.peak));
        format!("{} {extreme}", if is_upper { "at most" } else { "at least" })
    }

    /// From, to, and the slope as a slope: per hour only if it was seen for an hour.
    fn trend(&self) -> String {
        let (from, to) = self.verdict.ends;
        let verb = if to >= from { "grew" } else { "fell" };
        let (per, seconds) = match self.verdict.worst.seconds {
            seconds if seconds >= 3600.0 => ("an hour", 3600.0),
            seconds if seconds >= 60.0 => ("a minute", 60.0),
            _ => ("a second", 1.0),
        };
        let slope = self.shown(self.finding.value / 3600.0 * seconds);
        let (from, to) = (self.shown(from), self.shown(to));
        format!(
            "{} {verb} from {from} to {to} in {}; the line through it has a slope of {slope} {per}",
            self.name(),
            self.lasted()
        )
    }

    fn steps(&self) -> String {
        let (low, high) = self.verdict.ends;
        let threshold = &self.rule.threshold;
        let percent = quantity(threshold.number, "%");
        let size = match threshold.comparison {
            Comparison::AtLeast => format!("{percent} or more"),
            _ => format!("more than {percent}"),
        };
        let count = self.finding.value as u64;
        let (steps, up) = (crate::shown::plural(count, "step"), self.verdict.num_up);
        format!(
            "{} moved in {steps} of {size} ({} down, {up} up) in {}, between levels of {} and {}",
            self.name(),
            count - up,
            self.lasted(),
            self.shown(low),
            self.shown(high)
        )
    }

    /// How often it was beyond the threshold, and the values at those times.
    fn share(&self) -> String {
        let share = quantity(self.finding.value, "%");
        let (name, threshold) = (self.name(), &self.finding.threshold);
        let mean = self.shown(self.verdict.mean);
        let bound = if self.rule.threshold.is_upper() { "at most" } else { "at least" };
        let peak = self.shown(self.verdict.peak);
        let per = if self.unit.ends_with("/sec") && !threshold.contains('/') { "/s" } else { "" };
        format!("{name} was {threshold}{per} in {share} of the time: {mean} on average then, {bound} {peak}")
    }
}
