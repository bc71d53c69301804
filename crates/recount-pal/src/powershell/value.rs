//! The values of variables, and their comparison.

use std::collections::BTreeMap;

use super::super::obstacle::Obstacle;
use super::amount::{
    Amount, Condition, Statistic, and, choose, compare, counter, known, not, number, number_of, or, truth_of,
};
use super::number::whole;
use super::syntax::Relation;

/// The data sources by variable in lower case, and whether `_Total` is among the instances of each.
pub(in super::super) type Collections = BTreeMap<String, bool>;

#[derive(Clone, Debug, PartialEq)]
pub(in super::super) enum Value {
    Amount(Amount),
    Text(String),
    Truth(Condition),
    /// A text that depends on the log: the name of a machine or an instance.
    Name,
    Null,
    /// The instances of a data source.
    Collection(String),
    /// The number of an instance.
    Index,
    Instance(String),
    /// The values of an instance, in order of time.
    Series(String, Statistic),
    /// The number of a value or a time slice.
    Time,
    List(Vec<Amount>),
    Table,
}

/// Answers to the questions of a file, by variable in lower case.
pub(in super::super) type Answers = BTreeMap<String, Value>;

/// The variables after an `If` whose branch isn't known.
pub(super) fn merged(
    test: &Condition,
    then: BTreeMap<String, Value>,
    mut otherwise: BTreeMap<String, Value>,
) -> Result<BTreeMap<String, Value>, Obstacle> {
    let mut all = BTreeMap::new();
    for (name, one) in then {
        let Some(other) = otherwise.remove(&name) else { continue };
        let value = match (&one, &other) {
            (one, other) if one == other => other.clone(),
            (Value::Amount(a), Value::Amount(b)) => Value::Amount(choose(test, a, b)?),
            (Value::Truth(a), Value::Truth(b)) => Value::Truth(or(&and(test, a)?, &and(&not(test)?, b)?)?),
            (Value::List(a), Value::List(b)) if a.len() == b.len() => {
                let amounts = a.iter().zip(b).map(|(a, b)| choose(test, a, b));
                Value::List(amounts.collect::<Result<_, _>>()?)
            }
            // It is unknown from here on: code that uses it isn't translated.
            _ => continue,
        };
        all.insert(name, value);
    }
    Ok(all)
}

pub(super) fn amount(value: Value) -> Result<Amount, Obstacle> {
    match value {
        Value::Amount(amount) => Ok(amount),
        Value::Text(text) if text.trim().is_empty() => Ok(number(0.0)),
        Value::Text(text) => whole(text.trim())?.map(number).ok_or(Obstacle::NoResult),
        Value::Null => Ok(number(0.0)),
        Value::Truth(condition) => choose(&condition, &number(1.0), &number(0.0)),
        _ => Err(Obstacle::TooComplex),
    }
}

pub(super) fn compared(relation: Relation, a: &Value, b: &Value) -> Result<Condition, Obstacle> {
    let is_equal = relation == Relation::Equal;
    let equality = |same: bool| match relation {
        Relation::Equal => Ok(known(same)),
        Relation::NotEqual => Ok(known(!same)),
        _ => Err(Obstacle::TooComplex),
    };
    match (a, b) {
        // Instances are matched by name.
        (Value::Name, Value::Name) | (Value::Null, Value::Null) => equality(true),
        // `-1` and `$null` mean "not found".
        (Value::Index, Value::Amount(b)) => {
            let b = number_of(b)
                .filter(|b| *b < 0.0 || (*b == 0.0 && relation != Relation::Greater && !is_equal));
            b.map(|b| known(relation.holds(0.0, b))).ok_or(Obstacle::TooComplex)
        }
        // PAL uses '-' for a missing value.
        (Value::Amount(_) | Value::Index | Value::Instance(_) | Value::Collection(_), Value::Null) => {
            equality(false)
        }
        (Value::Amount(a), Value::Text(b)) if number_of(a).is_none() && whole(b.trim())?.is_none() => {
            equality(false)
        }
        (Value::Truth(a), Value::Truth(b)) => {
            let (one, other) = (and(a, b)?, and(&not(a)?, &not(b)?)?);
            let same = or(&one, &other)?;
            if is_equal { Ok(same) } else { not(&same) }
        }
        (Value::Text(a), Value::Truth(b)) | (Value::Truth(b), Value::Text(a)) => match truth_of(b) {
            Some(b) => equality(a.eq_ignore_ascii_case(if b { "true" } else { "false" })),
            None => Err(Obstacle::TooComplex),
        },
        (Value::Text(one), Value::Text(other)) => match (whole(one.trim())?, whole(other.trim())?) {
            (Some(a), Some(b)) => Ok(known(relation.holds(a, b))),
            _ => equality(one.to_lowercase() == other.to_lowercase()),
        },
        // A text that isn't a number doesn't equal any number.
        (Value::Text(text), Value::Amount(_)) if whole(text.trim())?.is_none() => equality(false),
        _ => compare(relation, &amount(a.clone())?, &amount(b.clone())?),
    }
}

/// An integer type rounds to the nearest number, halves to even, and refuses numbers that are too large.
/// Rules don't round counter values.
pub(super) fn cast(kind: &str, value: Value) -> Result<Value, Obstacle> {
    let bits = match kind {
        "void" => return Ok(Value::Null),
        "string" => return Ok(value),
        "bool" | "boolean" => {
            return match value {
                Value::Text(text) => Ok(Value::Truth(known(!text.is_empty()))),
                other => Ok(other),
            };
        }
        "double" | "decimal" | "single" | "float" => None,
        "int" | "int32" => Some(31),
        "long" | "int64" => Some(63),
        other => return Err(Obstacle::Method(format!("[{other}]"))),
    };
    // An instance number stays an instance number.
    if matches!(value, Value::Index | Value::Time) {
        return Ok(value);
    }
    let amount = amount(value)?;
    let (Some(known), Some(bits)) = (number_of(&amount), bits) else {
        return Ok(Value::Amount(amount));
    };
    let (whole, end) = (known.round_ties_even(), 2.0_f64.powi(bits));
    if whole >= -end && whole < end { Ok(Value::Amount(number(whole))) } else { Err(Obstacle::NoResult) }
}

pub(super) fn element(of: Value, index: &Value) -> Result<Value, Obstacle> {
    match (of, index) {
        (Value::Collection(variable), Value::Index | Value::Amount(_)) => Ok(Value::Instance(variable)),
        (Value::Series(variable, statistic), Value::Time | Value::Amount(_)) => {
            Ok(Value::Amount(counter(&variable, statistic)))
        }
        _ => Err(Obstacle::TooComplex),
    }
}
