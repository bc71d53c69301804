//! Lines, and the fields of a line.

use std::borrow::Cow;

use memchr::{memchr, memchr2, memmem};

/// The line end.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum LineEnd {
    /// A line feed, optionally preceded by carriage returns.
    LineFeed,
    /// A carriage return alone, as from spreadsheets on a Mac, or a line feed.
    Return,
}

impl LineEnd {
    /// The line end of the first line of a text.
    pub(crate) fn of(text: &[u8]) -> LineEnd {
        let Some(first) = memchr2(b'\r', b'\n', text) else { return LineEnd::LineFeed };
        match text[first..].iter().find(|&&byte| byte != b'\r') {
            Some(b'\n') => LineEnd::LineFeed,
            _ => LineEnd::Return,
        }
    }
}

/// One line of the text.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) struct Line<'a> {
    /// Offset in the text.
    pub(crate) ofs: usize,
    /// Without its line end.
    pub(crate) bytes: &'a [u8],
    /// Offset after the line end.
    pub(crate) ofs_next: usize,
    /// Whether there is a line end at all.
    pub(crate) ended: bool,
}

impl<'a> Line<'a> {
    /// The line that begins at an offset; `None` at the end of the text.
    ///
    /// A line end counts even within quotes: PDH never writes one there, so a missing quote only damages one
    /// line and not the rest of the file.
    pub(crate) fn at(text: &'a [u8], ofs: usize, line_end: LineEnd) -> Option<Line<'a>> {
        let rest = text.get(ofs..).filter(|rest| !rest.is_empty())?;
        let end = match line_end {
            LineEnd::LineFeed => memchr(b'\n', rest),
            LineEnd::Return => memchr2(b'\r', b'\n', rest),
        };
        let bytes = &rest[..end.unwrap_or(rest.len())];
        let num_returns = bytes.iter().rev().take_while(|&&byte| byte == b'\r').count();
        Some(Line {
            ofs,
            bytes: &bytes[..bytes.len() - num_returns],
            ofs_next: ofs + end.map_or(rest.len(), |end| end + 1),
            ended: end.is_some() || num_returns > 0,
        })
    }

    /// The fields of a header, whose names may contain quotes that weren't doubled.
    pub(crate) fn names(self, separator: u8) -> Fields<'a> {
        let path_start = path_start(self.bytes);
        Fields { line: self.bytes, ofs_line: self.ofs, at: Some(0), separator, are_names: true, path_start }
    }

    /// The fields of a row, which contain no quotes.
    pub(crate) fn values(self, separator: u8) -> Fields<'a> {
        let path_start = &[];
        Fields { line: self.bytes, ofs_line: self.ofs, at: Some(0), separator, are_names: false, path_start }
    }

    /// Whether the end of the file may have truncated one of its fields.
    pub(crate) fn may_cut(self, field: Field<'_>) -> bool {
        let is_last = field.ofs + field.raw.len() == self.ofs + self.bytes.len();
        let is_whole = self.ended || (field.quoted && field.closed) || field.is_blank();
        is_last && !is_whole
    }
}

/// One field of a line.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) struct Field<'a> {
    /// Offset in the text.
    pub(crate) ofs: usize,
    /// The text between the quotes or separators; doubled quotes are still doubled.
    pub(crate) raw: &'a [u8],
    /// Whether it is in quotes.
    pub(crate) quoted: bool,
    /// Whether the quotes are closed.
    pub(crate) closed: bool,
}

impl<'a> Field<'a> {
    /// The field with doubled quotes replaced by single ones.
    pub(crate) fn unquoted(self) -> Cow<'a, [u8]> {
        if !self.quoted || !self.raw.contains(&b'"') {
            return Cow::Borrowed(self.raw);
        }
        let mut out = Vec::with_capacity(self.raw.len());
        let mut bytes = self.raw.iter().copied().peekable();
        while let Some(byte) = bytes.next() {
            out.push(byte);
            if byte == b'"' {
                bytes.next_if_eq(&b'"');
            }
        }
        Cow::Owned(out)
    }

    /// Whether it is empty, or only spaces or NULs left by a crash.
    pub(crate) fn is_blank(self) -> bool {
        self.raw.iter().all(|byte| byte.is_ascii_whitespace() || *byte == 0)
    }
}

/// Cuts a line into fields.
#[derive(Clone, Debug)]
pub(crate) struct Fields<'a> {
    line: &'a [u8],
    ofs_line: usize,
    /// Offset of the next field; `None` after the last.
    at: Option<usize>,
    separator: u8,
    are_names: bool,
    /// How the paths in a header begin.
    path_start: &'static [u8],
}

impl Fields<'_> {
    /// The end of the quoted field whose text begins at `start`: at a quote before a separator or the end of
    /// the line, ignoring blanks. Other quotes are part of a name: Windows doesn't double them.
    ///
    /// Values have no quotes, so in a row another quote begins the next field: esxtop leaves separators out.
    fn closing_quote(&self, start: usize) -> Option<usize> {
        let mut at = start;
        while let Some(found) = memchr(b'"', &self.line[at..]) {
            let quote = at + found;
            let next = quote + 1 + num_blanks(&self.line[quote + 1..]);
            match self.line.get(next) {
                None => return Some(quote),
                Some(&next) if next == self.separator => return Some(quote),
                Some(b'"') if !self.are_names => return Some(quote),
                Some(b'"') if next == quote + 1 => at = quote + 2,
                Some(_) => at = quote + 1,
            }
        }
        None
    }

    /// Offset of the field after a closing quote.
    fn after_quote(&self, quote: usize) -> Option<usize> {
        let next = quote + 1 + num_blanks(&self.line[quote + 1..]);
        match self.line.get(next)? {
            b'"' => Some(next),
            _ => Some(next + 1),
        }
    }
}

/// How the paths in a header begin: with the name of a machine, or without.
pub(crate) fn path_start(header: &[u8]) -> &'static [u8] {
    if memmem::find(header, br"\\").is_some() { br"\\" } else { br"\" }
}

/// Where an unquoted name at the beginning of a line ends: at a separator that isn't within its parentheses. One before a path ends it,
/// too: a name that was cut off lacks its closing parenthesis.
pub(crate) fn end_of_name(
    line: &[u8],
    is_separator: impl Fn(u8) -> bool,
    path_start: &[u8],
) -> Option<usize> {
    let mut depth = 0_usize;
    line.iter().enumerate().position(|(at, &byte)| match byte {
        b'(' => {
            depth += 1;
            false
        }
        b')' => {
            depth = depth.saturating_sub(1);
            false
        }
        byte if is_separator(byte) => {
            let next = &line[at + 1..];
            let next = &next[num_blanks(next)..];
            let unquoted = next.strip_prefix(b"\"").unwrap_or(next);
            depth == 0 || next.is_empty() || unquoted.starts_with(path_start)
        }
        _ => false,
    })
}

fn num_blanks(bytes: &[u8]) -> usize {
    bytes.iter().take_while(|&&byte| byte == b' ').count()
}

impl<'a> Iterator for Fields<'a> {
    type Item = Field<'a>;

    fn next(&mut self) -> Option<Field<'a>> {
        let at = self.at?;
        let start = at + num_blanks(&self.line[at..]);
        if self.line.get(start) == Some(&b'"') {
            let start = start + 1;
            let end = self.closing_quote(start);
            self.at = end.and_then(|end| self.after_quote(end));
            let raw = &self.line[start..end.unwrap_or(self.line.len())];
            return Some(Field { ofs: self.ofs_line + start, raw, quoted: true, closed: end.is_some() });
        }
        let rest = &self.line[at..];
        let len = if self.are_names {
            end_of_name(rest, |byte| byte == self.separator, self.path_start)
        } else {
            memchr(self.separator, rest)
        };
        self.at = len.map(|len| at + len + 1);
        let raw = &self.line[at..len.map_or(self.line.len(), |len| at + len)];
        Some(Field { ofs: self.ofs_line + at, raw, quoted: false, closed: true })
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn fields(line: &str) -> Vec<(usize, String, bool)> {
        let line = Line::at(line.as_bytes(), 0, LineEnd::LineFeed).expect("not empty");
        line.names(b',')
            .map(|f| (f.ofs, String::from_utf8(f.unquoted().into_owned()).expect("ASCII"), f.closed))
            .collect()
    }

    #[test]
    fn lines_end_at_line_feeds() {
        let text = b"ab\r\n\nc";
        let first = Line::at(text, 0, LineEnd::LineFeed).expect("first");
        assert_eq!((first.bytes, first.ofs_next, first.ended), (&b"ab"[..], 4, true));
        let second = Line::at(text, 4, LineEnd::LineFeed).expect("second");
        assert_eq!((second.bytes, second.ofs_next), (&b""[..], 5));
        let third = Line::at(text, 5, LineEnd::LineFeed).expect("third");
        assert_eq!((third.bytes, third.ofs_next, third.ended), (&b"c"[..], 6, false));
        assert_eq!(Line::at(text, 6, LineEnd::LineFeed), None);
    }

    #[test]
    fn fields_with_and_without_quotes() {
        let own = |ofs, text: &str, closed| (ofs, text.to_owned(), closed);
        assert_eq!(fields("\"a,b\",c"), [own(1, "a,b", true), own(6, "c", true)]);
        assert_eq!(fields("\"a\"\"b\",\"\""), [own(1, "a\"b", true), own(8, "", true)]);
        assert_eq!(
            fields("(x, y)(0),\\O(a,b)\\C"),
            [own(0, "(x, y)(0)", true), own(10, "\\O(a,b)\\C", true)]
        );
        assert_eq!(
            fields("(x, (y,\\O\\C,d"),
            [own(0, "(x, (y", true), own(7, "\\O\\C", true), own(12, "d", true)]
        );
        let of_host = r"\\H\O(a,\b)\C";
        assert_eq!(fields(of_host), [own(0, of_host, true)]);
        assert_eq!(fields("1, \"2\","), [own(0, "1", true), own(4, "2", true), own(7, "", true)]);
    }

    #[test]
    fn quotes_within_and_quotes_left_open() {
        let own = |ofs, text: &str, closed| (ofs, text.to_owned(), closed);
        assert_eq!(fields("\"a\"b\",\"c"), [own(1, "a\"b", true), own(7, "c", false)]);
        assert_eq!(fields("\""), [own(1, "", false)]);
        assert_eq!(fields("\"a\","), [own(1, "a", true), own(4, "", true)]);
    }

    #[test]
    fn carriage_returns_may_end_lines() {
        assert_eq!(LineEnd::of(b"a\r\r\nb\rc"), LineEnd::LineFeed);
        assert_eq!(LineEnd::of(b"a\n\rb"), LineEnd::LineFeed);
        assert_eq!(LineEnd::of(b"a\rb\r"), LineEnd::Return);
        assert_eq!(LineEnd::of(b"a"), LineEnd::LineFeed);
        let line = Line::at(b"a\r\r\nb", 0, LineEnd::LineFeed).expect("a line");
        assert_eq!((line.bytes, line.ofs_next), (&b"a"[..], 4));
        let line = Line::at(b"a\rb\r", 2, LineEnd::Return).expect("a line");
        assert_eq!((line.bytes, line.ofs_next, line.ended), (&b"b"[..], 4, true));
    }

    #[test]
    fn values_need_no_separator() {
        let values = |line: &str| -> Vec<String> {
            let line = Line::at(line.as_bytes(), 0, LineEnd::LineFeed).expect("not empty");
            let fields = line.values(b',').map(|field| String::from_utf8_lossy(field.raw).into_owned());
            fields.collect()
        };
        assert_eq!(values(r#""t","1""2","3" "4" ,"""5""#), ["t", "1", "2", "3", "4", "", "5"]);
        assert_eq!(values(r#""t","1","","#), ["t", "1", "", ""]);
        assert_eq!(values(r#""t","" ,"2 " "#), ["t", "", "2 "]);
    }
}
