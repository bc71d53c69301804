//! How much worse the new capture may be: `formats/rules.md`, "Tolerances".

use std::ops::Range;

use recount_model::{CounterPath, Instance, Pattern};
use serde::Deserialize;
use toml::Spanned;

use super::bases::FurtherBase;
use super::changes::{Change, Difference, Figure};
use crate::amount::{Amount, quantity_of};
use crate::processors::by_other_name;
use crate::rules::{RuleFault, Severity, path_of, place_in};
use crate::shown::{quantity, short};

/// A set of tolerances.
#[derive(Clone, Debug, PartialEq)]
pub struct ToleranceSet {
    /// Its name.
    pub name: String,
    /// In order.
    pub tolerances: Vec<Tolerance>,
}

/// How much a figure of a counter may change for the worse.
#[derive(Clone, Debug, PartialEq)]
pub struct Tolerance {
    /// Unique in its set.
    pub id: String,
    /// Which counters it is for.
    pub path: CounterPath,
    metric: Metric,
    allow: Allowance,
    /// As written in the file.
    pub allow_text: String,
    /// How bad it is.
    pub severity: Severity,
    /// What it means.
    pub explanation: String,
    /// Smaller differences don't violate it.
    floor: Option<Amount>,
    /// Whether its counters may be absent.
    is_optional: bool,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq, Deserialize)]
#[serde(rename_all = "lowercase")]
enum Metric {
    Mean,
    P50,
    P95,
    P99,
    Max,
}

/// The sign says which direction is worse.
#[derive(Clone, Copy, Debug, PartialEq)]
enum Allowance {
    /// Relative to the base.
    Share(f64),
    /// Towards larger or smaller values, by the sign of the number.
    Amount(f64, Amount),
}

/// A violated tolerance.
#[derive(Clone, Debug, PartialEq)]
pub struct Breach {
    /// Name of its set.
    pub set: String,
    /// Its id.
    pub tolerance: String,
    /// How bad it is.
    pub severity: Severity,
    /// Index of the counter in the changes.
    pub change: usize,
    /// One sentence.
    pub text: String,
    /// What it means.
    pub explanation: String,
}

#[derive(Deserialize)]
#[serde(deny_unknown_fields)]
struct FileText {
    set: SetText,
    #[serde(rename = "tolerance")]
    tolerances: Vec<ToleranceText>,
}

#[derive(Deserialize)]
#[serde(deny_unknown_fields)]
struct SetText {
    name: String,
    #[serde(rename = "title")]
    _title: String,
    version: Spanned<u32>,
}

#[derive(Deserialize)]
#[serde(deny_unknown_fields)]
struct ToleranceText {
    id: Spanned<String>,
    counter: Spanned<String>,
    metric: Metric,
    allow: Spanned<String>,
    floor: Option<Spanned<String>>,
    severity: Severity,
    #[serde(default)]
    explanation: String,
    #[serde(default)]
    optional: bool,
}

/// Reads a set of tolerances.
pub fn parse_tolerances(text: &str) -> Result<ToleranceSet, Vec<RuleFault>> {
    let at = |span: Range<usize>, rule: Option<String>, what: String| place_in(text, span, rule, what);
    let file: FileText = toml::from_str(text).map_err(|error| {
        vec![at(error.span().unwrap_or_default(), None, error.message().trim().to_owned())]
    })?;
    let mut faults = Vec::new();
    if *file.set.version.get_ref() != 1 {
        faults.push(at(file.set.version.span(), None, "only version 1 is known".to_owned()));
    }
    let mut tolerances: Vec<Tolerance> = Vec::new();
    for one in file.tolerances {
        let id = one.id.get_ref().clone();
        if tolerances.iter().any(|known| known.id == id) {
            faults.push(at(one.id.span(), Some(id.clone()), "another tolerance has this id".to_owned()));
        }
        let path =
            path_of(one.counter.get_ref()).map_err(|what| at(one.counter.span(), Some(id.clone()), what));
        let allow =
            allowance(one.allow.get_ref()).map_err(|what| at(one.allow.span(), Some(id.clone()), what));
        let floor = one
            .floor
            .as_ref()
            .map(|text| floor_of(text.get_ref()).map_err(|what| at(text.span(), Some(id.clone()), what)));
        let has_unit = |amount: &Amount, text: &str, span: Range<usize>| {
            let counter = path.as_ref().map_or("", |path| path.counter.as_str());
            // Of several counters, each has its own unit.
            let is_one = !counter.is_empty() && !counter.contains(['*', '?']);
            let in_its_unit = is_one.then(|| amount.for_counters(std::iter::once(counter)));
            let what = |what: String| format!("{:?}: {what}", text.trim());
            in_its_unit.transpose().map(drop).map_err(|fault| at(span, Some(id.clone()), what(fault)))
        };
        let allow = allow.and_then(|allow| match &allow {
            Allowance::Amount(_, amount) => {
                has_unit(amount, one.allow.get_ref(), one.allow.span()).map(|()| allow)
            }
            Allowance::Share(_) => Ok(allow),
        });
        let floor = floor.transpose().and_then(|floor| {
            let mut written = floor.iter().zip(&one.floor);
            written.try_for_each(|(floor, text)| has_unit(floor, text.get_ref(), text.span())).map(|()| floor)
        });
        match (path, allow, floor) {
            (Ok(path), Ok(allow), Ok(floor)) => tolerances.push(Tolerance {
                id,
                path,
                metric: one.metric,
                allow,
                allow_text: one.allow.into_inner(),
                severity: one.severity,
                explanation: one.explanation.trim().to_owned(),
                floor,
                is_optional: one.optional,
            }),
            (path, allow, floor) => {
                faults.extend([path.err(), allow.err(), floor.err()].into_iter().flatten());
            }
        }
    }
    if faults.is_empty() { Ok(ToleranceSet { name: file.set.name, tolerances }) } else { Err(faults) }
}

fn floor_of(text: &str) -> Result<Amount, String> {
    let floor = Amount::parse(text)?;
    if floor.is_negative() {
        Err(format!("{text:?} is below 0, and a difference never is"))
    } else {
        Ok(floor)
    }
}

fn allowance(text: &str) -> Result<Allowance, String> {
    let trimmed = text.trim();
    let sign = match trimmed.chars().next() {
        Some('+') => 1.0,
        Some('-') => -1.0,
        _ => return Err(format!("{text:?} has no sign: +5% if larger is worse, -5% if smaller is")),
    };
    let rest = trimmed.get(1..).unwrap_or_default().trim();
    if !rest.starts_with(|c: char| c.is_ascii_digit() || c == '.') || rest.ends_with("%%") {
        return Err(format!("{text:?} is not an allowance; write +5% or +10 MiB"));
    }
    match rest.strip_suffix('%') {
        Some(share) => Ok(Allowance::Share(sign * quantity_of(share)? / 100.0)),
        None => Ok(Allowance::Amount(sign, Amount::parse(rest)?)),
    }
}

/// A difference with a higher probability is taken for chance.
const MAX_PROBABILITY: f64 = 0.05;

impl ToleranceSet {
    /// Tolerances that nobody has checked, so they haven't passed.
    pub fn unjudged(&self, difference: &Difference) -> Vec<Unjudged<'_>> {
        let unjudged = |tolerance| Some(Unjudged { tolerance, why: tolerance.why_unjudged(difference)? });
        self.tolerances.iter().filter_map(unjudged).collect()
    }

    /// A counter of which an amount of a tolerance is none: `5 ms` of `Working Set`.
    pub fn first_mismatch<'a>(
        &'a self,
        difference: &'a Difference,
    ) -> Option<(&'a Tolerance, &'a CounterPath)> {
        let pairs = self.tolerances.iter().flat_map(|tolerance| {
            tolerance.changes(difference).into_iter().map(move |(_, change)| (tolerance, change))
        });
        let is_mismatch = |(tolerance, change): &(&Tolerance, &Change)| !tolerance.has_unit_of(change);
        let mut mismatches = pairs.filter(is_mismatch);
        mismatches.next().map(|(tolerance, change)| (tolerance, &change.path))
    }

    /// Violated tolerances, and notes on those that can't be judged.
    pub fn check(&self, difference: &Difference) -> (Vec<Breach>, Vec<String>) {
        let (mut breaches, mut notes) = (Vec::new(), Vec::new());
        for tolerance in &self.tolerances {
            let found = tolerance.changes(difference);
            if found.is_empty() {
                notes.push(format!(
                    "{}/{}: no counter of both captures matches {}",
                    self.name, tolerance.id, tolerance.path
                ));
            }
            for (at, change) in found {
                let text = || tolerance.text(change, tolerance.figure(change));
                let but = match tolerance.judged(change, difference) {
                    Judged::Within => continue,
                    Judged::Beyond => {
                        breaches.push(Breach {
                            set: self.name.clone(),
                            tolerance: tolerance.id.clone(),
                            severity: tolerance.severity,
                            change: at,
                            text: text(),
                            explanation: tolerance.explanation.clone(),
                        });
                        continue;
                    }
                    Judged::Kept(base) => format!(
                        "compared with {} it is within the limit or may be due to chance",
                        base.name()
                    ),
                    Judged::Perhaps => "it may be chance".to_owned(),
                    Judged::FewValues => "there are too few values to be sure".to_owned(),
                };
                notes.push(format!("{}/{}: {}, but {but}", self.name, tolerance.id, text()));
            }
        }
        breaches.sort_by_key(|breach| std::cmp::Reverse(breach.severity));
        (breaches, notes)
    }

    /// How many changes are beyond a tolerance, but may be chance.
    fn num_perhaps(&self, difference: &Difference) -> usize {
        let changes = self.tolerances.iter().flat_map(|tolerance| {
            tolerance
                .changes(difference)
                .into_iter()
                .map(move |(_, change)| tolerance.judged(change, difference))
        });
        changes.filter(|judged| matches!(judged, Judged::Perhaps)).count()
    }
}

/// A change that a tolerance is for.
enum Judged<'d> {
    Within,
    /// Beyond, but not compared with a further base.
    Kept(&'d FurtherBase),
    Beyond,
    Perhaps,
    FewValues,
}

impl Tolerance {
    fn judged<'d>(&self, change: &Change, difference: &'d Difference) -> Judged<'d> {
        if !self.is_beyond(&change.path.counter, change.unit, self.figure(change)) {
            return Judged::Within;
        }
        let is_kept =
            |base: &&FurtherBase| base.change(&change.path).is_some_and(|change| !self.is_violated(change));
        if let Some(base) = difference.further_bases.iter().find(is_kept) {
            return Judged::Kept(base);
        }
        match change.probability {
            Some(probability) if probability < MAX_PROBABILITY => Judged::Beyond,
            Some(_) => Judged::Perhaps,
            None => Judged::FewValues,
        }
    }
}

/// How many changes are beyond tolerance for certain and perhaps, and how many tolerances nobody has checked; `None` without tolerances.
pub fn tolerances_kept(
    difference: &Difference,
    sets: &[ToleranceSet],
    breaches: &[Breach],
) -> Option<String> {
    let num_unjudged: usize = sets.iter().map(|set| set.unjudged(difference).len()).sum();
    let unjudged = if num_unjudged > 0 { format!(", {num_unjudged} not checked") } else { String::new() };
    let num_perhaps: usize = sets.iter().map(|set| set.num_perhaps(difference)).sum();
    let perhaps = if num_perhaps > 0 { format!(", {num_perhaps} perhaps") } else { String::new() };
    (!sets.is_empty()).then(|| format!("{} beyond tolerance{perhaps}{unjudged}", breaches.len()))
}

/// A tolerance that can't be judged.
#[derive(Clone, Copy, Debug)]
pub struct Unjudged<'a> {
    /// The tolerance.
    pub tolerance: &'a Tolerance,
    /// Why it can't.
    pub why: WhyUnjudged,
}

/// Why a tolerance can't be judged.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum WhyUnjudged {
    /// No counter of its has values on both sides.
    NoCounter,
    /// Counters changed by more than it allows, and none has enough values to tell whether it is chance.
    FewValues,
}

impl WhyUnjudged {
    /// In a few words.
    pub const fn text(self) -> &'static str {
        match self {
            WhyUnjudged::NoCounter => "no counter has values on both sides",
            WhyUnjudged::FewValues => "too few values on one side or both to tell a change from chance",
        }
    }
}

impl Tolerance {
    pub(super) fn why_unjudged(&self, difference: &Difference) -> Option<WhyUnjudged> {
        let changes = self.changes(difference);
        if changes.is_empty() {
            return Some(WhyUnjudged::NoCounter).filter(|_| !self.is_optional);
        }
        let is_beyond =
            |change: &&Change| self.is_beyond(&change.path.counter, change.unit, self.figure(change));
        let mut beyond = changes.into_iter().map(|(_, change)| change).filter(is_beyond).peekable();
        let is_unjudged = beyond.peek().is_some() && beyond.all(|change| !change.is_judged());
        is_unjudged.then_some(WhyUnjudged::FewValues)
    }

    /// Whether there is a counter of its with values on both sides.
    pub(super) fn has_counter(&self, difference: &Difference) -> bool {
        !self.changes(difference).is_empty()
    }

    fn has_unit_of(&self, change: &Change) -> bool {
        let amount = match self.allow {
            Allowance::Share(_) => None,
            Allowance::Amount(_, amount) => Some(amount),
        };
        let mut amounts = amount.into_iter().chain(self.floor);
        amounts.all(|amount| amount.in_unit_of(&change.path.counter, change.unit).is_some())
    }

    /// The counters that it is about, with their places: those of processors by their other name if there are none by this.
    fn changes<'a>(&self, difference: &'a Difference) -> Vec<(usize, &'a Change)> {
        let all = || difference.changes.iter().enumerate();
        let own: Vec<(usize, &Change)> = all().filter(|(_, change)| self.is_path(&change.path)).collect();
        if !own.is_empty() {
            return own;
        }
        let is_other = |path: &CounterPath| by_other_name(path).is_some_and(|other| self.is_path(&other));
        all().filter(|(_, change)| is_other(&change.path)).collect()
    }

    fn is_path(&self, path: &CounterPath) -> bool {
        let instance = path.instance.as_ref().map(|name| Instance {
            parent: path.parent.as_deref().map(Into::into),
            ordinal: match path.index {
                Some(recount_model::Occurrence::Number(number)) => number,
                _ => 0,
            },
            ..Instance::named(name.as_str())
        });
        let host = path.host.as_deref().unwrap_or_default();
        Pattern::Path(self.path.clone()).matches(host, &path.object, instance.as_ref(), &path.counter)
    }

    fn figure(&self, change: &Change) -> Figure {
        match self.metric {
            Metric::Mean => change.mean,
            Metric::P50 => change.p50,
            Metric::P95 => change.p95,
            Metric::P99 => change.p99,
            Metric::Max => change.max,
        }
    }

    /// Whether a change is beyond it, and no chance.
    fn is_violated(&self, change: &Change) -> bool {
        self.is_beyond(&change.path.counter, change.unit, self.figure(change))
            && change.probability.is_some_and(|probability| probability < MAX_PROBABILITY)
    }

    /// `unit`: that of the counter, of which its amounts are.
    fn is_beyond(&self, counter: &str, unit: &str, figure: Figure) -> bool {
        let grown = figure.new - figure.base;
        let in_its_unit = |amount: Amount| amount.in_unit_of(counter, unit);
        if self.floor.and_then(in_its_unit).is_some_and(|floor| grown.abs() < floor) {
            return false;
        }
        let allowed = match self.allow {
            Allowance::Share(share) => share * figure.base.abs(),
            Allowance::Amount(sign, amount) => sign * in_its_unit(amount).unwrap_or(0.0),
        };
        // +0 % is a valid tolerance, too: the sign is that of the number.
        if allowed.is_sign_negative() { grown < allowed } else { grown > allowed }
    }

    fn text(&self, change: &Change, figure: Figure) -> String {
        let metric = match self.metric {
            Metric::Mean => "mean",
            Metric::P50 => "p50",
            Metric::P95 => "p95",
            Metric::P99 => "p99",
            Metric::Max => "max",
        };
        let by = figure.relative().map_or_else(String::new, |share| format!(" ({:+.1} %)", 100.0 * share));
        let (base, new) = (quantity(figure.base, change.unit), quantity(figure.new, change.unit));
        format!(
            "{metric} of {} went from {base} to {new}{by}; allowed is {}",
            short(&change.path.to_string()),
            self.allow_text
        )
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn allowances_have_a_direction() {
        let beyond = |allow: &str, base, new| {
            let text = format!(
                "[set]\nname = \"a\"\ntitle = \"A\"\nversion = 1\n[[tolerance]]\nid = \"x\"\ncounter = 'A\\b'\nmetric = \"mean\"\nallow = \"{allow}\"\nseverity = \"critical\"\n"
            );
            let set = parse_tolerances(&text).expect("sound");
            set.tolerances[0].is_beyond("b", "bytes", Figure { base, new })
        };
        assert!(beyond("+5%", 100.0, 106.0) && !beyond("+5%", 100.0, 105.0) && !beyond("+5%", 100.0, 10.0));
        assert!(beyond("-5%", 100.0, 94.0) && !beyond("-5%", 100.0, 95.0) && !beyond("-5%", 100.0, 300.0));
        assert!(beyond("+1 KiB", 0.0, 1025.0) && !beyond("+1 KiB", 0.0, 1024.0));
        assert!(beyond("+0%", 1.0, 1.1) && beyond("-0%", 1.0, 0.9) && !beyond("-0%", 1.0, 1.1));
        assert!(!beyond("+5%", f64::NAN, 1.0));
    }

    #[test]
    fn mistakes_have_a_line() {
        let text = "[set]\nname = \"a\"\ntitle = \"A\"\nversion = 1\n[[tolerance]]\nid = \"x\"\ncounter = 'b'\nmetric = \"mean\"\nallow = \"5%\"\nseverity = \"critical\"\n";
        let faults = parse_tolerances(text).expect_err("faulty");
        assert_eq!(faults.iter().map(|fault| fault.line).collect::<Vec<_>>(), [7, 9]);
    }

    #[test]
    fn amounts_are_of_the_counters_kind() {
        let faults = |counter: &str, allow: &str, floor: &str| {
            let text = format!(
                "[set]\nname = \"a\"\ntitle = \"A\"\nversion = 1\n[[tolerance]]\nid = \"x\"\ncounter = '{counter}'\nmetric = \"mean\"\nallow = \"{allow}\"\nfloor = \"{floor}\"\nseverity = \"critical\"\n"
            );
            let faults = parse_tolerances(&text).err().unwrap_or_default();
            faults.iter().map(|fault| fault.line).collect::<Vec<_>>()
        };
        for (counter, allow, floor, expected) in [
            (r"\Memory\Available MBytes", "-100 MiB", "1 MiB", &[][..]),
            (r"\Process(*)\*", "+100 MiB", "1 MiB", &[]),
            (r"\Process(*)\Handle Count", "+5 %", "10", &[]),
            (r"\Process(*)\Handle Count", "+5 %", "10 MiB", &[10]),
            (r"\Process(*)\% Processor Time", "+5 MiB", "1 ms", &[9, 10]),
        ] {
            assert_eq!(faults(counter, allow, floor), expected, "{counter} {allow} {floor}");
        }
    }
}
