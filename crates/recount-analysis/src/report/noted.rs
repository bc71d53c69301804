//! What is worth a sentence without being a finding of a rule.

use recount_model::Timestamp;
use serde::Serialize;

/// How many changes a report says.
pub const MAX_CHANGED: usize = 5;

/// A sentence about something that happened at a time.
#[derive(Clone, Debug, PartialEq, Eq, Serialize)]
pub struct Noted {
    /// When.
    #[serde(skip)]
    pub time: Timestamp,
    /// `changed`, `fills`, or `unusual`.
    pub kind: &'static str,
    /// What.
    pub text: String,
}

/// How a capture compares with a baseline.
#[derive(Clone, Debug)]
pub struct AgainstBaseline {
    /// What is unusual: a sentence for each time, the furthest first.
    pub unusual: Vec<Noted>,
    /// With what it was compared, and how much was found, in one sentence.
    pub against: String,
    /// What limits the answer.
    pub notes: Vec<String>,
    /// All of it, for programs.
    pub json: serde_json::Value,
}

impl AgainstBaseline {
    /// The answer in lines: of what is unusual the furthest, with what it was compared, and what limits the answer.
    pub fn lines(&self) -> impl Iterator<Item = (&'static str, &str)> {
        let unusual = self.unusual.iter().take(MAX_CHANGED).map(|noted| (noted.kind, noted.text.as_str()));
        let notes = self.notes.iter().map(|note| ("note", note.as_str()));
        unusual.chain(std::iter::once(("baseline", self.against.as_str()))).chain(notes)
    }
}
