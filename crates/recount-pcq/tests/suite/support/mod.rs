//! Shared by the tests of MS-PCQ buffers.

use std::fmt::Write;

/// Bytes from hexadecimal, with anything else between them.
pub(crate) fn hex(text: &str) -> Vec<u8> {
    let digits: Vec<u8> =
        text.chars().filter_map(|digit| digit.to_digit(16)).map(|digit| digit as u8).collect();
    let (pairs, odd) = digits.as_chunks::<2>();
    assert!(odd.is_empty(), "an odd number of digits");
    pairs.iter().map(|[high, low]| high << 4 | low).collect()
}

/// For comparing: a line per eight bytes.
pub(crate) fn rows(bytes: &[u8]) -> String {
    bytes.chunks(8).fold(String::new(), |mut text, row| {
        writeln!(text, "{row:02x?}").expect("writing to a string");
        text
    })
}

/// f9fb0e1c-8b1f-4b1e-8d53-3f5d1c9e0a11 in the byte order of buffers.
pub(crate) const GUID: &str = "1c0efbf9 1f8b 1e4b 8d53 3f5d1c9e0a11";
