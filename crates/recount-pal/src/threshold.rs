//! Translates `THRESHOLD` elements into rules: one for each call of `StaticThreshold`, and for each
//! comparison that raises an alert.

use std::collections::BTreeSet;

use roxmltree::Node;

use super::File;
use super::alert;
use super::data_source::{self, DataSource, DataSources};
use super::document::{attribute, elements, is_true, text};
use super::formula::source;
use super::html::{self, Description};
use super::judgement::{Judgement, Named, compared, excluded};
use super::obstacle::Obstacle;
use super::powershell::{Outcome, StaticThreshold, number_of, thresholds};
use super::rule::Rule;
use super::text::{LEN_NAME, LEN_SNIPPET, one_line, slug};

/// What the thresholds of an analysis have in common.
pub(super) struct Subject {
    pub(super) name: String,
    pub(super) category: String,
    pub(super) data_sources: DataSources,
    pub(super) description: Description,
}

const LEN_ID: usize = 80;

/// The rules of a threshold, or why there is none. Each of several calls raises an alert, so all have to be
/// understood.
pub(super) fn translate(
    node: Node<'_, '_>,
    name: &str,
    subject: &Subject,
    file: &File<'_>,
) -> Result<Vec<Rule>, Obstacle> {
    if attribute(node, "ENABLED").is_some_and(|enabled| !is_true(enabled)) {
        return Err(Obstacle::Disabled);
    }
    let severity = severity(node)?;
    let codes: Vec<String> = elements(node, "CODE").map(text).collect();
    let code = codes.join("\n");
    let collections = data_source::collections(&subject.data_sources);
    let outcome =
        thresholds(&code, &collections, file.answers).map_err(|obstacle| foreign(obstacle, file))?;
    let judgements = judgements(&outcome, &code, &subject.data_sources)?;
    let mut questions = outcome.questions.clone();
    for call in &outcome.calls {
        if let Ok(DataSource::Generated { questions: more, .. }) =
            source(&call.collection, &subject.data_sources)
        {
            questions.extend(more.iter().cloned());
        }
    }
    if judgements.is_empty() {
        return Err(Obstacle::NoCode);
    }
    let description = html::description(node).followed_by(&subject.description);
    let rules = judgements.into_iter().map(|judgement| {
        let per = if judgement.aggregate == "trend" { "/h" } else { "" };
        let (counter, expr) = if judgement.is_expression {
            (None, Some(judgement.subject))
        } else {
            (Some(judgement.subject), None)
        };
        let rule = Rule {
            id: id(&subject.name, name),
            title: format!("{}: {name}", subject.name),
            group: group(subject, counter.as_deref()),
            severity,
            counter,
            expr,
            measure: judgement.measure,
            exclude: judgement.excluded,
            aggregate: judgement.aggregate,
            threshold: format!("{} {}{per}", judgement.relation.sign(), judgement.limit),
            explanation: description.text(),
            links: description.links.clone(),
            source: provenance(file, subject, name, &judgement.code, &questions) + judgement.remark,
        };
        rule.check().map(|()| rule)
    });
    rules.collect()
}

/// For a severity unknown to PAL (its own files have "Waning") the colour decides.
fn severity(node: Node<'_, '_>) -> Result<&'static str, Obstacle> {
    let condition = attribute(node, "CONDITION").unwrap_or_default();
    let colour = attribute(node, "COLOR").unwrap_or_default();
    for (text, other, severity) in [("Warning", "Yellow", "warning"), ("Critical", "Red", "critical")] {
        if condition.eq_ignore_ascii_case(text) {
            return Ok(severity);
        }
        let is_known = ["Warning", "Critical"].iter().any(|known| condition.eq_ignore_ascii_case(known));
        if !is_known && colour.eq_ignore_ascii_case(other) {
            return Ok(severity);
        }
    }
    Err(Obstacle::Condition(one_line(condition, LEN_SNIPPET)))
}

/// Distinguishes variables set by another analysis from those that only PAL knows.
fn foreign(obstacle: Obstacle, file: &File<'_>) -> Obstacle {
    match obstacle {
        Obstacle::Variable(name) if file.collections.contains(&data_source::variable(&name)) => {
            Obstacle::ForeignDataSource(name)
        }
        other => other,
    }
}

fn judgements(outcome: &Outcome, code: &str, sources: &DataSources) -> Result<Vec<Judgement>, Obstacle> {
    let mut all = Vec::new();
    for call in &outcome.calls {
        all.push(of_call(call, sources)?);
    }
    let code = one_line(code, LEN_NAME);
    for (variable, condition) in &outcome.alerts {
        all.extend(alert::judgements(variable, condition, &code, sources)?);
    }
    Ok(all)
}

fn of_call(call: &StaticThreshold, sources: &DataSources) -> Result<Judgement, Obstacle> {
    let aggregate = if call.is_trend_only { "trend" } else { "any" };
    let subject = Named::of(&call.collection, sources)?;
    let excluded = excluded([call.collection.as_str()], sources);
    let judgement = compared(subject, call.relation, &call.threshold, sources)?;
    if call.is_trend_only && judgement.is_expression && number_of(&call.threshold).is_none() {
        return Err(Obstacle::Trend);
    }
    Ok(Judgement { aggregate, excluded, code: one_line(&call.code, 2 * LEN_NAME), ..judgement })
}

fn id(analysis: &str, threshold: &str) -> String {
    let id = slug(&format!("{analysis} {threshold}"), LEN_ID);
    if id.is_empty() { "rule".into() } else { id }
}

fn group(subject: &Subject, path: Option<&str>) -> String {
    let of_path = || path.and_then(|path| path.split(['\\', '(']).nth(1)).map(|object| slug(object, LEN_ID));
    let of_category = slug(&subject.category, LEN_ID);
    [Some(of_category), of_path()]
        .into_iter()
        .flatten()
        .find(|group| !group.is_empty())
        .unwrap_or_else(|| "pal".into())
}

fn provenance(
    file: &File<'_>,
    subject: &Subject,
    threshold: &str,
    code: &str,
    questions: &BTreeSet<String>,
) -> String {
    let answers: Vec<String> = questions
        .iter()
        .filter_map(|name| file.defaults.get(name).map(|(shown, default)| format!("${shown} = {default}")))
        .collect();
    let answers = if answers.is_empty() {
        String::new()
    } else {
        format!(" (with {}, the default)", answers.join(", "))
    };
    format!("{}, analysis {:?}, threshold {threshold:?}: {code}{answers}", file.heading.source, subject.name)
}
