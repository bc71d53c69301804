//! Random access to bytes: a log is read in pieces, and may grow or shrink in the meantime.

use std::fs::File;
use std::io;
use std::sync::atomic::{AtomicU64, Ordering};

/// An input that can be read at any offset. Unlike a mapped file, its writer may truncate it at any time.
pub trait ReadAt: Send + Sync {
    /// Its current length in bytes.
    fn len(&self) -> io::Result<u64>;

    /// Reads some bytes from `ofs` on; 0 at the end.
    fn read_at(&self, ofs: u64, out: &mut [u8]) -> io::Result<usize>;

    /// Whether it is currently empty.
    fn is_empty(&self) -> io::Result<bool> {
        Ok(self.len()? == 0)
    }
}

impl ReadAt for File {
    fn len(&self) -> io::Result<u64> {
        Ok(self.metadata()?.len())
    }

    #[cfg(unix)]
    fn read_at(&self, ofs: u64, out: &mut [u8]) -> io::Result<usize> {
        std::os::unix::fs::FileExt::read_at(self, out, ofs)
    }

    #[cfg(windows)]
    fn read_at(&self, ofs: u64, out: &mut [u8]) -> io::Result<usize> {
        std::os::windows::fs::FileExt::seek_read(self, out, ofs)
    }

    /// Where there are no files, as in a browser, what is read stands behind another [`ReadAt`].
    #[cfg(not(any(unix, windows)))]
    fn read_at(&self, _ofs: u64, _out: &mut [u8]) -> io::Result<usize> {
        Err(io::ErrorKind::Unsupported.into())
    }
}

impl ReadAt for Vec<u8> {
    fn len(&self) -> io::Result<u64> {
        Ok(Vec::len(self) as u64)
    }

    fn read_at(&self, ofs: u64, out: &mut [u8]) -> io::Result<usize> {
        let rest = usize::try_from(ofs).ok().and_then(|ofs| self.get(ofs..)).unwrap_or_default();
        let len = rest.len().min(out.len());
        out[..len].copy_from_slice(&rest[..len]);
        Ok(len)
    }
}

/// An input that counts the bytes read from it.
pub(crate) struct Counted {
    input: Box<dyn ReadAt>,
    len_read: AtomicU64,
}

impl Counted {
    pub(crate) fn new(input: Box<dyn ReadAt>) -> Counted {
        Counted { input, len_read: AtomicU64::new(0) }
    }

    pub(crate) fn len(&self) -> io::Result<u64> {
        self.input.len()
    }

    /// Bytes read so far.
    pub(crate) fn len_read(&self) -> u64 {
        self.len_read.load(Ordering::Relaxed)
    }

    /// Reads up to `len` bytes from `ofs` on; fewer where the input ends.
    pub(crate) fn read(&self, ofs: u64, len: usize, out: &mut Vec<u8>) -> io::Result<()> {
        // Never allocate more than there are bytes.
        let there = usize::try_from(self.input.len()?.saturating_sub(ofs)).unwrap_or(usize::MAX);
        out.clear();
        out.resize(len.min(there), 0);
        let mut have = 0;
        while have < out.len() {
            match self.input.read_at(ofs + have as u64, &mut out[have..]) {
                Ok(0) => break,
                Ok(num) => have += num,
                Err(error) if error.kind() == io::ErrorKind::Interrupted => {}
                Err(error) => return Err(error),
            }
        }
        out.truncate(have);
        self.len_read.fetch_add(have as u64, Ordering::Relaxed);
        Ok(())
    }
}
