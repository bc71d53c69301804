//! The questions that a page asks, by name. They are carried by the server, or the worker of the page that opens
//! captures itself.

use serde::Serialize;
use serde::de::DeserializeOwned;

use super::answers::{PointsRequest, QueryAnswer, Refusal};
use super::cancel::Cancel;
use super::state::Engine;

/// The media type of most answers.
pub(crate) const JSON: &str = "application/json";

/// A question of the page.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Question {
    Capture,
    Progress,
    Report,
    Points,
    Top,
    Programs,
    Instances,
    Moved,
    Query,
    Mark,
    Command,
}

/// An answer: its media type, and its bytes.
pub(crate) type Answer = (&'static str, Vec<u8>);

impl Question {
    /// All of them.
    pub(crate) const ALL: [Question; 11] = [
        Question::Capture,
        Question::Progress,
        Question::Report,
        Question::Points,
        Question::Top,
        Question::Programs,
        Question::Instances,
        Question::Moved,
        Question::Query,
        Question::Mark,
        Question::Command,
    ];

    /// What the page calls it.
    pub(crate) const fn name(self) -> &'static str {
        match self {
            Question::Capture => "capture",
            Question::Progress => "progress",
            Question::Report => "report",
            Question::Points => "points",
            Question::Top => "top",
            Question::Programs => "programs",
            Question::Instances => "instances",
            Question::Moved => "moved",
            Question::Query => "query",
            Question::Mark => "mark",
            Question::Command => "command",
        }
    }

    /// Whether it has no content.
    pub(crate) const fn is_plain(self) -> bool {
        matches!(self, Question::Capture | Question::Progress | Question::Report)
    }

    /// Whether the answer may have to decode much, so that others shouldn't wait behind it.
    pub(crate) fn is_slow(self, content: &[u8]) -> bool {
        match self {
            Question::Top | Question::Programs | Question::Moved | Question::Query | Question::Mark => true,
            Question::Points => asked::<PointsRequest>(content).is_ok_and(|request| request.wait),
            _ => false,
        }
    }
}

impl Engine {
    /// Answers a question, whose content is JSON.
    pub(crate) fn ask(&self, question: Question, content: &[u8], cancel: &Cancel) -> Result<Answer, Refusal> {
        match question {
            Question::Capture => json(&self.capture()),
            Question::Progress => json(&self.progress()),
            Question::Report => json(&self.report_answer()?),
            Question::Points => json(&self.points(&asked(content)?, cancel)?),
            Question::Top => json(&self.top(&asked(content)?, cancel)?),
            Question::Programs => json(&self.programs(&asked(content)?, cancel)?),
            Question::Instances => json(&self.instances(&asked(content)?, cancel)?),
            Question::Moved => json(&self.moved(&asked(content)?, cancel)?),
            Question::Mark => json(&self.mark(&asked(content)?)?),
            Question::Command => json(&self.commands(&asked(content)?)?),
            Question::Query => match self.query(&asked(content)?, cancel)? {
                QueryAnswer::Table(table) => json(&table),
                QueryAnswer::File(kind, bytes) => Ok((kind, bytes)),
            },
        }
    }
}

fn asked<Q: DeserializeOwned>(content: &[u8]) -> Result<Q, Refusal> {
    serde_json::from_slice(content)
        .map_err(|error| Refusal::new(400, format!("the request isn't understood: {error}")))
}

fn json(answer: &impl Serialize) -> Result<Answer, Refusal> {
    let text = serde_json::to_vec(answer).map_err(|error| Refusal::new(500, error.to_string()))?;
    Ok((JSON, text))
}
