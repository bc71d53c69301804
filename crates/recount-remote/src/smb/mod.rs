//! A client of SMB 2 and 3 (MS-SMB2), as far as named pipes need it: `ncacn_np`.
//!
//! Negotiation, a session authenticated by NTLM within SPNEGO, the share `IPC$`, a pipe. Messages are encrypted if the
//! server can (3.0 and later), signed otherwise. One request is under way at a time.
//!
//! # Why it is ours
//!
//! The crate `smb` was looked at twice, last in November 2026 (0.11.2 and 0.12.1, sources read and 0.12.1 built). It builds on Unix without system
//! libraries, has a single-threaded mode without an async runtime, and implements more of SMB than we need. It doesn't fit, because:
//!
//! - Its pipes carry calls of a single fragment: `resource/pipe.rs` refuses an answer whose first or last flag is missing, reads at most
//!   1,024 bytes of the answer to a bind, offers NDR64 as the only syntax, and has no authentication within RPC. Our answers have
//!   megabytes, our calls are NDR, signed and sealed ([`rpc`](crate::rpc)). What is beneath the pipe is reachable by `ioctl` alone
//!   (`FSCTL_PIPE_TRANSCEIVE`); to read on, which every answer of several fragments needs, has no public function for pipes.
//! - It pins `sspi` 0.21 (0.11.2: 0.18), so NTLM would be built twice, beside the 0.23 that [`rpc`](crate::rpc) uses.
//! - 30,000 lines and 189 packages with `sign`, `encrypt` and `single_threaded` (all of this crate needs 165), a minute and a half to check on two
//!   cores, in exchange for 1,500 lines. The ciphers are the same crates either way: aes, aes-gcm, ccm, cmac, hmac.
//!
//! What ours has been tested against is in `formats/ms-pcq.md#peers`. If `smb` gets pipes of raw bytes, and the `sspi` of the day, it
//! should replace this module.

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
