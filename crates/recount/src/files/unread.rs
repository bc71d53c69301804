//! Bytes that are read when they are needed, of an input that isn't mapped.

use std::borrow::Cow;
use std::io;
use std::ops::Range;
use std::sync::atomic::{AtomicBool, Ordering};
use std::sync::{Arc, OnceLock};

use recount_capture::ReadAt;
use recount_model::Content;

/// The bytes of an input, which are read when they are needed.
pub(crate) fn content_of(input: Arc<dyn ReadAt>) -> io::Result<Arc<dyn Content>> {
    let len = input.len()?;
    let len = usize::try_from(len).map_err(|_| too_large(len))?;
    let head = read(&*input, LEN_HEAD.min(len as u64))?;
    Ok(Arc::new(Unread { input, len, head, whole: OnceLock::new(), is_lost: AtomicBool::new(false) }))
}

/// What a format is recognised by, as far as this is enough.
const LEN_HEAD: u64 = 1 << 20;

/// A file of which only the parts that are asked for are read, unless somebody asks for all bytes.
struct Unread {
    input: Arc<dyn ReadAt>,
    len: usize,
    head: Vec<u8>,
    whole: OnceLock<Vec<u8>>,
    /// Whether something couldn't be read.
    is_lost: AtomicBool,
}

impl Unread {
    /// Bytes that can't be read are zeros, as of a mapped file, and nothing of it is believed.
    fn or_lost(&self, read: io::Result<Vec<u8>>, len: usize) -> Vec<u8> {
        match read {
            Ok(bytes) if bytes.len() == len => bytes,
            Ok(mut bytes) => {
                self.is_lost.store(true, Ordering::Release);
                bytes.resize(len, 0);
                bytes
            }
            Err(error) => {
                self.is_lost.store(true, Ordering::Release);
                if error.kind() == io::ErrorKind::OutOfMemory { Vec::new() } else { vec![0; len] }
            }
        }
    }
}

impl Content for Unread {
    fn bytes(&self) -> &[u8] {
        if self.len == self.head.len() {
            return &self.head;
        }
        self.whole.get_or_init(|| self.or_lost(read(&*self.input, self.len as u64), self.len))
    }

    fn len(&self) -> usize {
        self.len
    }

    fn part(&self, range: Range<usize>) -> Cow<'_, [u8]> {
        let range = range.start.min(self.len)..range.end.min(self.len);
        let known = self.whole.get().unwrap_or(&self.head);
        if let Some(part) = known.get(range.clone()) {
            return Cow::Borrowed(part);
        }
        Cow::Owned(self.or_lost(read_from(&*self.input, range.start as u64, range.len()), range.len()))
    }

    fn head(&self) -> &[u8] {
        &self.head
    }

    fn is_lost(&self) -> bool {
        self.is_lost.load(Ordering::Acquire)
    }

    fn may_be_lost(&self) -> bool {
        true
    }
}

/// The first bytes of an input.
pub(super) fn read(input: &dyn ReadAt, len: u64) -> io::Result<Vec<u8>> {
    read_from(input, 0, usize::try_from(len).map_err(|_| too_large(len))?)
}

pub(super) fn too_large(len: u64) -> io::Error {
    io::Error::new(io::ErrorKind::OutOfMemory, format!("{len} bytes are more than there is memory for"))
}

fn read_from(input: &dyn ReadAt, ofs: u64, len: usize) -> io::Result<Vec<u8>> {
    let mut bytes = Vec::new();
    bytes.try_reserve_exact(len).map_err(|_| too_large(len as u64))?;
    bytes.resize(len, 0);
    let mut have = 0;
    while have < len {
        match input.read_at(ofs + have as u64, &mut bytes[have..])? {
            0 => break,
            num => have += num,
        }
    }
    bytes.truncate(have);
    Ok(bytes)
}
