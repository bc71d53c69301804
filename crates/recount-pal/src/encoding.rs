//! Decodes the bytes of the file.

use super::PalError;

/// PAL's own files have at most about 1 MB.
const LEN_MAX: usize = 8 << 20;

/// Text of a file in UTF-8 or UTF-16, without its byte order mark.
///
/// The encoding named in the XML declaration is ignored: editors often save in another encoding without
/// changing it.
pub(super) fn decode(bytes: &[u8]) -> Result<String, PalError> {
    if bytes.len() > LEN_MAX {
        return Err(PalError::TooLarge { len_file: bytes.len(), len_max: LEN_MAX });
    }
    match bytes {
        [0xff, 0xfe, rest @ ..] => utf16(rest, u16::from_le_bytes),
        [0xfe, 0xff, rest @ ..] => utf16(rest, u16::from_be_bytes),
        // No XML begins with a null character, so these are `<` in two bytes.
        [b'<', 0, ..] => utf16(bytes, u16::from_le_bytes),
        [0, b'<', ..] => utf16(bytes, u16::from_be_bytes),
        [0xef, 0xbb, 0xbf, rest @ ..] => utf8(rest),
        _ => utf8(bytes),
    }
}

fn utf8(bytes: &[u8]) -> Result<String, PalError> {
    str::from_utf8(bytes).map(Into::into).map_err(|error| {
        let sound = bytes.get(..error.valid_up_to()).unwrap_or_default();
        let line = sound.split(|&byte| byte == b'\n').count() as u32;
        PalError::Encoding { line, encoding: "UTF-8" }
    })
}

fn utf16(bytes: &[u8], unit: fn([u8; 2]) -> u16) -> Result<String, PalError> {
    let (pairs, rest) = bytes.as_chunks::<2>();
    let mut text = String::with_capacity(pairs.len());
    let mut line = 1;
    for c in char::decode_utf16(pairs.iter().map(|&pair| unit(pair))) {
        let c = c.map_err(|_| PalError::Encoding { line, encoding: "UTF-16" })?;
        line += u32::from(c == '\n');
        text.push(c);
    }
    if rest.is_empty() { Ok(text) } else { Err(PalError::Encoding { line, encoding: "UTF-16" }) }
}
