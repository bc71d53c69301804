//! How complete a capture is: gaps, parts that could not be read, and missing values by reason.

use recount_model::{FindingKind, Status};
use serde::Serialize;

use super::observe::Observed;
use crate::shown::{duration, short};

/// How many are listed in full; the rest are counted.
const MAX_LISTED: usize = 50;

#[derive(Debug, Serialize)]
pub(crate) struct HealthText {
    pub(crate) is_sound: bool,
    pub(crate) findings: Vec<DamageText>,
    pub(crate) more: u64,
    pub(crate) gaps: Vec<GapText>,
    pub(crate) nulls: Vec<NullText>,
    pub(crate) notes: Vec<String>,
}

#[derive(Debug, Serialize)]
pub(crate) struct DamageText {
    pub(crate) kind: &'static str,
    pub(crate) text: String,
}

#[derive(Debug, Serialize)]
pub(crate) struct GapText {
    pub(crate) begin: String,
    pub(crate) end: String,
    pub(crate) duration: String,
    pub(crate) begin_ms: f64,
    pub(crate) end_ms: f64,
}

#[derive(Debug, Serialize)]
pub(crate) struct NullText {
    pub(crate) reason: &'static str,
    pub(crate) meaning: &'static str,
    pub(crate) count: u64,
    pub(crate) share: String,
}

pub(crate) fn health(observed: &Observed) -> HealthText {
    let health = &observed.health;
    let facts = &observed.facts;
    let listed = health.findings().iter().take(MAX_LISTED);
    let findings: Vec<DamageText> = listed
        .map(|finding| DamageText {
            kind: match finding.kind {
                FindingKind::Odd | FindingKind::Time => "note",
                kind => kind.as_str(),
            },
            text: short(
                finding.to_string().trim_start_matches(finding.kind.as_str()).trim_start_matches(": "),
            ),
        })
        .collect();
    let gaps: Vec<GapText> = facts
        .gaps
        .iter()
        .take(MAX_LISTED)
        .map(|(begin, end)| GapText {
            begin: facts.shown(begin.utc),
            end: facts.shown(end.utc),
            duration: duration(end.utc.seconds_since(begin.utc)),
            begin_ms: ms(begin.utc),
            end_ms: ms(end.utc),
        })
        .collect();
    let mut notes: Vec<String> = facts.notes.iter().map(|note| short(note)).collect();
    notes.extend(facts.gaps_of_hosts_in_words());
    notes.extend(observed.missing_in_words());
    notes.extend(facts.restarts_in_words());
    if observed.num_unranked > 0 {
        notes.push(format!(
            "the percentiles of {} series are left out: their values would have taken too much memory (recount stats has them)",
            observed.num_unranked
        ));
    }
    notes.extend(hidden_falls(observed));
    HealthText {
        is_sound: health.is_complete(),
        more: health.total() - findings.len() as u64,
        findings,
        gaps,
        nulls: nulls(observed),
        notes,
    }
}

/// How many values of totals are too small, and of which.
fn hidden_falls(observed: &Observed) -> Option<String> {
    let totals = observed.figures.iter().filter(|(_, figures)| figures.num_hidden > 0);
    let (mut num, mut first) = (0, None);
    for (id, figures) in totals {
        num += figures.num_hidden;
        first.get_or_insert(*id);
    }
    let object = observed.roster.objects().get(first?.object as usize)?;
    let instance = object.instances.get(first?.instance as usize)?.shown.as_deref().unwrap_or_default();
    Some(format!(
        "{} too small: an instance ended in the interval, and what it had counted is missing in the total (status hides-fall; \
         first: {}({instance})\\{})",
        if num == 1 { "1 value of a total is".to_owned() } else { format!("{num} values of totals are") },
        object.name,
        object.counters.get(first?.counter as usize)?.name
    ))
}

fn nulls(observed: &Observed) -> Vec<NullText> {
    let num_values: u64 = observed.figures.iter().map(|(_, figures)| figures.count).sum();
    let of_reason =
        |at: usize| -> u64 { observed.figures.iter().map(|(_, figures)| figures.nulls[at]).sum() };
    let counts: Vec<u64> = (0..Status::REASONS.len()).map(of_reason).collect();
    let all = num_values + counts.iter().sum::<u64>();
    let listed = Status::REASONS.iter().zip(counts).filter(|(_, count)| *count > 0);
    let share = |count: u64| {
        let percent = 100.0 * count as f64 / all as f64;
        if percent < 0.01 { "< 0.01 %".to_owned() } else { format!("{percent:.2} %") }
    };
    listed
        .map(|(status, count)| NullText {
            reason: status.as_str(),
            meaning: meaning(*status),
            count,
            share: share(count),
        })
        .collect()
}

/// formats/tables.md#status
fn meaning(status: Status) -> &'static str {
    match status {
        Status::Ok | Status::SinceStart | Status::HidesFall => "there is a value",
        Status::InvalidData => {
            "the source marks the sample as failed, or a size, base or frequency is missing"
        }
        Status::NotANumber => "text, or a type whose arithmetic is unknown",
        Status::FirstSample => "computed between two samples, and this is the first",
        Status::NoPreviousInstance => "the instance isn't in the previous sample",
        Status::ClockNotAdvancing => "the clock that the value is divided by did not advance",
        Status::CounterReset => "a 64-bit counter or base, or a total, decreased",
        Status::NoOperations => "the value is an average, and nothing happened in the interval",
        Status::NegativeElapsed => "an elapsed time whose start is after the sample",
    }
}

/// Milliseconds since 1970.
pub(crate) fn ms(time: recount_model::Timestamp) -> f64 {
    (time.0.saturating_sub(recount_model::Timestamp::UNIX_EPOCH.0)) as f64 / 1e4
}
