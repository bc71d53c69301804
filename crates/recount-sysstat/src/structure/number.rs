//! Numbers in the byte order and word size of the machine that wrote the file.

use std::fmt::Display;

use recount_bytes::fields::Scalar;
use recount_bytes::{ByteOrder, FormatError};
use recount_model::Place;

/// How the numbers of a file are written.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub(crate) struct Numbers {
    pub(crate) order: ByteOrder,
    /// Bytes of a C long, in a slot of 8.
    pub(crate) len_long: u8,
}

impl Numbers {
    /// The number at an offset; `None` outside the bytes.
    #[inline]
    pub(crate) fn get<T: Scalar>(self, bytes: &[u8], ofs: usize) -> Option<T> {
        T::parse::<()>(bytes.get(ofs..)?, self.order).ok().map(|(_, number)| number)
    }

    /// A C long: the first bytes of its slot.
    #[inline]
    pub(crate) fn long(self, bytes: &[u8], ofs: usize) -> Option<u64> {
        if self.len_long == 4 { self.get::<u32>(bytes, ofs).map(u64::from) } else { self.get(bytes, ofs) }
    }
}

impl Numbers {
    /// A counter of 32 bits in 8 bytes. On a big-endian machine it may be in either half: it was copied from a number of
    /// 4 bytes.
    pub(crate) fn narrow_quad(self, bytes: &[u8], ofs: usize) -> Option<u64> {
        let value = self.get::<u64>(bytes, ofs)?;
        let is_upper = self.order == ByteOrder::Big && value.trailing_zeros() >= 32;
        Some(if is_upper { value >> 32 } else { value })
    }
}

/// How many numbers of each group a structure begins with: of 8 bytes, longs in slots of 8, of 4.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub(crate) struct Triple {
    pub(crate) quads: u32,
    pub(crate) longs: u32,
    pub(crate) words: u32,
}

impl Triple {
    pub(crate) const fn new(quads: u32, longs: u32, words: u32) -> Triple {
        Triple { quads, longs, words }
    }

    pub(crate) fn read(numbers: Numbers, bytes: &[u8], ofs: usize) -> Option<Triple> {
        let at = |index: usize| numbers.get(bytes, ofs + 4 * index);
        Some(Triple::new(at(0)?, at(1)?, at(2)?))
    }

    /// Bytes of the numbers: where the tail begins.
    pub(crate) fn len(self) -> u64 {
        8 * (u64::from(self.quads) + u64::from(self.longs)) + 4 * u64::from(self.words)
    }

    /// Offset of a number of 8 bytes, if the structure has it.
    pub(crate) fn quad(self, index: u32) -> Option<usize> {
        (index < self.quads).then_some(8 * index as usize)
    }

    /// Offset of a long.
    pub(crate) fn long(self, index: u32) -> Option<usize> {
        (index < self.longs).then_some(8 * (self.quads as usize + index as usize))
    }

    /// Offset of a number of 4 bytes.
    pub(crate) fn word(self, index: u32) -> Option<usize> {
        let before = 8 * (self.quads as usize + self.longs as usize);
        (index < self.words).then_some(before + 4 * index as usize)
    }

    /// Whether each group has at least as many numbers as that of the other triple.
    pub(crate) fn covers(self, other: Triple) -> bool {
        self.quads >= other.quads && self.longs >= other.longs && self.words >= other.words
    }

    /// Refuses numbers that take more than `size` bytes.
    pub(crate) fn check(
        self,
        structure: &'static str,
        field: &'static str,
        ofs: usize,
        size: u32,
    ) -> Result<(), FormatError> {
        if self.len() <= u64::from(size) {
            return Ok(());
        }
        let expected = format!("numbers of at most {size} bytes");
        Err(unexpected(structure, field, ofs, expected, self))
    }
}

impl std::fmt::Display for Triple {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        write!(f, "({},{},{})", self.quads, self.longs, self.words)
    }
}

/// The error for an impossible value of a field.
pub(crate) fn unexpected(
    structure: &'static str,
    field: &'static str,
    ofs: usize,
    expected: impl Into<String>,
    found: impl Display,
) -> FormatError {
    let place =
        Place { ofs: ofs as u64, structure: Some(structure), ofs_structure: None, field: Some(field) };
    FormatError::Unexpected { place, expected: expected.into(), found: found.to_string() }
}

/// The bytes of a structure, or where they end.
pub(crate) fn structure_at<'a>(
    file: &'a [u8],
    structure: &'static str,
    ofs: usize,
    len: usize,
) -> Result<&'a [u8], FormatError> {
    let rest = file.get(ofs..).unwrap_or_default();
    rest.get(..len)
        .ok_or(FormatError::Truncated { place: Place::structure(structure, ofs as u64), have: rest.len() })
}

/// Text that ends at a NUL or with its field. The bytes are in any encoding that the system used.
pub(crate) fn text(bytes: &[u8]) -> String {
    String::from_utf8_lossy(until_nul(bytes)).into_owned()
}

/// The bytes before the first NUL.
pub(crate) fn until_nul(bytes: &[u8]) -> &[u8] {
    let len = bytes.iter().position(|&byte| byte == 0).unwrap_or(bytes.len());
    &bytes[..len]
}
