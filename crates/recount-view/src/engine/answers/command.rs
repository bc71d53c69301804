//! Command lines that print the values on screen: `POST api/command`.

use std::path::Path;

use recount::Timestamp;
use serde::{Deserialize, Serialize};

use super::points::SeriesAsked;
use super::{Refusal, side_of, span_of};
use crate::engine::Engine;
use crate::engine::side::Side;

#[derive(Debug, Deserialize)]
pub(crate) struct CommandRequest {
    charts: Vec<ChartAsked>,
    from: f64,
    to: f64,
    sql: Option<String>,
}

#[derive(Debug, Deserialize)]
struct ChartAsked {
    series: Vec<SeriesAsked>,
}

#[derive(Debug, Serialize)]
pub(crate) struct CommandAnswer {
    commands: Vec<String>,
    /// The span begins with the previous sample, from which its first values are computed.
    begins_before: bool,
}

/// Maximum number of counters in one command.
const MAX_PATHS: usize = 64;

impl Engine {
    pub(crate) fn commands(&self, request: &CommandRequest) -> Result<CommandAnswer, Refusal> {
        let mut commands = Vec::new();
        let mut begins_before = false;
        for number in 0..self.sides().len() {
            let side = side_of(self, number)?;
            let span = span_of(&side, request.from, request.to)?;
            let files: Vec<&Path> = match number {
                0 => self.opening.inputs.iter().map(|input| &**input).collect(),
                _ => self.opening.compared.as_deref().into_iter().collect(),
            };
            let files =
                files.iter().map(|file| quoted(&file.display().to_string())).collect::<Vec<_>>().join(" ");
            let mut paths: Vec<&str> = Vec::new();
            for one in request.charts.iter().flat_map(|chart| &chart.series).filter(|one| one.side == number)
            {
                if !paths.contains(&&*one.path) && paths.len() < MAX_PATHS {
                    paths.push(&one.path);
                }
            }
            let stated = |time: i64| side.facts.stated(Timestamp(time));
            let whole = side.span().unwrap_or(span);
            let mut times = String::new();
            // The first sample of a span has no values yet: without the previous sample, the first values on screen
            // would be lost.
            if let Some(before) = sample_before(&side, span.from) {
                times.push_str(&format!(" --begin {}", stated(before)));
                begins_before = true;
            }
            if span.to < whole.to {
                times.push_str(&format!(" --end {}", stated(span.to)));
            }
            if !paths.is_empty() {
                if number > 0 || self.opening.inputs.len() == 1 {
                    let patterns = paths.iter().map(|path| quoted(path)).collect::<Vec<_>>().join(" ");
                    commands.push(format!("recount show {files} {patterns}{times}"));
                }
                let counters = paths.iter().fold(String::new(), |all, path| all + " -c " + &quoted(path));
                commands.push(format!("recount stats {files}{counters}{times}"));
            }
            if number > 0 {
                continue;
            }
            let view = self
                .opening
                .view
                .as_ref()
                .map(|(path, _)| format!(" --view {}", quoted(&path.display().to_string())));
            commands
                .push(format!("recount report {files} -o report.html{}{times}", view.unwrap_or_default()));
            if let Some(sql) = request.sql.as_deref().filter(|sql| !sql.trim().is_empty()) {
                commands.push(format!("recount query {files} {}", quoted(sql)));
            }
        }
        Ok(CommandAnswer { commands, begins_before })
    }
}

/// The last sample before a time; `None` if the span includes the first sample of all, or begins with the second, which
/// needs no `--begin`.
fn sample_before(side: &Side, time: i64) -> Option<i64> {
    let times = &side.facts.times;
    let before = times[..times.partition_point(|sample| sample.utc.0 < time)].last()?.utc.0;
    (before > times.first()?.utc.0).then_some(before)
}

/// Quotes a word for sh.
fn quoted(text: &str) -> String {
    let is_plain = |c: char| c.is_ascii_alphanumeric() || "_-./:=+@%,".contains(c);
    if !text.is_empty() && !text.starts_with('-') && text.chars().all(is_plain) {
        return text.to_owned();
    }
    let quote = |text: &str| format!("'{}'", text.replace('\'', r"'\''"));
    if !text.chars().any(is_unseen) {
        return quote(text);
    }
    // Unescaped, they would control the terminal into which the command is pasted.
    let mut written = String::new();
    for sign in text.chars() {
        match sign {
            '\\' => written.push_str(r"\\"),
            sign if is_unseen(sign) => {
                let bytes = &mut [0; 4];
                written.extend(sign.encode_utf8(bytes).bytes().map(|byte| format!(r"\0{byte:03o}")));
            }
            sign => written.push(sign),
        }
    }
    format!("\"$(printf %b {})\"", quote(&written))
}

/// Control characters, and those that change the direction of the text around them.
fn is_unseen(sign: char) -> bool {
    sign.is_control()
        || matches!(sign, '\u{61c}' | '\u{200e}'..='\u{200f}' | '\u{2028}'..='\u{202e}' | '\u{2066}'..='\u{2069}')
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn words_are_safe_for_a_shell() {
        for (text, expected) in [
            ("monday.blg", "monday.blg"),
            ("", "''"),
            (r"\Processor(_Total)\% Idle", r"'\Processor(_Total)\% Idle'"),
            ("it's; rm -rf $HOME", r"'it'\''s; rm -rf $HOME'"),
            ("-x", "'-x'"),
            ("\\O(a\u{1b}[1m\t'\u{202e})", r#""$(printf %b '\\O(a\0033[1m\0011'\''\0342\0200\0256)')""#),
        ] {
            assert_eq!(quoted(text), expected);
        }
    }
}
