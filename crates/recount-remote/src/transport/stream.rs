//! PDUs directly over a connection, as `ncacn_ip_tcp` has them.

use std::io::{self, Read, Write};
use std::net::{TcpStream, ToSocketAddrs};
use std::sync::Arc;
use std::time::{Duration, Instant};

use super::{Socket, Transport};

/// A connection with a deadline.
#[derive(Debug)]
pub struct Stream {
    socket: Arc<Socket>,
    deadline: Instant,
}

impl Stream {
    /// Connects to a host, trying each of its addresses, `within` for all of them together.
    pub fn connect(host: &str, port: u16, within: Duration) -> io::Result<Stream> {
        let deadline = Instant::now() + within;
        let mut failure = io::Error::new(io::ErrorKind::NotFound, "the name has no address");
        for address in (host, port).to_socket_addrs()? {
            match TcpStream::connect_timeout(&address, remaining(deadline)?) {
                Ok(stream) => return Stream::new(Socket::from(stream), remaining(deadline)?),
                Err(error) => failure = error,
            }
        }
        Err(failure)
    }

    /// An accepted connection.
    pub fn new(socket: impl Into<Arc<Socket>>, within: Duration) -> io::Result<Stream> {
        let socket = socket.into();
        socket.send_at_once()?;
        Ok(Stream { socket, deadline: Instant::now() + within })
    }
}

fn remaining(deadline: Instant) -> io::Result<Duration> {
    match deadline.saturating_duration_since(Instant::now()) {
        Duration::ZERO => Err(timed_out()),
        remaining => Ok(remaining),
    }
}

fn timed_out() -> io::Error {
    io::Error::new(io::ErrorKind::TimedOut, "no answer in time")
}

/// Systems report a socket's timeout in two ways.
fn plain(error: io::Error) -> io::Error {
    if error.kind() == io::ErrorKind::WouldBlock { timed_out() } else { error }
}

impl Transport for Stream {
    fn read(&mut self, buffer: &mut [u8]) -> io::Result<usize> {
        loop {
            self.socket.set_read_timeout(remaining(self.deadline)?)?;
            match (&*self.socket).read(buffer) {
                Err(error) if error.kind() == io::ErrorKind::Interrupted => {}
                other => return other.map_err(plain),
            }
        }
    }

    fn write_all(&mut self, mut bytes: &[u8]) -> io::Result<()> {
        while !bytes.is_empty() {
            self.socket.set_write_timeout(remaining(self.deadline)?)?;
            match (&*self.socket).write(bytes) {
                Ok(0) => return Err(io::ErrorKind::WriteZero.into()),
                Ok(len) => bytes = bytes.get(len..).unwrap_or_default(),
                Err(error) if error.kind() == io::ErrorKind::Interrupted => {}
                Err(error) => return Err(plain(error)),
            }
        }
        Ok(())
    }

    fn set_deadline(&mut self, within: Duration) {
        self.deadline = Instant::now() + within;
    }
}
