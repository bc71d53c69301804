//! A server of MS-PCQ, and of the performance data of MS-RRP, over TCP.

mod admitted;
mod places;

use std::io;
use std::net::{SocketAddr, TcpListener, TcpStream, ToSocketAddrs};
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, AtomicUsize, Ordering};
use std::time::Duration;

use recount_pcq::conversation::ServerLimits;
use recount_record::{LiveSource, TakeError};

use self::admitted::{Admitted, LatePerflib};
use self::places::{Place, Places};
use crate::Account;
use crate::registry::RegistryInterface;
use crate::rpc::{ServerOptions, refuse_connection, serve_connection};
use crate::transport::Tcp;

/// Opens what is served: once for every authenticated connection, so that each sees a replay from its beginning.
pub type OpenSource = Arc<dyn Fn() -> Result<Box<dyn LiveSource>, TakeError> + Send + Sync>;

/// What is served, and to whom.
#[derive(Clone)]
pub struct ServeOptions {
    /// Opens the source of classic blocks.
    pub open: OpenSource,
    /// The family that GUIDs of countersets are made of ([`recount_record::countersets::BlockProvider::new`]).
    pub family: String,
    /// Who may call.
    pub account: Account,
    /// How many authenticated connections there may be at a time, and as many of clients that aren't authenticated yet.
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
/// How long it has to have been silent to give up its place, if there is no other.
const GIVES_UP_AFTER: Duration = Duration::from_mins(10);
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
    /// client's request, or couldn't be accepted.
    ///
    /// Connections that are open at the end stay open until their clients leave or this process ends.
    pub fn serve(
        &self,
        options: &ServeOptions,
        end: &AtomicBool,
        report: &Arc<dyn Fn(&str) + Send + Sync>,
    ) -> io::Result<()> {
        self.listener.set_nonblocking(true)?;
        let reception = Reception {
            options: options.clone(),
            port: self.address.port(),
            report: Arc::clone(report),
            places: Places::new(options.max_connections),
            num_refusals: Arc::new(AtomicUsize::new(0)),
        };
        let mut last_failure = None;
        while !end.load(Ordering::Relaxed) {
            match self.listener.accept() {
                Ok((stream, peer)) => {
                    last_failure = None;
                    reception.receive(stream, peer);
                }
                Err(error) if error.kind() == io::ErrorKind::WouldBlock => std::thread::sleep(LOOK),
                // A client that gave up before it was accepted.
                Err(error) if error.kind() == io::ErrorKind::ConnectionAborted => {}
                Err(error) => {
                    // Most of the time there are too many open files. Clients that aren't authenticated have to make room
                    // for others; those that are keep being served.
                    if last_failure != Some(error.kind()) {
                        report(&format!("can't accept a connection: {error}; going on with the others"));
                        last_failure = Some(error.kind());
                    }
                    reception.places.close_oldest_stranger();
                    std::thread::sleep(LOOK);
                }
            }
        }
        Ok(())
    }
}

/// Gives every connection its place and its thread.
struct Reception {
    options: ServeOptions,
    port: u16,
    report: Arc<dyn Fn(&str) + Send + Sync>,
    places: Places,
    num_refusals: Arc<AtomicUsize>,
}

impl Reception {
    fn receive(&self, stream: TcpStream, peer: SocketAddr) {
        let max = self.options.max_connections;
        if !self.places.has_room(GIVES_UP_AFTER) {
            (self.report)(&format!("{peer}: refused, there are {max} connections"));
            self.refuse(stream);
            return;
        }
        let stream = Arc::new(stream);
        let place = self.places.enter(Arc::clone(&stream));
        let (options, report, port) = (self.options.clone(), Arc::clone(&self.report), self.port);
        let serving = move || {
            let ended = connection(stream, &options, port, &place, &report);
            match ended {
                Err(_) if place.is_closed() => {
                    report(&format!("{peer}: closed to make room for other clients"));
                }
                Err(error) => report(&format!("{peer}: {error}")),
                Ok(()) => {}
            }
        };
        self.spawn(serving, peer);
    }

    /// Tells a client that there is no room, unless many are being told so.
    fn refuse(&self, stream: TcpStream) {
        if self.num_refusals.fetch_add(1, Ordering::Relaxed) >= MAX_REFUSALS {
            self.num_refusals.fetch_sub(1, Ordering::Relaxed);
            return;
        }
        let num_refusals = Arc::clone(&self.num_refusals);
        let refusing = move || {
            // It was reported; whether the client hears of it is of no consequence.
            let _ = refusal(stream);
            num_refusals.fetch_sub(1, Ordering::Relaxed);
        };
        if std::thread::Builder::new().spawn(refusing).is_err() {
            self.num_refusals.fetch_sub(1, Ordering::Relaxed);
        }
    }

    /// Without a thread, the connection ends.
    fn spawn(&self, serving: impl FnOnce() + Send + 'static, peer: SocketAddr) {
        if let Err(error) = std::thread::Builder::new().name("serve-client".into()).spawn(serving) {
            (self.report)(&format!("{peer}: refused, no thread can be made: {error}"));
        }
    }
}

fn refusal(stream: TcpStream) -> Result<(), Box<dyn std::error::Error>> {
    stream.set_nonblocking(false)?;
    Ok(refuse_connection(Tcp::new(stream, REFUSAL)?, REFUSAL)?)
}

fn connection(
    stream: Arc<TcpStream>,
    options: &ServeOptions,
    port: u16,
    place: &Place,
    report: &Arc<dyn Fn(&str) + Send + Sync>,
) -> Result<(), Box<dyn std::error::Error>> {
    // Some systems give the listener's mode to its connections.
    stream.set_nonblocking(false)?;
    let transport = Tcp::new(stream, options.timeout)?;
    let limits = ServerOptions {
        account: options.account.clone(),
        max_request: 65 << 20,
        timeout: options.timeout,
        idle: IDLE,
        address: port.to_string(),
    };
    let perflib = LatePerflib::new(Arc::clone(&options.open), &options.family, LIMITS, Arc::clone(report));
    let registry = RegistryInterface::new(Arc::clone(&options.open));
    let (mut perflib, mut registry) = (Admitted::new(perflib, place), Admitted::new(registry, place));
    Ok(serve_connection(transport, &mut [&mut perflib, &mut registry], &limits)?)
}
