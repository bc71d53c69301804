//! A client of SMB 2 and 3 (MS-SMB2), as far as named pipes need it: `ncacn_np`.
//!
//! Negotiation, a session authenticated by NTLM within SPNEGO, the share `IPC$`, a pipe. Messages are encrypted if the
//! server can (3.0 and later), signed otherwise. One request is under way at a time.

mod cipher;
mod connection;
mod create;
mod error;
mod fields;
mod header;
mod keys;
mod negotiate;
mod pipe;
mod read_write;
mod session;

pub use create::CreateResponse;
pub(crate) use error::TRANSPORT_HEADER;
pub use error::{SmbError, status};
pub use header::Header;
pub use negotiate::NegotiateResponse;
pub use pipe::{SmbPipe, SmbServer};
pub use read_write::{IoctlResponse, ReadResponse};
pub use session::{SessionResponse, TreeResponse};
