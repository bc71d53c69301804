//! A server of MS-PCQ, and of the performance data of MS-RRP, over TCP.

use std::io;
use std::net::{SocketAddr, TcpListener, TcpStream, ToSocketAddrs};
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, AtomicUsize, Ordering};
use std::time::Duration;

use recount_pcq::conversation::{PerflibServer, ServerLimits};
use recount_record::countersets::BlockProvider;
use recount_record::{LiveSource, TakeError};

use crate::registry::RegistryInterface;
use crate::rpc::{ServerOptions, refuse_connection, serve_connection};
use crate::transport::Tcp;
use crate::{Account, PerflibInterface};

/// Opens what is served: once for every connection, so that each sees a replay from its beginning.
pub type OpenSource = Arc<dyn Fn() -> Result<Box<dyn LiveSource>, TakeError> + Send + Sync>;

/// What is served, and to whom.
#[derive(Clone)]
pub struct ServeOptions {
    /// Opens the source of classic blocks.
    pub open: OpenSource,
    /// The family that GUIDs of countersets are made of ([`BlockProvider::new`]).
    pub family: String,
    /// Who may call.
    pub account: Account,
    /// How many connections there may be at a time.
    pub max_connections: usize,
    /// How long a message may take.
    pub timeout: Duration,
}

impl ServeOptions {
    /// At most 64 connections, 30 s per message.
    pub fn new(open: OpenSource, family: impl Into<String>, account: Account) -> ServeOptions {
        let timeout = Duration::from_secs(30);
        ServeOptions { open, family: family.into(), account, max_connections: 64, timeout }
    }
}

/// Handles and memory that one connection may use.
const LIMITS: ServerLimits = ServerLimits { num_handles: 64, len_memory: 256 << 20 };
/// How long an authenticated client may be silent: longer than any reasonable time between samples.
const IDLE: Duration = Duration::from_hours(2);
/// The number of clients that are refused with an answer at the same time, and the time limit for the answer.
const MAX_REFUSALS: usize = 16;
const REFUSAL: Duration = Duration::from_secs(1);
/// How often a server looks whether it is to end.
const LOOK: Duration = Duration::from_millis(50);

/// A listening server.
#[derive(Debug)]
pub struct Server {
    listener: TcpListener,
    address: SocketAddr,
}

impl Server {
    /// Listens on an address; port 0 takes a free one.
    pub fn listen(address: impl ToSocketAddrs) -> io::Result<Server> {
        let listener = TcpListener::bind(address)?;
        let address = listener.local_addr()?;
        Ok(Server { listener, address })
    }

    /// Where it listens.
    pub fn address(&self) -> SocketAddr {
        self.address
    }

    /// Serves connections, each in a thread, until `end` is set. `report` receives the reason if one ended without its
    /// client's request.
    ///
    /// Connections that are open at the end stay open until their clients leave or this process ends.
    pub fn serve(
        &self,
        options: &ServeOptions,
        end: &AtomicBool,
        report: &Arc<dyn Fn(&str) + Send + Sync>,
    ) -> io::Result<()> {
        self.listener.set_nonblocking(true)?;
        let num_open = Arc::new(AtomicUsize::new(0));
        while !end.load(Ordering::Relaxed) {
            let (stream, peer) = match self.listener.accept() {
                Ok(accepted) => accepted,
                Err(error) if error.kind() == io::ErrorKind::WouldBlock => {
                    std::thread::sleep(LOOK);
                    continue;
                }
                // A client that gave up before it was accepted.
                Err(error) if error.kind() == io::ErrorKind::ConnectionAborted => continue,
                Err(error) => return Err(error),
            };
            let num_before = num_open.fetch_add(1, Ordering::Relaxed);
            let is_refused = num_before >= options.max_connections;
            if is_refused {
                report(&format!("{peer}: refused, there are {} connections", options.max_connections));
            }
            if num_before >= options.max_connections.saturating_add(MAX_REFUSALS) {
                num_open.fetch_sub(1, Ordering::Relaxed);
                continue;
            }
            let (options, report, num_open) = (options.clone(), Arc::clone(report), Arc::clone(&num_open));
            let port = self.address.port();
            std::thread::spawn(move || {
                if is_refused {
                    // It was reported; whether the client hears of it is of no consequence.
                    let _ = refusal(stream);
                } else if let Err(error) = connection(stream, &options, port) {
                    report(&format!("{peer}: {error}"));
                }
                num_open.fetch_sub(1, Ordering::Relaxed);
            });
        }
        Ok(())
    }
}

fn refusal(stream: TcpStream) -> Result<(), Box<dyn std::error::Error>> {
    stream.set_nonblocking(false)?;
    Ok(refuse_connection(Tcp::new(stream, REFUSAL)?, REFUSAL)?)
}

fn connection(
    stream: TcpStream,
    options: &ServeOptions,
    port: u16,
) -> Result<(), Box<dyn std::error::Error>> {
    // Some systems give the listener's mode to its connections.
    stream.set_nonblocking(false)?;
    let transport = Tcp::new(stream, options.timeout)?;
    let provider = BlockProvider::new((options.open)()?, &options.family)?;
    let server = PerflibServer::with_limits(provider, LIMITS);
    let open = Arc::clone(&options.open);
    let options = ServerOptions {
        account: options.account.clone(),
        max_request: 65 << 20,
        timeout: options.timeout,
        idle: IDLE,
        address: port.to_string(),
    };
    let (mut perflib, mut registry) = (PerflibInterface::new(server), RegistryInterface::new(open));
    Ok(serve_connection(transport, &mut [&mut perflib, &mut registry], &options)?)
}
