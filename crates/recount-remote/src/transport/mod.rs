//! Connections that carry PDUs.

#[cfg(unix)]
mod samba;
mod socket;
mod stream;

use std::io;
use std::time::Duration;

#[cfg(unix)]
pub(crate) use samba::SambaPipe;
pub use socket::Socket;
pub use stream::Stream;

/// A connection: bytes in order, both ways.
pub trait Transport {
    /// Reads some bytes; 0 if the peer has closed the connection.
    ///
    /// Fails with [`io::ErrorKind::TimedOut`] after the deadline.
    fn read(&mut self, buffer: &mut [u8]) -> io::Result<usize>;

    /// Writes all bytes, before the deadline.
    fn write_all(&mut self, bytes: &[u8]) -> io::Result<()>;

    /// Everything from now on has to be done within this time.
    fn set_deadline(&mut self, within: Duration);
}

impl<T: Transport + ?Sized> Transport for Box<T> {
    fn read(&mut self, buffer: &mut [u8]) -> io::Result<usize> {
        (**self).read(buffer)
    }

    fn write_all(&mut self, bytes: &[u8]) -> io::Result<()> {
        (**self).write_all(bytes)
    }

    fn set_deadline(&mut self, within: Duration) {
        (**self).set_deadline(within);
    }
}
