//! What a rule judges: a counter or an expression, and its limit.

use std::collections::BTreeSet;

use recount_model::CounterPath;

use super::data_source::{DataSource, DataSources, counter_of};
use super::formula::{formula, per_instance, source};
use super::obstacle::Obstacle;
use super::powershell::{Amount, AmountNode, Condition, ConditionNode, Operator, Relation, number_of};
use super::text::{LEN_SNIPPET, one_line};

/// What a rule judges.
#[derive(Clone, Debug, PartialEq)]
pub(super) struct Judgement {
    /// A counter path, or an expression.
    pub(super) subject: String,
    pub(super) is_expression: bool,
    /// What the value of an expression is.
    pub(super) measure: Option<String>,
    pub(super) excluded: Vec<String>,
    pub(super) relation: Relation,
    pub(super) limit: f64,
    pub(super) aggregate: &'static str,
    /// The code, as written.
    pub(super) code: String,
    /// What one has to know about the code; may be empty.
    pub(super) remark: &'static str,
}

/// A path or an expression.
pub(super) struct Named {
    text: String,
    is_expression: bool,
    /// Name of the counter, or of the data source that is computed.
    name: Option<String>,
}

impl Named {
    /// The values of a data source.
    pub(super) fn of(variable: &str, sources: &DataSources) -> Result<Named, Obstacle> {
        Ok(match source(variable, sources)? {
            DataSource::Counter { path, .. } => {
                Named { text: path.clone(), is_expression: false, name: counter_of(path) }
            }
            DataSource::Generated { amount, name, .. } => {
                Named { text: formula(amount, sources)?, is_expression: true, name: name.clone() }
            }
        })
    }

    /// What code computes.
    pub(super) fn computed(amount: &Amount, sources: &DataSources) -> Result<Named, Obstacle> {
        Ok(Named { text: formula(amount, sources)?, is_expression: true, name: None })
    }
}

/// A limit that depends on counters becomes part of the expression: as a ratio if it is a multiple of the
/// instance count, otherwise as a difference.
pub(super) fn compared(
    subject: Named,
    relation: Relation,
    threshold: &Amount,
    sources: &DataSources,
) -> Result<Judgement, Obstacle> {
    let Named { text, is_expression, name } = subject;
    let in_formula = if is_expression { format!("({text})") } else { format!("\"{text}\"") };
    let name_or = |other: &str| name.clone().unwrap_or_else(|| other.to_owned());
    let (subject, is_expression, measure, limit) = match (number_of(threshold), per_instance(threshold)) {
        (Some(limit), _) => (text, is_expression, name.filter(|_| is_expression), limit),
        (None, Some((factor, count))) => {
            let ratio = format!("{in_formula} / {}", formula(count, sources)?);
            let measure = format!("{} per instance{}", name_or("value"), of_object(count, sources));
            (ratio, true, Some(measure), factor)
        }
        (None, None) => {
            let difference = format!("{in_formula} - ({})", formula(threshold, sources)?);
            (difference, true, Some(format!("{} less its limit", name_or("value"))), 0.0)
        }
    };
    Ok(Judgement {
        subject,
        is_expression,
        measure,
        excluded: Vec::new(),
        relation,
        limit,
        aggregate: "any",
        code: String::new(),
        remark: if subtracts_total(threshold, sources) { REMARK } else { "" },
    })
}

/// ` of Processor`, for a count of its instances.
fn of_object(count: &Amount, sources: &DataSources) -> String {
    let AmountNode::Count(variable) = &count.node else { return String::new() };
    let Ok(DataSource::Counter { path, .. }) = source(variable, sources) else { return String::new() };
    let path = path.parse::<CounterPath>().ok();
    path.map_or_else(String::new, |path| format!(" of {}", one_line(&path.object, LEN_SNIPPET)))
}

const REMARK: &str = ". As written, it subtracts 1 from a count from which _Total is excluded already";

/// Whether `Count - 1` occurs although the data source excludes `_Total`.
fn subtracts_total(amount: &Amount, sources: &DataSources) -> bool {
    let inner = |part: &Amount| subtracts_total(part, sources);
    match &amount.node {
        AmountNode::Number(_) | AmountNode::Counter(..) | AmountNode::Count(_) => false,
        AmountNode::Abs(part) => inner(part),
        AmountNode::Binary(Operator::Subtract, a, b) if number_of(b) == Some(1.0) => match &a.node {
            AmountNode::Count(variable) => {
                excluded([variable.as_str()], sources).iter().any(|name| name.eq_ignore_ascii_case("_Total"))
            }
            _ => inner(a),
        },
        AmountNode::Binary(_, a, b) => inner(a) || inner(b),
        AmountNode::If(condition, a, b) => {
            amounts_of(condition).into_iter().any(inner) || inner(a) || inner(b)
        }
    }
}

/// The instances excluded by the data sources, including those from which they are computed.
pub(super) fn excluded<'a>(
    variables: impl IntoIterator<Item = &'a str>,
    sources: &DataSources,
) -> Vec<String> {
    let mut all: Vec<String> = Vec::new();
    let mut add = |more: Vec<String>| {
        for name in more {
            if !all.contains(&name) {
                all.push(name);
            }
        }
    };
    for variable in variables {
        match sources.get(variable) {
            Some(Ok(DataSource::Counter { excluded, .. })) => add(excluded.clone()),
            Some(Ok(DataSource::Generated { amount, excluded: own, .. })) => {
                let mut inner = BTreeSet::new();
                variables_of(amount, &mut inner);
                inner.remove(variable);
                add(own.clone());
                add(excluded(inner.iter().map(String::as_str).collect::<Vec<_>>(), sources));
            }
            _ => {}
        }
    }
    all
}

/// The data sources whose values occur in a number.
pub(super) fn variables_of(amount: &Amount, all: &mut BTreeSet<String>) {
    match &amount.node {
        AmountNode::Number(_) => {}
        AmountNode::Counter(variable, _) | AmountNode::Count(variable) => {
            all.insert(variable.clone());
        }
        AmountNode::Abs(inner) => variables_of(inner, all),
        AmountNode::Binary(_, a, b) => {
            variables_of(a, all);
            variables_of(b, all);
        }
        AmountNode::If(condition, a, b) => {
            for amount in amounts_of(condition).into_iter().chain([a, b]) {
                variables_of(amount, all);
            }
        }
    }
}

/// The numbers that a condition compares.
fn amounts_of(condition: &Condition) -> Vec<&Amount> {
    match &condition.node {
        ConditionNode::Known(_) => Vec::new(),
        ConditionNode::Compare(_, a, b) => vec![a, b],
        ConditionNode::And(a, b) | ConditionNode::Or(a, b) => {
            let mut all = amounts_of(a);
            all.extend(amounts_of(b));
            all
        }
    }
}
