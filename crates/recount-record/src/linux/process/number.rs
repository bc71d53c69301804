//! Decimal numbers in the kernel's texts.

/// Parses all of `text` as an unsigned number; `None` if it isn't one or exceeds 2^64 − 1.
pub(crate) fn unsigned(text: &[u8]) -> Option<u64> {
    if text.is_empty() {
        return None;
    }
    text.iter().try_fold(0_u64, |value, byte| {
        let digit = byte.wrapping_sub(b'0');
        if digit > 9 { None } else { value.checked_mul(10)?.checked_add(u64::from(digit)) }
    })
}

/// Parses all of `text` as a signed number.
pub(crate) fn signed(text: &[u8]) -> Option<i64> {
    match text.strip_prefix(b"-") {
        Some(magnitude) => 0_i64.checked_sub_unsigned(unsigned(magnitude)?),
        None => i64::try_from(unsigned(text)?).ok(),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn reads_whole_numbers_only() {
        assert_eq!(unsigned(b"18446744073709551615"), Some(u64::MAX));
        assert_eq!(unsigned(b"18446744073709551616"), None);
        assert_eq!(signed(b"-9223372036854775808"), Some(i64::MIN));
        assert_eq!(signed(b"-101"), Some(-101));
        for text in [&b""[..], b"-", b"+1", b"1 ", b"0x1", b"--1"] {
            assert_eq!((unsigned(text), signed(text)), (None, None), "{text:?}");
        }
    }
}
