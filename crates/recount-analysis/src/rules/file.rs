//! Rule sets as TOML (`formats/rules.md`).

use std::fmt;
use std::ops::Range;

use recount_model::{CounterPath, Period};
use serde::Deserialize;
use toml::Spanned;

use super::aliases::with_aliases;
use super::expression::{Expression, path_of};
use super::measures::who_by_object;
use super::mistakes::{Fault, Faults, check_links};
use super::rule::{Aggregate, Rule, RuleSet, Says, Severity, Subject, Who, counters_of, is_of_processes};
use super::says;
use super::threshold::Threshold;
use crate::amount::Amount;
use crate::attribution::GroupBy;

/// The supported version of the format.
const VERSION: u32 = 1;

/// A mistake in a rules file, and where it is.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct RuleFault {
    /// Line, from 1.
    pub line: usize,
    /// Column in characters, from 1.
    pub column: usize,
    /// The rule, if known.
    pub rule: Option<String>,
    /// What is wrong, and what was expected.
    pub what: String,
}

impl fmt::Display for RuleFault {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "line {}, column {}: ", self.line, self.column)?;
        if let Some(rule) = &self.rule {
            write!(f, "{rule:?}: ")?;
        }
        f.write_str(&self.what)
    }
}

/// A fault with the line and column of its position.
pub(crate) fn place_in(text: &str, span: Range<usize>, rule: Option<String>, what: String) -> RuleFault {
    let before = text.get(..span.start).unwrap_or(text);
    let line = before.matches('\n').count() + 1;
    let column = before.rsplit('\n').next().unwrap_or_default().chars().count() + 1;
    RuleFault { line, column, rule, what }
}

#[derive(Deserialize)]
#[serde(deny_unknown_fields)]
struct FileText {
    set: SetText,
    #[serde(default, rename = "rule")]
    rules: Vec<Spanned<RuleText>>,
}

#[derive(Deserialize)]
#[serde(deny_unknown_fields)]
struct SetText {
    name: Spanned<String>,
    title: String,
    version: Spanned<u32>,
}

#[derive(Deserialize)]
#[serde(deny_unknown_fields, rename_all = "kebab-case")]
struct RuleText {
    id: Spanned<String>,
    title: String,
    group: String,
    severity: Severity,
    counter: Option<Spanned<OneOrMany>>,
    expr: Option<Spanned<String>>,
    measure: Option<Spanned<String>>,
    says: Option<Spanned<String>>,
    who: Option<Who>,
    group_by: Option<Spanned<GroupBy>>,
    most: Option<u64>,
    yields_to: Option<OneOrMany>,
    needs: Option<Spanned<OneOrMany>>,
    unless: Option<Spanned<OneOrMany>>,
    instead_of: Option<Spanned<OneOrMany>>,
    unit: Option<String>,
    #[serde(default)]
    exclude: Vec<Spanned<String>>,
    aggregate: Option<Spanned<String>>,
    threshold: Spanned<String>,
    until: Option<Spanned<String>>,
    #[serde(rename = "for")]
    least: Option<Spanned<String>>,
    #[serde(rename = "or-whole")]
    least_whole: Option<Spanned<String>>,
    share: Option<Spanned<String>>,
    window: Option<Spanned<String>>,
    min_steps: Option<Spanned<u64>>,
    both_ways: Option<Spanned<bool>>,
    min_growth: Option<Spanned<String>>,
    min_rise: Option<Spanned<Quantity>>,
    min_fit: Option<Spanned<f64>>,
    explanation: String,
    #[serde(default)]
    links: Vec<Spanned<String>>,
    #[serde(default)]
    source: String,
}

#[derive(Deserialize)]
#[serde(untagged, expecting = "a path, or a list of paths")]
enum OneOrMany {
    One(String),
    Many(Vec<String>),
}

impl OneOrMany {
    fn texts(&self) -> &[String] {
        match self {
            OneOrMany::One(text) => std::slice::from_ref(text),
            OneOrMany::Many(texts) => texts,
        }
    }
}

#[derive(Deserialize)]
#[serde(untagged, expecting = "a number, or a text as in \"50 MiB\"")]
enum Quantity {
    Number(f64),
    Text(String),
}

/// Reads a set of rules. If the TOML is valid, all mistakes are reported at once.
pub fn parse_rules(text: &str) -> Result<RuleSet, Vec<RuleFault>> {
    let at = |span: Range<usize>, rule: Option<String>, what: String| place_in(text, span, rule, what);
    let file: FileText = toml::from_str(text).map_err(|error| {
        vec![at(error.span().unwrap_or_default(), None, error.message().trim().to_owned())]
    })?;
    let mut faults = Vec::new();
    if *file.set.version.get_ref() != VERSION {
        let what = format!("version {} isn't known: {VERSION} is", file.set.version.get_ref());
        faults.push(at(file.set.version.span(), None, what));
    }
    let mut rules: Vec<Rule> = Vec::with_capacity(file.rules.len());
    for rule in file.rules {
        let rule = rule.into_inner();
        let (id, span) = (rule.id.get_ref().clone(), rule.id.span());
        if rules.iter().any(|known| known.id == id) {
            faults.push(at(span, Some(id.clone()), "another rule has this id".to_owned()));
        }
        match checked(rule) {
            Ok(rule) => rules.push(rule),
            Err(found) => {
                faults.extend(found.into_iter().map(|(span, what)| at(span, Some(id.clone()), what)));
            }
        }
    }
    if faults.is_empty() {
        Ok(RuleSet { name: file.set.name.into_inner(), title: file.set.title, rules })
    } else {
        Err(faults)
    }
}

fn checked(rule: RuleText) -> Result<Rule, Vec<Fault>> {
    let mut faults = Faults(Vec::new());
    let id_span = rule.id.span();
    let is_plain = |c: char| c.is_ascii_lowercase() || c.is_ascii_digit() || c == '-';
    if rule.id.get_ref().is_empty() || !rule.id.get_ref().chars().all(is_plain) {
        faults
            .0
            .push((id_span.clone(), "an id is made of lower-case letters, digits and hyphens".to_owned()));
    }
    for (field, text) in [("title", &rule.title), ("group", &rule.group), ("explanation", &rule.explanation)]
    {
        if text.trim().is_empty() {
            faults.0.push((id_span.clone(), format!("`{field}` is empty")));
        }
    }
    let subjects = with_aliases(subjects(&rule, &mut faults));
    check_measure(&rule, &mut faults);
    let threshold = limit(&rule, &rule.threshold, &subjects, &mut faults);
    let least_s = match &rule.least {
        None => Some(0.0),
        Some(text) => faults.take(text.span(), seconds_of(text.get_ref())),
    };
    let until = threshold.as_ref().and_then(|threshold| until(&rule, (threshold, &subjects), &mut faults));
    let least_whole_s = least_whole(&rule, least_s, &mut faults);
    let window_s = window(&rule, &mut faults);
    let says = says(&rule, &subjects, &mut faults);
    let aggregate = aggregate(&rule, &subjects, &mut faults);
    let needs = paths(rule.needs.as_ref(), &mut faults);
    let unless = paths(rule.unless.as_ref(), &mut faults);
    let instead_of = rule.instead_of.as_ref().map(|ids| ids.get_ref().texts().to_vec()).unwrap_or_default();
    if let Some(ids) = rule.instead_of.as_ref().filter(|_| instead_of.contains(rule.id.get_ref())) {
        faults.0.push((ids.span(), "a rule can't stand in for itself".to_owned()));
    }
    let mut exclude = Vec::new();
    for text in &rule.exclude {
        exclude.extend(faults.take(text.span(), path_of(&format!(r"\*({})\*", text.get_ref()))));
    }
    check_links(&rule.links, &mut faults);
    check_grouping(&rule, &subjects, &mut faults);
    let (Some(threshold), Some(least_s), Some(aggregate), true) =
        (threshold, least_s, aggregate, faults.0.is_empty())
    else {
        return Err(faults.0);
    };
    Ok(Rule {
        id: rule.id.into_inner(),
        title: rule.title,
        group: rule.group,
        severity: rule.severity,
        subjects,
        measure: rule.measure.map(|measure| measure.into_inner().trim().to_owned()),
        says,
        who: rule.who,
        group_by: rule.group_by.map(Spanned::into_inner),
        most: rule.most,
        yields_to: rule.yields_to.map(|ids| ids.texts().to_vec()).unwrap_or_default(),
        window_s,
        needs,
        unless,
        instead_of,
        unit: rule.unit,
        exclude,
        aggregate,
        threshold,
        until,
        least_s,
        least_whole_s,
        explanation: rule.explanation.trim().to_owned(),
        links: rule.links.into_iter().map(Spanned::into_inner).collect(),
        source: rule.source.trim().to_owned(),
    })
}

fn check_measure(rule: &RuleText, faults: &mut Faults) {
    let Some(measure) = &rule.measure else { return };
    if rule.expr.is_none() {
        let what = "`measure` names what `expr` computes, and goes with `expr` only";
        faults.0.push((measure.span(), what.to_owned()));
    } else if measure.get_ref().trim().is_empty() {
        faults.0.push((measure.span(), "`measure` is empty".to_owned()));
    }
}

/// Whether there are processes to group.
fn check_grouping(rule: &RuleText, subjects: &[Subject], faults: &mut Faults) {
    let Some(group_by) = &rule.group_by else { return };
    let mut operands = subjects.iter().flat_map(|subject| &subject.expression.operands);
    let names_processes = match rule.who {
        Some(who) => who != Who::None,
        None => {
            subjects.is_empty()
                || operands.clone().any(|path| who_by_object(&path.object, &path.counter).is_some())
        }
    };
    if !names_processes && !operands.any(|path| is_of_processes(&path.object)) {
        let what = "`group-by` is for rules about counters of Process, and for those whose findings name processes (`who`)";
        faults.0.push((group_by.span(), what.to_owned()));
    }
}

/// The window of `any` and `steps`, in seconds.
fn window(rule: &RuleText, faults: &mut Faults) -> f64 {
    let Some(text) = &rule.window else { return 0.0 };
    let name = rule.aggregate.as_ref().map_or("any", |aggregate| aggregate.get_ref());
    if !matches!(name, "any" | "steps") {
        faults.0.push((text.span(), "`window` goes with the aggregates any and steps only".to_owned()));
    }
    faults.take(text.span(), seconds_of(text.get_ref())).unwrap_or(0.0)
}

/// A limit in the unit of the counters; of steps, in per cent of the higher level.
fn limit(
    rule: &RuleText,
    text: &Spanned<String>,
    subjects: &[Subject],
    faults: &mut Faults,
) -> Option<Threshold> {
    let is = |name: &str| rule.aggregate.as_ref().is_some_and(|aggregate| aggregate.get_ref() == name);
    let read = Threshold::parse(text.get_ref(), is("trend"));
    let read = read.and_then(|threshold| {
        if is("steps") { threshold.of_share() } else { threshold.for_counters(counters_of(subjects)) }
    });
    faults.take(text.span(), read)
}

/// The limit for going on: a weaker one than the threshold, of the same kind.
fn until(
    rule: &RuleText,
    (threshold, subjects): (&Threshold, &[Subject]),
    faults: &mut Faults,
) -> Option<Threshold> {
    let text = rule.until.as_ref()?;
    let until = limit(rule, text, subjects, faults)?;
    if until.is_upper() != threshold.is_upper() || !until.holds(threshold.number) {
        let what = format!("`until` has to hold wherever the threshold does, which is {}", threshold.text);
        faults.0.push((text.span(), what));
    }
    Some(until)
}

/// How long is enough in a capture that is as short, in seconds: less than `for`.
fn least_whole(rule: &RuleText, least_s: Option<f64>, faults: &mut Faults) -> Option<f64> {
    let text = rule.least_whole.as_ref()?;
    let least_whole_s = faults.take(text.span(), seconds_of(text.get_ref()))?;
    if least_s.is_some_and(|least_s| least_whole_s >= least_s) {
        faults.0.push((text.span(), "`or-whole` is a shorter time than `for`".to_owned()));
    }
    Some(least_whole_s)
}

/// The sentence of a rule with an expression.
fn says(rule: &RuleText, subjects: &[Subject], faults: &mut Faults) -> Option<Says> {
    let expression = subjects.first().filter(|_| rule.expr.is_some()).map(|subject| &subject.expression);
    if let Some(text) = rule.says.as_ref().filter(|_| rule.expr.is_none()) {
        let what = "`says` names what `expr` is made of, and goes with `expr` only";
        faults.0.push((text.span(), what.to_owned()));
    }
    match &rule.says {
        None => says::of_operands(expression?, rule.measure.is_some()),
        Some(text) => faults.take(text.span(), says::parse(text.get_ref(), expression?)),
    }
}

fn subjects(rule: &RuleText, faults: &mut Faults) -> Vec<Subject> {
    match (&rule.counter, &rule.expr) {
        (Some(counter), None) => {
            let texts = counter.get_ref().texts().to_vec();
            if texts.is_empty() {
                faults.0.push((counter.span(), "it names no counter".to_owned()));
            }
            let subject = |text: String| {
                let path = faults.take(counter.span(), path_of(&text))?;
                Some(Subject { text, expression: Expression::counter(path), is_alias: false })
            };
            texts.into_iter().filter_map(subject).collect()
        }
        (None, Some(text)) => {
            let expression = faults.take(text.span(), Expression::parse(text.get_ref()));
            expression
                .map(|expression| Subject { text: text.get_ref().clone(), expression, is_alias: false })
                .into_iter()
                .collect()
        }
        _ => {
            let what = "a rule has either `counter` or `expr`; this one has both or neither";
            faults.0.push((rule.id.span(), what.to_owned()));
            Vec::new()
        }
    }
}

/// Counters that a rule only requires or excludes.
fn paths(texts: Option<&Spanned<OneOrMany>>, faults: &mut Faults) -> Vec<CounterPath> {
    let Some(texts) = texts else { return Vec::new() };
    texts.get_ref().texts().iter().filter_map(|text| faults.take(texts.span(), path_of(text))).collect()
}

fn aggregate(rule: &RuleText, subjects: &[Subject], faults: &mut Faults) -> Option<Aggregate> {
    let (name, span) = match &rule.aggregate {
        None => ("any", rule.id.span()),
        Some(name) => (name.get_ref().as_str(), name.span()),
    };
    let mut misplaced = |is_there: Option<Range<usize>>, field: &str, belongs: &str| {
        if let Some(span) = is_there.filter(|_| name != belongs) {
            faults.0.push((span, format!("`{field}` goes with aggregate = \"{belongs}\" only")));
        }
    };
    misplaced(rule.until.as_ref().map(Spanned::span), "until", "any");
    misplaced(rule.least_whole.as_ref().map(Spanned::span), "or-whole", "any");
    misplaced(rule.share.as_ref().map(Spanned::span), "share", "share");
    misplaced(rule.min_rise.as_ref().map(Spanned::span), "min-rise", "trend");
    misplaced(rule.min_fit.as_ref().map(Spanned::span), "min-fit", "trend");
    misplaced(rule.min_growth.as_ref().map(Spanned::span), "min-growth", "trend");
    misplaced(rule.min_steps.as_ref().map(Spanned::span), "min-steps", "steps");
    misplaced(rule.both_ways.as_ref().map(Spanned::span), "both-ways", "steps");
    Some(match name {
        "any" => Aggregate::Any,
        "mean" => Aggregate::Mean,
        "min" => Aggregate::Min,
        "max" => Aggregate::Max,
        "p50" => Aggregate::Percentile(0.5),
        "p90" => Aggregate::Percentile(0.9),
        "p95" => Aggregate::Percentile(0.95),
        "p99" => Aggregate::Percentile(0.99),
        "trend" => return trend((rule, subjects), span, faults),
        "steps" => Aggregate::Steps {
            least: rule.min_steps.as_ref().map_or(1, |least| *least.get_ref()),
            both_ways: rule.both_ways.as_ref().is_some_and(|both_ways| *both_ways.get_ref()),
        },
        "share" => {
            let Some(share) = &rule.share else {
                faults
                    .0
                    .push((span, "aggregate = \"share\" needs `share`, as in share = \"> 25%\"".to_owned()));
                return None;
            };
            let read = Threshold::parse(share.get_ref(), false).and_then(Threshold::of_share);
            Aggregate::Share(faults.take(share.span(), read)?)
        }
        other => {
            let known = "any, mean, min, max, p50, p90, p95, p99, trend, steps and share";
            faults.0.push((span, format!("{other:?} is not an aggregate; known are {known}")));
            return None;
        }
    })
}

fn trend(
    (rule, subjects): (&RuleText, &[Subject]),
    span: Range<usize>,
    faults: &mut Faults,
) -> Option<Aggregate> {
    let min_rise = match &rule.min_rise {
        None => 0.0,
        Some(rise) => match rise.get_ref() {
            Quantity::Number(number) => *number,
            Quantity::Text(text) => {
                let amount = Amount::parse(text);
                faults
                    .take(rise.span(), amount.and_then(|amount| amount.for_counters(counters_of(subjects))))?
            }
        },
    };
    if !(min_rise.is_finite() && min_rise >= 0.0) {
        faults.0.push((span, "`min-rise` is a number from 0 on".to_owned()));
        return None;
    }
    if let Some(fit) = rule.min_fit.as_ref().filter(|fit| !(0.0..=1.0).contains(fit.get_ref())) {
        faults.0.push((fit.span(), "`min-fit` is a number from 0 to 1".to_owned()));
    }
    let min_growth = match &rule.min_growth {
        None => 0.0,
        Some(growth) => {
            let percent = growth.get_ref().trim().strip_suffix('%').and_then(|text| text.trim().parse().ok());
            let percent = percent.filter(|percent: &f64| percent.is_finite() && *percent >= 0.0);
            let what = "`min-growth` is a share of the first value, as in \"10%\"";
            faults.take(growth.span(), percent.ok_or_else(|| what.to_owned()))? / 100.0
        }
    };
    let min_fit = rule.min_fit.as_ref().map_or(0.0, |fit| *fit.get_ref());
    Some(Aggregate::Trend { min_rise, min_fit, min_growth })
}

fn seconds_of(text: &str) -> Result<f64, String> {
    let period = Period::parse_or_zero(text).map_err(|error| format!("{text:?}: {error}"))?;
    Ok(period.as_secs_f64())
}

#[cfg(test)]
mod tests {
    use super::*;

    const HEAD: &str = "[set]\nname = \"x\"\ntitle = \"X\"\nversion = 1\n\n";

    fn rule(lines: &str) -> String {
        format!(
            "{HEAD}[[rule]]\nid = \"a\"\ntitle = \"A\"\ngroup = \"g\"\nseverity = \"warning\"\nexplanation = \"e\"\n{lines}"
        )
    }

    #[test]
    fn a_rule_is_read() {
        let text = rule(
            "counter = ['\\A(*)\\x', '\\B(*)\\y']\nthreshold = \"> 1 MiB/h\"\naggregate = \"trend\"\nfor = \"5m\"\nmin-rise = \"2 MB\"\nexclude = [\"_Total\", \"a*\"]\n",
        );
        let set = parse_rules(&text).expect("sound");
        let rule = &set.rules[0];
        assert_eq!((rule.subjects.len(), rule.exclude.len(), rule.least_s), (2, 2, 300.0));
        assert_eq!(rule.aggregate, Aggregate::Trend { min_rise: 2e6, min_fit: 0.0, min_growth: 0.0 });
        assert!((rule.threshold.number - 1_048_576.0).abs() < 1e-9);
    }

    #[test]
    fn faults_are_reported_by_line_and_all_at_once() {
        let text = rule(
            "expr = 'A\\x +'\nthreshold = \"90\"\nfor = \"soon\"\naggregate = \"mode\"\nshare = \"> 1%\"\n",
        );
        let faults = parse_rules(&text).expect_err("faulty");
        let lines: Vec<usize> = faults.iter().map(|fault| fault.line).collect();
        assert_eq!(lines, [12, 13, 14, 16, 15], "{faults:?}");
        assert!(faults.iter().all(|fault| fault.rule.as_deref() == Some("a")));
        let unknown =
            parse_rules(&rule("counter = '\\A\\x'\nthreshold = \"> 1\"\ncolour = 3\n")).expect_err("unknown");
        assert_eq!(unknown[0].line, 14);
        assert!(unknown[0].what.contains("colour"), "{unknown:?}");
        assert_eq!(parse_rules("[set\n").expect_err("no TOML")[0].line, 1);
        let twice = rule("counter = '\\A\\x'\nthreshold = \"> 1\"\n");
        let twice = format!("{twice}{}", twice.replace(HEAD, ""));
        assert!(parse_rules(&twice).expect_err("twice")[0].what.contains("another rule"));
    }
}
