//! What a digest says.

use serde::Serialize;

use super::load::LoadTable;
use super::processes::Processes;
use super::resources::Resource;

/// A capture in brief. Times are UTC to the second, or local times without `Z` if the zone is unknown; the sentences of `changed` have
/// local times of the capture, as its `zone` says. Numbers have four digits.
#[derive(Clone, Debug, PartialEq, Serialize)]
#[non_exhaustive]
pub struct Digest {
    /// Version of this structure: `formats/json/digest.json`.
    pub schema: &'static str,
    /// What was recorded.
    pub capture: DigestCapture,
    /// How complete it is.
    pub health: DigestHealth,
    /// Utilisation, saturation and errors.
    pub resources: Vec<Resource>,
    /// The load over time; `None` for several machines, and for few samples.
    pub load: Option<LoadTable>,
    /// What rules found, the worst first.
    pub findings: Vec<DigestFinding>,
    /// What changed for good, the largest change first.
    pub changed: Vec<DigestChange>,
    /// Who used most.
    pub processes: Processes,
    /// What the capture lacks, and how many rules could be checked.
    pub lacks: Vec<String>,
    /// What was left out of this answer for its length.
    pub left_out: Vec<String>,
    /// What to ask next: commands.
    pub next: Vec<Question>,
}

/// What was recorded.
#[derive(Clone, Debug, PartialEq, Serialize)]
pub struct DigestCapture {
    /// Files.
    pub files: Vec<String>,
    /// Machines.
    pub hosts: Vec<String>,
    /// Operating system.
    pub os: Option<String>,
    /// Zone of the local times in sentences.
    pub zone: String,
    /// Whether times are local times of an unknown zone.
    pub is_zone_unknown: bool,
    /// First sample.
    pub begin: Option<String>,
    /// Last sample.
    pub end: Option<String>,
    /// Between them.
    pub duration_s: Option<f64>,
    /// Samples.
    pub num_samples: usize,
    /// Usual interval between samples.
    pub interval_s: Option<f64>,
    /// Counters of instances.
    pub num_series: usize,
    /// Marks: time and text.
    pub marks: Vec<(String, String)>,
}

/// How complete a capture is.
#[derive(Clone, Debug, PartialEq, Serialize)]
pub struct DigestHealth {
    /// Whether all could be read.
    pub is_sound: bool,
    /// What could not be read, and notes.
    pub findings: Vec<String>,
    /// Times without samples.
    pub gaps: Vec<DigestGap>,
    /// Missing values by reason.
    pub missing: Vec<DigestMissing>,
    /// What the recorder says.
    pub notes: Vec<String>,
}

/// A time without samples.
#[derive(Clone, Debug, PartialEq, Eq, Serialize)]
pub struct DigestGap {
    /// The sample before it.
    pub begin: String,
    /// The sample after it.
    pub end: String,
    /// How long, in words.
    pub duration: String,
}

/// Missing values.
#[derive(Clone, Debug, PartialEq, Eq, Serialize)]
pub struct DigestMissing {
    /// Status: `formats/tables.md#status`.
    pub reason: &'static str,
    /// How many.
    pub count: u64,
    /// Of all values, in words.
    pub share: String,
}

/// What a rule found.
#[derive(Clone, Debug, PartialEq, Eq, Serialize)]
pub struct DigestFinding {
    /// `critical`, `warning` or `info`.
    pub severity: &'static str,
    /// The set and the rule.
    pub rule: String,
    /// What it means.
    pub title: String,
    /// The evidence, in a sentence.
    pub evidence: String,
    /// When it was worst.
    pub begin: String,
    /// The end of that.
    pub end: String,
    /// How often.
    pub num_spans: u64,
}

/// What changed.
#[derive(Clone, Debug, PartialEq, Eq, Serialize)]
pub struct DigestChange {
    /// When.
    pub time: String,
    /// `changed` or `fills`.
    pub kind: &'static str,
    /// In a sentence.
    pub text: String,
}

/// A question, as a command.
#[derive(Clone, Debug, PartialEq, Eq, Serialize)]
pub struct Question {
    /// What it answers.
    pub about: String,
    /// The command, for a shell.
    pub command: String,
}
