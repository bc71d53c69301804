//! Why a tool doesn't answer.

use std::fmt;

use crate::plain;

/// The longest line with sentences.
pub(crate) const SENTENCE_LINE: usize = 2_000;

/// Why a tool doesn't answer. It is shown to the client.
#[derive(Clone, Debug)]
pub(crate) struct Refusal {
    text: String,
    hint: Option<&'static str>,
}

impl Refusal {
    /// Says why.
    pub(crate) fn new(text: impl Into<String>) -> Refusal {
        Refusal { text: text.into(), hint: None }
    }

    /// And what to try.
    pub(crate) fn hint(mut self, hint: &'static str) -> Refusal {
        self.hint = Some(hint);
        self
    }
}

/// A text of the client's, on one line.
pub(crate) fn shown(text: &str) -> String {
    plain::line(text, SENTENCE_LINE)
}

impl fmt::Display for Refusal {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(&plain::lines(&format!("error: {}", self.text), SENTENCE_LINE))?;
        self.hint.map_or(Ok(()), |hint| write!(f, "\nhint: {hint}"))
    }
}
