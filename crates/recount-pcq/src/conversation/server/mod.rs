//! The server side (MS-PCQ 3.1): browsing without state, and a table of query handles.
//!
//! Checks are made in RPC's order: ranges of the declaration, then the handle, then the authentication level,
//! and only then the method's own checks. A failed call changes nothing.

mod browse;
mod data;

mod limits;
mod population;
mod query;
mod validate;

use std::collections::BTreeMap;

use crate::{CounterIdentifierBuf, Guid, ReturnCode};

pub use limits::ServerLimits;

use super::{
    AuthenticationLevel, CounterProvider, CountersetInfo, HANDLE_EOF, Method, PerflibV2, QueryHandle,
    READ_FAULT, Reply, RpcFault,
};
use limits::Memory;
use population::Population;
use query::Query;

/// A server inside this process, whose data comes from a [`CounterProvider`].
///
/// `szMachine` "is passed directly to the counter provider. Counter providers can ignore the server name"
/// (MS-PCQ 3.1.4.1.1); these do. A binding starts without authentication, so every method is denied at first.
#[derive(Debug)]
pub struct PerflibServer<P: CounterProvider> {
    provider: P,
    limits: ServerLimits,
    memory: Memory,
    level: AuthenticationLevel,
    queries: BTreeMap<QueryHandle, Query>,
    /// Handles are never reused.
    num_opened: u64,
    /// The last failure of the provider.
    failure: Option<P::Error>,
}

impl<P: CounterProvider> PerflibServer<P> {
    /// A server with the default limits.
    pub fn new(provider: P) -> PerflibServer<P> {
        PerflibServer::with_limits(provider, ServerLimits::default())
    }

    /// A server with the given limits.
    pub fn with_limits(provider: P, limits: ServerLimits) -> PerflibServer<P> {
        PerflibServer {
            provider,
            limits,
            memory: Memory::new(limits.len_memory),
            level: AuthenticationLevel::NONE,
            queries: BTreeMap::new(),
            num_opened: 0,
            failure: None,
        }
    }

    /// Its provider.
    pub fn provider(&mut self) -> &mut P {
        &mut self.provider
    }

    /// How many query handles are open.
    pub fn num_queries(&self) -> usize {
        self.queries.len()
    }

    /// Size of the state of all queries, in bytes.
    pub fn len_state(&self) -> usize {
        self.memory.held()
    }

    /// Takes the reason why the last collection failed: answers only say that it failed.
    pub fn take_failure(&mut self) -> Option<P::Error> {
        self.failure.take()
    }

    /// The counterset and its index.
    fn counterset(&self, guid: Guid) -> Option<(usize, &CountersetInfo)> {
        self.provider.countersets().iter().enumerate().find(|(_, info)| info.registration.set.guid == guid)
    }

    /// The current values. A failure is kept for [`PerflibServer::take_failure`].
    fn collect(&mut self) -> Result<Population, ReturnCode> {
        self.failure = None;
        match self.provider.collect() {
            Ok(Some(collected)) => Ok(Population::new(collected)),
            Ok(None) => Err(HANDLE_EOF),
            Err(error) => {
                self.failure = Some(error);
                Err(READ_FAULT)
            }
        }
    }

    /// The current instances, for methods that don't return values.
    fn look(&mut self) -> Result<Population, ReturnCode> {
        let population = self.collect()?;
        self.provider.put_back();
        Ok(population)
    }

    /// Every method: "if the authentication level of the client is less than `RPC_C_AUTHN_LEVEL_PKT_PRIVACY`".
    fn admit(&self) -> Result<(), ReturnCode> {
        if self.level < AuthenticationLevel::PKT_PRIVACY { Err(ReturnCode::ACCESS_DENIED) } else { Ok(()) }
    }

    fn check_handle(&self, method: Method, query: QueryHandle) -> Result<(), RpcFault> {
        if self.queries.contains_key(&query) { Ok(()) } else { Err(RpcFault::BadHandle { method }) }
    }

    fn query_info(&self, query: QueryHandle) -> Result<Vec<u8>, ReturnCode> {
        self.admit()?;
        let mut data = Vec::new();
        for identifier in self.queries.get(&query).into_iter().flat_map(Query::identifiers) {
            CounterIdentifierBuf::write(&identifier, &mut data);
        }
        Ok(data)
    }

    fn query_data(&mut self, query: QueryHandle) -> Result<Vec<u8>, ReturnCode> {
        self.admit()?;
        let population = self.collect()?;
        let asked = self.queries.get(&query).into_iter().flat_map(Query::asked);
        Ok(data::answer(&population, self.provider.countersets(), asked))
    }

    fn open(&mut self) -> Result<QueryHandle, ReturnCode> {
        self.admit()?;
        if self.queries.len() >= self.limits.num_handles {
            return Err(ReturnCode::NO_SYSTEM_RESOURCES);
        }
        if !self.memory.take(Query::LEN) {
            return Err(ReturnCode::OUT_OF_MEMORY);
        }
        self.num_opened += 1;
        let mut handle = QueryHandle::NULL;
        handle.0[4..12].copy_from_slice(&self.num_opened.to_le_bytes());
        self.queries.insert(handle, Query::default());
        Ok(handle)
    }
}

impl<P: CounterProvider> PerflibV2 for PerflibServer<P> {
    fn set_authentication_level(&mut self, level: AuthenticationLevel) {
        self.level = level;
    }

    fn enumerate_counter_set(&mut self, _machine: &str, dw_in_size: u32) -> Result<Reply, RpcFault> {
        check_range(Method::EnumerateCounterSet, dw_in_size)?;
        Ok(self.guids(dw_in_size).unwrap_or_else(Reply::failed))
    }

    fn query_registration_info(
        &mut self,
        _machine: &str,
        guid: Guid,
        request_code: u32,
        request_lcid: u32,
        dw_in_size: u32,
    ) -> Result<Reply, RpcFault> {
        check_range(Method::QueryCounterSetRegistrationInfo, dw_in_size)?;
        Ok(reply(self.registration_info(guid, request_code, request_lcid), dw_in_size))
    }

    fn enumerate_instances(
        &mut self,
        _machine: &str,
        guid: Guid,
        dw_in_size: u32,
    ) -> Result<Reply, RpcFault> {
        check_range(Method::EnumerateCounterSetInstances, dw_in_size)?;
        Ok(self.instances(guid, dw_in_size).unwrap_or_else(Reply::failed))
    }

    fn open_query_handle(&mut self, _machine: &str) -> Result<(ReturnCode, QueryHandle), RpcFault> {
        Ok(match self.open() {
            Ok(handle) => (ReturnCode::SUCCESS, handle),
            Err(code) => (code, QueryHandle::NULL),
        })
    }

    fn close_query_handle(&mut self, query: &mut QueryHandle) -> Result<ReturnCode, RpcFault> {
        self.check_handle(Method::CloseQueryHandle, *query)?;
        if let Err(code) = self.admit() {
            // "The opened handle, phQuery, remains in that state" (3.1.4.1.8).
            return Ok(code);
        }
        if let Some(closed) = self.queries.remove(query) {
            self.memory.give_back(closed.len());
        }
        *query = QueryHandle::NULL;
        Ok(ReturnCode::SUCCESS)
    }

    fn query_counter_info(&mut self, query: QueryHandle, dw_in_size: u32) -> Result<Reply, RpcFault> {
        check_range(Method::QueryCounterInfo, dw_in_size)?;
        self.check_handle(Method::QueryCounterInfo, query)?;
        Ok(reply(self.query_info(query), dw_in_size))
    }

    fn query_counter_data(&mut self, query: QueryHandle, dw_in_size: u32) -> Result<Reply, RpcFault> {
        check_range(Method::QueryCounterData, dw_in_size)?;
        self.check_handle(Method::QueryCounterData, query)?;
        let reply = reply(self.query_data(query), dw_in_size);
        if reply.return_code == ReturnCode::NOT_ENOUGH_MEMORY {
            self.provider.put_back();
        }
        Ok(reply)
    }

    fn validate_counters(
        &mut self,
        query: QueryHandle,
        data: &mut [u8],
        dw_add: u32,
    ) -> Result<ReturnCode, RpcFault> {
        check_len(Method::ValidateCounters, data.len() as u64)?;
        self.check_handle(Method::ValidateCounters, query)?;
        Ok(self.validate(query, data, dw_add != 0).err().unwrap_or(ReturnCode::SUCCESS))
    }
}

fn check_range(method: Method, dw_in_size: u32) -> Result<(), RpcFault> {
    check_len(method, dw_in_size.into())
}

fn check_len(method: Method, found: u64) -> Result<(), RpcFault> {
    let max = method.max_in_size();
    if found > max.into() { Err(RpcFault::OutOfRange { method, found, max }) } else { Ok(()) }
}

/// An answer or, if the client's buffer is too small, the required size.
fn reply(data: Result<Vec<u8>, ReturnCode>, dw_in_size: u32) -> Reply {
    let data = match data {
        Ok(data) => data,
        Err(code) => return Reply::failed(code),
    };
    let rtn_size = u32::try_from(data.len()).unwrap_or(u32::MAX);
    if rtn_size > dw_in_size {
        return Reply { rtn_size, ..Reply::failed(ReturnCode::NOT_ENOUGH_MEMORY) };
    }
    Reply { return_code: ReturnCode::SUCCESS, out_size: rtn_size, rtn_size, data }
}
