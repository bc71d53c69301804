//! Records, whose length is stored before and after them.

use recount_bytes::FormatError;
use recount_model::Place;

use super::unexpected;

/// A record with its length words.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Frame<'a> {
    /// Offset in the file.
    pub(crate) ofs: u64,
    pub(crate) bytes: &'a [u8],
}

impl<'a> Frame<'a> {
    /// Bytes of both length words.
    const LEN_WORDS: usize = 8;

    /// The record without its length words.
    pub(crate) fn payload(&self) -> &'a [u8] {
        self.bytes.get(4..self.bytes.len().saturating_sub(4)).unwrap_or_default()
    }

    /// The first word of the payload.
    pub(crate) fn kind(&self) -> u32 {
        be_u32(self.bytes, 4).unwrap_or_default()
    }

    /// The record that begins at an offset.
    pub(crate) fn at(bytes: &'a [u8], ofs: usize, structure: &'static str) -> Result<Frame<'a>, FormatError> {
        let rest = bytes.get(ofs..).unwrap_or_default();
        let truncated =
            || FormatError::Truncated { place: Place::structure(structure, ofs as u64), have: rest.len() };
        let len = be_u32(rest, 0).ok_or_else(truncated)? as usize;
        let wrong = |field, at, expected: String, found: u32| {
            unexpected(structure, ofs as u64, field, at, expected, found)
        };
        if len < Frame::LEN_WORDS + 4 {
            return Err(wrong("length", 0, "at least 12".to_owned(), len as u32));
        }
        let bytes = rest.get(..len).ok_or_else(truncated)?;
        let trailer = be_u32(bytes, len - 4).ok_or_else(truncated)?;
        if trailer as usize != len {
            return Err(wrong("length after", len - 4, format!("{len}, as before the record"), trailer));
        }
        Ok(Frame { ofs: ofs as u64, bytes })
    }
}

/// The records of a file, from an offset on. A damaged record is an error; reading continues with the next sound
/// one.
#[derive(Clone, Debug)]
pub(crate) struct Frames<'a, S> {
    bytes: &'a [u8],
    ofs: usize,
    structure: &'static str,
    is_sound: S,
    /// How many more places with matching length words may turn out not to be records.
    num_tries: usize,
}

impl<'a, S: Fn(&Frame<'a>) -> bool> Frames<'a, S> {
    /// `is_sound` distinguishes records from other bytes between two matching length words.
    pub(crate) fn new(bytes: &'a [u8], ofs: usize, structure: &'static str, is_sound: S) -> Frames<'a, S> {
        Frames { bytes, ofs, structure, is_sound, num_tries: 10_000 }
    }

    /// Where the next record begins; after the last one, the end.
    pub(crate) fn ofs(&self) -> usize {
        self.ofs
    }

    /// The next sound record from an offset on, or the end.
    fn resume(&mut self, from: usize) -> usize {
        let end = self.bytes.len();
        for ofs in from..end.saturating_sub(Frame::LEN_WORDS) {
            let len = be_u32(self.bytes, ofs).map_or(0, |len| len as usize);
            if len < Frame::LEN_WORDS + 4 || len > end - ofs || self.num_tries == 0 {
                continue;
            }
            if let Ok(frame) = Frame::at(self.bytes, ofs, self.structure) {
                self.num_tries -= 1;
                if (self.is_sound)(&frame) {
                    return ofs;
                }
            }
        }
        end
    }
}

impl<'a, S: Fn(&Frame<'a>) -> bool> Iterator for Frames<'a, S> {
    type Item = Result<Frame<'a>, FormatError>;

    fn next(&mut self) -> Option<Self::Item> {
        if self.ofs >= self.bytes.len() {
            return None;
        }
        let frame = Frame::at(self.bytes, self.ofs, self.structure);
        self.ofs = match &frame {
            Ok(frame) => self.ofs + frame.bytes.len(),
            Err(_) => self.resume(self.ofs + 1),
        };
        Some(frame)
    }
}

/// The big-endian word at an offset.
#[inline]
pub(crate) fn be_u32(bytes: &[u8], ofs: usize) -> Option<u32> {
    let word = bytes.get(ofs..ofs.checked_add(4)?)?;
    word.try_into().ok().map(u32::from_be_bytes)
}
