//! `ncacn_ip_tcp`: PDUs directly over TCP.

use std::io::{self, Read, Write};
use std::net::{TcpStream, ToSocketAddrs};
use std::sync::Arc;
use std::time::{Duration, Instant};

use super::Transport;

/// A TCP connection.
#[derive(Debug)]
pub struct Tcp {
    stream: Arc<TcpStream>,
    deadline: Instant,
}

impl Tcp {
    /// Connects to a host, trying each of its addresses, `within` for all of them together.
    pub fn connect(host: &str, port: u16, within: Duration) -> io::Result<Tcp> {
        let deadline = Instant::now() + within;
        let mut failure = io::Error::new(io::ErrorKind::NotFound, "the name has no address");
        for address in (host, port).to_socket_addrs()? {
            match TcpStream::connect_timeout(&address, remaining(deadline)?) {
                Ok(stream) => return Tcp::new(stream, remaining(deadline)?),
                Err(error) => failure = error,
            }
        }
        Err(failure)
    }

    /// An accepted connection.
    pub fn new(stream: impl Into<Arc<TcpStream>>, within: Duration) -> io::Result<Tcp> {
        let stream = stream.into();
        // Calls are short requests and answers: none should wait for more bytes.
        stream.set_nodelay(true)?;
        Ok(Tcp { stream, deadline: Instant::now() + within })
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

impl Transport for Tcp {
    fn read(&mut self, buffer: &mut [u8]) -> io::Result<usize> {
        loop {
            self.stream.set_read_timeout(Some(remaining(self.deadline)?))?;
            match (&*self.stream).read(buffer) {
                Err(error) if error.kind() == io::ErrorKind::Interrupted => {}
                other => return other.map_err(plain),
            }
        }
    }

    fn write_all(&mut self, mut bytes: &[u8]) -> io::Result<()> {
        while !bytes.is_empty() {
            self.stream.set_write_timeout(Some(remaining(self.deadline)?))?;
            match (&*self.stream).write(bytes) {
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
