//! A server of MS-PCQ, and of the performance data of MS-RRP, over TCP or behind Samba.

mod admitted;
mod listener;
mod places;

use std::io;
use std::net::ToSocketAddrs;
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, AtomicUsize, Ordering};
use std::time::{Duration, Instant};

use recount_pcq::conversation::ServerLimits;
use recount_record::{LiveSource, TakeError};

use self::admitted::{Admitted, LatePerflib};
pub use self::listener::Address;
use self::listener::Listener;
use self::places::{Place, Places};
use crate::Account;
use crate::registry::RegistryInterface;
use crate::rpc::{ServerOptions, refuse_connection, serve_connection};
#[cfg(unix)]
use crate::transport::SambaPipe;
use crate::transport::{Socket, Stream, Transport};

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
    /// At most 64 connections, fewer if this process may have few files open; 30 s per message.
    pub fn new(open: OpenSource, family: impl Into<String>, account: Account) -> ServeOptions {
        let timeout = Duration::from_secs(30);
        ServeOptions { open, family: family.into(), account, max_connections: max_connections(), timeout }
    }
}

/// What is served is read from files, too, and strangers mustn't take all that may be open.
fn max_connections() -> usize {
    const MAX: usize = 64;
    #[cfg(unix)]
    {
        /// Files that may be open for each connection of a client, and for each of a stranger.
        const NUM_FILES: u64 = 8;
        use rustix::process::{Resource, getrlimit};
        let num = getrlimit(Resource::Nofile).current.map_or(MAX as u64, |limit| limit / NUM_FILES);
        usize::try_from(num).unwrap_or(MAX).clamp(1, MAX)
    }
    #[cfg(not(unix))]
    MAX
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
/// How long the same failure to accept connections isn't reported again.
const BETWEEN_REPORTS: Duration = Duration::from_mins(1);
/// How often a server looks whether it is to end.
const LOOK: Duration = Duration::from_millis(50);

/// A listening server.
#[derive(Debug)]
pub struct Server {
    listener: Listener,
    address: Address,
}

impl Server {
    /// Listens on an address; port 0 takes a free one.
    pub fn listen(address: impl ToSocketAddrs) -> io::Result<Server> {
        Server::of(Listener::tcp(address)?)
    }

    /// Is the server of Samba's pipe `winreg`: listens in its folder of pipes, `np` in its `ncalrpc dir`. Clients whose user
    /// Samba has authenticated, and who are that of the account, may read the registry without more.
    #[cfg(unix)]
    pub fn behind_samba(folder: &std::path::Path) -> io::Result<Server> {
        Server::of(Listener::Samba(listener::SambaListener::bind(folder)?))
    }

    fn of(listener: Listener) -> io::Result<Server> {
        let address = listener.address()?;
        Ok(Server { listener, address })
    }

    /// Where it listens.
    pub fn address(&self) -> &Address {
        &self.address
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
        self.listener.set_nonblocking()?;
        let reception = Reception {
            options: options.clone(),
            address: match &self.address {
                Address::Tcp(address) => address.port().to_string(),
                #[cfg(unix)]
                Address::Samba(_) => r"\PIPE\winreg".to_owned(),
            },
            report: Arc::clone(report),
            places: Places::new(options.max_connections),
            num_refusals: Arc::new(AtomicUsize::new(0)),
        };
        let mut last_failure: Option<(io::ErrorKind, Instant)> = None;
        while !end.load(Ordering::Relaxed) {
            match self.listener.accept() {
                Ok((socket, peer)) => reception.receive(socket, &peer),
                Err(error) if error.kind() == io::ErrorKind::WouldBlock => std::thread::sleep(LOOK),
                // A client that gave up before it was accepted.
                Err(error) if error.kind() == io::ErrorKind::ConnectionAborted => {}
                Err(error) => {
                    // Most of the time there are too many open files. Clients that aren't authenticated have to make room
                    // for others; those that are keep being served.
                    let is_known = |(kind, since): (io::ErrorKind, Instant)| {
                        kind == error.kind() && since.elapsed() < BETWEEN_REPORTS
                    };
                    if !last_failure.is_some_and(is_known) {
                        report(&format!("can't accept a connection: {error}; going on with the others"));
                        last_failure = Some((error.kind(), Instant::now()));
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
    /// What bindings say.
    address: String,
    report: Arc<dyn Fn(&str) + Send + Sync>,
    places: Places,
    num_refusals: Arc<AtomicUsize>,
}

impl Reception {
    fn receive(&self, socket: Socket, peer: &str) {
        let max = self.options.max_connections;
        if !self.places.has_room(GIVES_UP_AFTER) {
            (self.report)(&format!("{peer}: refused, there are {max} connections"));
            self.refuse(socket);
            return;
        }
        let socket = Arc::new(socket);
        let place = self.places.enter(Arc::clone(&socket));
        let (options, report, address) =
            (self.options.clone(), Arc::clone(&self.report), self.address.clone());
        let of = peer.to_owned();
        let serving = move || {
            let ended = connection(socket, &options, address, &place, &report);
            match ended {
                Err(_) if place.is_closed() => {
                    report(&format!("{of}: closed to make room for other clients"));
                }
                Err(error) => report(&format!("{of}: {error}")),
                Ok(()) => {}
            }
        };
        self.spawn(serving, peer);
    }

    /// Tells a client that there is no room, unless many are being told so.
    fn refuse(&self, socket: Socket) {
        if self.num_refusals.fetch_add(1, Ordering::Relaxed) >= MAX_REFUSALS {
            self.num_refusals.fetch_sub(1, Ordering::Relaxed);
            return;
        }
        let num_refusals = Arc::clone(&self.num_refusals);
        let refusing = move || {
            // It was reported; whether the client hears of it is of no consequence.
            let _ = refusal(socket);
            num_refusals.fetch_sub(1, Ordering::Relaxed);
        };
        if std::thread::Builder::new().spawn(refusing).is_err() {
            self.num_refusals.fetch_sub(1, Ordering::Relaxed);
        }
    }

    /// Without a thread, the connection ends.
    fn spawn(&self, serving: impl FnOnce() + Send + 'static, peer: &str) {
        if let Err(error) = std::thread::Builder::new().name("serve-client".into()).spawn(serving) {
            (self.report)(&format!("{peer}: refused, no thread can be made: {error}"));
        }
    }
}

type Failure = Box<dyn std::error::Error>;

fn refusal(socket: Socket) -> Result<(), Failure> {
    let (transport, _) = transport(Arc::new(socket), REFUSAL, None)?;
    Ok(refuse_connection(transport, REFUSAL)?)
}

/// What carries the PDUs of a connection, and whether its client is known to be that of the account.
fn transport(
    socket: Arc<Socket>,
    within: Duration,
    account: Option<&Account>,
) -> io::Result<(Box<dyn Transport>, bool)> {
    // Some systems give the listener's mode to its connections.
    socket.set_nonblocking(false)?;
    match &*socket {
        Socket::Tcp(_) => Ok((Box::new(Stream::new(socket, within)?), false)),
        #[cfg(unix)]
        Socket::Unix(_) => {
            let (pipe, caller) = SambaPipe::accept(Stream::new(socket, within)?, within)?;
            let is_known = account.is_some_and(|account| {
                caller.is_authenticated && account.is_user(&caller.domain, &caller.user)
            });
            Ok((Box::new(pipe), is_known))
        }
    }
}

fn connection(
    socket: Arc<Socket>,
    options: &ServeOptions,
    address: String,
    place: &Place,
    report: &Arc<dyn Fn(&str) + Send + Sync>,
) -> Result<(), Failure> {
    let (transport, is_known) = transport(socket, options.timeout, Some(&options.account))?;
    let limits = ServerOptions {
        account: options.account.clone(),
        is_known,
        max_request: 65 << 20,
        timeout: options.timeout,
        idle: IDLE,
        address,
    };
    let perflib = LatePerflib::new(Arc::clone(&options.open), &options.family, LIMITS, Arc::clone(report));
    let registry = RegistryInterface::new(Arc::clone(&options.open));
    let (mut perflib, mut registry) = (Admitted::new(perflib, place), Admitted::new(registry, place));
    Ok(serve_connection(transport, &mut [&mut perflib, &mut registry], &limits)?)
}
