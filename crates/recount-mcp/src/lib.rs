//! A server of the Model Context Protocol (MCP) over the command `recount`.
//!
//! It reads no capture itself. Each tool runs the command as a child process, with arguments made of typed parameters, so an answer is
//! what the command prints, and a capture that crashes the command doesn't end the server. Captures are read only in folders that the
//! caller allows. `docs/mcp.md` describes the tools.

mod answer;
mod ask;
mod child;
mod cursor;
mod cut;
mod folders;
mod gone;
mod http;
mod plain;
mod prompts;
mod refusal;
mod resources;
mod server;
mod tools;
mod words;

#[cfg(all(test, unix))]
mod tests;

use std::ffi::OsString;
use std::path::PathBuf;
use std::time::Duration;

use rmcp::ServiceExt as _;

pub use child::UNTIL_INPUT_CLOSES;
pub use http::Http;

use server::Server;

/// What a server may do.
#[derive(Clone, Debug)]
pub struct Options {
    /// The command `recount`: its program, and arguments that precede those of a tool.
    pub program: Vec<OsString>,
    /// Folders whose captures may be read, and in which reports may be written.
    pub allow: Vec<PathBuf>,
    /// How long a tool may take.
    pub time_limit: Duration,
    /// Whether the command answers SQL.
    pub has_query: bool,
}

/// Why a server couldn't begin, or ended.
#[derive(Debug, thiserror::Error)]
#[non_exhaustive]
pub enum ServeError {
    /// An allowed folder can't be used.
    #[error("{}: {source}", path.display())]
    Folder {
        /// As it was given.
        path: PathBuf,
        /// What the system said.
        source: std::io::Error,
    },
    /// No folder is allowed.
    #[error("no folder is allowed")]
    NoFolder,
    /// An address that other machines reach.
    #[error("{0} is not on the loopback interface: use 127.0.0.1 or [::1]")]
    NotLoopback(std::net::SocketAddr),
    /// The system.
    #[error(transparent)]
    Io(#[from] std::io::Error),
    /// The client didn't follow the protocol when it connected.
    #[error("the client didn't begin as the protocol says: {0}")]
    Client(String),
}

/// Serves one client over standard input and output, until it closes them.
pub fn serve_stdio(options: Options) -> Result<(), ServeError> {
    let server = Server::new(options)?;
    let runtime = runtime()?;
    let served = runtime.block_on(async {
        match server.serve(rmcp::transport::stdio()).await {
            Ok(running) => {
                running.waiting().await.map(drop).map_err(|error| std::io::Error::other(error).into())
            }
            Err(rmcp::service::ServerInitializeError::ConnectionClosed(_)) => Ok(()),
            Err(error) => Err(ServeError::Client(error.to_string())),
        }
    });
    // A read of standard input can't be cancelled, so it isn't waited for.
    runtime.shutdown_background();
    served
}

fn runtime() -> std::io::Result<tokio::runtime::Runtime> {
    tokio::runtime::Builder::new_multi_thread().worker_threads(2).enable_all().build()
}

/// The example of README.md compiles.
#[cfg(doctest)]
#[doc = include_str!("../README.md")]
struct Readme;
