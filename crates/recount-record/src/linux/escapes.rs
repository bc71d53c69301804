//! Paths in `/proc`: blanks and similar characters are written as `\040`.

/// Decodes a path. Anything except an escape of three octal digits stays as it is.
pub(super) fn unescape(text: &str) -> String {
    if !text.contains('\\') {
        return text.to_owned();
    }
    let mut out = Vec::with_capacity(text.len());
    let mut rest = text.as_bytes();
    while let Some((&first, behind)) = rest.split_first() {
        if let (b'\\', Some(byte)) = (first, octal(behind)) {
            out.push(byte);
            rest = &behind[3..];
        } else {
            out.push(first);
            rest = behind;
        }
    }
    String::from_utf8_lossy(&out).into_owned()
}

fn octal(text: &[u8]) -> Option<u8> {
    let digits = text.get(..3).filter(|digits| digits.iter().all(|digit| (b'0'..=b'7').contains(digit)))?;
    let value = digits.iter().fold(0_u16, |value, digit| value * 8 + u16::from(digit - b'0'));
    u8::try_from(value).ok()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn escapes_become_what_they_stand_for() {
        assert_eq!(unescape(r"/a\040b\134c\011"), "/a b\\c\t");
        assert_eq!(unescape(r"/plain"), "/plain");
        assert_eq!(unescape(r"\9\04\777\303\244"), "\\9\\04\\777ä");
    }
}
