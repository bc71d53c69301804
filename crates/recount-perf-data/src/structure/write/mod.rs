//! Owned blocks, which can be edited or built from scratch, and written.
//!
//! All bytes of a block are kept, including meaningless ones: reading a block into a [`BlockBuf`] and writing
//! it gives the same bytes. Lengths and counts aren't kept but computed on writing.

mod bytes;
mod object;
mod stream;

pub use object::{CounterBuf, InstanceBuf, InstancesBuf, ObjectBuf};
pub use stream::{BlockClocks, BlockStream, InstanceName, ObjectStream, ObjectTemplate, Values};

use recount_bytes::fields::narrow;
use recount_bytes::{ByteOrder, FormatError, SystemTime, encode_utf16};

use super::{DataBlock, Header};

/// A whole block: the fields of [`Header`] that aren't lengths or counts, and the objects.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct BlockBuf {
    /// Byte order of everything in the block.
    pub order: ByteOrder,
    /// `Version`.
    pub version: u32,
    /// `Revision`.
    pub revision: u32,
    /// `DefaultObject`.
    pub default_object: i32,
    /// `SystemTime`.
    pub system_time: SystemTime,
    /// Padding before `PerfTime`.
    pub padding: u32,
    /// `PerfTime`, ticks.
    pub perf_time: i64,
    /// `PerfFreq`, ticks per second.
    pub perf_freq: i64,
    /// `PerfTime100nSec`, `FILETIME`.
    pub perf_time_100ns: i64,
    /// `SystemNameLength` in bytes, including NUL.
    pub len_system_name: u32,
    /// `SystemNameOffset` from the start of the block.
    pub ofs_system_name: u32,
    /// Bytes between the documented fields and the first object: the system name and padding.
    pub header_tail: Vec<u8>,
    /// The objects.
    pub objects: Vec<ObjectBuf>,
    /// Bytes after the last object.
    pub tail: Vec<u8>,
}

impl BlockBuf {
    /// A block without objects and with all clocks zero, for the machine `name`.
    pub fn new(system_name: &str, order: ByteOrder) -> BlockBuf {
        let mut header_tail = encode_utf16(system_name, order);
        let len_system_name = header_tail.len() as u32;
        bytes::pad(&mut header_tail, Header::LEN);
        BlockBuf {
            order,
            version: 1,
            revision: 1,
            default_object: -1,
            system_time: SystemTime::default(),
            padding: 0,
            perf_time: 0,
            perf_freq: 0,
            perf_time_100ns: 0,
            len_system_name,
            ofs_system_name: Header::LEN as u32,
            header_tail,
            objects: Vec::new(),
            tail: Vec::new(),
        }
    }

    /// Copies a block. Fails if one of its structures is invalid.
    pub fn from_block(block: &DataBlock<'_>) -> Result<BlockBuf, FormatError> {
        let header = block.header();
        let mut objects = block.objects();
        let copies =
            objects.by_ref().map(|object| ObjectBuf::from_object(&object?)).collect::<Result<_, _>>()?;
        Ok(BlockBuf {
            order: header.order,
            version: header.version,
            revision: header.revision,
            default_object: header.default_object,
            system_time: header.system_time,
            padding: header.padding,
            perf_time: header.perf_time,
            perf_freq: header.perf_freq,
            perf_time_100ns: header.perf_time_100ns,
            len_system_name: header.len_system_name,
            ofs_system_name: header.ofs_system_name,
            header_tail: block
                .bytes()
                .get(Header::LEN..header.len_header as usize)
                .unwrap_or_default()
                .to_vec(),
            objects: copies,
            tail: objects.rest().to_vec(),
        })
    }

    /// The block's bytes. Fails if a part is too large for its length field, or if a name is outside its
    /// structure.
    pub fn write(&self) -> Result<Vec<u8>, FormatError> {
        let mut out = vec![0; Header::LEN];
        out.extend_from_slice(&self.header_tail);
        for object in &self.objects {
            object.write(self.order, &mut out)?;
        }
        out.extend_from_slice(&self.tail);
        let end_name = u64::from(self.ofs_system_name) + u64::from(self.len_system_name);
        let header = self.header(out.len())?;
        if self.len_system_name > 0 && end_name > out.len() as u64 {
            let value = end_name;
            return Err(FormatError::Unwritable {
                structure: Header::NAME,
                field: "SystemNameLength",
                value,
            });
        }
        header.write_over(&mut out);
        Ok(out)
    }

    /// The header of the block, once its length is known.
    fn header(&self, len_total: usize) -> Result<Header, FormatError> {
        let len_header = Header::LEN + self.header_tail.len();
        Ok(Header {
            order: self.order,
            version: self.version,
            revision: self.revision,
            len_total: narrow(len_total, Header::NAME, "TotalByteLength")?,
            len_header: narrow(len_header, Header::NAME, "HeaderLength")?,
            num_object_types: narrow(self.objects.len(), Header::NAME, "NumObjectTypes")?,
            default_object: self.default_object,
            system_time: self.system_time,
            padding: self.padding,
            perf_time: self.perf_time,
            perf_freq: self.perf_freq,
            perf_time_100ns: self.perf_time_100ns,
            len_system_name: self.len_system_name,
            ofs_system_name: self.ofs_system_name,
        })
    }
}
