//! The little PowerShell that thresholds of PAL consist of: calls of `StaticThreshold` with constants.

mod arithmetic;
mod number;
mod scanner;
#[cfg(test)]
mod tests;

use std::fmt;

use self::scanner::{Argument, Scanner};
use super::obstacle::Obstacle;
use super::text::{LEN_SNIPPET, one_line};

/// A call of PAL's `StaticThreshold`.
#[derive(Clone, Debug, PartialEq)]
pub(super) struct StaticThreshold {
    /// Variable that holds the counters, without `$`.
    pub(super) collection: String,
    pub(super) operator: Operator,
    /// In the counter's own unit; per hour if it is about the trend.
    pub(super) threshold: f64,
    /// Only the trend is compared, not the values.
    pub(super) is_trend_only: bool,
    /// The call as it is written.
    pub(super) code: String,
}

/// How a value is compared.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Operator {
    Greater,
    GreaterOrEqual,
    Less,
    LessOrEqual,
}

impl fmt::Display for Operator {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(match self {
            Operator::Greater => ">",
            Operator::GreaterOrEqual => ">=",
            Operator::Less => "<",
            Operator::LessOrEqual => "<=",
        })
    }
}

/// Thresholds have one call, seldom two. Each becomes a rule with all of the texts.
const MAX_CALLS: usize = 20;

/// The calls that a threshold consists of; an obstacle if it holds anything else.
pub(super) fn static_thresholds(code: &str) -> Result<Vec<StaticThreshold>, Obstacle> {
    let mut scanner = Scanner::new(code);
    let mut calls = Vec::new();
    while let Some(command) = scanner.next_command()? {
        let start = scanner.rest();
        if calls.len() >= MAX_CALLS {
            return Err(Obstacle::Calls(MAX_CALLS));
        }
        if !command.eq_ignore_ascii_case("StaticThreshold") {
            return Err(Obstacle::OwnCode(first_line(&format!("{command}{start}"))));
        }
        let mut parameters = Parameters::default();
        while let Some(argument) = scanner.next_argument()? {
            parameters.take(argument)?;
        }
        let written = start.get(..start.len() - scanner.rest().len()).unwrap_or_default();
        calls.push(parameters.into_call(format!("{command}{written}"))?);
    }
    Ok(calls)
}

fn first_line(code: &str) -> String {
    one_line(code.trim_start().lines().next().unwrap_or_default(), LEN_SNIPPET)
}

/// In the order in which they are filled by position.
const NAMES: [&str; 4] = [COLLECTION, OPERATOR, THRESHOLD, TREND];
const COLLECTION: &str = "CollectionOfCounterInstances";
const OPERATOR: &str = "Operator";
const THRESHOLD: &str = "Threshold";
const TREND: &str = "IsTrendOnly";

/// What was given to a call: by name, and the rest by position.
#[derive(Default)]
struct Parameters {
    named: [Option<Argument>; NAMES.len()],
    by_position: Vec<Argument>,
    /// A name whose value is still to come.
    pending: Option<usize>,
}

impl Parameters {
    fn take(&mut self, argument: Argument) -> Result<(), Obstacle> {
        match (self.pending.take(), argument) {
            (Some(at), Argument::Name(_)) => {
                Err(Obstacle::Missing(NAMES.get(at).copied().unwrap_or_default()))
            }
            (None, Argument::Name(name)) => {
                // PowerShell takes any unambiguous beginning of a name, and these differ in the first letter.
                let is_meant = |full: &&str| {
                    full.get(..name.len()).is_some_and(|start| start.eq_ignore_ascii_case(&name))
                };
                let at = NAMES.iter().position(is_meant);
                self.pending = Some(at.ok_or(Obstacle::Parameter(name))?);
                Ok(())
            }
            (Some(at), value) => match self.named.get_mut(at) {
                Some(place @ None) => {
                    *place = Some(value);
                    Ok(())
                }
                _ => Err(Obstacle::Twice(NAMES.get(at).copied().unwrap_or_default())),
            },
            (None, value) if self.by_position.len() < NAMES.len() => {
                self.by_position.push(value);
                Ok(())
            }
            (None, value) => Err(Obstacle::Surplus(value.to_string())),
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
            return Err(Obstacle::Surplus(surplus.to_string()));
        }
        Ok(StaticThreshold {
            collection: to_collection(collection.ok_or(Obstacle::Missing(COLLECTION))?)?,
            operator: to_operator(&operator.ok_or(Obstacle::Missing(OPERATOR))?)?,
            threshold: to_threshold(threshold.ok_or(Obstacle::Missing(THRESHOLD))?)?,
            is_trend_only: trend.map_or(Ok(false), to_truth)?,
            code,
        })
    }
}

fn wrong<T>(parameter: &'static str, value: &Argument, expected: &'static str) -> Result<T, Obstacle> {
    Err(Obstacle::Argument { parameter, value: one_line(&value.to_string(), LEN_SNIPPET), expected })
}

fn to_collection(argument: Argument) -> Result<String, Obstacle> {
    match argument {
        Argument::Variable(name) => Ok(name),
        other => wrong(COLLECTION, &other, "a variable"),
    }
}

fn to_operator(argument: &Argument) -> Result<Operator, Obstacle> {
    match argument {
        Argument::Text(text) if text.eq_ignore_ascii_case("gt") => Ok(Operator::Greater),
        Argument::Text(text) if text.eq_ignore_ascii_case("ge") => Ok(Operator::GreaterOrEqual),
        Argument::Text(text) if text.eq_ignore_ascii_case("lt") => Ok(Operator::Less),
        Argument::Text(text) if text.eq_ignore_ascii_case("le") => Ok(Operator::LessOrEqual),
        Argument::Variable(name) => Err(Obstacle::Variable(name.clone())),
        other => wrong(OPERATOR, other, "gt, ge, lt or le"),
    }
}

fn to_threshold(argument: Argument) -> Result<f64, Obstacle> {
    match argument {
        Argument::Number(number) => Ok(number),
        Argument::Text(text) => match number::whole(text.trim())? {
            Some(number) => Ok(number),
            None => {
                wrong(THRESHOLD, &Argument::Text(text), "a number (PowerShell computes in parentheses only)")
            }
        },
        Argument::Variable(name) => Err(Obstacle::Variable(name)),
        other => wrong(THRESHOLD, &other, "a number"),
    }
}

fn to_truth(argument: Argument) -> Result<bool, Obstacle> {
    match argument {
        Argument::Truth(truth) => Ok(truth),
        Argument::Number(number) => Ok(number != 0.0),
        Argument::Variable(name) => Err(Obstacle::Variable(name)),
        other => wrong(TREND, &other, "$True or $False"),
    }
}
