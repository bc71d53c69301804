//! Fields out of bytes, one after the other, with errors that know where.

/// Bytes that are being read.
#[derive(Clone, Debug)]
pub(crate) struct Bytes<'a> {
    whole: &'a [u8],
    ofs: usize,
}

/// A field that can't be read: the bytes are too short for it, or it holds what it can't hold.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) struct Short {
    /// The field.
    pub(crate) field: &'static str,
    /// Where it starts in the bytes that were being read.
    pub(crate) ofs: usize,
    /// What was expected, what was found.
    pub(crate) what: String,
}

impl<'a> Bytes<'a> {
    pub(crate) fn new(whole: &'a [u8]) -> Bytes<'a> {
        Bytes { whole, ofs: 0 }
    }

    /// Where the next field starts.
    pub(crate) fn ofs(&self) -> usize {
        self.ofs
    }

    pub(crate) fn len_left(&self) -> usize {
        self.whole.len() - self.ofs
    }

    pub(crate) fn is_empty(&self) -> bool {
        self.len_left() == 0
    }

    pub(crate) fn take(&mut self, field: &'static str, len: usize) -> Result<&'a [u8], Short> {
        let end = self.ofs.checked_add(len).filter(|end| *end <= self.whole.len());
        let Some(end) = end else {
            let what = format!("expected {len} bytes, {} are left", self.len_left());
            return Err(Short { field, ofs: self.ofs, what });
        };
        let taken = &self.whole[self.ofs..end];
        self.ofs = end;
        Ok(taken)
    }

    /// The bytes from here to the end.
    pub(crate) fn rest(&mut self) -> &'a [u8] {
        let rest = &self.whole[self.ofs..];
        self.ofs = self.whole.len();
        rest
    }

    fn array<const N: usize>(&mut self, field: &'static str) -> Result<[u8; N], Short> {
        let mut array = [0; N];
        array.copy_from_slice(self.take(field, N)?);
        Ok(array)
    }

    pub(crate) fn u8(&mut self, field: &'static str) -> Result<u8, Short> {
        self.array::<1>(field).map(|[byte]| byte)
    }

    pub(crate) fn u16(&mut self, field: &'static str) -> Result<u16, Short> {
        self.array(field).map(u16::from_le_bytes)
    }

    pub(crate) fn u32(&mut self, field: &'static str) -> Result<u32, Short> {
        self.array(field).map(u32::from_le_bytes)
    }

    pub(crate) fn u64(&mut self, field: &'static str) -> Result<u64, Short> {
        self.array(field).map(u64::from_le_bytes)
    }

    pub(crate) fn i64(&mut self, field: &'static str) -> Result<i64, Short> {
        self.array(field).map(i64::from_le_bytes)
    }

    /// A length of up to `max`.
    pub(crate) fn len(&mut self, field: &'static str, max: usize) -> Result<usize, Short> {
        let ofs = self.ofs;
        let len = self.u32(field)? as usize;
        if len > max {
            return Err(Short { field, ofs, what: format!("expected at most {max}, found {len}") });
        }
        Ok(len)
    }

    /// UTF-8 text with its length before it.
    pub(crate) fn text(&mut self, field: &'static str) -> Result<&'a str, Short> {
        let len = self.len(field, self.len_left().saturating_sub(4))?;
        let ofs = self.ofs;
        std::str::from_utf8(self.take(field, len)?).map_err(|error| Short {
            field,
            ofs,
            what: format!("expected UTF-8: {error}"),
        })
    }

    /// The fault of a field that was just read.
    pub(crate) fn bad(&self, field: &'static str, expected: &str, found: u64) -> Short {
        Short { field, ofs: self.ofs, what: format!("expected {expected}, found {found}") }
    }
}

/// Appends text with its length before it.
pub(crate) fn write_text(text: &str, out: &mut Vec<u8>) {
    out.extend_from_slice(&(text.len() as u32).to_le_bytes());
    out.extend_from_slice(text.as_bytes());
}
