//! MS-PCQ, Performance Library 2.0: the second generation of Windows' performance counters.
//!
//! `formats/ms-pcq.md` specifies it.
//!
//! - The buffers of all methods are read and written byte for byte: [`Registration`], [`StringTable`], [`Instances`],
//!   [`CounterIdentifiers`], [`QueryData`].
//! - A [`Message`] is a buffer with its request; recorded sessions are streams of messages ([`messages`]).
//! - A [`Session`] keeps what earlier messages say about an answer; a [`MessageDecoder`] turns answers into
//!   [`Run`](recount_model::Run)s, and [`SessionSource`] does so for a stream, as a
//!   [`Source`](recount_model::Source).
//! - [`conversation`] has client and server, over any transport.

pub mod conversation;
mod session;
mod session_directory;
mod structure;

pub use session::{Counterset, Links, MessageDecoder, Session, SessionSource};
pub use session_directory::{DirectoryEntry, EntryKind, SessionDirectory};
pub use structure::{
    ANY_COUNTER, ANY_INSTANCE, BlockType, Blocks, CounterBlock, CounterData, CounterHeader,
    CounterIdentifier, CounterIdentifierBuf, CounterIdentifiers, CounterIds, CounterRegInfo,
    CounterSetRegInfo, DataClocks, DataHeader, Guid, GuidError, InstanceBuf, InstanceHeader, InstanceRow,
    InstanceRows, Instances, Message, MessageHeader, MessageSplit, Messages, MessagesInForce, QueryData,
    QueryDataBuf, Registration, ReturnCode, StreamItem, StringOrigin, StringTable, StringTableBuf, Text,
    Values, dump, messages, opnum, parse_guids, request,
};

/// The example of README.md compiles.
#[cfg(doctest)]
#[doc = include_str!("../README.md")]
struct Readme;
