//! Both sides of the Performance Counter Query Protocol.
//!
//! ```text
//! Sampler -> PerflibClient -> dyn PerflibV2 <- PerflibServer <- CounterProvider
//!             (MS-PCQ 3.2)    (the methods)    (MS-PCQ 3.1)     (live values)
//! ```
//!
//! Client and server share only the eight methods and the buffers of the document, [`PerflibV2`], so a
//! transport (RPC over SMB, MS-PCQ 2.1) can be put between them.

mod client;
mod error_codes;
mod protocol;
mod provider;
mod sampler;
mod server;

pub use client::{Answer, Browsed, BrowsedSet, ClientError, PerflibClient};
pub use error_codes::{HANDLE_EOF, READ_FAULT, RESOURCE_LANG_NOT_FOUND};
pub use protocol::{AuthenticationLevel, Method, PerflibV2, QueryHandle, Reply, RpcFault};
pub use provider::{Collected, CounterProvider, CounterTexts, CountersetInfo, InstanceValues, RawValue};
pub use sampler::{Sampled, Sampler};
pub use server::{PerflibServer, ServerLimits};
