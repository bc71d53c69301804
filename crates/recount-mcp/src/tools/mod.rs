//! The tools, and what they have in common.

mod changes;
mod counters;
mod course;
mod dump;
mod find;
mod overview;
mod rule;
mod times;
mod top;
mod why;

use std::future::Future;
use std::pin::Pin;
use std::sync::Arc;

use rmcp::handler::server::common::{schema_for_input, schema_for_output};
use rmcp::model::{JsonObject, Tool as Described, ToolAnnotations};
use schemars::JsonSchema;
use serde::de::DeserializeOwned;
use serde::{Deserialize, Serialize};
use serde_json::Value;

use crate::answer::Answer;
use crate::ask::{Call, Page};
use crate::plain;
use crate::refusal::{self, Refusal};
use crate::words::Words;

pub(crate) use find::find;
pub(crate) use overview::{DIGEST_BYTES, digest_words};

/// An answer is at most 2,000 tokens, if nothing else is asked for: tables of numbers and times have 1.8 bytes a token.
const DEFAULT_BYTES: usize = 3_300;

/// How much an answer may have.
const BYTES: std::ops::RangeInclusive<usize> = 1_000..=100_000;

/// How many patterns a call may have.
const MAX_PATTERNS: usize = 50;

/// A tool: its fields are its parameters.
pub(crate) trait Tool: DeserializeOwned + JsonSchema + Send + 'static {
    /// What it is called.
    const NAME: &str;
    /// What it is for.
    const DESCRIPTION: &str;
    /// Whether it writes a file.
    const WRITES: bool = false;
    /// How long its answers are, if nothing else is asked for.
    const BYTES: usize = DEFAULT_BYTES;
    /// Asks the command.
    fn answer(self, call: &Call<'_>) -> impl Future<Output = Result<Answer, Refusal>> + Send;
}

type Answering<'a> = Pin<Box<dyn Future<Output = Result<Answer, Refusal>> + Send + 'a>>;

/// A tool, as the server keeps it.
#[derive(Clone)]
pub(crate) struct Entry {
    pub described: Described,
    pub is_query: bool,
    default_bytes: usize,
    answer: for<'a> fn(JsonObject, &'a Call<'a>) -> Answering<'a>,
}

/// All tools.
pub(crate) fn all() -> Result<Vec<Entry>, String> {
    Ok(vec![
        entry::<find::FindCaptures>()?,
        entry::<overview::Digest>()?,
        entry::<overview::Describe>()?,
        entry::<counters::FindCounters>()?,
        entry::<counters::Stats>()?,
        entry::<course::Series>()?,
        entry::<top::Top>()?,
        entry::<changes::Moved>()?,
        entry::<changes::Compare>()?,
        entry::<rule::ExplainRule>()?,
        entry::<why::WhyNull>()?,
        entry::<counters::Query>()?,
        entry::<dump::DumpAt>()?,
        entry::<overview::Report>()?,
    ])
}

fn entry<T: Tool>() -> Result<Entry, String> {
    let mut input = (*schema_for_input::<T>()?).clone();
    if let Some(Value::Object(properties)) = input.get_mut("properties") {
        properties.extend(common()?);
    }
    input.remove("$schema");
    input.insert("additionalProperties".into(), false.into());
    let mut output = (*schema_for_output::<Answer>()).clone();
    output.remove("$schema");
    let kind = ToolAnnotations::new()
        .read_only(!T::WRITES)
        .destructive(false)
        .idempotent(!T::WRITES)
        .open_world(false);
    let described = Described::new(T::NAME, T::DESCRIPTION, Arc::new(plain_schema(input)))
        .with_raw_output_schema(Arc::new(plain_schema(output)))
        .with_annotations(kind);
    Ok(Entry {
        described,
        is_query: T::NAME == "query",
        default_bytes: T::BYTES,
        answer: |parameters, call| Box::pin(answer::<T>(parameters, call)),
    })
}

async fn answer<T: Tool>(parameters: JsonObject, call: &Call<'_>) -> Result<Answer, Refusal> {
    let tool: T = serde_json::from_value(Value::Object(parameters))
        .map_err(|error| Refusal::new(format!("the parameters: {}", refusal::shown(&error.to_string()))))?;
    tool.answer(call).await
}

impl Entry {
    /// Which part of the output is asked for. The parameters of the tool remain.
    pub(crate) fn page(&self, parameters: &mut JsonObject) -> Result<Page, Refusal> {
        let known = self.described.input_schema.get("properties").and_then(Value::as_object);
        for name in parameters.keys() {
            if let Some(known) = known.filter(|known| !known.contains_key(name)) {
                let known = known.keys().map(String::as_str).collect::<Vec<_>>().join(", ");
                return Err(Refusal::new(format!(
                    "there is no parameter {}; there are {known}",
                    refusal::shown(name)
                )));
            }
        }
        let mut common = JsonObject::new();
        for name in ["max_bytes", "cursor"] {
            common.extend(parameters.remove(name).map(|value| (name.to_owned(), value)));
        }
        let common: Common = serde_json::from_value(Value::Object(common)).map_err(|error| {
            Refusal::new(format!("the parameters: {}", refusal::shown(&error.to_string())))
        })?;
        let max_bytes = common.max_bytes.unwrap_or(self.default_bytes);
        if !BYTES.contains(&max_bytes) {
            return Err(Refusal::new(format!("max_bytes: from {} to {}", BYTES.start(), BYTES.end())));
        }
        Ok(Page { max_bytes, cursor: common.cursor.unwrap_or(0) })
    }

    /// Asks it.
    pub(crate) fn answer<'a>(&self, parameters: JsonObject, call: &'a Call<'a>) -> Answering<'a> {
        (self.answer)(parameters, call)
    }
}

/// Parameters of every tool.
#[derive(Debug, Deserialize, JsonSchema)]
struct Common {
    max_bytes: Option<usize>,
    cursor: Option<u64>,
}

fn common() -> Result<JsonObject, String> {
    match schema_for_input::<Common>()?.get("properties") {
        Some(Value::Object(properties)) => Ok(properties.clone()),
        _ => Err("parameters without a schema".into()),
    }
}

/// A schema without what only takes room: formats and limits of numbers, defaults, and null for what may be left out.
fn plain_schema(schema: JsonObject) -> JsonObject {
    fn plain(value: &mut Value) {
        match value {
            Value::Object(fields) => {
                fields.retain(|key, value| match key.as_str() {
                    "format" => !value.is_string(),
                    "minimum" => !value.is_number(),
                    "default" => value.is_object(),
                    _ => true,
                });
                if let Some(Value::Array(words)) = fields.get_mut("enum") {
                    words.retain(|word| !word.is_null());
                }
                if let Some(Value::Array(types)) = fields.get("type")
                    && let [one, null] = types.as_slice()
                    && null == "null"
                {
                    let one = one.clone();
                    fields.insert("type".into(), one);
                }
                fields.values_mut().for_each(plain);
            }
            Value::Array(values) => values.iter_mut().for_each(plain),
            _ => {}
        }
    }
    let mut schema = Value::Object(schema);
    plain(&mut schema);
    match schema {
        Value::Object(schema) => schema,
        _ => JsonObject::new(),
    }
}

/// Whose names counters have.
#[derive(Clone, Copy, Debug, Default, Deserialize, Serialize, JsonSchema)]
#[serde(rename_all = "lowercase")]
#[schemars(inline)]
pub(crate) enum Names {
    #[default]
    Windows,
    Own,
}

impl Names {
    fn add_to(self, words: Words) -> Words {
        words.option(
            "--names",
            match self {
                Names::Windows => "windows",
                Names::Own => "own",
            },
        )
    }
}

/// A span of time.
#[derive(Clone, Debug, Default, Deserialize, JsonSchema)]
pub(crate) struct Span {
    /// 2013-02-20T02:55:00Z, local 02:55, +5m from the first sample, -5m from the last, mark:TEXT
    begin: Option<String>,
    end: Option<String>,
}

impl Span {
    fn add_to(&self, words: Words) -> Words {
        words.maybe("--begin", self.begin.as_ref()).maybe("--end", self.end.as_ref())
    }
}

/// Adds patterns of counters. `@FILE` isn't one here: it would read any file.
fn with_patterns(mut words: Words, patterns: &[String]) -> Result<Words, Refusal> {
    check_patterns(patterns)?;
    for pattern in patterns {
        words = words.option("--counter", pattern_of(pattern));
    }
    Ok(words)
}

/// A pattern, which may be written as answers show names.
fn pattern_of(pattern: &str) -> String {
    plain::unescaped(pattern).unwrap_or_else(|| pattern.to_owned())
}

fn check_patterns(patterns: &[String]) -> Result<(), Refusal> {
    if patterns.len() > MAX_PATTERNS {
        return Err(Refusal::new(format!("at most {MAX_PATTERNS} patterns of counters")));
    }
    match patterns.iter().find(|pattern| pattern.starts_with('@')) {
        Some(pattern) => Err(Refusal::new(format!(
            "{}: a pattern of counters doesn't begin with @",
            refusal::shown(pattern)
        ))),
        None => Ok(()),
    }
}

/// A field of the command's JSON.
fn text<'a>(value: &'a Value, field: &str) -> &'a str {
    value.get(field).and_then(Value::as_str).unwrap_or_default()
}

/// The elements of a list in the command's JSON.
fn list<'a>(value: &'a Value, field: &str) -> &'a [Value] {
    value.get(field).and_then(Value::as_array).map(Vec::as_slice).unwrap_or_default()
}

/// A number of the command's JSON in six digits.
fn number(value: &Value, field: &str) -> String {
    value.get(field).and_then(Value::as_f64).map_or("-".into(), shown)
}

/// A number in six digits.
fn shown(number: f64) -> String {
    let digits = 5_i32.saturating_sub(number.abs().max(f64::MIN_POSITIVE).log10().floor() as i32);
    let text = format!("{number:.*}", digits.clamp(0, 12) as usize);
    if text.contains('.') { text.trim_end_matches('0').trim_end_matches('.').to_owned() } else { text }
}

/// The path of a series of the command's JSON.
fn series_path(row: &Value) -> String {
    let host = text(row, "host");
    let host = if host.is_empty() { String::new() } else { format!(r"\\{host}") };
    match row.get("instance").and_then(Value::as_str) {
        Some(instance) => format!(r"{host}\{}({instance})\{}", text(row, "object"), text(row, "counter")),
        None => format!(r"{host}\{}\{}", text(row, "object"), text(row, "counter")),
    }
}

#[cfg(test)]
mod tests {
    use serde_json::json;

    use super::*;

    #[test]
    fn numbers_have_six_digits() {
        let shown = |value: f64| number(&json!({ "mean": value }), "mean");
        let numbers =
            [0.0, 14.799_999_999_999_997, 4_943_872.0, 1.5e-7, -33.333_333_3, 100.0, 1e300_f64.ln()];
        let shown: Vec<String> = numbers.into_iter().map(shown).collect();
        assert_eq!(shown, ["0", "14.8", "4943872", "0.00000015", "-33.3333", "100", "690.776"]);
        assert_eq!(number(&json!({ "mean": null }), "mean"), "-");
    }

    #[test]
    fn descriptions_are_short() {
        let tools = all().expect("tools");
        assert_eq!(tools.len(), 14);
        let listed: Vec<&Described> = tools.iter().map(|entry| &entry.described).collect();
        let text = serde_json::to_string(&listed).expect("JSON");
        // Some four bytes are a token, less in schemas; docs/mcp.md has the exact number.
        let described: usize =
            listed.iter().map(|tool| tool.description.as_ref().map_or(0, |text| text.len())).sum();
        assert!(described < 3_500, "{described} bytes of descriptions");
        assert!(text.len() < 16_000, "{} bytes: {text}", text.len());
    }
}
