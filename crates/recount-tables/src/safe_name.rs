//! Converts arbitrary names to file names (`formats/tables.md#file-names`).

use std::collections::HashSet;
use std::fmt::Write;

/// Maximum bytes of a name before its extension.
pub const MAX_LEN_NAME: usize = 100;

/// Bytes reserved for `~2` and similar suffixes.
const LEN_SUFFIX: usize = 12;

/// A file name, without extension, for an object's name: valid on every common system, never hidden, never
/// one of ours (`_counters`). Characters that aren't allowed are percent-encoded.
///
/// Different names may give the same file name after cutting to [`MAX_LEN_NAME`], or if case is ignored;
/// [`FileNames`] makes them unique.
pub fn safe_name(name: &str) -> String {
    let mut out = String::with_capacity(name.len());
    let last = name.chars().count().saturating_sub(1);
    for (at, c) in name.chars().enumerate() {
        let awkward_here =
            (at == 0 && matches!(c, '.' | '_' | ' ' | '~' | '-')) || (at == last && matches!(c, '.' | ' '));
        let start = out.len();
        if awkward_here || is_forbidden(c) {
            percent_encode(c, &mut out);
        } else {
            out.push(c);
        }
        if out.len() > MAX_LEN_NAME - LEN_SUFFIX {
            out.truncate(start);
            break;
        }
    }
    // Cutting may have left a dot or a space at the end.
    if let Some(end @ ('.' | ' ')) = out.chars().last() {
        out.pop();
        percent_encode(end, &mut out);
    }
    if out.is_empty() {
        out.push_str("%00");
    }
    if is_reserved(&out) {
        // `CON` to `%43ON`.
        let first = out.remove(0);
        let mut encoded = String::new();
        percent_encode(first, &mut encoded);
        out.insert_str(0, &encoded);
    }
    out
}

/// `%` and two hexadecimal digits per byte of UTF-8.
pub(crate) fn percent_encode(c: char, out: &mut String) {
    let mut bytes = [0; 4];
    for byte in c.encode_utf8(&mut bytes).bytes() {
        // Writing to a string can't fail.
        let _ = write!(out, "%{byte:02X}");
    }
}

/// Undoes the percent-encoding; invalid sequences stay as they are.
pub(crate) fn percent_decode(text: &str) -> String {
    let bytes = text.as_bytes();
    let mut decoded = Vec::with_capacity(bytes.len());
    let mut at = 0;
    while let Some(&byte) = bytes.get(at) {
        let digits = bytes.get(at + 1..at + 3).filter(|digits| digits.iter().all(u8::is_ascii_hexdigit));
        let digits = digits.and_then(|digits| std::str::from_utf8(digits).ok());
        let encoded = digits.and_then(|digits| u8::from_str_radix(digits, 16).ok());
        if let Some(encoded) = encoded.filter(|_| byte == b'%') {
            decoded.push(encoded);
            at += 3;
        } else {
            decoded.push(byte);
            at += 1;
        }
    }
    String::from_utf8(decoded).unwrap_or_else(|_| text.into())
}

/// Characters that are forbidden or special on some system, and `%`, so that the encoding can be undone. `*`,
/// `?`, `[`, `]`, `{` and `}` would also be read as wildcards by readers of tables.
pub(crate) fn is_forbidden(c: char) -> bool {
    c.is_control()
        || matches!(c, '<' | '>' | ':' | '"' | '/' | '\\' | '|' | '?' | '*' | '%' | '[' | ']' | '{' | '}')
}

/// Names that Windows reserves for devices, whatever follows a dot.
fn is_reserved(name: &str) -> bool {
    let stem = name.split('.').next().unwrap_or(name).trim_end().to_ascii_uppercase();
    if matches!(stem.as_str(), "CON" | "PRN" | "AUX" | "NUL" | "CONIN$" | "CONOUT$") {
        return true;
    }
    ["COM", "LPT"].iter().any(|port| {
        stem.strip_prefix(port).is_some_and(|number| {
            matches!(number, "0" | "1" | "2" | "3" | "4" | "5" | "6" | "7" | "8" | "9" | "¹" | "²" | "³")
        })
    })
}

/// Hands out file names that are unique when case is ignored.
#[derive(Debug, Default)]
pub struct FileNames {
    taken: HashSet<String>,
}

impl FileNames {
    /// A file name for `name`: its [`safe_name`], with `~2`, `~3` and so on if that is taken.
    pub fn give(&mut self, name: &str) -> String {
        let base = safe_name(name);
        let mut candidate = base.clone();
        let mut number = 2_u64;
        while !self.taken.insert(candidate.to_lowercase()) {
            candidate = format!("{base}~{number}");
            number += 1;
        }
        candidate
    }
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::*;

    fn is_valid_everywhere(name: &str) -> bool {
        let first = name.chars().next();
        let last = name.chars().last();
        !name.is_empty()
            && name.len() <= MAX_LEN_NAME
            && !name.chars().any(|c| c.is_control() || r#"<>:"/\|?*"#.contains(c))
            && !matches!(first, Some('.' | '_' | ' '))
            && !matches!(last, Some('.' | ' '))
            && !is_reserved(name)
    }

    #[test]
    fn names_of_real_objects() {
        assert_eq!(safe_name("Processor"), "Processor");
        assert_eq!(safe_name("TCPv4"), "TCPv4");
        assert_eq!(safe_name(".NET CLR Memory"), "%2ENET CLR Memory");
        assert_eq!(safe_name("MSSQL$X:Buffer Manager"), "MSSQL$X%3ABuffer Manager");
        assert_eq!(safe_name("a/b%"), "a%2Fb%25");
        assert_eq!(safe_name("con"), "%63on");
        assert_eq!(safe_name("Com1.x"), "%43om1.x");
        assert_eq!(safe_name("_counters"), "%5Fcounters");
        assert_eq!(safe_name(""), "%00");
        assert_eq!(safe_name("end. "), "end.%20");
    }

    #[test]
    fn case_does_not_make_a_difference() {
        let mut names = FileNames::default();
        assert_eq!(["A", "a", "A~2", "b"].map(|name| names.give(name)), ["A", "a~2", "A~2~2", "b"]);
    }

    proptest! {
        #[test]
        fn always_valid_and_unique(all in prop::collection::vec(".{0,60}|(?i)(con|nul|com1|lpt9|_x)[. ]{0,3}", 1..12)) {
            let mut names = FileNames::default();
            let mut seen = HashSet::new();
            for name in &all {
                let given = names.give(name);
                prop_assert!(is_valid_everywhere(&given), "{name:?} became {given:?}");
                prop_assert!(seen.insert(given.to_lowercase()), "{given:?} twice");
            }
        }
    }
}
