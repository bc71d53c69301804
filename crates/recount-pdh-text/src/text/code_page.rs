//! Code pages: by name, by byte order mark, and by detection.

use std::borrow::Cow;
use std::fmt;
use std::str::FromStr;

use chardetng::{EncodingDetector, Iso2022JpDetection, Utf8Detection};
use encoding_rs::Encoding;

use super::utf16::ByteOrder;

/// The encoding of a text: UTF-8, UTF-16, or one of the code pages of Windows.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct CodePage(&'static Encoding);

/// An unknown code page name.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
#[error(
    "`{0}` is not a supported code page; supported are windows-1250 to windows-1258 (or 1250 to 1258), 866, 874, 932 \
     (shift_jis), 936 (gbk), 949 (euc-kr), 950 (big5), 20127 (us-ascii), 20866 (koi8-r), 21866 (koi8-u), 28591 to 28606 \
     (iso-8859-1 to iso-8859-16), 51932 (euc-jp), 54936 (gb18030), 65001 (utf-8), 1200 and 1201 (utf-16), but no others of \
     consoles, such as 437, 850 and 852"
)]
pub struct UnknownCodePage(pub String);

/// Windows' numbers of code pages with different names in the encoding standard.
const BY_NUMBER: [(u16, &Encoding); 14] = [
    (866, encoding_rs::IBM866),
    (874, encoding_rs::WINDOWS_874),
    (932, encoding_rs::SHIFT_JIS),
    (936, encoding_rs::GBK),
    (949, encoding_rs::EUC_KR),
    (950, encoding_rs::BIG5),
    (1200, encoding_rs::UTF_16LE),
    (1201, encoding_rs::UTF_16BE),
    (20127, encoding_rs::WINDOWS_1252),
    (20866, encoding_rs::KOI8_R),
    (21866, encoding_rs::KOI8_U),
    (51932, encoding_rs::EUC_JP),
    (54936, encoding_rs::GB18030),
    (65001, encoding_rs::UTF_8),
];

impl CodePage {
    pub(crate) const UTF_8: CodePage = CodePage(encoding_rs::UTF_8);
    pub(crate) const UTF_16LE: CodePage = CodePage(encoding_rs::UTF_16LE);
    pub(crate) const UTF_16BE: CodePage = CodePage(encoding_rs::UTF_16BE);

    /// From the byte order mark; also returns its length.
    pub(crate) fn of_mark(bytes: &[u8]) -> Option<(CodePage, usize)> {
        Encoding::for_bom(bytes).map(|(encoding, len)| (CodePage(encoding), len))
    }

    /// UTF-16 without a byte order mark: every other byte of the header's mark is 0.
    pub(crate) fn utf16_without_mark(bytes: &[u8]) -> Option<CodePage> {
        const LITTLE: &[u8] = b"(\0P\0D\0H\0-\0";
        const BIG: &[u8] = b"\0(\0P\0D\0H\0-";
        let start = &bytes[..bytes.len().min(2 * super::start::LEN_SEARCHED)];
        let is_at = |mark: &[u8]| start.windows(mark.len()).step_by(2).any(|part| part == mark);
        if is_at(LITTLE) {
            return Some(CodePage::UTF_16LE);
        }
        is_at(BIG).then_some(CodePage::UTF_16BE)
    }

    /// The byte order of UTF-16; `None` for others.
    pub(crate) fn utf16_order(self) -> Option<ByteOrder> {
        let orders = [(CodePage::UTF_16LE, ByteOrder::Little), (CodePage::UTF_16BE, ByteOrder::Big)];
        orders.into_iter().find(|(code_page, _)| *code_page == self).map(|(_, order)| order)
    }

    /// UTF-8 if nearly all of the text is valid UTF-8, otherwise the most likely code page for its letters. Where several
    /// are, the country (a top-level domain) decides, if it is known.
    pub(crate) fn detect(sample: &[u8], country: Option<&str>) -> CodePage {
        if is_utf8(sample) {
            return CodePage::UTF_8;
        }
        let mut detector = EncodingDetector::new(Iso2022JpDetection::Deny);
        detector.feed(sample, true);
        CodePage(detector.guess(country.map(str::as_bytes), Utf8Detection::Deny))
    }

    /// Decodes text. Invalid bytes become U+FFFD.
    pub(crate) fn decode(self, bytes: &[u8]) -> Cow<'_, str> {
        self.0.decode_without_bom_handling(bytes).0
    }
}

/// Whether text is UTF-8, apart from some damage.
fn is_utf8(sample: &[u8]) -> bool {
    let (mut num_sound, mut num_broken) = (0, 0);
    for chunk in sample.utf8_chunks() {
        num_sound += chunk.valid().chars().filter(|character| !character.is_ascii()).count();
        num_broken += usize::from(!chunk.invalid().is_empty());
    }
    num_broken == 0 || num_sound >= 8 * num_broken
}

impl FromStr for CodePage {
    type Err = UnknownCodePage;

    /// By a label of the encoding standard (`windows-1251`, `shift_jis`), or by Windows' number, with or without `cp`.
    fn from_str(name: &str) -> Result<CodePage, UnknownCodePage> {
        let unknown = || UnknownCodePage(name.to_owned());
        let lower = name.trim().to_ascii_lowercase();
        let digits = lower.strip_prefix("cp").unwrap_or(&lower);
        let encoding = match digits.parse::<u16>() {
            Ok(number) => by_number(number),
            Err(_) => Encoding::for_label_no_replacement(lower.as_bytes()),
        };
        // In others, quotes and separators may be part of letters.
        let is_safe =
            |code_page: &CodePage| code_page.0.is_ascii_compatible() || code_page.utf16_order().is_some();
        encoding.map(CodePage).filter(is_safe).ok_or_else(unknown)
    }
}

/// The encoding with a number of Windows.
fn by_number(number: u16) -> Option<&'static Encoding> {
    let named = BY_NUMBER.iter().find(|(known, _)| *known == number).map(|(_, encoding)| *encoding);
    let label = match number {
        28_591..=28_606 => format!("iso-8859-{}", number - 28_590),
        _ => format!("windows-{number}"),
    };
    named.or_else(|| Encoding::for_label(label.as_bytes()))
}

/// Its name in the encoding standard: `windows-1251`.
impl fmt::Display for CodePage {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(self.0.name())
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn named(name: &str) -> Option<String> {
        name.parse::<CodePage>().ok().map(|code_page| code_page.to_string())
    }

    #[test]
    fn names_and_numbers_are_known() {
        for (name, expected) in [
            ("windows-1251", "windows-1251"),
            ("CP1251", "windows-1251"),
            (" 1250 ", "windows-1250"),
            ("932", "Shift_JIS"),
            ("cp936", "GBK"),
            ("949", "EUC-KR"),
            ("sjis", "Shift_JIS"),
            ("latin1", "windows-1252"),
            ("866", "IBM866"),
            ("65001", "UTF-8"),
            ("utf-16", "UTF-16LE"),
            ("20127", "windows-1252"),
            ("28591", "windows-1252"),
            ("28592", "ISO-8859-2"),
            ("28599", "windows-1254"),
            ("28605", "ISO-8859-15"),
            ("21866", "KOI8-U"),
        ] {
            assert_eq!(named(name).as_deref(), Some(expected), "{name}");
        }
        for name in ["", "cp", "1259", "99999", "russian", "cp437", "850", "852", "28602", "iso-2022-jp"] {
            assert_eq!(named(name), None, "{name}");
        }
        let message = UnknownCodePage("850".into()).to_string();
        assert!(
            message.starts_with("`850` is not a supported code page")
                && message.contains("866, 874, 932 (shift_jis)"),
            "{message}"
        );
    }

    #[test]
    fn a_country_decides_between_code_pages() {
        // In windows-1251, the `Память` of a capture without other letters of its language.
        let names = b"\xCF\xE0\xEC\xFF\xF2\xFC";
        assert_eq!(CodePage::detect(names, Some("ru")).to_string(), "windows-1251");
    }

    #[test]
    fn utf8_may_be_damaged_a_little() {
        assert_eq!(CodePage::detect("Доступно МБ".as_bytes(), None), CodePage::UTF_8);
        assert_eq!(CodePage::detect(b"Available MBytes", None), CodePage::UTF_8);
        let mut damaged = "Доступно мегабайт".as_bytes().to_vec();
        damaged.push(0xD0);
        assert_eq!(CodePage::detect(&damaged, None), CodePage::UTF_8);
        assert_ne!(CodePage::detect(b"Verf\xFCgbare Bytes", None), CodePage::UTF_8);
    }
}
