//! Symbolic execution of the PowerShell in thresholds and generated data sources.

mod amount;
mod call;
mod machine;
mod number;
mod operands;
mod parser;
mod syntax;
#[cfg(test)]
mod tests;
mod value;

use std::collections::BTreeSet;

pub(super) use self::amount::{Amount, AmountNode, Condition, ConditionNode, Statistic, number_of};
pub(super) use self::call::StaticThreshold;
use self::machine::Machine;
pub(super) use self::syntax::{Operator, Relation};
use self::value::Value;
pub(super) use self::value::{Answers, Collections};
use super::obstacle::Obstacle;

/// What the code of a threshold does.
#[derive(Debug, PartialEq)]
pub(super) struct Outcome {
    pub(super) calls: Vec<StaticThreshold>,
    /// Variable of a data source, and when an alert is created for an instance of it.
    pub(super) alerts: Vec<(String, Condition)>,
    /// Questions whose answers it needs.
    pub(super) questions: BTreeSet<String>,
}

/// Runs the code of a threshold.
pub(super) fn thresholds(code: &str, sources: &Collections, answers: &Answers) -> Result<Outcome, Obstacle> {
    let block = parser::parse(code, sources)?;
    let mut machine = Machine::new(sources, answers);
    machine.run(&block)?;
    Ok(Outcome { calls: machine.calls, alerts: machine.alerts, questions: machine.questions })
}

/// The value of a generated data source for each instance, and the questions whose answers it needs.
pub(super) fn generated(
    code: &str,
    variable: &str,
    sources: &Collections,
    answers: &Answers,
) -> Result<(Amount, BTreeSet<String>), Obstacle> {
    let block = parser::parse(code, sources)?;
    let mut machine = Machine::new(sources, answers);
    machine.run(&block)?;
    let amount =
        machine.generated.remove(variable).ok_or_else(|| Obstacle::Generated(variable.to_owned()))?;
    Ok((amount, machine.questions))
}

/// An answer, as PAL passes it to code.
pub(super) fn answer(text: &str, is_boolean: bool) -> Value {
    if is_boolean {
        Value::Truth(amount::known(text.eq_ignore_ascii_case("true")))
    } else {
        Value::Text(text.to_owned())
    }
}
