//! Bytes of an input for the decoder, without copying.

use std::sync::Arc;

use bytes::Bytes;
use bytes::buf::{Buf, Reader};
use parquet::errors::ParquetError;
use parquet::file::reader::{ChunkReader, Length};
use recount_model::Content;

/// An input. Any number of threads may read it.
#[derive(Clone)]
pub(super) struct ContentReader(pub(super) Arc<dyn Content>);

/// A range of it.
struct ContentPart {
    content: Arc<dyn Content>,
    start: usize,
    end: usize,
}

impl AsRef<[u8]> for ContentPart {
    fn as_ref(&self) -> &[u8] {
        self.content.bytes().get(self.start..self.end).unwrap_or_default()
    }
}

impl ContentReader {
    fn part(&self, start: u64, len: Option<usize>) -> Result<Bytes, ParquetError> {
        let len_all = self.0.bytes().len();
        let range = usize::try_from(start).ok().filter(|start| *start <= len_all).and_then(|start| {
            let end = len.map_or(Some(len_all), |len| start.checked_add(len))?;
            (end <= len_all).then_some((start, end))
        });
        let Some((start, end)) = range else {
            let what = format!(
                "expected {len:?} bytes at byte {start:#x}, found the end of the file at {len_all:#x}"
            );
            return Err(ParquetError::EOF(what));
        };
        Ok(Bytes::from_owner(ContentPart { content: Arc::clone(&self.0), start, end }))
    }
}

impl Length for ContentReader {
    fn len(&self) -> u64 {
        self.0.bytes().len() as u64
    }
}

impl ChunkReader for ContentReader {
    type T = Reader<Bytes>;

    fn get_read(&self, start: u64) -> Result<Reader<Bytes>, ParquetError> {
        Ok(self.part(start, None)?.reader())
    }

    fn get_bytes(&self, start: u64, length: usize) -> Result<Bytes, ParquetError> {
        self.part(start, Some(length))
    }
}
