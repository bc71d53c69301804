//! A rule, checked and ready to be evaluated.

use recount_model::CounterPath;

use super::expression::Expression;
use super::threshold::Threshold;

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

/// What of a series is compared with the threshold.
#[derive(Clone, Debug, PartialEq)]
pub enum Aggregate {
    /// Every interval; consecutive ones have to last `least_s` together.
    Any,
    /// The mean over time.
    Mean,
    /// The smallest value.
    Min,
    /// The largest value.
    Max,
    /// A percentile, as a share (0.95).
    Percentile(f64),
    /// The slope per hour of the line of least squares.
    Trend {
        /// Least difference between the line's two ends.
        min_rise: f64,
        /// Least coefficient of determination.
        min_fit: f64,
    },
    /// The share of time, in %, in which intervals are beyond the threshold; and what it is compared with.
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
    /// Rules about one thing have one group.
    pub group: String,
    /// How bad it is.
    pub severity: Severity,
    /// What is looked at: the first of these that the capture has.
    pub(super) subjects: Vec<Subject>,
    /// Counters that the capture has to have, or else the rule has nothing to say.
    pub(super) needs: Vec<CounterPath>,
    /// Counters that it must not have.
    pub(super) unless: Vec<CounterPath>,
    /// Unit of the value, if it isn't the counter's.
    pub unit: Option<String>,
    /// Instances that the rule doesn't look at.
    pub(super) exclude: Vec<CounterPath>,
    /// What is compared.
    pub aggregate: Aggregate,
    /// With what.
    pub threshold: Threshold,
    /// For [`Aggregate::Any`] how long the condition has to last, in seconds; otherwise how long the values have to last
    /// that are judged.
    pub least_s: f64,
    /// What it means, and what to look at next.
    pub explanation: String,
    /// Where to read on.
    pub links: Vec<String>,
    /// Where the threshold comes from.
    pub source: String,
}

/// A counter or an expression, and its text.
#[derive(Clone, Debug, PartialEq)]
pub(super) struct Subject {
    pub(super) text: String,
    pub(super) expression: Expression,
}
