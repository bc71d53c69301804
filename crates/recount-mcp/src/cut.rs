//! Which part of an output an answer has.

use recount_model::answer_len;

use crate::plain;

/// The longest line that is read; the rest of a longer one is skipped.
const MAX_LINE: usize = 64 << 10;

/// Takes an output as it arrives, and keeps whole lines of it: those from `cursor` on, as long as there is room.
#[derive(Debug)]
pub(crate) struct Cutter {
    max_bytes: usize,
    max_line: usize,
    cursor: u64,
    /// Bytes of the lines so far, as they would be shown.
    position: u64,
    kept: String,
    /// Of what is kept, as `answer_len` counts it.
    len: usize,
    next_cursor: Option<u64>,
    line: Vec<u8>,
    /// Of CSV: whether the text so far ends within quotes.
    in_quotes: Option<bool>,
}

impl Cutter {
    /// Keeps `max_bytes` from `cursor` on; lines have at most `max_line` characters.
    pub(crate) fn new(max_bytes: usize, max_line: usize, cursor: u64) -> Cutter {
        Cutter {
            max_bytes,
            max_line,
            cursor,
            position: 0,
            kept: String::new(),
            len: 0,
            next_cursor: None,
            line: Vec::new(),
            in_quotes: None,
        }
    }

    /// Of CSV: a line feed within quotes ends no line.
    pub(crate) fn csv(self) -> Cutter {
        Cutter { in_quotes: Some(false), ..self }
    }

    /// More of the output.
    pub(crate) fn push(&mut self, bytes: &[u8]) {
        for part in bytes.split_inclusive(|&byte| byte == b'\n') {
            let line = part.strip_suffix(b"\n");
            let text = line.unwrap_or(part);
            self.add_to_line(text);
            if let Some(in_quotes) = &mut self.in_quotes {
                *in_quotes = text.iter().fold(*in_quotes, |open, &byte| open ^ (byte == b'"'));
            }
            match line {
                Some(_) if self.in_quotes == Some(true) => self.add_to_line(b"\n"),
                Some(_) => self.end_line(),
                None => {}
            }
        }
    }

    /// A line.
    pub(crate) fn push_line(&mut self, line: &str) {
        self.push(line.as_bytes());
        self.push(b"\n");
    }

    /// Whether later lines would be left out.
    pub(crate) fn is_full(&self) -> bool {
        self.next_cursor.is_some()
    }

    /// What was kept, and where the rest begins.
    pub(crate) fn finish(mut self) -> (String, Option<u64>) {
        if !self.line.is_empty() {
            self.end_line();
        }
        (self.kept, self.next_cursor)
    }

    fn add_to_line(&mut self, bytes: &[u8]) {
        let room = MAX_LINE.saturating_sub(self.line.len());
        self.line.extend_from_slice(bytes.get(..room).unwrap_or(bytes));
    }

    fn end_line(&mut self) {
        let line = std::mem::take(&mut self.line);
        if self.is_full() {
            return;
        }
        let text = String::from_utf8_lossy(&line);
        let mut shown = plain::line(text.trim_end_matches('\r'), self.max_line);
        shown.push('\n');
        let begin = self.position;
        self.position += shown.len() as u64;
        if begin < self.cursor {
            return;
        }
        // A line is kept even if it is longer than the answer may be: else its cursor would come back for ever.
        let len = self.len + answer_len(&shown);
        if !self.kept.is_empty() && len > self.max_bytes {
            self.next_cursor = Some(begin);
        } else {
            self.len = len;
            self.kept.push_str(&shown);
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn cut(text: &str, max_bytes: usize, cursor: u64) -> (String, Option<u64>) {
        let mut cutter = Cutter::new(max_bytes, 400, cursor);
        for byte in text.as_bytes() {
            cutter.push(std::slice::from_ref(byte));
        }
        cutter.finish()
    }

    #[test]
    fn pages_together_are_the_output() {
        let text = (0..100).fold(String::new(), |text, number| text + &format!("line \x1b {number}\n"));
        let (mut all, mut cursor, mut pages) = (String::new(), Some(0), 0);
        while let Some(from) = cursor {
            let (page, next) = cut(&text, 100, from);
            assert!(page.len() <= 100 && page.ends_with('\n'));
            all.push_str(&page);
            (cursor, pages) = (next, pages + 1);
        }
        assert_eq!(all, text.replace('\x1b', "\\u{1b}"));
        assert!(pages > 10);
    }

    #[test]
    fn names_in_csv_begin_no_line() {
        let text = "a,b\n\"x\nfake\",\"say \"\"no\"\"\"\nc,d\n";
        let mut cutter = Cutter::new(1_000, 400, 0).csv();
        text.bytes().for_each(|byte| cutter.push(&[byte]));
        assert_eq!(cutter.finish().0, "a,b\n\"x\\u{a}fake\",\"say \"\"no\"\"\"\nc,d\n");
    }

    /// A character of these is three tokens.
    #[test]
    fn parts_of_rare_scripts_are_shorter() {
        let text = "\u{13a0}\u{13a1}\u{13a2}\n".repeat(100);
        let (page, next) = cut(&text, 1_000, 0);
        assert!((300..500).contains(&page.len()) && next.is_some(), "{}", page.len());
    }

    #[test]
    fn a_line_that_is_too_long_is_still_answered() {
        let (page, next) = cut(&format!("{}\nb\n", "a".repeat(300)), 100, 0);
        assert_eq!((page.len(), next), (301, Some(301)));
        assert_eq!(cut("no end", 100, 0), ("no end\n".into(), None));
        assert_eq!(cut("a\nb\n", 100, 77), (String::new(), None));
    }
}
