//! The bytes of a file as lines of text, whatever its encoding, and the way back to offsets in the file.

mod code_page;
mod start;
mod unquoted;
mod utf16;

use std::borrow::Cow;
use std::ops::Range;
use std::sync::Arc;

use recount_model::{Content, FindingKind, Health, Place};

use crate::structure::line::{Line, LineEnd};
pub use code_page::{CodePage, UnknownCodePage};
use unquoted::{UnquotedText, is_quoted_line};
use utf16::Utf16Text;

/// How many bytes of a file are enough to recognise it: twice what is searched for the header, as UTF-16 needs.
const LEN_RECOGNISED: usize = 2 * start::LEN_SEARCHED + 1024;

/// The text of a file. All offsets elsewhere in the reader are offsets in [`Text::bytes`].
///
/// Text in code pages is kept as it is and decoded name by name: in all of them, quotes, separators and line
/// ends are ASCII bytes and never part of another character.
pub(crate) struct Text {
    content: Arc<dyn Content>,
    form: TextForm,
    line_end: LineEnd,
    /// Offset of the header; `None` if there is none.
    ofs_header: Option<usize>,
    code_page: CodePage,
    /// How its encoding was determined.
    origin: Origin,
}

enum TextForm {
    /// The bytes of the file after a byte order mark of this length.
    AsIs { len_mark: usize },
    /// Transcoded to UTF-8.
    Utf16(Utf16Text),
    /// Lines without the quotes around each of them.
    Unquoted(UnquotedText),
}

/// How the encoding is known.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Origin {
    /// From its byte order mark, or because it is unmistakable.
    Certain,
    /// Given by the caller.
    Given,
    /// From its letters.
    Detected,
}

impl Text {
    /// Opens a file in the encoding of its byte order mark, otherwise the given one, otherwise the detected
    /// one.
    pub(crate) fn of(content: Arc<dyn Content>, given: Option<CodePage>, health: &mut Health) -> Text {
        let bytes = content.bytes();
        let (code_page, len_mark, origin) = match (CodePage::of_mark(bytes), given) {
            (Some((code_page, len_mark)), _) => (code_page, len_mark, Origin::Certain),
            (None, Some(given)) => (given, 0, Origin::Given),
            (None, None) => match CodePage::utf16_without_mark(bytes) {
                Some(code_page) => (code_page, 0, Origin::Certain),
                None => (CodePage::UTF_8, 0, Origin::Certain),
            },
        };
        let form = match code_page.utf16_order() {
            Some(order) => TextForm::Utf16(Utf16Text::of(bytes, len_mark, order, health)),
            None => TextForm::AsIs { len_mark },
        };
        let mut text =
            Text { content, form, line_end: LineEnd::LineFeed, ofs_header: None, code_page, origin };
        text.ofs_header = start::header_at(text.bytes());
        text.line_end = LineEnd::of(&text.bytes()[text.ofs_header.unwrap_or_default()..]);
        text.take_quotes_off(len_mark, health);
        let is_open =
            text.origin == Origin::Certain && len_mark == 0 && !matches!(text.form, TextForm::Utf16(_));
        if is_open {
            text.detect(health);
        }
        text
    }

    /// Reads lines without the quotes around them, if the header shows that each is one quoted field.
    fn take_quotes_off(&mut self, len_mark: usize, health: &mut Health) {
        let header = self.ofs_header.and_then(|ofs| self.line(ofs));
        let is_quoted = header.is_some_and(|header| is_quoted_line(header.bytes));
        if !is_quoted || !matches!(self.form, TextForm::AsIs { .. }) {
            return;
        }
        let place = self.header_place(self.ofs_header.unwrap_or_default(), None);
        health.note(FindingKind::Odd, place, "every line is one quoted field: read without these quotes");
        self.form = TextForm::Unquoted(UnquotedText::of(self.content.bytes(), len_mark));
        self.ofs_header = start::header_at(self.bytes());
    }

    /// Detects the code page from the header or, if that is all ASCII, from the following rows.
    fn detect(&mut self, health: &mut Health) {
        const LEN_ROWS: usize = 4096;
        let ofs = self.ofs_header.unwrap_or_default();
        let header = self.line(ofs).map_or(ofs, |line| line.ofs_next);
        let bytes = self.bytes();
        let mut sample = bytes[ofs..header].to_vec();
        let mut first = sample.iter().position(|byte| !byte.is_ascii()).map(|at| ofs + at);
        if first.is_none() {
            // Only rows: consoles write their own words in another code page.
            let rows =
                self.lines(header..bytes.len().min(header + LEN_ROWS)).filter(|line| is_row(line.bytes));
            for row in rows {
                first = first
                    .or_else(|| row.bytes.iter().position(|byte| !byte.is_ascii()).map(|at| row.ofs + at));
                sample.extend_from_slice(&row.bytes[..row.bytes.len().min(LEN_ROWS)]);
            }
        }
        let Some(first) = first else { return };
        let code_page = CodePage::detect(&sample, country_of(&bytes[ofs..header]));
        if code_page == CodePage::UTF_8 {
            return;
        }
        let place = self.header_place(first, Some("name"));
        (self.code_page, self.origin) = (code_page, Origin::Detected);
        let what = format!("not UTF-8; detected {code_page}. Override with --encoding");
        health.note(FindingKind::Odd, place, what);
    }

    /// The lines that begin in a range.
    fn lines(&self, range: Range<usize>) -> impl Iterator<Item = Line<'_>> {
        let mut ofs = range.start;
        std::iter::from_fn(move || {
            let line = self.line(ofs).filter(|line| line.ofs < range.end)?;
            ofs = line.ofs_next;
            Some(line)
        })
    }

    /// The text, without byte order mark.
    pub(crate) fn bytes(&self) -> &[u8] {
        match &self.form {
            TextForm::AsIs { len_mark } => self.content.bytes().get(*len_mark..).unwrap_or_default(),
            TextForm::Utf16(text) => text.bytes(),
            TextForm::Unquoted(text) => text.bytes(),
        }
    }

    /// Whether a file that begins with these bytes has a header. [`LEN_RECOGNISED`] of them are enough.
    pub(crate) fn has_header(bytes: &[u8]) -> bool {
        let start = &bytes[..bytes.len().min(LEN_RECOGNISED)];
        let (code_page, len_mark) = CodePage::of_mark(start)
            .or_else(|| Some((CodePage::utf16_without_mark(start)?, 0)))
            .unwrap_or((CodePage::UTF_8, 0));
        match code_page.utf16_order() {
            Some(order) => {
                let text = Utf16Text::of(start, len_mark, order, &mut Health::default());
                start::header_at(text.bytes()).is_some()
            }
            None => start::header_at(&start[len_mark..]).is_some(),
        }
    }

    /// Offset of the header; `None` if there is none.
    pub(crate) fn ofs_header(&self) -> Option<usize> {
        self.ofs_header
    }

    /// The line that begins at an offset; `None` at the end of the text.
    pub(crate) fn line(&self, ofs: usize) -> Option<Line<'_>> {
        Line::at(self.bytes(), ofs, self.line_end)
    }

    /// Decodes a part of the text. Invalid bytes become U+FFFD.
    pub(crate) fn decode<'a>(&self, bytes: &'a [u8]) -> Cow<'a, str> {
        match self.form {
            TextForm::AsIs { .. } | TextForm::Unquoted(_) => self.code_page.decode(bytes),
            TextForm::Utf16(_) => CodePage::UTF_8.decode(bytes),
        }
    }

    /// A short excerpt of the text for a message.
    pub(crate) fn excerpt(&self, bytes: &[u8]) -> String {
        const LEN_SHOWN: usize = 40;
        let is_cut = bytes.len() > LEN_SHOWN;
        let shown = self.decode(&bytes[..bytes.len().min(LEN_SHOWN)]);
        // The cut may be within a character.
        let shown = if is_cut { shown.trim_end_matches(char::REPLACEMENT_CHARACTER) } else { &shown };
        let shown = shown.replace("\r\n", " ").replace(['\r', '\n'], " ");
        format!("{shown}{}", if is_cut { "..." } else { "" })
    }

    /// The encoding, and how it is known, for people.
    pub(crate) fn encoding(&self) -> String {
        let how = match self.origin {
            Origin::Certain => "",
            Origin::Given => " (as given)",
            Origin::Detected => " (detected)",
        };
        format!("{}{how}", self.code_page)
    }

    /// The offset in the file of an offset in the text.
    pub(crate) fn ofs_in_file(&self, ofs: usize) -> u64 {
        match &self.form {
            TextForm::AsIs { len_mark } => (ofs + len_mark) as u64,
            TextForm::Utf16(text) => text.ofs_in_file(ofs),
            TextForm::Unquoted(text) => text.ofs_in_file(ofs),
        }
    }

    /// A place in the header, for findings.
    pub(crate) fn header_place(&self, ofs: usize, field: Option<&'static str>) -> Place {
        Place { ofs: self.ofs_in_file(ofs), structure: Some("PDH text header"), ofs_structure: None, field }
    }

    /// A place in the rows, for findings.
    pub(crate) fn row_place(&self, ofs: usize, field: &'static str) -> Place {
        Place {
            ofs: self.ofs_in_file(ofs),
            structure: Some("PDH text row"),
            ofs_structure: None,
            field: Some(field),
        }
    }

    /// Tells a mapped file that a range of the text was read.
    pub(crate) fn release(&self, range: Range<usize>) {
        if let TextForm::AsIs { len_mark } = self.form {
            self.content.release(range.start + len_mark..range.end + len_mark);
        }
    }
}

/// Whether a line begins like a row: with a digit, in quotes or not.
fn is_row(line: &[u8]) -> bool {
    let line = line.trim_ascii_start();
    line.strip_prefix(b"\"").unwrap_or(line).first().is_some_and(u8::is_ascii_digit)
}

/// The country, as a top-level domain, shown by what remains of the zone's name: Russian Windows calls its zones `RTZ 2
/// (зима)`, and cuts them off before the first Russian letter.
fn country_of(header: &[u8]) -> Option<&'static str> {
    const RUSSIAN: &[u8] = b") (RTZ ";
    const LEN_ZONE: usize = 64;
    let first = &header[..header.len().min(LEN_ZONE)];
    first.windows(RUSSIAN.len()).any(|part| part == RUSSIAN).then_some("ru")
}
