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
    /// There is no pipe to it.
    #[error("{host}: {source}")]
    Pipe {
        /// The server.
        host: String,
        /// Why.
        source: Box<SmbError>,
    },
    /// It doesn't accept us.
    #[error("{host}: {source}")]
    Bind {
        /// The server.
        host: String,
        /// Why.
        source: RpcError,
    },
    /// It doesn't answer what has to be known before samples.
    #[error("{host}: {source}")]
    Browse {
        /// The server.
        host: String,
        /// Why.
        source: Box<ClientError>,
    },
    /// Its registry doesn't have what is wanted.
    #[error("{host}: {source}")]
    Query {
        /// The server.
        host: String,
        /// Why.
        source: Box<TakeError>,
    },
}
