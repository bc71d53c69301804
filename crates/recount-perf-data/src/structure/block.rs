//! A block and its objects.

use recount_bytes::parse::{Parsed, Sequence, settle};
use recount_bytes::{Encoding, FormatError};
use recount_model::Place;

use super::{Header, Object, Whole, extent};

/// A block whose header is valid. Its parts are checked when they are visited.
#[derive(Clone, Copy, Debug)]
pub struct DataBlock<'a> {
    header: Header,
    whole: Whole<'a>,
}

impl<'a> DataBlock<'a> {
    /// Reads the block that starts `bytes`, which may be longer than the block; `ofs_in_file` is where `bytes`
    /// starts, for the places of errors.
    ///
    /// Fails if there is no signature, or if a length in the header doesn't fit the bytes.
    pub fn parse(bytes: &'a [u8], ofs_in_file: u64) -> Result<DataBlock<'a>, FormatError> {
        let header = settle(Header::parse(bytes), bytes, ofs_in_file)?;
        let bytes = bytes.get(..extent::len_block(&header, bytes)).unwrap_or(bytes);
        Ok(DataBlock { header, whole: Whole { bytes, ofs_in_file, order: header.order } })
    }

    /// Whether `bytes` start with the signature of a block.
    pub fn recognise(bytes: &[u8]) -> bool {
        bytes.starts_with(&Header::SIGNATURE_LE) || bytes.starts_with(&Header::SIGNATURE_BE)
    }

    /// The position in `bytes` of the first block at `from` or later that can be read: for what follows damage.
    fn find_sound(bytes: &[u8], from: usize) -> Option<usize> {
        let is_block = |at: &usize| DataBlock::parse(&bytes[*at..], 0).is_ok();
        let is_start = |at: &usize| DataBlock::recognise(&bytes[*at..]);
        (from..bytes.len()).filter(is_start).find(is_block)
    }

    /// The position in `bytes` of the next block after one that ends at `end`: directly there or at the next
    /// multiple of 8 bytes. Anything else is the rest of a buffer that was too long, or damage.
    fn next_after(bytes: &[u8], end: usize) -> Option<usize> {
        let is_block = |next: &usize| bytes.get(*next..).is_some_and(DataBlock::recognise);
        [end, end.next_multiple_of(8)].into_iter().find(is_block)
    }

    /// The header.
    pub fn header(&self) -> &Header {
        &self.header
    }

    /// The block's bytes, `TotalByteLength` of them. Samba doesn't count the header; then they are those of the header and
    /// as many more.
    pub fn bytes(&self) -> &'a [u8] {
        self.whole.bytes
    }

    /// Where the block starts in its file.
    pub fn ofs_in_file(&self) -> u64 {
        self.whole.ofs_in_file
    }

    /// Name of the machine, without its NUL.
    pub fn system_name(&self) -> String {
        Encoding::Utf16(self.header.order).decode(self.system_name_bytes())
    }

    /// Name of the machine as stored, including NUL: for comparing without allocation. Empty if it is lost.
    pub fn system_name_bytes(&self) -> &'a [u8] {
        self.header.system_name(self.whole.bytes).unwrap_or_default()
    }

    /// Why the name of the machine is lost, if it isn't where the header says.
    pub fn system_name_fault(&self) -> Option<FormatError> {
        let Header { len_system_name: len, ofs_system_name: ofs, .. } = self.header;
        if self.header.system_name(self.whole.bytes).is_some() {
            return None;
        }
        let start = self.ofs_in_file();
        Some(FormatError::Unexpected {
            place: Place::field(Header::NAME, start, "SystemNameOffset", start + 84),
            expected: format!(
                "the name of the machine between {} and the block's length, {}",
                Header::LEN,
                self.bytes().len()
            ),
            found: format!("{len} bytes (SystemNameLength) at {ofs}"),
        })
    }

    /// The objects, in order. An error is the last item, because the start of the next object isn't known.
    pub fn objects(&self) -> Sequence<'a, impl FnMut(&'a [u8]) -> Parsed<'a, Object<'a>> + Clone + use<'a>> {
        let rest = self.whole.bytes.get(self.header.len_header as usize..).unwrap_or_default();
        self.whole.objects(rest, self.header.num_object_types)
    }

    /// What is wrong with the first structure that can't be read, if there is one. Whoever says that a block is sound, or
    /// that it is damaged, says it by this.
    pub fn fault(&self) -> Option<FormatError> {
        self.objects().find_map(|object| match object {
            Ok(object) => object.fault(),
            Err(error) => Some(error),
        })
    }
}

/// What a file of blocks consists of.
#[derive(Clone, Debug)]
pub enum BlockItem<'a> {
    /// A block; [`DataBlock::ofs_in_file`] is where it starts.
    Block(DataBlock<'a>),
    /// A block that can't be read. The search for the next begins after its signature.
    Unreadable(FormatError),
    /// Other bytes between two blocks.
    Skipped {
        /// Where they start.
        ofs: usize,
        /// How many.
        len: usize,
    },
}

/// The blocks of a file, the first one at its start. The rest of a buffer that was too long, after the last, isn't an item.
pub fn blocks(bytes: &[u8]) -> impl Iterator<Item = BlockItem<'_>> {
    let (mut next, mut end) = (Some(0), None);
    std::iter::from_fn(move || {
        if let Some(end) = end.take() {
            next = DataBlock::next_after(bytes, end);
            if next.is_none() {
                let found = DataBlock::find_sound(bytes, end)?;
                next = Some(found);
                return Some(BlockItem::Skipped { ofs: end, len: found - end });
            }
        }
        let ofs = next.take()?;
        Some(match DataBlock::parse(&bytes[ofs..], ofs as u64) {
            Ok(block) => {
                end = Some(ofs + block.bytes().len());
                BlockItem::Block(block)
            }
            Err(error) => {
                next = DataBlock::find_sound(bytes, ofs + 1);
                BlockItem::Unreadable(error)
            }
        })
    })
}
