//! Tools that say what is in a capture, and what happened.

use schemars::JsonSchema;
use serde::Deserialize;

use crate::answer::Answer;
use crate::ask::Call;
use crate::folders::Folders;
use crate::refusal::{Refusal, SENTENCE_LINE};
use crate::tools::{Names, Span, Tool};
use crate::words::Words;

/// The length of a digest, in bytes.
pub(crate) const DIGEST_BYTES: usize = 4_400;

/// The shortest that the command makes.
const LEAST_DIGEST: usize = 2_000;

#[derive(Debug, Deserialize, JsonSchema)]
pub(super) struct Digest {
    capture: String,
    #[serde(flatten)]
    span: Span,
}

impl Tool for Digest {
    const NAME: &str = "digest";
    const DESCRIPTION: &str = "Begin here. Machine, span, health, findings of rules, what changed, every resource, load over time, top \
        processes, what the capture lacks, and next questions as commands (the tools have the same names and options). `not checked` \
        means that nobody could look.";
    const BYTES: usize = DIGEST_BYTES;

    async fn answer(self, call: &Call<'_>) -> Result<Answer, Refusal> {
        let words = digest_words(call.folders(), &self.capture, &self.span, call.page().max_bytes)?;
        call.print(&words, SENTENCE_LINE).await
    }
}

/// The command for a digest of `max_bytes`.
pub(crate) fn digest_words(
    folders: &Folders,
    capture: &str,
    span: &Span,
    max_bytes: usize,
) -> Result<Words, Refusal> {
    let path = folders.capture(capture)?;
    let words = Words::new("digest").option("--max-bytes", max_bytes.max(LEAST_DIGEST).to_string());
    Ok(span.add_to(words).inputs([path]))
}

#[derive(Debug, Deserialize, JsonSchema)]
pub(super) struct Describe {
    capture: String,
}

impl Tool for Describe {
    const NAME: &str = "describe";
    const DESCRIPTION: &str = "What a capture contains: format, host, system, zone, span, samples, marks, objects with numbers of \
        counters and instances, and whether parts of it could not be read.";

    async fn answer(self, call: &Call<'_>) -> Result<Answer, Refusal> {
        let words =
            Names::Windows.add_to(Words::new("info")).inputs([call.folders().capture(&self.capture)?]);
        call.print(&words, SENTENCE_LINE).await
    }
}

#[derive(Debug, Deserialize, JsonSchema)]
pub(super) struct Report {
    capture: String,
    /// Page to write: a new .html file in an allowed folder
    output: String,
    title: Option<String>,
    #[serde(flatten)]
    span: Span,
}

impl Tool for Report {
    const NAME: &str = "report";
    const DESCRIPTION: &str = "Writes a page with findings, charts and tables for people, as a new file in an allowed folder. Existing \
        files are never replaced.";
    const WRITES: bool = true;

    async fn answer(self, call: &Call<'_>) -> Result<Answer, Refusal> {
        let path = call.folders().capture(&self.capture)?;
        let output = call.folders().output(&self.output)?;
        let words = Words::new("report").option("--output", &output).maybe("--title", self.title);
        let mut answer = call.print(&self.span.add_to(words).inputs([path]), SENTENCE_LINE).await?;
        answer
            .notes
            .push(format!("written: {}", crate::plain::line(&output.display().to_string(), SENTENCE_LINE)));
        Ok(answer)
    }
}
