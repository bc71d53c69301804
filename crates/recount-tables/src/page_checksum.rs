//! Checksums of Parquet's pages: CRC-32 of the bytes after a page's header, as the format specifies them.
//!
//! The writer of the parquet crate leaves the field out, and its reader checks it. Here the pages are kept until their
//! column is complete, with the checksum inserted into their headers.

use std::io::Write;
use std::sync::{Arc, Mutex, PoisonError};

use arrow_array::RecordBatch;
use arrow_schema::SchemaRef;
use bytes::Bytes;
use parquet::arrow::ArrowWriter;
use parquet::arrow::arrow_writer::{ArrowColumnChunk, ArrowWriterOptions, compute_leaves};
use parquet::column::page_store::{PageKey, PageStore, PageStoreArgs, PageStoreFactory};
use parquet::column::writer::ColumnCloseResult;
use parquet::errors::ParquetError;
use parquet::file::metadata::{ColumnChunkMetaData, OffsetIndexBuilder};
use parquet::file::page_index::offset_index::OffsetIndexMetaData;
use parquet::file::properties::WriterProperties;

/// The type of a dictionary's page (`PageType` of the format).
const DICTIONARY_PAGE: i64 = 2;

/// The fields that begin every page's header, and the place of the checksum in it.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) struct PageStart {
    page_type: i64,
    /// Bytes of the page after its header.
    pub(crate) len_data: i64,
    /// Where a checksum begins, or would.
    ofs_checksum: usize,
    /// The checksum, if there is one.
    pub(crate) checksum: Option<u32>,
}

impl PageStart {
    /// Reads the begin of a header, which is in Thrift's compact protocol: each field has a byte with its distance from
    /// the previous field and its type, then a zigzag number of 7 bits per byte.
    pub(crate) fn read(header: &[u8]) -> Option<PageStart> {
        /// The distance 1 and the type i32.
        const NEXT_I32: u8 = 0x15;
        let mut at = 0;
        let mut next = || {
            let (value, len) = zigzag(header.get(at..)?.strip_prefix(&[NEXT_I32])?)?;
            at += 1 + len;
            Some((value, at))
        };
        let ((page_type, _), _, (len_data, ofs_checksum)) = (next()?, next()?, next()?);
        let checksum = next().map(|(checksum, _)| checksum as u32);
        Some(PageStart { page_type, len_data, ofs_checksum, checksum })
    }
}

/// A number, and how many bytes it takes.
fn zigzag(bytes: &[u8]) -> Option<(i64, usize)> {
    let mut number = 0_u64;
    for (at, byte) in bytes.iter().take(10).enumerate() {
        number |= u64::from(byte & 0x7f) << (7 * at as u32).min(63);
        if byte & 0x80 == 0 {
            return Some(((number >> 1) as i64 ^ -((number & 1) as i64), at + 1));
        }
    }
    None
}

/// A header with a checksum. It stays as it is if it has one, or doesn't begin as expected.
fn with_checksum(header: &Bytes, checksum: u32) -> Bytes {
    let Some(start) = PageStart::read(header).filter(|start| start.checksum.is_none()) else {
        return header.clone();
    };
    let (before, after) = header.split_at(start.ofs_checksum);
    // The next field is further away: the checksum is between them.
    let Some((next, rest)) = after.split_first().filter(|(next, _)| **next >= 0x20) else {
        return header.clone();
    };
    let mut bytes = before.to_vec();
    bytes.push(0x15);
    let signed = checksum as i32;
    let mut number = ((signed << 1) ^ (signed >> 31)) as u32;
    while number >= 0x80 {
        bytes.push(number as u8 | 0x80);
        number >>= 7;
    }
    bytes.push(number as u8);
    bytes.push(next - 0x10);
    bytes.extend_from_slice(rest);
    bytes.into()
}

/// The pages of one column of a row group: header and data by turns, as the encoder completes them.
#[derive(Clone, Debug, Default)]
pub(crate) struct Pages(Arc<Mutex<Blobs>>);

#[derive(Debug, Default)]
struct Blobs {
    all: Vec<Bytes>,
    len: usize,
    /// By how much checksums made them longer.
    len_added: usize,
}

impl Pages {
    fn locked<T>(&self, with: impl FnOnce(&mut Blobs) -> T) -> T {
        with(&mut self.0.lock().unwrap_or_else(PoisonError::into_inner))
    }

    /// The bytes of a finished column, with its dictionary first, and what the footer says about them.
    pub(crate) fn complete(
        self,
        mut chunk: ArrowColumnChunk,
    ) -> Result<(Bytes, ColumnCloseResult), ParquetError> {
        let Blobs { all: blobs, len, len_added } = self.locked(std::mem::take);
        let is_dictionary = |page: &&[Bytes]| {
            page.first()
                .and_then(|header| PageStart::read(header))
                .is_some_and(|start| start.page_type == DICTIONARY_PAGE)
        };
        let mut bytes = Vec::with_capacity(len);
        for part in blobs.chunks(2).filter(is_dictionary).flatten() {
            bytes.extend_from_slice(part);
        }
        let len_dictionary = bytes.len();
        let mut lens = Vec::with_capacity(blobs.len() / 2);
        for page in blobs.chunks(2).filter(|page| !is_dictionary(page)) {
            lens.push(page.iter().map(Bytes::len).sum());
            for part in page {
                bytes.extend_from_slice(part);
            }
        }
        let close = chunk.close_mut();
        let metadata = close.metadata.clone();
        let close = ColumnCloseResult {
            bytes_written: bytes.len() as u64,
            rows_written: close.rows_written,
            metadata: relocated(metadata, bytes.len(), len_added, len_dictionary)?,
            bloom_filter: close.bloom_filter.take(),
            column_index: close.column_index.take(),
            offset_index: close
                .offset_index
                .take()
                .map(|index| reindexed(&index, len_dictionary, &lens, close.rows_written)),
        };
        Ok((bytes.into(), close))
    }
}

fn relocated(
    metadata: ColumnChunkMetaData,
    len: usize,
    len_added: usize,
    len_dictionary: usize,
) -> Result<ColumnChunkMetaData, ParquetError> {
    let len_uncompressed = metadata.uncompressed_size() + len_added as i64;
    metadata
        .into_builder()
        .set_total_compressed_size(len as i64)
        .set_total_uncompressed_size(len_uncompressed)
        .set_dictionary_page_offset((len_dictionary > 0).then_some(0))
        .set_data_page_offset(len_dictionary as i64)
        .build()
}

fn reindexed(
    index: &OffsetIndexMetaData,
    begin: usize,
    lens: &[usize],
    num_rows: u64,
) -> OffsetIndexMetaData {
    let mut builder = OffsetIndexBuilder::new();
    let pages = index.page_locations();
    let mut offset = begin as i64;
    for (at, (page, len)) in pages.iter().zip(lens).enumerate() {
        let end = pages.get(at + 1).map_or(num_rows as i64, |next| next.first_row_index);
        builder.append_row_count(end - page.first_row_index);
        builder.append_offset_and_size(offset, *len as i32);
        let text = index.unencoded_byte_array_data_bytes();
        builder.append_unencoded_byte_array_data_bytes(text.and_then(|lens| lens.get(at).copied()));
        offset += *len as i64;
    }
    builder.build()
}

/// Writes a small file of few batches whose pages have checksums.
pub(crate) fn write_with_checksums(
    out: impl Write + Send,
    schema: &SchemaRef,
    properties: WriterProperties,
    batches: impl Iterator<Item = Result<RecordBatch, ParquetError>>,
) -> Result<(), ParquetError> {
    /// Rows after which a row group is closed.
    const NUM_GROUP_ROWS: usize = 1 << 20;

    let pages = PagesOfColumns::default();
    let options = ArrowWriterOptions::new()
        .with_properties(properties)
        .with_page_store_factory(Arc::new(pages.clone()));
    let writer = ArrowWriter::try_new_with_options(out, Arc::clone(schema), options)?;
    let (mut writer, factory) = writer.into_serialized_writer()?;
    let mut batches = batches.peekable();
    let mut group = 0;
    while batches.peek().is_some() {
        let mut columns = factory.create_column_writers(group)?;
        let mut num_rows = 0;
        while num_rows < NUM_GROUP_ROWS
            && let Some(batch) = batches.next().transpose()?
        {
            num_rows += batch.num_rows();
            // No column has more than one leaf.
            for ((column, field), array) in columns.iter_mut().zip(schema.fields()).zip(batch.columns()) {
                for leaf in compute_leaves(field, array)? {
                    column.write(&leaf)?;
                }
            }
        }
        let mut open = writer.next_row_group()?;
        for (column, pages) in columns.into_iter().zip(pages.take()) {
            let (bytes, close) = pages.complete(column.close()?)?;
            open.append_column(&bytes, close)?;
        }
        open.close()?;
        group += 1;
    }
    writer.close().map(drop)
}

impl PageStore for Pages {
    fn put(&mut self, value: Bytes) -> Result<PageKey, ParquetError> {
        self.locked(|own| {
            if own.all.len() % 2 == 1
                && let Some(header) = own.all.last_mut()
            {
                let checked = with_checksum(header, crc32fast::hash(&value));
                own.len_added += checked.len() - header.len();
                own.len += checked.len() - header.len();
                *header = checked;
            }
            own.len += value.len();
            own.all.push(value);
            Ok(PageKey::new(own.all.len() as u64 - 1))
        })
    }

    fn take(&mut self, _: PageKey) -> Result<Bytes, ParquetError> {
        Err(ParquetError::General("the pages of a column are taken at once".into()))
    }

    fn memory_size(&self) -> usize {
        self.locked(|own| own.len)
    }
}

/// Remembers the pages of the columns that are being encoded.
#[derive(Clone, Debug, Default)]
pub(crate) struct PagesOfColumns(Arc<Mutex<Vec<Pages>>>);

impl PagesOfColumns {
    /// Those created since the last call, in the order of their columns.
    pub(crate) fn take(&self) -> Vec<Pages> {
        std::mem::take(&mut self.0.lock().unwrap_or_else(PoisonError::into_inner))
    }
}

impl PageStoreFactory for PagesOfColumns {
    fn create(&self, _: &PageStoreArgs<'_>) -> Result<Box<dyn PageStore>, ParquetError> {
        let pages = Pages::default();
        self.0.lock().unwrap_or_else(PoisonError::into_inner).push(pages.clone());
        Ok(Box::new(pages))
    }
}
