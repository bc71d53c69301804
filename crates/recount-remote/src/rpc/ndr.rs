//! NDR (C706 chapter 14): aligned numbers, strings and arrays, as far as PDUs and MS-PCQ need them.

use recount_bytes::ByteOrder;
use recount_pcq::Guid;

use super::RpcError;

/// Reads fields one after the other. Numbers are aligned to their size, counted from the start.
#[derive(Debug)]
pub struct NdrReader<'a> {
    structure: &'static str,
    bytes: &'a [u8],
    pos: usize,
    order: ByteOrder,
}

impl<'a> NdrReader<'a> {
    /// A reader of `bytes`; errors name `structure`.
    pub fn new(structure: &'static str, bytes: &'a [u8], order: ByteOrder) -> NdrReader<'a> {
        NdrReader { structure, bytes, pos: 0, order }
    }

    /// The next `len` bytes.
    pub fn take(&mut self, len: usize) -> Result<&'a [u8], RpcError> {
        let end = self.pos.checked_add(len);
        let Some(taken) = end.and_then(|end| self.bytes.get(self.pos..end)) else {
            let left = self.bytes.len().saturating_sub(self.pos);
            return Err(self.fail(format!("{len} bytes"), format!("{left}")));
        };
        self.pos += len;
        Ok(taken)
    }

    /// An error at this place.
    pub fn fail(&self, expected: impl Into<String>, found: impl ToString) -> RpcError {
        RpcError::malformed(self.structure, self.pos, expected, found)
    }

    fn array<const N: usize>(&mut self) -> Result<[u8; N], RpcError> {
        self.align(N)?;
        self.fixed()
    }

    fn fixed<const N: usize>(&mut self) -> Result<[u8; N], RpcError> {
        let mut array = [0; N];
        array.copy_from_slice(self.take(N)?);
        Ok(array)
    }

    /// Skips to the next multiple of `len`.
    pub fn align(&mut self, len: usize) -> Result<(), RpcError> {
        self.take(self.pos.next_multiple_of(len) - self.pos).map(drop)
    }

    /// A byte.
    pub fn u8(&mut self) -> Result<u8, RpcError> {
        self.fixed().map(|[byte]: [u8; 1]| byte)
    }

    /// A 16-bit number.
    pub fn u16(&mut self) -> Result<u16, RpcError> {
        let bytes = self.array()?;
        Ok(if self.is_big() { u16::from_be_bytes(bytes) } else { u16::from_le_bytes(bytes) })
    }

    /// A 32-bit number.
    pub fn u32(&mut self) -> Result<u32, RpcError> {
        let bytes = self.array()?;
        Ok(if self.is_big() { u32::from_be_bytes(bytes) } else { u32::from_le_bytes(bytes) })
    }

    pub(super) fn is_big(&self) -> bool {
        self.order == ByteOrder::Big
    }

    /// A UUID, in this crate always as little-endian memory has it.
    pub fn uuid(&mut self) -> Result<Guid, RpcError> {
        self.align(4)?;
        let (first, second, third) = (self.u32()?, self.u16()?, self.u16()?);
        let mut uuid = [0; 16];
        uuid[..4].copy_from_slice(&first.to_le_bytes());
        uuid[4..6].copy_from_slice(&second.to_le_bytes());
        uuid[6..8].copy_from_slice(&third.to_le_bytes());
        uuid[8..].copy_from_slice(&self.fixed::<8>()?);
        Ok(Guid(uuid))
    }

    /// A context handle: attributes and a UUID (`ndr_context_handle`, C706 14.4.3), as little-endian memory has it.
    pub fn context_handle(&mut self) -> Result<[u8; 20], RpcError> {
        let (attributes, Guid(uuid)) = (self.u32()?, self.uuid()?);
        let mut handle = [0; 20];
        handle[..4].copy_from_slice(&attributes.to_le_bytes());
        handle[4..].copy_from_slice(&uuid);
        Ok(handle)
    }

    /// `[string] wchar_t *` behind a reference pointer: a conformant varying array of UTF-16 that ends with a null.
    pub fn string(&mut self) -> Result<String, RpcError> {
        let max = self.u32()?;
        let num_units = self.varying(max)?;
        let mut units = Vec::new();
        for _ in 0..num_units {
            units.push(self.u16()?);
        }
        match units.pop() {
            Some(0) => Ok(String::from_utf16_lossy(&units)),
            _ => Err(self.fail("a string that ends with a null", "none")),
        }
    }

    /// Offset and count of a varying array, of which `max` elements have room; the count.
    pub fn varying(&mut self, max: u32) -> Result<u32, RpcError> {
        let ofs = self.u32()?;
        if ofs != 0 {
            return Err(self.fail("an array from its first element on", format!("offset {ofs}")));
        }
        let count = self.u32()?;
        if count > max {
            return Err(self.fail(format!("at most {max} elements"), count));
        }
        Ok(count)
    }

    /// Fails unless everything was read, up to `len_padding` bytes of padding at the end.
    pub fn end(&self, len_padding: usize) -> Result<(), RpcError> {
        match self.bytes.len() - self.pos {
            left if left <= len_padding => Ok(()),
            left => Err(self.fail("the end", format!("{left} more bytes"))),
        }
    }

    /// Everything that is left.
    pub fn rest(&mut self) -> &'a [u8] {
        let rest = self.bytes.get(self.pos..).unwrap_or_default();
        self.pos = self.bytes.len();
        rest
    }
}

/// Writes little-endian fields, each aligned to its size.
#[derive(Clone, Debug, Default)]
pub struct NdrWriter {
    bytes: Vec<u8>,
}

impl NdrWriter {
    /// Zeros up to the next multiple of `len`.
    pub fn align(&mut self, len: usize) {
        self.bytes.resize(self.bytes.len().next_multiple_of(len), 0);
    }

    /// A byte.
    pub fn u8(&mut self, value: u8) {
        self.bytes.push(value);
    }

    /// A 16-bit number.
    pub fn u16(&mut self, value: u16) {
        self.align(2);
        self.bytes.extend_from_slice(&value.to_le_bytes());
    }

    /// A 32-bit number.
    pub fn u32(&mut self, value: u32) {
        self.align(4);
        self.bytes.extend_from_slice(&value.to_le_bytes());
    }

    /// Bytes as they are.
    pub fn bytes(&mut self, bytes: &[u8]) {
        self.bytes.extend_from_slice(bytes);
    }

    /// `[string] wchar_t *` behind a reference pointer ([`NdrReader::string`]).
    pub fn string(&mut self, text: &str) {
        let units: Vec<u16> = text.encode_utf16().chain([0]).collect();
        let len = units.len() as u32;
        self.u32(len);
        self.u32(0);
        self.u32(len);
        for unit in units {
            self.u16(unit);
        }
    }

    /// What was written.
    pub fn into_bytes(self) -> Vec<u8> {
        self.bytes
    }
}
