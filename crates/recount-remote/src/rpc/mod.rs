//! Connection-oriented DCE/RPC (C706 chapter 12, MS-RPCE 2.2.2): PDUs, fragments, binding, protection.
//!
//! Received PDUs may be in either data representation; sent ones are little-endian. Memory is bounded on both
//! sides: a PDU by the length negotiated, a call by what its receiver allows.

mod authentication;
mod body;
mod channel;
mod client;
mod error;
mod header;
mod ndr;
mod pdu;
mod security;
mod server;
mod syntax;
mod verification;

pub use body::{Bind, BindAck, BindContext, BindNak, ContextResult, Fault, Request, Response};
pub use client::{ClientOptions, RpcClient};
pub use error::{RpcError, fault};
pub use header::{Header, PacketType, flag};
pub use ndr::{NdrReader, NdrWriter};
pub use pdu::{Pdu, Trailer};
pub use server::{Called, Interface, ServerOptions, refuse_connection, serve_connection};
pub use syntax::{NDR, Syntax};
