//! MS-PCQ over the wire: performance counters of remote machines.
//!
//! ```text
//! RemoteSource -> Sampler -> PerflibClient -> RemotePerflib --> RpcClient -> Transport: Stream or SmbPipe
//!             \\-> QuerySource -> RemoteMachine -> RegistryClient -/               |
//! LiveSource <- BlockProvider <- PerflibServer <- PerflibInterface <--- connection: Stream or SambaPipe
//!           \\-------------------------------- RegistryInterface <-/
//! ```
//!
//! - [`transport`] carries bytes: TCP (`ncacn_ip_tcp`); [`smb`] does so through a pipe of SMB 2 and 3 (`ncacn_np`).
//! - [`rpc`] has the connection-oriented protocol of DCE/RPC (C706, MS-RPCE): PDUs, fragments, authentication
//!   by NTLM and the protection of calls, for clients and servers.
//! - [`RemotePerflib`] and [`PerflibInterface`] translate the eight methods of MS-PCQ (appendix A) from and to NDR,
//!   [`registry`] those of the remote registry (MS-RRP) that performance data needs.
//! - [`RemoteSource`] records a server, [`Server`] is one.

mod connect;
mod credentials;
mod host;
mod ntlm;
mod options;
mod pcq;
pub mod registry;
mod remote_error;
pub mod rpc;
mod serve;
pub mod smb;
mod source;
pub mod spnego;
pub mod transport;

pub use credentials::{Account, CredentialsError};
pub use host::{Host, HostError, Way};
pub use options::{RemoteOptions, Via};
pub use pcq::{INTERFACE, PerflibInterface, RemotePerflib};
pub use remote_error::RemoteError;
pub use serve::{Address, OpenSource, ServeOptions, Server};
pub use source::RemoteSource;

/// The example of README.md compiles.
#[cfg(doctest)]
#[doc = include_str!("../README.md")]
struct Readme;
