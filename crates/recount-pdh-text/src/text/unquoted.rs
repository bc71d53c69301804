//! Lines that a spreadsheet put into quotes as a whole, without these quotes.

use memchr::{memchr_iter, memchr2};

/// A text without the quotes around its lines.
pub(crate) struct UnquotedText {
    text: Vec<u8>,
    /// Where each line begins: here, and in the file.
    lines: Vec<(usize, u64)>,
}

/// Whether a line is one quoted field that holds others: the quotes within are doubled, and there are separators.
pub(crate) fn is_quoted_line(line: &[u8]) -> bool {
    let Some(inside) = inside(line) else { return false };
    let has_fields = || {
        [b",", b";", b"\t"].iter().any(|separator| {
            let quoted = [separator.as_slice(), b"\"\"\\"].concat();
            let bare = [separator.as_slice(), b"\\"].concat();
            [quoted, bare].iter().any(|start| inside.windows(start.len()).any(|part| part == &start[..]))
        })
    };
    has_paired_quotes(inside) && has_fields()
}

fn inside(line: &[u8]) -> Option<&[u8]> {
    line.trim_ascii().strip_prefix(b"\"")?.strip_suffix(b"\"")
}

fn has_paired_quotes(inside: &[u8]) -> bool {
    let mut quotes = memchr_iter(b'"', inside);
    while let Some(quote) = quotes.next() {
        if quotes.next() != Some(quote + 1) {
            return false;
        }
    }
    true
}

impl UnquotedText {
    /// Takes the outer quotes off each line of a file, and halves those within. Lines of another form stay as they are.
    pub(crate) fn of(file: &[u8], len_mark: usize) -> UnquotedText {
        let mut text = Vec::with_capacity(file.len());
        let mut lines = Vec::new();
        let mut at = len_mark.min(file.len());
        while at < file.len() {
            let len = memchr2(b'\n', b'\r', &file[at..]).map_or(file.len() - at, |end| end + 1);
            let (line, end) = match file[at..at + len].split_last() {
                Some((end @ (b'\n' | b'\r'), line)) => (line, Some(*end)),
                _ => (&file[at..at + len], None),
            };
            if !line.is_empty() {
                lines.push((text.len(), at as u64));
            }
            match inside(line).filter(|inside| has_paired_quotes(inside)) {
                Some(inside) => push_halved(inside, &mut text),
                None => text.extend_from_slice(line),
            }
            text.extend(end);
            at += len;
        }
        UnquotedText { text, lines }
    }

    pub(crate) fn bytes(&self) -> &[u8] {
        &self.text
    }

    /// The offset in the file of an offset in the text; within a line it is up to the number of quotes before it too small.
    pub(crate) fn ofs_in_file(&self, ofs: usize) -> u64 {
        let line = self.lines.partition_point(|(start, _)| *start <= ofs).checked_sub(1);
        line.map_or(0, |line| self.lines[line].1 + (ofs - self.lines[line].0) as u64)
    }
}

fn push_halved(inside: &[u8], text: &mut Vec<u8>) {
    let mut bytes = inside.iter().copied().peekable();
    while let Some(byte) = bytes.next() {
        text.push(byte);
        if byte == b'"' {
            bytes.next_if_eq(&b'"');
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn lines_lose_their_outer_quotes() {
        let file = b"\"a,\"\"b\"\"\"\r\n\"1,\"\"2\"\"\"\n3,\"4\"\n\"5";
        let text = UnquotedText::of(file, 0);
        assert_eq!(text.bytes(), b"a,\"b\"\r\n1,\"2\"\n3,\"4\"\n\"5");
        assert_eq!((text.ofs_in_file(0), text.ofs_in_file(7), text.ofs_in_file(20)), (0, 11, 28));
        for (line, expected) in [
            (r#""(PDH-CSV 4.0) (X)(0),""\\H\O\C""""#, true),
            (r#""(PDH-CSV 4.0) (X)(0),\\H\O\C""#, true),
            (r#""(PDH-CSV 4.0) (X)(0)","\\H\O\C""#, false),
            (r#"(PDH-CSV 4.0),"\\H\O\C""#, false),
            (r#""(PDH-CSV 4.0) (Paris, Madrid)(-60)""#, false),
        ] {
            assert_eq!(is_quoted_line(line.as_bytes()), expected, "{line}");
        }
    }
}
