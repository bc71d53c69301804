//! Connections of the system.

use std::io::{self, Read, Write};
use std::net::{Shutdown, TcpStream};
#[cfg(unix)]
use std::os::unix::net::UnixStream;
use std::time::Duration;

/// A connection to another machine, or to another program of this one.
#[derive(Debug)]
pub enum Socket {
    /// To a port.
    Tcp(TcpStream),
    /// To a socket in the file system.
    #[cfg(unix)]
    Unix(UnixStream),
}

/// Calls what both have.
macro_rules! either {
    ($socket:expr, $stream:ident => $call:expr) => {
        match $socket {
            Socket::Tcp($stream) => $call,
            #[cfg(unix)]
            Socket::Unix($stream) => $call,
        }
    };
}

impl Socket {
    /// Ends both directions.
    pub(crate) fn shutdown(&self) -> io::Result<()> {
        either!(self, stream => stream.shutdown(Shutdown::Both))
    }

    pub(crate) fn set_nonblocking(&self, is_nonblocking: bool) -> io::Result<()> {
        either!(self, stream => stream.set_nonblocking(is_nonblocking))
    }

    pub(super) fn set_read_timeout(&self, within: Duration) -> io::Result<()> {
        either!(self, stream => stream.set_read_timeout(Some(within)))
    }

    pub(super) fn set_write_timeout(&self, within: Duration) -> io::Result<()> {
        either!(self, stream => stream.set_write_timeout(Some(within)))
    }

    /// Short messages don't wait for more bytes.
    pub(super) fn send_at_once(&self) -> io::Result<()> {
        match self {
            Socket::Tcp(stream) => stream.set_nodelay(true),
            #[cfg(unix)]
            Socket::Unix(_) => Ok(()),
        }
    }
}

impl Read for &Socket {
    fn read(&mut self, buffer: &mut [u8]) -> io::Result<usize> {
        either!(self, stream => (&*stream).read(buffer))
    }
}

impl Write for &Socket {
    fn write(&mut self, bytes: &[u8]) -> io::Result<usize> {
        either!(self, stream => (&*stream).write(bytes))
    }

    fn flush(&mut self) -> io::Result<()> {
        Ok(())
    }
}

impl From<TcpStream> for Socket {
    fn from(stream: TcpStream) -> Socket {
        Socket::Tcp(stream)
    }
}

#[cfg(unix)]
impl From<UnixStream> for Socket {
    fn from(stream: UnixStream) -> Socket {
        Socket::Unix(stream)
    }
}
