//! The client side (MS-PCQ 3.2): browses, adds counters to queries, and requests their values.
//!
//! "The client side ... is simply a pass-through" (MS-PCQ 3): all state except the handle is the server's.
//! This client adds what every caller needs: growing buffers, checked answers, and messages for logging.

mod answer;
mod browse;
mod error;
mod growth;
mod query;

use std::collections::BTreeMap;
use std::time::SystemTime;

use recount_model::Timestamp;

use super::{AuthenticationLevel, Method, PerflibV2, QueryHandle};
use crate::{Guid, MessageHeader};
pub use answer::Answer;
pub use browse::{Browsed, BrowsedSet};
pub use error::ClientError;
pub(super) use error::words;
use growth::call_growing;

/// `dwInSize` of the first attempt, in bytes: enough for most answers, but small.
const FIRST_SIZE: u32 = 0x4000;
/// The longest answer accepted by default, in bytes.
const MAX_ANSWER: u32 = 256 << 20;

/// A client of a server.
///
/// Every answer is an [`Answer`], whether the method succeeded or not; a [`ClientError`] means that there is
/// none. Queries are identified by numbers, which represent their handles in messages.
pub struct PerflibClient<T> {
    server: T,
    /// `szMachine`.
    machine: String,
    now: Box<dyn FnMut() -> Timestamp>,
    max_answer: u32,
    queries: BTreeMap<u32, OpenQuery>,
    num_opened: u32,
}

/// This machine's time.
fn now() -> Timestamp {
    let since = SystemTime::now().duration_since(SystemTime::UNIX_EPOCH).unwrap_or_default();
    Timestamp::from_unix_nanos(i64::try_from(since.as_nanos()).unwrap_or(i64::MAX))
}

/// The client's state of a query.
struct OpenQuery {
    handle: QueryHandle,
    /// Counters that are in it.
    num_counters: usize,
    /// Size of the buffer that sufficed for the last answer.
    len_data: u32,
}

impl<T: PerflibV2> PerflibClient<T> {
    /// A client of `server`, with calls protected as required by MS-PCQ 5.1.
    pub fn new(mut server: T) -> PerflibClient<T> {
        server.set_authentication_level(AuthenticationLevel::PKT_PRIVACY);
        PerflibClient {
            server,
            machine: String::new(),
            now: Box::new(now),
            max_answer: MAX_ANSWER,
            queries: BTreeMap::new(),
            num_opened: 0,
        }
    }

    /// Sets the machine name, `szMachine`, which is passed to the providers; none by default.
    #[must_use]
    pub fn with_machine(self, machine: impl Into<String>) -> PerflibClient<T> {
        PerflibClient { machine: machine.into(), ..self }
    }

    /// Takes the times of messages from a clock other than this machine's.
    #[must_use]
    pub fn with_clock(self, now: impl FnMut() -> Timestamp + 'static) -> PerflibClient<T> {
        PerflibClient { now: Box::new(now), ..self }
    }

    /// Limits answers to `len` bytes.
    #[must_use]
    pub fn with_max_answer(self, len: u32) -> PerflibClient<T> {
        PerflibClient { max_answer: len, ..self }
    }

    /// Numbers queries from `num_opened` + 1 on: in a log, a number means the same query over all connections.
    #[must_use]
    pub fn with_opened(self, num_opened: u32) -> PerflibClient<T> {
        PerflibClient { num_opened, ..self }
    }

    /// The server.
    pub fn server(&mut self) -> &mut T {
        &mut self.server
    }

    /// Requests the GUIDs of all countersets (opnum 0): read with [`crate::parse_guids`].
    pub fn enumerate_counter_set(&mut self) -> Result<Answer, ClientError> {
        let method = Method::EnumerateCounterSet;
        let (server, machine) = (&mut self.server, self.machine.as_str());
        // The maximum is 4 KiB.
        let max = method.max_in_size();
        let (code, data, _) =
            call_growing(method, max, max, |size| server.enumerate_counter_set(machine, size))?;
        Ok(self.answer(method, MessageHeader { return_code: code, ..MessageHeader::default() }, &data))
    }

    /// Requests information about a counterset or counter (opnum 1). `request_code` is one of
    /// [`crate::request`]; `argument` is `RequestLCID`: a language, or the counter's id.
    pub fn registration_info(
        &mut self,
        guid: Guid,
        request_code: u16,
        argument: u32,
    ) -> Result<Answer, ClientError> {
        let method = Method::QueryCounterSetRegistrationInfo;
        let (server, machine) = (&mut self.server, self.machine.as_str());
        let max = method.max_in_size().min(self.max_answer);
        let (return_code, data, _) = call_growing(method, FIRST_SIZE, max, |size| {
            server.query_registration_info(machine, guid, request_code.into(), argument, size)
        })?;
        let header = MessageHeader { request_code, argument, guid, return_code, ..MessageHeader::default() };
        Ok(self.answer(method, header, &data))
    }

    /// Requests the active instances of a counterset (opnum 2): read with [`crate::Instances`].
    pub fn enumerate_instances(&mut self, guid: Guid) -> Result<Answer, ClientError> {
        let method = Method::EnumerateCounterSetInstances;
        let (server, machine) = (&mut self.server, self.machine.as_str());
        let max = method.max_in_size().min(self.max_answer);
        let (return_code, data, _) =
            call_growing(method, FIRST_SIZE, max, |size| server.enumerate_instances(machine, guid, size))?;
        Ok(self.answer(method, MessageHeader { guid, return_code, ..MessageHeader::default() }, &data))
    }

    fn answer(&mut self, method: Method, header: MessageHeader, buffer: &[u8]) -> Answer {
        Answer::new(method, MessageHeader { time: (self.now)(), ..header }, buffer)
    }
}
