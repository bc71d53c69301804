//! Lines, and the fields of a line.

use std::borrow::Cow;

/// One line of the text.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) struct Line<'a> {
    /// Offset in the text.
    pub(super) ofs: usize,
    /// Without its line end.
    pub(super) bytes: &'a [u8],
    /// Offset behind the line end.
    pub(super) ofs_next: usize,
    /// Whether there is a line end at all.
    pub(super) ended: bool,
}

impl<'a> Line<'a> {
    /// The line that begins at an offset; `None` at the end of the text.
    ///
    /// A line feed always ends a line, within quotes too: PDH writes none there, and so a quote that is
    /// missing damages one line and not the rest of the file.
    pub(super) fn at(text: &'a [u8], ofs: usize) -> Option<Line<'a>> {
        let rest = text.get(ofs..).filter(|rest| !rest.is_empty())?;
        let end = rest.iter().position(|&byte| byte == b'\n');
        let bytes = &rest[..end.unwrap_or(rest.len())];
        let stripped = bytes.strip_suffix(b"\r");
        Some(Line {
            ofs,
            bytes: stripped.unwrap_or(bytes),
            ofs_next: ofs + end.map_or(rest.len(), |end| end + 1),
            ended: end.is_some() || stripped.is_some(),
        })
    }

    /// The fields of the line.
    pub(super) fn fields(self, separator: u8) -> Fields<'a> {
        Fields { line: self.bytes, ofs_line: self.ofs, at: Some(0), separator }
    }
}

/// One field of a line.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) struct Field<'a> {
    /// Offset in the text.
    pub(super) ofs: usize,
    /// What stands between the quotes or separators; doubled quotes are still double.
    pub(super) raw: &'a [u8],
    /// Whether it is in quotes.
    pub(super) quoted: bool,
    /// Whether the quotes are closed.
    pub(super) closed: bool,
}

impl<'a> Field<'a> {
    /// The field with doubled quotes made single.
    pub(super) fn unquoted(self) -> Cow<'a, [u8]> {
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

    /// Nothing, spaces, or NULs that a crash left.
    pub(super) fn is_blank(self) -> bool {
        self.raw.iter().all(|byte| byte.is_ascii_whitespace() || *byte == 0)
    }
}

/// Cuts a line into fields.
#[derive(Clone, Debug)]
pub(super) struct Fields<'a> {
    line: &'a [u8],
    ofs_line: usize,
    /// Where the next field begins; `None` behind the last.
    at: Option<usize>,
    separator: u8,
}

impl Fields<'_> {
    /// Where the quoted field that begins at `start` (behind its quote) ends, at its quote.
    ///
    /// A quote ends the field only in front of a separator or the end of the line: Windows doesn't double the
    /// quotes of instance names.
    fn closing_quote(&self, start: usize) -> Option<usize> {
        let mut at = start;
        while let Some(found) = self.line[at..].iter().position(|&byte| byte == b'"') {
            let quote = at + found;
            match self.line.get(quote + 1) {
                None => return Some(quote),
                Some(&next) if next == self.separator => return Some(quote),
                Some(b'"') => at = quote + 2,
                Some(_) => at = quote + 1,
            }
        }
        None
    }
}

impl<'a> Iterator for Fields<'a> {
    type Item = Field<'a>;

    fn next(&mut self) -> Option<Field<'a>> {
        let at = self.at?;
        let blanks = self.line[at..].iter().take_while(|&&byte| byte == b' ').count();
        if self.line.get(at + blanks) == Some(&b'"') {
            let start = at + blanks + 1;
            let end = self.closing_quote(start);
            self.at = end.and_then(|end| (end + 1 < self.line.len()).then_some(end + 2));
            let raw = &self.line[start..end.unwrap_or(self.line.len())];
            return Some(Field { ofs: self.ofs_line + start, raw, quoted: true, closed: end.is_some() });
        }
        let len = self.line[at..].iter().position(|&byte| byte == self.separator);
        self.at = len.map(|len| at + len + 1);
        let raw = &self.line[at..len.map_or(self.line.len(), |len| at + len)];
        Some(Field { ofs: self.ofs_line + at, raw, quoted: false, closed: true })
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn fields(line: &str) -> Vec<(usize, String, bool)> {
        let line = Line::at(line.as_bytes(), 0).expect("not empty");
        line.fields(b',')
            .map(|f| (f.ofs, String::from_utf8(f.unquoted().into_owned()).expect("ASCII"), f.closed))
            .collect()
    }

    #[test]
    fn lines_end_at_line_feeds() {
        let text = b"ab\r\n\nc";
        let first = Line::at(text, 0).expect("first");
        assert_eq!((first.bytes, first.ofs_next, first.ended), (&b"ab"[..], 4, true));
        let second = Line::at(text, 4).expect("second");
        assert_eq!((second.bytes, second.ofs_next), (&b""[..], 5));
        let third = Line::at(text, 5).expect("third");
        assert_eq!((third.bytes, third.ofs_next, third.ended), (&b"c"[..], 6, false));
        assert_eq!(Line::at(text, 6), None);
    }

    #[test]
    fn fields_with_and_without_quotes() {
        let own = |ofs, text: &str, closed| (ofs, text.to_owned(), closed);
        assert_eq!(fields("\"a,b\",c"), [own(1, "a,b", true), own(6, "c", true)]);
        assert_eq!(fields("\"a\"\"b\",\"\""), [own(1, "a\"b", true), own(8, "", true)]);
        assert_eq!(fields("1, \"2\","), [own(0, "1", true), own(4, "2", true), own(7, "", true)]);
    }

    #[test]
    fn quotes_within_and_quotes_left_open() {
        let own = |ofs, text: &str, closed| (ofs, text.to_owned(), closed);
        assert_eq!(fields("\"a\"b\",\"c"), [own(1, "a\"b", true), own(7, "c", false)]);
        assert_eq!(fields("\""), [own(1, "", false)]);
        assert_eq!(fields("\"a\","), [own(1, "a", true), own(4, "", true)]);
    }
}
