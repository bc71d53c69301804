//! Tools that compare spans and captures.

use schemars::JsonSchema;
use serde::Deserialize;

use crate::answer::Answer;
use crate::ask::Call;
use crate::refusal::{Refusal, SENTENCE_LINE};
use crate::tools::{Names, Tool, with_patterns};
use crate::words::Words;

#[derive(Debug, Deserialize, JsonSchema)]
pub(super) struct Moved {
    capture: String,
    /// Span to explain, A..B: 14:00..14:10, +5m..+7m, 2013-02-20T02:55:00Z.., mark:deploy..
    span: Option<String>,
    /// Span to compare with [the time before]
    against: Option<String>,
    /// Instead of span: a counter; which others move with it
    target: Option<String>,
    /// Patterns of counters
    #[serde(default)]
    counters: Vec<String>,
    /// Groups to show [10]
    top: Option<u32>,
}

impl Tool for Moved {
    const NAME: &str = "moved";
    const DESCRIPTION: &str = "What changed in a span: which counters moved together by more than chance explains, since when, and which \
        processes it was. Or, with `target`, which counters move with one.";

    async fn answer(self, call: &Call<'_>) -> Result<Answer, Refusal> {
        let path = call.folders().capture(&self.capture)?;
        if self.span.is_some() == self.target.is_some() {
            return Err(Refusal::new("either span or target is needed"));
        }
        let words = Words::new("moved")
            .maybe("--span", self.span)
            .maybe("--against", self.against)
            .maybe("--target", self.target)
            .maybe("--top", self.top.map(|top| top.to_string()));
        let words = with_patterns(words, &self.counters)?.inputs([path]);
        call.print(&words, SENTENCE_LINE).await
    }
}

#[derive(Clone, Copy, Debug, Deserialize, JsonSchema)]
#[serde(rename_all = "lowercase")]
#[schemars(inline)]
enum Align {
    Start,
    Marker,
}

#[derive(Debug, Deserialize, JsonSchema)]
pub(super) struct Compare {
    base: String,
    /// File or folder [base]
    /// [base]
    new: Option<String>,
    /// Span of base, A..B
    base_span: Option<String>,
    /// Span of new, A..B
    new_span: Option<String>,
    align: Option<Align>,
    /// Mark to align at
    mark: Option<String>,
    /// Patterns of counters
    #[serde(default)]
    counters: Vec<String>,
}

impl Tool for Compare {
    const NAME: &str = "compare";
    const DESCRIPTION: &str = "Compares two captures, or two spans of one: which counters got better or worse, by how much, and whether it \
        may be chance.";

    async fn answer(self, call: &Call<'_>) -> Result<Answer, Refusal> {
        let mut paths = vec![call.folders().capture(&self.base)?];
        if let Some(new) = &self.new {
            paths.push(call.folders().capture(new)?);
        }
        let align = self.align.map(|align| match align {
            Align::Start => "start",
            Align::Marker => "marker",
        });
        let words = Names::Windows
            .add_to(Words::new("diff"))
            .maybe("--base", self.base_span)
            .maybe("--new", self.new_span)
            .maybe("--align", align)
            .maybe("--mark", self.mark);
        let words = with_patterns(words, &self.counters)?.inputs(paths);
        call.print(&words, SENTENCE_LINE).await
    }
}
