//! Symbolic results of code that involves counters, so that a rule can express them.

use std::rc::Rc;

use super::super::obstacle::Obstacle;
use super::syntax::{Operator, Relation};

/// No real threshold is larger.
const MAX_SIZE: u32 = 400;

/// A number, known or not.
pub(in super::super) type Amount = Rc<Sized<AmountNode>>;

/// Whether something holds, known or not.
pub(in super::super) type Condition = Rc<Sized<ConditionNode>>;

/// A node and the size of its tree.
#[derive(Debug, PartialEq)]
pub(in super::super) struct Sized<T> {
    pub(in super::super) node: T,
    size: u32,
}

#[derive(Debug, PartialEq)]
pub(in super::super) enum AmountNode {
    Number(f64),
    /// A value of a data source, by its variable in lower case.
    Counter(String, Statistic),
    /// How many instances a data source has.
    Count(String),
    Binary(Operator, Amount, Amount),
    Abs(Amount),
    If(Condition, Amount, Amount),
}

#[derive(Debug, PartialEq)]
pub(in super::super) enum ConditionNode {
    Known(bool),
    Compare(Relation, Amount, Amount),
    And(Condition, Condition),
    Or(Condition, Condition),
}

/// Which statistic of PAL's time slices is meant.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub(in super::super) enum Statistic {
    Value,
    Average,
    Smallest,
    Largest,
}

pub(super) fn number(number: f64) -> Amount {
    Rc::new(Sized { node: AmountNode::Number(number), size: 1 })
}

pub(super) fn counter(variable: &str, statistic: Statistic) -> Amount {
    Rc::new(Sized { node: AmountNode::Counter(variable.to_owned(), statistic), size: 1 })
}

pub(super) fn count(variable: &str) -> Amount {
    Rc::new(Sized { node: AmountNode::Count(variable.to_owned()), size: 1 })
}

pub(super) fn known(truth: bool) -> Condition {
    Rc::new(Sized { node: ConditionNode::Known(truth), size: 1 })
}

fn sized<T>(node: T, parts: &[u32]) -> Result<Rc<Sized<T>>, Obstacle> {
    let size = 1 + parts.iter().sum::<u32>();
    if size > MAX_SIZE { Err(Obstacle::TooComplex) } else { Ok(Rc::new(Sized { node, size })) }
}

/// The number, if it is known.
pub(in super::super) fn number_of(amount: &Amount) -> Option<f64> {
    match amount.node {
        AmountNode::Number(number) => Some(number),
        _ => None,
    }
}

/// Whether it holds, if that is known.
pub(super) fn truth_of(condition: &Condition) -> Option<bool> {
    match condition.node {
        ConditionNode::Known(truth) => Some(truth),
        _ => None,
    }
}

pub(super) fn binary(operator: Operator, a: &Amount, b: &Amount) -> Result<Amount, Obstacle> {
    use Operator::{Add, Divide, Multiply, Remainder, Subtract};
    match (operator, number_of(a), number_of(b)) {
        // An error for integers in PowerShell, and otherwise not a number.
        (Divide | Remainder, _, Some(0.0)) => return Err(Obstacle::NoResult),
        (_, Some(a), Some(b)) => {
            let result = match operator {
                Add => a + b,
                Subtract => a - b,
                Multiply => a * b,
                Divide => a / b,
                _ => a % b,
            };
            return if result.is_finite() { Ok(number(result)) } else { Err(Obstacle::NoResult) };
        }
        (Add | Subtract, _, Some(0.0)) | (Multiply | Divide, _, Some(1.0)) => return Ok(Rc::clone(a)),
        (Multiply, Some(1.0), _) => return Ok(Rc::clone(b)),
        (Remainder, ..) => return Err(Obstacle::TooComplex),
        _ => {}
    }
    // (x + 1) - 1, for counts without the total.
    if let (Subtract, AmountNode::Binary(Add, x, y), Some(less)) = (operator, &a.node, number_of(b))
        && let Some(more) = number_of(y)
    {
        return binary(Add, x, &number(more - less));
    }
    sized(AmountNode::Binary(operator, Rc::clone(a), Rc::clone(b)), &[a.size, b.size])
}

pub(super) fn abs(a: &Amount) -> Result<Amount, Obstacle> {
    match number_of(a) {
        Some(known) => Ok(number(known.abs())),
        None => sized(AmountNode::Abs(Rc::clone(a)), &[a.size]),
    }
}

/// `then` where the condition holds, otherwise `otherwise`.
pub(super) fn choose(condition: &Condition, then: &Amount, otherwise: &Amount) -> Result<Amount, Obstacle> {
    match truth_of(condition) {
        Some(true) => return Ok(Rc::clone(then)),
        Some(false) => return Ok(Rc::clone(otherwise)),
        None if then == otherwise => return Ok(Rc::clone(then)),
        None => {}
    }
    // If a, then (if b, then x, else y), else y.
    if let AmountNode::If(inner, x, y) = &then.node
        && y == otherwise
    {
        return choose(&and(condition, inner)?, x, y);
    }
    let parts = [condition.size, then.size, otherwise.size];
    sized(AmountNode::If(Rc::clone(condition), Rc::clone(then), Rc::clone(otherwise)), &parts)
}

pub(super) fn compare(relation: Relation, a: &Amount, b: &Amount) -> Result<Condition, Obstacle> {
    match (number_of(a), number_of(b)) {
        (Some(a), Some(b)) => return Ok(known(relation.holds(a, b))),
        (Some(_), None) => return compare(relation.mirrored(), b, a),
        // A data source without instances computes nothing, so a count is at least one.
        (None, Some(b)) if matches!(a.node, AmountNode::Count(_)) && (b < 1.0 || is_below(relation, b)) => {
            return Ok(known(relation.holds(1.0, b)));
        }
        _ => {}
    }
    sized(ConditionNode::Compare(relation, Rc::clone(a), Rc::clone(b)), &[a.size, b.size])
}

fn is_below(relation: Relation, number: f64) -> bool {
    number <= 1.0 && matches!(relation, Relation::GreaterOrEqual | Relation::Less)
}

pub(super) fn and(a: &Condition, b: &Condition) -> Result<Condition, Obstacle> {
    match (truth_of(a), truth_of(b)) {
        (Some(true), _) => return Ok(Rc::clone(b)),
        (_, Some(true)) => return Ok(Rc::clone(a)),
        (Some(false), _) | (_, Some(false)) => return Ok(known(false)),
        _ if implies(a, b) => return Ok(Rc::clone(a)),
        _ if implies(b, a) => return Ok(Rc::clone(b)),
        _ => {}
    }
    sized(ConditionNode::And(Rc::clone(a), Rc::clone(b)), &[a.size, b.size])
}

pub(super) fn or(a: &Condition, b: &Condition) -> Result<Condition, Obstacle> {
    match (truth_of(a), truth_of(b)) {
        (Some(false), _) => return Ok(Rc::clone(b)),
        (_, Some(false)) => return Ok(Rc::clone(a)),
        (Some(true), _) | (_, Some(true)) => return Ok(known(true)),
        _ if implies(a, b) => return Ok(Rc::clone(b)),
        _ if implies(b, a) => return Ok(Rc::clone(a)),
        _ => {}
    }
    sized(ConditionNode::Or(Rc::clone(a), Rc::clone(b)), &[a.size, b.size])
}

pub(super) fn not(a: &Condition) -> Result<Condition, Obstacle> {
    match &a.node {
        ConditionNode::Known(truth) => Ok(known(!truth)),
        ConditionNode::Compare(relation, a, b) => compare(relation.negated(), a, b),
        ConditionNode::And(a, b) => or(&not(a)?, &not(b)?),
        ConditionNode::Or(a, b) => and(&not(a)?, &not(b)?),
    }
}

/// Whether `a` obviously implies `b`: `b` is the same, one of its parts, or a lower limit.
fn implies(a: &Condition, b: &Condition) -> bool {
    match (&a.node, &b.node) {
        (ConditionNode::And(one, other), ConditionNode::And(x, y)) => {
            a == b || [x, y].into_iter().all(|part| implies(one, part) || implies(other, part))
        }
        (ConditionNode::And(one, other), _) => a == b || implies(one, b) || implies(other, b),
        (_, ConditionNode::And(x, y)) => implies(a, x) && implies(a, y),
        (
            ConditionNode::Compare(Relation::Greater | Relation::GreaterOrEqual, x, high),
            ConditionNode::Compare(Relation::Greater, y, low),
        ) if x == y => number_of(high).zip(number_of(low)).is_some_and(|(high, low)| high > low) || a == b,
        _ => a == b,
    }
}
