//! Which server is recorded, and how.

use std::time::Duration;

use crate::{Account, Host};

/// The interface of the server to use.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum Via {
    /// MS-PCQ: countersets, as messages.
    #[default]
    Pcq,
    /// `HKEY_PERFORMANCE_DATA` of the remote registry (MS-RRP): classic objects, as blocks.
    Registry,
}

/// What to record, and how.
#[derive(Clone, Debug)]
pub struct RemoteOptions {
    /// The server.
    pub host: Host,
    /// The interface to use.
    pub via: Via,
    /// Who asks.
    pub account: Account,
    /// How long connecting, or a call, may take.
    pub timeout: Duration,
    /// The longest answer accepted, in bytes.
    pub max_answer: u32,
}

impl RemoteOptions {
    /// By MS-PCQ, in calls of at most 30 s, with answers of at most 256 MiB.
    pub fn new(host: Host, account: Account) -> RemoteOptions {
        RemoteOptions {
            host,
            via: Via::Pcq,
            account,
            timeout: Duration::from_secs(30),
            max_answer: 256 << 20,
        }
    }
}
