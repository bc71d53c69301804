//! How much is read.

use std::io;
use std::sync::Arc;
use std::sync::atomic::{AtomicU64, Ordering};

use recount_capture::ReadAt;

/// Counts the bytes that are read of logs: work that grows faster than a log reads it again and again.
#[derive(Clone, Default)]
pub(crate) struct Reads(Arc<AtomicU64>);

impl Reads {
    /// A log whose reads are counted.
    pub(crate) fn of(&self, log: &[u8]) -> Box<dyn ReadAt> {
        Box::new(Counted { log: log.to_vec(), reads: self.clone() })
    }

    /// # Panics
    /// If more than `times` the length of the log, and a megabyte, was read.
    pub(crate) fn assert_at_most(&self, times: u64, log: &[u8], context: &dyn Fn() -> String) {
        let (len_read, len) = (self.0.load(Ordering::Relaxed), log.len() as u64);
        assert!(len_read <= times * len + (1 << 20), "{}: {len_read} bytes read of {len}", context());
    }
}

struct Counted {
    log: Vec<u8>,
    reads: Reads,
}

impl ReadAt for Counted {
    fn len(&self) -> io::Result<u64> {
        ReadAt::len(&self.log)
    }

    fn read_at(&self, ofs: u64, out: &mut [u8]) -> io::Result<usize> {
        let len = self.log.read_at(ofs, out)?;
        self.reads.0.fetch_add(len as u64, Ordering::Relaxed);
        Ok(len)
    }
}
