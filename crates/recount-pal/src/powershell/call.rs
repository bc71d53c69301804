//! The arguments of `StaticThreshold` and `CreateAlert`.

use super::super::obstacle::Obstacle;
use super::super::text::{LEN_SNIPPET, one_line};
use super::amount::{Amount, number, number_of, truth_of};

use super::number::whole;
use super::syntax::Relation;
use super::value::Value;

/// A call of PAL's `StaticThreshold`.
#[derive(Clone, Debug, PartialEq)]
pub(in super::super) struct StaticThreshold {
    /// Variable of the data source, in lower case.
    pub(in super::super) collection: String,
    pub(in super::super) relation: Relation,
    /// In the counter's own unit; per hour for a trend.
    pub(in super::super) threshold: Amount,
    /// Only the trend is compared, not the values.
    pub(in super::super) is_trend_only: bool,
    /// The call as written.
    pub(in super::super) code: String,
}

/// An argument of a function.
#[derive(Clone, Debug, PartialEq)]
pub(super) enum Given {
    /// `-Name`
    Name(String),
    Value(Value),
}

/// In the order in which they are filled by position.
const NAMES: [&str; 4] = [COLLECTION, OPERATOR, THRESHOLD, TREND];
const COLLECTION: &str = "CollectionOfCounterInstances";
const OPERATOR: &str = "Operator";
const THRESHOLD: &str = "Threshold";
const TREND: &str = "IsTrendOnly";

/// Reads the arguments of `StaticThreshold`.
pub(super) fn static_threshold(given: Vec<Given>, code: String) -> Result<StaticThreshold, Obstacle> {
    let mut parameters = Parameters::default();
    given.into_iter().try_for_each(|given| parameters.take(given))?;
    parameters.into_call(code)
}

/// The data source of the instance for which `CreateAlert` is called.
pub(super) fn instance_of(given: Vec<Given>) -> Option<String> {
    let mut instances = given.into_iter().filter_map(|given| match given {
        Given::Value(Value::Instance(variable)) => Some(variable),
        _ => None,
    });
    instances.next()
}

/// Arguments by name, and the rest by position.
#[derive(Default)]
struct Parameters {
    named: [Option<Value>; NAMES.len()],
    by_position: Vec<Value>,
    /// A name whose value comes next.
    pending: Option<usize>,
}

impl Parameters {
    fn take(&mut self, given: Given) -> Result<(), Obstacle> {
        match (self.pending.take(), given) {
            (Some(at), Given::Name(_)) => Err(Obstacle::Missing(NAMES.get(at).copied().unwrap_or_default())),
            (None, Given::Name(name)) => {
                // PowerShell accepts any unambiguous prefix of a name, and these differ in the first letter.
                let is_meant = |full: &&str| {
                    full.get(..name.len()).is_some_and(|start| start.eq_ignore_ascii_case(&name))
                };
                let at = NAMES.iter().position(is_meant);
                self.pending = Some(at.ok_or(Obstacle::Parameter(name))?);
                Ok(())
            }
            (Some(at), Given::Value(value)) => match self.named.get_mut(at) {
                Some(place @ None) => {
                    *place = Some(value);
                    Ok(())
                }
                _ => Err(Obstacle::Twice(NAMES.get(at).copied().unwrap_or_default())),
            },
            (None, Given::Value(value)) if self.by_position.len() < NAMES.len() => {
                self.by_position.push(value);
                Ok(())
            }
            (None, Given::Value(value)) => Err(Obstacle::Surplus(shown(&value))),
        }
    }

    fn into_call(self, code: String) -> Result<StaticThreshold, Obstacle> {
        if let Some(name) = self.pending.and_then(|at| NAMES.get(at)) {
            return Err(Obstacle::Missing(name));
        }
        let mut by_position = self.by_position.into_iter();
        let [collection, operator, threshold, trend] =
            self.named.map(|named| named.or_else(|| by_position.next()));
        if let Some(surplus) = by_position.next() {
            return Err(Obstacle::Surplus(shown(&surplus)));
        }
        Ok(StaticThreshold {
            collection: to_collection(collection.ok_or(Obstacle::Missing(COLLECTION))?)?,
            relation: to_relation(&operator.ok_or(Obstacle::Missing(OPERATOR))?)?,
            threshold: to_threshold(threshold.ok_or(Obstacle::Missing(THRESHOLD))?)?,
            is_trend_only: trend.map_or(Ok(false), |trend| to_truth(&trend))?,
            code,
        })
    }
}

fn shown(value: &Value) -> String {
    match value {
        Value::Amount(amount) => {
            number_of(amount).map_or_else(|| "a value of counters".to_owned(), |known| known.to_string())
        }
        Value::Text(text) => format!("'{}'", one_line(text, LEN_SNIPPET)),
        Value::Truth(condition) => {
            truth_of(condition).map_or_else(|| "a condition".to_owned(), |truth| format!("${truth}"))
        }
        Value::Collection(variable) => format!("${variable}"),
        Value::Name => "a text with variables".to_owned(),
        _ => "something else".to_owned(),
    }
}

fn wrong<T>(parameter: &'static str, value: &Value, expected: &'static str) -> Result<T, Obstacle> {
    Err(Obstacle::Argument { parameter, value: one_line(&shown(value), LEN_SNIPPET), expected })
}

fn to_collection(value: Value) -> Result<String, Obstacle> {
    match value {
        Value::Collection(variable) | Value::Instance(variable) => Ok(variable),
        other => wrong(COLLECTION, &other, "the variable of a data source"),
    }
}

fn to_relation(value: &Value) -> Result<Relation, Obstacle> {
    let relation = match value {
        Value::Text(text) => Relation::of_word(text),
        _ => None,
    };
    // What PAL does with other operators isn't documented.
    match relation {
        Some(relation) if !matches!(relation, Relation::Equal | Relation::NotEqual) => Ok(relation),
        _ => wrong(OPERATOR, value, "gt, ge, lt or le"),
    }
}

fn to_threshold(value: Value) -> Result<Amount, Obstacle> {
    match value {
        Value::Text(text) => match whole(text.trim())? {
            Some(known) => Ok(number(known)),
            None => {
                wrong(THRESHOLD, &Value::Text(text), "a number (PowerShell computes in parentheses only)")
            }
        },
        Value::Amount(amount) => Ok(amount),
        other => wrong(THRESHOLD, &other, "a number"),
    }
}

fn to_truth(value: &Value) -> Result<bool, Obstacle> {
    let truth = match value {
        Value::Truth(condition) => truth_of(condition),
        Value::Amount(amount) => number_of(amount).map(|number| number != 0.0),
        _ => None,
    };
    truth.map_or_else(|| wrong(TREND, value, "$True or $False"), Ok)
}
