//! Loops that raise alerts themselves (`CreateAlert`), as in PAL's files for Exchange.
//!
//! PAL compares the average, minimum and maximum of each time slice. A maximum above a limit means that a
//! value is above it, which rules express as `any`. For an average the rule uses the mean over the whole
//! capture, so it finds less than PAL, never more.

use std::collections::BTreeSet;

use super::data_source::DataSources;
use super::judgement::{Judgement, Named, compared, excluded, variables_of};
use super::obstacle::Obstacle;
use super::powershell::{Amount, AmountNode, Condition, ConditionNode, Relation, Statistic};

/// A condition is a list of comparisons, any of which raises the alert.
const MAX_COMPARISONS: usize = 20;

pub(super) fn judgements(
    variable: &str,
    condition: &Condition,
    code: &str,
    sources: &DataSources,
) -> Result<Vec<Judgement>, Obstacle> {
    let mut all: Vec<Judgement> = Vec::new();
    for (relation, a, b) in any_of(condition)? {
        let judgement = judgement(variable, relation, a, b, sources)?;
        let judgement = Judgement { code: code.to_owned(), ..judgement };
        if !all.contains(&judgement) {
            all.push(judgement);
        }
    }
    // If any single value raises the alert, conditions on means and extremes are redundant.
    let nervous: Vec<Judgement> =
        all.iter().filter(|judgement| judgement.aggregate == "any").cloned().collect();
    all.retain(|judgement| {
        let as_any = Judgement { aggregate: "any", ..judgement.clone() };
        judgement.aggregate == "any" || !nervous.contains(&as_any)
    });
    Ok(all)
}

type Comparison<'a> = (Relation, &'a Amount, &'a Amount);

fn any_of(condition: &Condition) -> Result<Vec<Comparison<'_>>, Obstacle> {
    match &condition.node {
        ConditionNode::Compare(relation, a, b) => Ok(vec![(*relation, a, b)]),
        ConditionNode::Or(a, b) => {
            let mut all = any_of(a)?;
            all.extend(any_of(b)?);
            if all.len() > MAX_COMPARISONS { Err(Obstacle::TooComplex) } else { Ok(all) }
        }
        ConditionNode::And(..) => Err(Obstacle::Conjunction),
        ConditionNode::Known(_) => Err(Obstacle::TooComplex),
    }
}

fn judgement(
    variable: &str,
    relation: Relation,
    a: &Amount,
    b: &Amount,
    sources: &DataSources,
) -> Result<Judgement, Obstacle> {
    let is_upper = match relation {
        Relation::Greater | Relation::GreaterOrEqual => true,
        Relation::Less | Relation::LessOrEqual => false,
        Relation::Equal | Relation::NotEqual => return Err(Obstacle::TooComplex),
    };
    let mut statistics = BTreeSet::new();
    statistics_of(a, &mut statistics);
    statistics_of(b, &mut statistics);
    let mut statistics = statistics.into_iter();
    let aggregate = match (statistics.next(), statistics.next()) {
        (Some(Statistic::Value), None) => "any",
        (Some(Statistic::Average), None) => "mean",
        (Some(Statistic::Largest), None) => {
            if is_upper {
                "any"
            } else {
                "max"
            }
        }
        (Some(Statistic::Smallest), None) => {
            if is_upper {
                "min"
            } else {
                "any"
            }
        }
        _ => return Err(Obstacle::Conjunction),
    };
    let subject = match &a.node {
        AmountNode::Counter(variable, _) => Named::of(variable, sources)?,
        _ => Named::computed(a, sources)?,
    };
    let mut variables = BTreeSet::from([variable.to_owned()]);
    variables_of(a, &mut variables);
    let excluded = excluded(variables.iter().map(String::as_str), sources);
    Ok(Judgement { excluded, aggregate, ..compared(subject, relation, b, sources)? })
}

fn statistics_of(amount: &Amount, all: &mut BTreeSet<Statistic>) {
    match &amount.node {
        AmountNode::Number(_) | AmountNode::Count(_) => {}
        AmountNode::Counter(_, statistic) => {
            all.insert(*statistic);
        }
        AmountNode::Abs(inner) => statistics_of(inner, all),
        AmountNode::Binary(_, a, b) | AmountNode::If(_, a, b) => {
            statistics_of(a, all);
            statistics_of(b, all);
        }
    }
}
