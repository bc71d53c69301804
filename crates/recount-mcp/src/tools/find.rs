//! The tool that finds captures.

use std::ops::ControlFlow;
use std::path::{Path, PathBuf};
use std::time::{Duration, Instant};

use recount_model::answer_len;
use schemars::JsonSchema;
use serde::Deserialize;
use serde_json::Value;

use crate::answer::Answer;
use crate::ask::{Call, TABLE_LINE};
use crate::plain;
use crate::refusal::Refusal;
use crate::tools::{Tool, list, text};
use crate::words::Words;

/// How long a call looks at files.
const MAX_TIME: Duration = Duration::from_secs(15);

/// How long it looks at one.
const MAX_FILE_TIME: Duration = Duration::from_secs(10);

#[derive(Debug, Deserialize, JsonSchema)]
pub(super) struct FindCaptures {
    /// Part of the path
    name: Option<String>,
}

impl Tool for FindCaptures {
    const NAME: &str = "find_captures";
    const DESCRIPTION: &str =
        "Lists the captures in the allowed folders: path, format, hosts, first and last sample, and health.";

    async fn answer(self, call: &Call<'_>) -> Result<Answer, Refusal> {
        let first = usize::try_from(call.page().cursor).unwrap_or(usize::MAX);
        let found = find(call, self.name.as_deref(), first).await?;
        let (mut output, mut next) = (String::new(), found.next);
        for (position, capture) in &found.captures {
            if !output.is_empty() && answer_len(&output) + answer_len(&capture.line) > call.page().max_bytes {
                next = Some(*position as u64);
                break;
            }
            output.push_str(&capture.line);
            output.push('\n');
        }
        let mut notes =
            vec![format!("files looked at: {}; what isn't a capture is left out", found.num_looked)];
        if found.num_unnamed > 0 {
            let num = found.num_unnamed;
            notes.push(format!("files left out because their paths aren't UTF-8: {num}; rename them"));
        }
        if found.is_cut {
            notes.push("the folders have more files than are looked at".into());
        }
        Ok(Answer {
            command: "recount info --json -- FILE".into(),
            output,
            exit_code: Some(0),
            next_cursor: next,
            notes,
        })
    }
}

/// Captures that were found.
pub(crate) struct Found {
    /// With their positions among all files.
    pub captures: Vec<(usize, Capture)>,
    /// The next file, if there are more.
    next: Option<u64>,
    num_looked: usize,
    /// Those that no path in JSON can name.
    num_unnamed: usize,
    is_cut: bool,
}

/// A capture that was found.
pub(crate) struct Capture {
    pub path: PathBuf,
    line: String,
}

/// Looks at files from the `first` on, until time is over or there is enough for an answer.
pub(crate) async fn find(call: &Call<'_>, part: Option<&str>, first: usize) -> Result<Found, Refusal> {
    let (mut files, is_cut) = call.folders().files();
    let num_found = files.len();
    files.retain(|path| path.to_str().is_some());
    let is_wanted = |path: &&PathBuf| {
        part.is_none_or(|part| path.to_string_lossy().to_lowercase().contains(&part.to_lowercase()))
    };
    let begun = Instant::now();
    let mut found = Found {
        captures: Vec::new(),
        next: None,
        num_looked: 0,
        num_unnamed: num_found - files.len(),
        is_cut,
    };
    let mut len = 0;
    let wanted: Vec<&PathBuf> = files.iter().filter(is_wanted).collect();
    for (position, path) in wanted.iter().enumerate().skip(first) {
        if len > call.page().max_bytes || begun.elapsed() > MAX_TIME {
            found.next = Some(position as u64);
            break;
        }
        found.num_looked += 1;
        let Some(info) = look(call, path).await? else { continue };
        let is_listed = |other: &Path| wanted.binary_search_by(|one| one.as_path().cmp(other)).is_ok();
        if is_part_of_another(path, &info, is_listed) {
            continue;
        }
        let line = described(&path.to_string_lossy(), &plain::cells(info));
        len += answer_len(&line) + 1;
        found.captures.push((position, Capture { path: (*path).clone(), line }));
    }
    Ok(found)
}

/// Whether a file belongs to a capture of several files whose first file has a line of its own: a volume of an archive of PCP.
fn is_part_of_another(path: &Path, info: &Value, is_listed: impl Fn(&Path) -> bool) -> bool {
    let files = info.get(0).map(|info| list(info, "files")).unwrap_or_default();
    files
        .first()
        .and_then(Value::as_str)
        .map(Path::new)
        .is_some_and(|first| first != path && is_listed(first))
}

/// What a file is, if it is a capture: the JSON of `info`.
async fn look(call: &Call<'_>, path: &Path) -> Result<Option<Value>, Refusal> {
    if call.folders().check(path).is_err() {
        return Ok(None);
    }
    let words = Words::new("info").flag("--json").inputs([path.to_path_buf()]);
    let mut json = Vec::new();
    let limit = MAX_FILE_TIME.min(call.time_left()?);
    let ended = call
        .run_for(&words, limit, |bytes| {
            json.extend_from_slice(bytes);
            ControlFlow::Continue(())
        })
        .await;
    call.check_cancelled()?;
    let is_capture = ended.is_ok_and(|ended| ended.code.is_some_and(|code| code < 2));
    if !is_capture {
        return Ok(None);
    }
    Ok(serde_json::from_slice::<Value>(&json).ok())
}

/// A line about a capture.
fn described(path: &str, info: &Value) -> String {
    let Some(info) = info.get(0) else { return plain::name(path) };
    let hosts: Vec<&str> = list(info, "hosts").iter().filter_map(Value::as_str).collect();
    let health = match info.get("is_sound").and_then(Value::as_bool) {
        Some(false) => format!("findings {}", info.get("num_findings").and_then(Value::as_u64).unwrap_or(1)),
        _ => "sound".into(),
    };
    let samples = info.get("num_samples").and_then(Value::as_u64).unwrap_or(0);
    let (first, last) = (text(info, "first_sample"), text(info, "last_sample"));
    let (format, hosts) = (text(info, "format"), hosts.join(", "));
    // The path isn't cut: it is needed to ask about the capture.
    let rest = plain::line(
        &format!("{format} | {hosts} | {first}..{last} | {samples} samples | {health}"),
        TABLE_LINE,
    );
    format!("{} | {rest}", plain::name(path))
}

#[cfg(test)]
mod tests {
    use serde_json::json;

    use super::*;

    #[test]
    fn an_archive_is_listed_once() {
        let info = json!([{ "files": ["/a/x.meta", "/a/x.0"] }]);
        let is_listed = |path: &Path| path == Path::new("/a/x.meta");
        assert!(is_part_of_another(Path::new("/a/x.0"), &info, is_listed));
        assert!(is_part_of_another(Path::new("/a/x.index"), &info, is_listed));
        assert!(!is_part_of_another(Path::new("/a/x.meta"), &info, is_listed));
        // The first file isn't asked for, or is in an archive.
        assert!(!is_part_of_another(Path::new("/a/x.0"), &info, |_| false));
        assert!(!is_part_of_another(Path::new("/a/x.0"), &json!([]), is_listed));
    }
}
