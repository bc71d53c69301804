//! Where the header begins: console captures and spreadsheets have something in front of it
//! (`formats/pdh-text.md#recognising`).

use memchr::{memchr_iter, memrchr2};

use crate::structure::line::{Line, LineEnd};
use crate::structure::mark::{dialect_of, is_unmarked};

/// The header begins within this many bytes of text.
pub(crate) const LEN_SEARCHED: usize = 4096;

/// The offset of the header in a text: of its mark, or of the first line that isn't blank if that names counters without a
/// mark.
pub(crate) fn header_at(text: &[u8]) -> Option<usize> {
    let searched = &text[..text.len().min(LEN_SEARCHED)];
    marked(searched).or_else(|| {
        let blank = searched.len() - searched.trim_ascii_start().len();
        let line = Line::at(text, blank, LineEnd::of(&text[blank..]))?;
        is_unmarked(line).then_some(blank)
    })
}

/// The offset of `(PDH-CSV ` or the quotes before it. It is at the start of the text or of a line, or it follows what a
/// program wrote to the terminal without ending the line; within a table, it is something else.
fn marked(searched: &[u8]) -> Option<usize> {
    memchr_iter(b'(', searched).find_map(|at| {
        dialect_of(&searched[at..])?;
        // Of its own, and of a line that is quoted as a whole.
        let num_quotes = searched[..at].iter().rev().take(3).take_while(|&&byte| byte == b'"').count();
        let start = at - num_quotes;
        let line = memrchr2(b'\n', b'\r', &searched[..start]).map_or(0, |end| end + 1);
        let before = &searched[line..start];
        let is_table = before.iter().any(|byte| matches!(byte, b',' | b';' | b'\t' | b'"' | b'`'));
        // Text that quotes a header is indented, or has it in the middle of a sentence.
        let is_quoted = line > 0 && before.ends_with(b" ");
        (!is_table && !is_quoted).then_some(start)
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn headers_are_found_behind_what_others_wrote() {
        for (text, expected) in [
            ("\"(PDH-CSV 4.0)\",\"\\\\H\\O\\C\"", Some(0)),
            (" (pdh-tsv 4.0)\t\\O\\C", Some(1)),
            ("\r\n\"(PDH-CSV 4.0)\",", Some(2)),
            ("sep=,\r\n(PDH-CSV 4.0),", Some(7)),
            ("TERM environment variable not set.\n\"(PDH-CSV 4.0) (UTC)(0)\",", Some(35)),
            ("TERM not set.\"(PDH-CSV 4.0) (UTC)(0)\",", Some(13)),
            ("Time,\"(PDH-CSV 4.0)\"", None),
            ("The header:\n\n    \"(PDH-CSV 4.0) (UTC)(0)\",\"x\"", None),
            ("the mark `(PDH-CSV 4.0)`", None),
            ("\r\n\"Time\",\"\\\\H\\Processor(_Total)\\% Processor Time\"\r\n", Some(2)),
            ("Time,CPU\n1,2\n", None),
            ("", None),
        ] {
            assert_eq!(header_at(text.as_bytes()), expected, "{text}");
        }
        let far = format!("{}\n\"(PDH-CSV 4.0)\",", "x".repeat(LEN_SEARCHED));
        assert_eq!(header_at(far.as_bytes()), None);
    }
}
