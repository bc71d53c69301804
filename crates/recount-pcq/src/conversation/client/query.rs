//! Opening, filling, reading, and closing queries.

use super::growth::call_growing;
use super::{Answer, ClientError, FIRST_SIZE, OpenQuery, PerflibClient};
use crate::conversation::{Method, PerflibV2, QueryHandle};
use crate::{
    CounterBlock, CounterIdentifier, CounterIdentifierBuf, CounterIdentifiers, MessageHeader, QueryData,
    ReturnCode,
};

impl<T: PerflibV2> PerflibClient<T> {
    /// Opens a query (opnum 3); returns its number.
    pub fn open_query(&mut self) -> Result<u32, ClientError> {
        let method = Method::OpenQueryHandle;
        let (code, handle) = self.server.open_query_handle(&self.machine)?;
        if !code.is_success() {
            return Err(ClientError::Returned { method, code });
        }
        self.num_opened += 1;
        let query = OpenQuery { handle, num_counters: 0, len_data: FIRST_SIZE };
        self.queries.insert(self.num_opened, query);
        Ok(self.num_opened)
    }

    /// Closes a query (opnum 4). It stays open if the server fails.
    pub fn close_query(&mut self, query: u32) -> Result<(), ClientError> {
        let method = Method::CloseQueryHandle;
        let mut handle = self.open(query)?.handle;
        let code = self.server.close_query_handle(&mut handle)?;
        if !code.is_success() {
            return Err(ClientError::Returned { method, code });
        }
        self.queries.remove(&query);
        if handle != QueryHandle::NULL {
            let (expected, found) = ("null".to_owned(), "a handle".to_owned());
            return Err(ClientError::Contradiction { method, field: "phQuery", expected, found });
        }
        Ok(())
    }

    /// Adds counters to a query (opnum 7); returns the status of each, and the answer.
    pub fn add(
        &mut self,
        query: u32,
        counters: &[CounterIdentifierBuf],
    ) -> Result<(Vec<ReturnCode>, Answer), ClientError> {
        self.validate(query, counters, true)
    }

    /// Removes counters from a query (opnum 7); returns the status of each, and the answer.
    pub fn remove(
        &mut self,
        query: u32,
        counters: &[CounterIdentifierBuf],
    ) -> Result<(Vec<ReturnCode>, Answer), ClientError> {
        self.validate(query, counters, false)
    }

    fn validate(
        &mut self,
        query: u32,
        counters: &[CounterIdentifierBuf],
        is_adding: bool,
    ) -> Result<(Vec<ReturnCode>, Answer), ClientError> {
        let method = Method::ValidateCounters;
        let handle = self.open(query)?.handle;
        let mut data = Vec::new();
        for counter in counters {
            counter.write(&mut data);
        }
        let sent = data.clone();
        let argument = u32::from(is_adding);
        let return_code = self.server.validate_counters(handle, &mut data, argument)?;
        let header = MessageHeader { argument, return_code, query, ..MessageHeader::default() };
        let buffer = if return_code.is_success() { data } else { Vec::new() };
        let answer = self.answer(method, header, &buffer);
        let statuses = statuses(&answer, &sent)?;
        let num_done = statuses.iter().filter(|status| status.is_success()).count();
        let open = self.open(query)?;
        open.num_counters =
            if is_adding { open.num_counters + num_done } else { open.num_counters.saturating_sub(num_done) };
        Ok((statuses, answer))
    }

    /// Requests the counters of a query and their positions in answers (opnum 5): read with
    /// [`crate::CounterIdentifiers`].
    pub fn query_info(&mut self, query: u32) -> Result<Answer, ClientError> {
        let method = Method::QueryCounterInfo;
        let handle = self.open(query)?.handle;
        let max = method.max_in_size().min(self.max_answer);
        let server = &mut self.server;
        let (return_code, data, _) =
            call_growing(method, FIRST_SIZE, max, |size| server.query_counter_info(handle, size))?;
        Ok(self.answer(method, MessageHeader { return_code, query, ..MessageHeader::default() }, &data))
    }

    /// Requests the values of a query (opnum 6): a sample.
    ///
    /// Fails if the method does, or if the answer isn't completely valid or has more blocks than the query
    /// has counters.
    pub fn query_data(&mut self, query: u32) -> Result<Answer, ClientError> {
        let method = Method::QueryCounterData;
        let OpenQuery { handle, num_counters, len_data } = *self.open(query)?;
        let max = method.max_in_size().min(self.max_answer);
        let server = &mut self.server;
        let (return_code, data, size) =
            call_growing(method, len_data, max, |size| server.query_counter_data(handle, size))?;
        self.open(query)?.len_data = size;
        let answer =
            self.answer(method, MessageHeader { return_code, query, ..MessageHeader::default() }, &data);
        let num_blocks = answer.blocks()?.len();
        if num_blocks > num_counters {
            let expected = format!("at most {num_counters}: the query has no more counters");
            return Err(answer.contradiction("dwNumCounter", &expected, &num_blocks));
        }
        Ok(answer)
    }

    fn open(&mut self, query: u32) -> Result<&mut OpenQuery, ClientError> {
        self.queries.get_mut(&query).ok_or(ClientError::NoQuery { query })
    }
}

impl Answer {
    /// The blocks of an answer with values, in order of position.
    ///
    /// Fails if the method did, or if any block is invalid.
    pub fn blocks(&self) -> Result<Vec<CounterBlock<'_>>, ClientError> {
        self.read(|bytes, ofs| QueryData::parse(bytes, ofs)?.blocks().collect())
    }
}

/// The status of each counter. "The server will return this buffer": the fields that identify the counter
/// must be returned unchanged; only `Status` may differ.
fn statuses(answer: &Answer, sent: &[u8]) -> Result<Vec<ReturnCode>, ClientError> {
    let read = |bytes, ofs| CounterIdentifiers::parse(bytes, ofs).collect::<Result<Vec<_>, _>>();
    let returned = answer.read(read)?;
    let asked: Vec<_> = CounterIdentifiers::parse(sent, 0).filter_map(Result::ok).collect();
    if returned.len() != asked.len() {
        return Err(answer.contradiction("lpData", &format!("{} counters", asked.len()), &returned.len()));
    }
    let which = |counter: &CounterIdentifier<'_>| {
        let text = counter.name.to_string_lossy();
        format!(
            "counter {} of {}, instance \"{}\", id {}",
            counter.counter_id, counter.guid, text, counter.instance_id
        )
    };
    for (returned, asked) in returned.iter().zip(&asked) {
        if which(returned) != which(asked) {
            return Err(answer.contradiction("lpData", &which(asked), &which(returned)));
        }
    }
    Ok(returned.iter().map(|counter| ReturnCode(counter.status)).collect())
}
