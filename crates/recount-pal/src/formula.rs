//! Writes what code computes as a rule expression (formats/rules.md, "Expressions").

use super::data_source::{DataSource, DataSources};
use super::obstacle::Obstacle;
use super::powershell::{Amount, AmountNode, Condition, ConditionNode, Operator, number_of};

/// A number, with its counters by name. Sums inside products are put in parentheses.
pub(super) fn formula(amount: &Amount, sources: &DataSources) -> Result<String, Obstacle> {
    part(amount, sources, 0)
}

fn part(amount: &Amount, sources: &DataSources, outer: u8) -> Result<String, Obstacle> {
    Ok(match &amount.node {
        AmountNode::Number(number) => number.to_string(),
        AmountNode::Counter(variable, _) => match source(variable, sources)? {
            DataSource::Counter { path, .. } => quoted(path),
            DataSource::Generated { amount, .. } => part(amount, sources, outer)?,
        },
        AmountNode::Count(variable) => match source(variable, sources)? {
            DataSource::Counter { path, .. } => format!("count({})", quoted(path)),
            DataSource::Generated { .. } => return Err(Obstacle::Generated(variable.clone())),
        },
        AmountNode::Abs(inner) => format!("abs({})", part(inner, sources, 0)?),
        AmountNode::Binary(operator, a, b) => {
            let (sign, level, right) = match operator {
                Operator::Add => ('+', 1, 1),
                Operator::Subtract => ('-', 1, 2),
                Operator::Multiply => ('*', 2, 2),
                Operator::Divide => ('/', 2, 3),
                _ => return Err(Obstacle::TooComplex),
            };
            let text = format!("{} {sign} {}", part(a, sources, level)?, part(b, sources, right)?);
            if level < outer { format!("({text})") } else { text }
        }
        AmountNode::If(condition, then, otherwise) => {
            let (then, otherwise) = (part(then, sources, 0)?, part(otherwise, sources, 0)?);
            choice(condition, &then, &otherwise, sources)?
        }
    })
}

/// Rules have no `or`: its second side is tested where the first doesn't hold.
fn choice(
    condition: &Condition,
    then: &str,
    otherwise: &str,
    sources: &DataSources,
) -> Result<String, Obstacle> {
    if let ConditionNode::Or(a, b) = &condition.node {
        let second = choice(b, then, otherwise, sources)?;
        return choice(a, then, &second, sources);
    }
    if let Some(test) = all_of(condition, sources)? {
        return Ok(format!("if({test}, {then}, {otherwise})"));
    }
    let ConditionNode::And(a, b) = &condition.node else { return Err(Obstacle::TooComplex) };
    let inner = choice(b, then, otherwise, sources)?;
    choice(a, &inner, otherwise, sources)
}

/// Comparisons joined by `and`; `None` if it contains anything else.
fn all_of(condition: &Condition, sources: &DataSources) -> Result<Option<String>, Obstacle> {
    match &condition.node {
        ConditionNode::Compare(relation, a, b) => {
            let (a, b) = (part(a, sources, 1)?, part(b, sources, 1)?);
            Ok(Some(format!("{a} {} {b}", relation.sign())))
        }
        ConditionNode::And(a, b) => Ok(match (all_of(a, sources)?, all_of(b, sources)?) {
            (Some(a), Some(b)) => Some(format!("{a} and {b}")),
            _ => None,
        }),
        _ => Ok(None),
    }
}

/// Paths contain text that looks like operators.
fn quoted(path: &str) -> String {
    format!("\"{path}\"")
}

pub(super) fn source<'a>(variable: &str, sources: &'a DataSources) -> Result<&'a DataSource, Obstacle> {
    match sources.get(variable) {
        Some(source) => source.as_ref().map_err(Clone::clone),
        None => Err(Obstacle::NoDataSource(variable.to_owned())),
    }
}

/// The factor and the count, if a number is a multiple of a count of instances, such as two per processor.
pub(super) fn per_instance(amount: &Amount) -> Option<(f64, &Amount)> {
    match &amount.node {
        AmountNode::Count(_) => Some((1.0, amount)),
        AmountNode::Binary(Operator::Multiply, a, b) => match (&a.node, &b.node) {
            (AmountNode::Count(_), _) => Some((number_of(b)?, a)),
            (_, AmountNode::Count(_)) => Some((number_of(a)?, b)),
            _ => None,
        },
        _ => None,
    }
}
