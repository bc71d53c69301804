//! Performance Library 2.0, in memory: both sides of the Performance Counter Query Protocol (MS-PCQ).
//!
//! ```text
//! PerflibSource -> PerflibClient -> dyn PerflibV2 <- PerflibServer <- CounterProvider
//!  (recorder)       (3.2)           (the methods)     (3.1)            (live values)
//! ```
//!
//! Client and server share nothing but the eight methods and the buffers of the document, [`PerflibV2`]: a transport (RPC
//! over SMB, MS-PCQ 2.1) can be put between them.

mod blocks;
mod client;
mod error_codes;
mod protocol;
mod provider;
mod server;
mod source;
#[cfg(test)]
mod tests;

pub use blocks::{BlockProvider, PERF_FREQ_ID, PERF_TIME_ID, counterset_guid, provider_guid};
pub use client::{Answer, Browsed, BrowsedSet, ClientError, PerflibClient};
pub use error_codes::{READ_FAULT, RESOURCE_LANG_NOT_FOUND};
pub use protocol::{AuthenticationLevel, Method, PerflibV2, QueryHandle, Reply, RpcFault};
pub use provider::{Collected, CounterProvider, CounterTexts, CountersetInfo, InstanceValues, RawValue};
pub use server::{PerflibServer, ServerLimits};
pub use source::{Aside, PerflibSource};

use crate::{LiveSource, TakeError};

/// A classic source's objects as countersets, asked for through a server within this process: a source of messages.
///
/// `family` is what the GUIDs are made of, besides the objects' names ([`BlockProvider::new`]).
pub fn serve_blocks(mut source: Box<dyn LiveSource>, family: &str) -> Result<Box<dyn LiveSource>, TakeError> {
    let facts = source.facts();
    let server = PerflibServer::new(BlockProvider::new(source, family)?);
    let source = PerflibSource::new(PerflibClient::new(server), &mut |_| true, facts, Vec::new())?;
    Ok(Box::new(source.with_aside(PerflibServer::aside)))
}
