//! A rule, checked and ready to be evaluated.

use recount_model::CounterPath;

use super::cell::Figure;
use super::expression::Expression;
use super::threshold::Threshold;
use crate::attribution::GroupBy;

/// How bad it is.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, serde::Serialize, serde::Deserialize)]
#[serde(rename_all = "lowercase")]
pub enum Severity {
    /// Worth knowing.
    Info,
    /// Worth a look.
    Warning,
    /// Something is wrong.
    Critical,
}

impl Severity {
    /// Lower-case name.
    pub const fn as_str(self) -> &'static str {
        match self {
            Severity::Info => "info",
            Severity::Warning => "warning",
            Severity::Critical => "critical",
        }
    }
}

/// Which aggregate of a series is compared with the threshold.
#[derive(Clone, Debug, PartialEq)]
pub enum Aggregate {
    /// Every interval; consecutive ones must together last `least_s`.
    Any,
    /// The mean over time.
    Mean,
    /// The smallest value.
    Min,
    /// The largest value.
    Max,
    /// A percentile, as a share (0.95).
    Percentile(f64),
    /// The slope per hour of the least-squares line.
    Trend {
        /// Minimum difference between the two ends of the line.
        min_rise: f64,
        /// Minimum coefficient of determination.
        min_fit: f64,
        /// Minimum difference between the first and the last value, as a share of the first (0.1).
        min_growth: f64,
    },
    /// How often the level changes by more than the threshold, in % of the higher level.
    Steps {
        /// Minimum number of steps.
        least: u64,
        /// Whether there have to be steps up and steps down.
        both_ways: bool,
    },
    /// The share of time, in %, during which intervals are beyond the threshold, and the limit for it.
    Share(Threshold),
}

/// A set of rules.
#[derive(Clone, Debug, PartialEq)]
pub struct RuleSet {
    /// Its name, as in the file.
    pub name: String,
    /// What it is about.
    pub title: String,
    /// The rules, in order.
    pub rules: Vec<Rule>,
}

/// A rule.
#[derive(Clone, Debug, PartialEq)]
pub struct Rule {
    /// Unique in its set.
    pub id: String,
    /// What it finds.
    pub title: String,
    /// Rules about the same thing share a group.
    pub group: String,
    /// How bad it is.
    pub severity: Severity,
    /// The subject: the first of these that the capture has.
    pub(super) subjects: Vec<Subject>,
    /// What the value of an expression is, in a few words.
    pub measure: Option<String>,
    /// What a finding says of the quantities that the expression is made of.
    pub(super) says: Option<Says>,
    /// Counters that the capture must have; otherwise the rule doesn't apply.
    pub(super) needs: Vec<CounterPath>,
    /// Counters that the capture must not have.
    pub(super) unless: Vec<CounterPath>,
    /// Rules of any set for which this one stands in, on machines where none of them can be judged.
    pub(super) instead_of: Vec<String>,
    /// Unit of the value, if different from the counter's.
    pub unit: Option<String>,
    /// Instances that the rule ignores.
    pub(super) exclude: Vec<CounterPath>,
    /// What is compared.
    pub aggregate: Aggregate,
    /// The limit.
    pub threshold: Threshold,
    /// A weaker limit, for [`Aggregate::Any`]: what is beyond the threshold goes on as long as values are beyond this.
    pub(super) until: Option<Threshold>,
    /// In seconds. For [`Aggregate::Any`], how long the condition must last; otherwise, how much time the
    /// judged values must cover.
    pub least_s: f64,
    /// In seconds, for [`Aggregate::Any`]: how long is enough if the condition holds in the whole capture.
    pub(super) least_whole_s: Option<f64>,
    /// Values are averaged over windows of this many seconds before they are compared; 0 if they aren't.
    pub(super) window_s: f64,
    /// Which processes a finding names.
    pub(super) who: Option<Who>,
    /// What the processes that are judged or named together have in common.
    pub(super) group_by: Option<GroupBy>,
    /// Maximum findings per machine; the others are counted.
    pub(super) most: Option<u64>,
    /// Rules of any set that say the same of the same thing, and more.
    pub(super) yields_to: Vec<String>,
    /// What it means, and what to look at next.
    pub explanation: String,
    /// Links to further reading.
    pub links: Vec<String>,
    /// Where the threshold comes from.
    pub source: String,
}

impl Rule {
    /// Whether a time is at least as long as `for`.
    pub(super) fn is_covered(&self, seconds: f64) -> bool {
        is_as_long(seconds, self.least_s)
    }

    /// Whether a value is beyond the threshold.
    pub(super) fn is_beyond(&self, value: &Figure) -> bool {
        value.mean().is_some_and(|value| self.threshold.holds(value))
    }

    /// Whether a value that follows one beyond the threshold belongs to the same stretch.
    pub(super) fn goes_on(&self, value: &Figure) -> bool {
        let is_within = |value| self.until.as_ref().is_some_and(|until| until.holds(value));
        self.is_beyond(value) || value.mean().is_some_and(is_within)
    }

    /// Whether a time is long enough for a condition that holds in the whole of a capture of so many seconds, which is shorter than `for`.
    pub(super) fn is_covered_wholly(&self, seconds: f64, capture_s: f64) -> bool {
        let is_enough = self.least_whole_s.is_some_and(|least_s| is_as_long(seconds, least_s));
        is_enough && !self.is_covered(capture_s) && seconds >= capture_s * (1.0 - MOST_MISSED)
    }

    /// What the groups are that it judges. `None` if it judges what the capture has.
    pub(super) fn judges_groups(&self) -> Option<GroupBy> {
        let operands = self.subjects.iter().flat_map(|subject| &subject.expression.operands);
        self.group_by.filter(|_| operands.map(|path| &path.object).any(|object| is_of_processes(object)))
    }
}

/// Whether a path is about processes.
pub(super) fn is_of_processes(object: &str) -> bool {
    object.eq_ignore_ascii_case("Process")
}

/// Thirty intervals of a second may add up to 29.9998 s: timers aren't exact.
pub(super) const ROUNDING: f64 = 0.02;

/// What is sampled in rounds of its own begins later than the capture, or ends earlier: at most this share of the capture may be missing.
const MOST_MISSED: f64 = 0.1;

fn is_as_long(seconds: f64, least_s: f64) -> bool {
    seconds >= least_s * (1.0 - ROUNDING)
}

/// By what the processes of a finding are chosen.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, serde::Deserialize)]
#[serde(rename_all = "lowercase")]
pub(crate) enum Who {
    /// Processor time.
    Cpu,
    /// Memory in use.
    Memory,
    /// Memory of their own, whether it is in use or paged out.
    Commit,
    /// Bytes read from storage.
    Reads,
    /// Bytes written to storage.
    Writes,
    /// Bytes read and written.
    Io,
    /// Nobody is named.
    None,
}

/// A sentence with quantities in it.
#[derive(Clone, Debug, PartialEq)]
pub(super) struct Says {
    /// Texts between the quantities: one more than these, or none if they are the counters of the expression.
    pub(super) texts: Vec<String>,
    pub(super) quantities: Vec<Quantity>,
    /// Whether the value itself has a name, and this is only added.
    pub(super) is_addition: bool,
    /// Whether these are the counters of the rule's expression, without texts; those without a value are left out.
    pub(super) is_of_operands: bool,
}

/// A quantity of a sentence.
#[derive(Clone, Debug, PartialEq)]
pub(super) struct Quantity {
    pub(super) text: String,
    pub(super) expression: Expression,
    /// For each operand of the expression, its number in the rule's.
    pub(super) operands: Vec<usize>,
    /// If different from the counter's.
    pub(super) unit: Option<String>,
}

/// A counter or an expression, and its text.
#[derive(Clone, Debug, PartialEq)]
pub(super) struct Subject {
    pub(super) text: String,
    pub(super) expression: Expression,
    /// Whether it isn't in the rule, but the same by another name of an object.
    pub(super) is_alias: bool,
}

/// The names of the counters of which a limit is: not those of an expression, whose values may be of any kind.
pub(super) fn counters_of(subjects: &[Subject]) -> impl Iterator<Item = &str> {
    let own = subjects.iter().filter(|subject| !subject.is_alias && subject.expression.is_counter());
    own.flat_map(|subject| &subject.expression.operands).map(|path| &*path.counter)
}
