//! Why a server can't be recorded.

use recount_pcq::conversation::ClientError;
use recount_record::TakeError;

use crate::rpc::RpcError;
use crate::smb::SmbError;

/// Why a server can't be recorded.
#[derive(Debug, thiserror::Error)]
#[non_exhaustive]
pub enum RemoteError {
    /// It can't be reached.
    #[error("{host}: can't connect: {source}")]
    Connect {
        /// The server.
        host: String,
        /// The system's error.
        source: std::io::Error,
    },
    /// No pipe to it can be opened.
    #[error("{host}: {source}")]
    Pipe {
        /// The server.
        host: String,
        /// Why.
        source: Box<SmbError>,
    },
    /// What answers there doesn't speak SMB.
    #[error(
        "{host}: no SMB server answers there ({source}); write SERVER:PORT, without smb://, for recount serve"
    )]
    NotSmb {
        /// The server.
        host: String,
        /// What it answered instead.
        source: Box<SmbError>,
    },
    /// What answers there doesn't speak RPC.
    #[error(
        "{host}: no server of counters answers there ({source}); write the address that recount serve printed"
    )]
    NotRpc {
        /// The server.
        host: String,
        /// What it answered instead.
        source: RpcError,
    },
    /// It doesn't accept us.
    #[error("{host}: {source}")]
    Bind {
        /// The server.
        host: String,
        /// Why.
        source: RpcError,
    },
    /// It doesn't answer the queries needed before samples.
    #[error("{host}: {source}")]
    Browse {
        /// The server.
        host: String,
        /// Why.
        source: Box<ClientError>,
    },
    /// Its registry lacks the requested data.
    #[error("{host}: {source}")]
    Query {
        /// The server.
        host: String,
        /// Why.
        source: Box<TakeError>,
    },
}
