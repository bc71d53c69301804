//! Running the command.

use std::ffi::OsString;
use std::ops::ControlFlow;
use std::process::Stdio;
use std::time::Duration;

use serde_json::Value;
use tokio::io::{AsyncRead, AsyncReadExt as _};
use tokio::process::Command;

use crate::plain;
use crate::refusal::{Refusal, SENTENCE_LINE};

/// How much of standard error is kept.
const MAX_NOTES: usize = 2_000;

/// A command with this variable in its environment ends when its standard input is closed. The server holds the other end of it, so the
/// command doesn't outlive a server that is killed.
pub const UNTIL_INPUT_CLOSES: &str = "RECOUNT_UNTIL_INPUT_CLOSES";

/// How a command ended.
#[derive(Clone, Debug)]
pub(crate) struct Ended {
    /// None if it was ended, by `take` or by a signal.
    pub code: Option<i32>,
    errors: String,
}

impl Ended {
    /// What the command said besides its answer, line by line.
    pub(crate) fn notes(&self) -> Vec<String> {
        self.errors.lines().map(str::to_owned).collect()
    }

    /// Why it failed.
    pub(crate) fn refusal(&self) -> Refusal {
        if self.code.is_none() {
            return Refusal::new(format!("the command crashed, or the system ended it. {}", self.errors));
        }
        Refusal::new(message(&self.errors))
    }
}

/// The error among what a command says, from `error: ` on; of the JSON that it writes with `--json`, message and hint.
fn message(errors: &str) -> String {
    let last = errors.lines().next_back().unwrap_or_default();
    if let Ok(Value::Object(fields)) = serde_json::from_str(last)
        && let Some(error) = fields.get("error")
    {
        let text = |field: &str| error.get(field).and_then(Value::as_str);
        let said = text("message").unwrap_or_default();
        // What the parser of the command line says has lines; anything else is one, whatever the names in it.
        let is_parsers = text("kind") == Some("usage") && said.contains("\n\nFor more information");
        let in_lines = if is_parsers { plain::lines } else { plain::line };
        let message = in_lines(said, SENTENCE_LINE);
        let hint = text("hint").map(|hint| format!("\nhint: {}", plain::lines(hint, SENTENCE_LINE)));
        return message + &hint.unwrap_or_default();
    }
    let from =
        if errors.starts_with("error: ") { Some(0) } else { errors.find("\nerror: ").map(|at| at + 1) };
    let text = from.and_then(|from| errors.get(from..)).unwrap_or(errors);
    // Of a mistake in the command line, the usage of options that the client doesn't see.
    let text = text.split("\n\nUsage: ").next().unwrap_or_default();
    text.trim_start_matches("error: ").to_owned()
}

/// A command takes too long.
pub(crate) fn too_long(limit: Duration) -> Refusal {
    Refusal::new(format!("no answer within {:.0} s, so the command was ended", limit.as_secs_f64().ceil()))
        .hint("ask for less: a shorter span, fewer counters")
}

/// Runs a program for `limit` at most, or until `cancelled`; it doesn't outlive the future.
pub(crate) async fn run(
    program: &[OsString],
    arguments: &[OsString],
    limit: Duration,
    cancelled: impl Future<Output = ()>,
    take: impl FnMut(&[u8]) -> ControlFlow<()> + Send,
) -> Result<Ended, Refusal> {
    let failed = |error: std::io::Error| Refusal::new(format!("the command can't be run: {error}"));
    let (program, first) = program.split_first().ok_or_else(|| Refusal::new("there is no command"))?;
    let mut child = Command::new(program)
        .args(first)
        .args(arguments)
        .env("NO_COLOR", "1")
        .env_remove("CLICOLOR_FORCE")
        .env(UNTIL_INPUT_CLOSES, "1")
        .stdin(Stdio::piped())
        .stdout(Stdio::piped())
        .stderr(Stdio::piped())
        .kill_on_drop(true)
        .spawn()
        .map_err(failed)?;
    // Open as long as this future lives: however the server ends, it is closed.
    let _input = child.stdin.take();
    let (output, errors) = (child.stdout.take(), child.stderr.take());
    let work = async {
        let reading = async {
            let is_enough = read(output, take).await;
            if is_enough {
                // It may have ended by itself.
                let _ = child.start_kill();
            }
            is_enough
        };
        let (is_enough, errors) = tokio::join!(reading, tail(errors));
        let status = child.wait().await.map_err(failed)?;
        Ok(Ended { code: status.code().filter(|_| !is_enough), errors })
    };
    tokio::select! {
        ended = work => ended,
        () = cancelled => Err(Refusal::new("cancelled")),
        () = tokio::time::sleep(limit) => Err(too_long(limit)),
    }
}

/// Gives everything to `take`. Whether it wants no more.
async fn read(from: Option<impl AsyncRead + Unpin>, mut take: impl FnMut(&[u8]) -> ControlFlow<()>) -> bool {
    let Some(mut from) = from else { return false };
    let mut buffer = vec![0; 64 << 10];
    while let Ok(1..) = from.read(&mut buffer).await.inspect(|&len| buffer.truncate(len)) {
        if take(&buffer).is_break() {
            return true;
        }
        buffer.resize(64 << 10, 0);
    }
    false
}

/// The beginning and the end of what is written: a message is last.
async fn tail(from: Option<impl AsyncRead + Unpin>) -> String {
    let (mut head, mut last) = (Vec::new(), Vec::new());
    read(from, |bytes| {
        let room = (MAX_NOTES / 2).saturating_sub(head.len()).min(bytes.len());
        let (first, rest) = bytes.split_at(room);
        head.extend_from_slice(first);
        last.extend_from_slice(rest);
        if last.len() > MAX_NOTES / 2 {
            last.drain(..last.len() - MAX_NOTES / 2);
            last.splice(..0, *b" ... ");
        }
        ControlFlow::Continue(())
    })
    .await;
    head.append(&mut last);
    plain::lines(&String::from_utf8_lossy(&head), SENTENCE_LINE)
}

#[cfg(test)]
mod tests {
    use super::message;

    #[test]
    fn errors_are_found_in_what_a_command_says() {
        assert_eq!(message("error: a\nhint: b"), "a\nhint: b");
        assert_eq!(message("warning: x\nerror: a"), "a");
        assert_eq!(message("odd"), "odd");
        let json = r#"{"error":{"kind":"io","message":"a\u202e\nb","path":null,"offset":null,"hint":"b"}}"#;
        assert_eq!(message(&format!("warning: x\n{json}")), "a\\u{202e}\\u{a}b\nhint: b");
        assert_eq!(message("error: a\n\nUsage: recount x\n\nFor more information"), "a");
    }
}
