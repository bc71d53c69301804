//! What a tool answers.

use schemars::JsonSchema;
use serde::Serialize;

// The instructions of the server explain the fields once: comments on them would be repeated in the schema of each tool.
/// The answer of a tool.
#[derive(Clone, Debug, Default, Serialize, JsonSchema)]
pub(crate) struct Answer {
    pub command: String,
    pub output: String,
    #[serde(skip_serializing_if = "Option::is_none")]
    pub exit_code: Option<i32>,
    #[serde(skip_serializing_if = "Option::is_none")]
    pub next_cursor: Option<u64>,
    #[serde(skip_serializing_if = "Vec::is_empty")]
    pub notes: Vec<String>,
}

impl Answer {
    /// Whether the command failed.
    pub(crate) fn is_error(&self) -> bool {
        self.exit_code.is_some_and(|code| code > 1)
    }
}
