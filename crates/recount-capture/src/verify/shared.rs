//! One input for two readings.

use std::io;
use std::sync::Arc;

use crate::ReadAt;

/// An input that several readers share.
#[derive(Clone)]
pub(crate) struct Shared(Arc<dyn ReadAt>);

impl Shared {
    pub(crate) fn new(input: Box<dyn ReadAt>) -> Shared {
        Shared(Arc::from(input))
    }
}

impl ReadAt for Shared {
    fn len(&self) -> io::Result<u64> {
        self.0.len()
    }

    fn read_at(&self, ofs: u64, out: &mut [u8]) -> io::Result<usize> {
        self.0.read_at(ofs, out)
    }
}
