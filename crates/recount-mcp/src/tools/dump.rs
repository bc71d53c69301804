//! The structure of a place in a capture.

use std::collections::VecDeque;
use std::ops::ControlFlow;

use schemars::JsonSchema;
use serde::Deserialize;

use crate::answer::Answer;
use crate::ask::{Call, TABLE_LINE};
use crate::plain;
use crate::refusal::Refusal;
use crate::tools::Tool;
use crate::words::Words;

/// How many lines before and behind a place are shown, if nothing else is asked for.
const DEFAULT_LINES: usize = 12;

const MAX_LINES: usize = 500;

/// The longest line that is read.
const MAX_LINE: usize = 4 << 10;

#[derive(Debug, Deserialize, JsonSchema)]
pub(super) struct DumpAt {
    /// File
    capture: String,
    /// Byte, as 4096 or 0x1000
    offset: String,
    /// Lines before and behind it [12]
    lines: Option<usize>,
}

impl Tool for DumpAt {
    const NAME: &str = "dump_at";
    const DESCRIPTION: &str = "The raw structure around a byte of a binary capture: the structures that contain it, and its fields with \
        their offsets. For places that health or an error names.";

    async fn answer(self, call: &Call<'_>) -> Result<Answer, Refusal> {
        let path = call.folders().capture(&self.capture)?;
        if path.is_dir() {
            return Err(Refusal::new("capture: a file is needed, not a folder"));
        }
        let offset = offset(&self.offset)?;
        let lines = self.lines.unwrap_or(DEFAULT_LINES);
        if lines > MAX_LINES {
            return Err(Refusal::new(format!("lines: at most {MAX_LINES}")));
        }
        let words = Words::new("dump").inputs([path]);
        let mut around = Around::new(offset, lines);
        let ended = call.run(&words, |bytes| around.push(bytes)).await?;
        if ended.code.is_some_and(|code| code > 1) {
            return Err(ended.refusal());
        }
        let mut cutter = call.cutter(TABLE_LINE);
        around.finish().iter().for_each(|line| cutter.push_line(line));
        let (output, next_cursor) = cutter.finish();
        let mut notes = ended.notes();
        notes.push(
            "part of what the command prints: the structures around the byte, and lines near it".into(),
        );
        Ok(Answer { command: words.shown(), output, exit_code: ended.code, next_cursor, notes })
    }
}

fn offset(text: &str) -> Result<u64, Refusal> {
    let parsed = match text.trim().strip_prefix("0x") {
        Some(digits) => u64::from_str_radix(digits, 16),
        None => text.trim().parse(),
    };
    parsed.map_err(|_| Refusal::new("offset: a number of a byte is needed, as 4096 or 0x1000"))
}

/// The lines around an offset, of lines `0x00000010     field = value`, whose offsets mostly ascend.
#[derive(Debug)]
struct Around {
    offset: u64,
    num: usize,
    /// Lines that begin the structures which the current one is in.
    open: Vec<(usize, String)>,
    recent: VecDeque<String>,
    /// The greatest offset so far that isn't behind the wanted one.
    best: Option<u64>,
    found: Vec<String>,
    num_behind: usize,
    line: Vec<u8>,
}

impl Around {
    fn new(offset: u64, num: usize) -> Around {
        let (open, recent) = (Vec::new(), VecDeque::new());
        Around { offset, num, open, recent, best: None, found: Vec::new(), num_behind: 0, line: Vec::new() }
    }

    fn push(&mut self, bytes: &[u8]) -> ControlFlow<()> {
        for &byte in bytes {
            if byte != b'\n' {
                if self.line.len() < MAX_LINE {
                    self.line.push(byte);
                }
                continue;
            }
            let line = std::mem::take(&mut self.line);
            self.take(&String::from_utf8_lossy(&line))?;
        }
        ControlFlow::Continue(())
    }

    fn take(&mut self, line: &str) -> ControlFlow<()> {
        let at = line.strip_prefix("0x").and_then(|rest| rest.split_once(' '));
        let place = at.and_then(|(digits, text)| Some((u64::from_str_radix(digits, 16).ok()?, text)));
        let shown = plain::line(line, TABLE_LINE);
        if let Some((offset, text)) = place {
            let depth = text.len() - text.trim_start().len();
            self.open.retain(|(open, _)| *open < depth);
            if offset <= self.offset && self.best.is_none_or(|best| offset >= best) {
                self.best = Some(offset);
                self.num_behind = 0;
                let is_far = |line: &String| !self.recent.contains(line);
                self.found = self.open.iter().map(|(_, line)| line.clone()).filter(is_far).collect();
                if !self.found.is_empty() && !self.recent.is_empty() {
                    self.found.push("…".into());
                }
                self.found.extend(self.recent.iter().cloned());
                self.found.push(format!("{shown}   <--"));
            } else if self.best.is_some() && self.num_behind < self.num {
                self.found.push(shown.clone());
                self.num_behind += 1;
            } else if self.best.is_some() && offset > self.offset {
                return ControlFlow::Break(());
            }
            self.open.push((depth, shown.clone()));
        }
        self.recent.push_back(shown);
        if self.recent.len() > self.num {
            self.recent.pop_front();
        }
        ControlFlow::Continue(())
    }

    fn finish(self) -> Vec<String> {
        self.found
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_lines_around_an_offset_are_found() {
        let mut text = String::new();
        for block in 0..20_u64 {
            text.push_str(&format!("0x{:08x} block\n", block * 100));
            for field in 0..10_u64 {
                text.push_str(&format!("0x{:08x}   field = {field}\n", block * 100 + field * 10));
            }
        }
        let mut around = Around::new(573, 2);
        assert!(around.push(text.as_bytes()).is_break());
        let expected = [
            "0x000001f4 block",
            "…",
            "0x00000226   field = 5",
            "0x00000230   field = 6",
            "0x0000023a   field = 7   <--",
            "0x00000244   field = 8",
            "0x0000024e   field = 9",
        ];
        assert_eq!(around.finish(), expected);
        let mut around = Around::new(u64::MAX, 1);
        assert!(around.push(text.as_bytes()).is_continue());
        assert_eq!(around.finish().last().map(String::as_str), Some("0x000007c6   field = 9   <--"));
    }

    #[test]
    fn offsets_are_numbers() {
        assert_eq!(offset("0x1f").expect("an offset"), 31);
        assert_eq!(offset(" 31 ").expect("an offset"), 31);
        assert!(["", "0x", "-1", "x", "99999999999999999999999"].iter().all(|text| offset(text).is_err()));
    }
}
