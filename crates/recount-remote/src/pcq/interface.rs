//! The methods, called by a connection.

use recount_pcq::conversation::{
    CounterProvider, Method, PerflibServer, PerflibV2, QueryHandle, Reply, RpcFault,
};
use recount_pcq::{Guid, ReturnCode};

use super::{INTERFACE, handle};
use crate::rpc::{Called, Interface, NdrReader, NdrWriter, RpcError, Syntax, fault};

/// A server of one connection. Its queries belong to that connection, and end with it.
pub struct PerflibInterface<P: CounterProvider> {
    server: PerflibServer<P>,
}

impl<P: CounterProvider> PerflibInterface<P> {
    /// Serves `server`.
    pub fn new(server: PerflibServer<P>) -> PerflibInterface<P> {
        PerflibInterface { server }
    }

    /// Parameters that contradict the declaration are a fault; the method isn't called then (MS-PCQ 3.1.4).
    fn dispatch(&mut self, method: Method, parameters: &mut NdrReader<'_>) -> Result<NdrWriter, u32> {
        match method {
            Method::EnumerateCounterSet => {
                let machine = read(parameters.string())?;
                let in_size = last(parameters)?;
                reply(method, in_size, self.server.enumerate_counter_set(&machine, in_size))
            }
            Method::QueryCounterSetRegistrationInfo => {
                let machine = read(parameters.string())?;
                let guid = read(parameters.uuid())?;
                let (code, lcid) = (read(parameters.u32())?, read(parameters.u32())?);
                let in_size = last(parameters)?;
                let answer = self.server.query_registration_info(&machine, guid, code, lcid, in_size);
                reply(method, in_size, answer)
            }
            Method::EnumerateCounterSetInstances => {
                let machine = read(parameters.string())?;
                let guid = read(parameters.uuid())?;
                let in_size = last(parameters)?;
                reply(method, in_size, self.server.enumerate_instances(&machine, guid, in_size))
            }
            Method::OpenQueryHandle => {
                let machine = read(parameters.string())?;
                read(parameters.end(LEN_PADDING))?;
                let (code, handle) =
                    self.server.open_query_handle(&machine).map_err(|error| status(&error))?;
                Ok(handle_and_code(handle, code))
            }
            Method::CloseQueryHandle => {
                let mut query = read(handle(parameters))?;
                read(parameters.end(LEN_PADDING))?;
                let code = self.server.close_query_handle(&mut query).map_err(|error| status(&error))?;
                Ok(handle_and_code(query, code))
            }
            Method::QueryCounterInfo => {
                let query = read(handle(parameters))?;
                let in_size = last(parameters)?;
                reply(method, in_size, self.server.query_counter_info(query, in_size))
            }
            Method::QueryCounterData => {
                let query = read(handle(parameters))?;
                let in_size = last(parameters)?;
                reply(method, in_size, self.server.query_counter_data(query, in_size))
            }
            Method::ValidateCounters => self.validate(parameters),
        }
    }

    fn validate(&mut self, parameters: &mut NdrReader<'_>) -> Result<NdrWriter, u32> {
        let query = read(handle(parameters))?;
        let (in_size, len) = (read(parameters.u32())?, read(parameters.u32())?);
        if len != in_size || len > Method::ValidateCounters.max_in_size() {
            return Err(fault::BAD_STUB_DATA);
        }
        let mut data = read(parameters.take(len as usize))?.to_vec();
        let add = last(parameters)?;
        let code = self.server.validate_counters(query, &mut data, add).map_err(|error| status(&error))?;
        let mut results = NdrWriter::default();
        results.u32(len);
        results.bytes(&data);
        results.u32(code.0);
        Ok(results)
    }
}

impl<P: CounterProvider> Interface for PerflibInterface<P> {
    fn syntax(&self) -> Syntax {
        INTERFACE
    }

    fn call(&mut self, call: &Called<'_>) -> Result<Vec<u8>, u32> {
        let method =
            METHODS.into_iter().find(|method| method.opnum() == call.opnum).ok_or(fault::OP_RANGE)?;
        self.server.set_authentication_level(call.level);
        let mut parameters = NdrReader::new(method.name(), call.stub, call.order);
        self.dispatch(method, &mut parameters).map(NdrWriter::into_bytes)
    }
}

const METHODS: [Method; 8] = [
    Method::EnumerateCounterSet,
    Method::QueryCounterSetRegistrationInfo,
    Method::EnumerateCounterSetInstances,
    Method::OpenQueryHandle,
    Method::CloseQueryHandle,
    Method::QueryCounterInfo,
    Method::QueryCounterData,
    Method::ValidateCounters,
];

/// Some clients pad the last fragment.
const LEN_PADDING: usize = 7;

fn read<V>(value: Result<V, RpcError>) -> Result<V, u32> {
    value.map_err(|_| fault::BAD_STUB_DATA)
}

/// The last parameter, a number.
fn last(parameters: &mut NdrReader<'_>) -> Result<u32, u32> {
    let value = read(parameters.u32())?;
    read(parameters.end(LEN_PADDING)).map(|()| value)
}

fn handle_and_code(handle: QueryHandle, code: ReturnCode) -> NdrWriter {
    let mut results = NdrWriter::default();
    results.bytes(&handle.0);
    results.u32(code.0);
    results
}

/// Sizes, the array (of which `in_size` elements have room) and the return code.
fn reply(method: Method, in_size: u32, reply: Result<Reply, RpcFault>) -> Result<NdrWriter, u32> {
    let reply = reply.map_err(|error| status(&error))?;
    let len_unit = if method == Method::EnumerateCounterSet { Guid::LEN } else { 1 };
    let mut results = NdrWriter::default();
    results.u32(reply.out_size);
    results.u32(reply.rtn_size);
    results.u32(in_size);
    results.u32(0);
    results.u32((reply.data.len() / len_unit) as u32);
    results.bytes(&reply.data);
    results.u32(reply.return_code.0);
    Ok(results)
}

fn status(error: &RpcFault) -> u32 {
    match error {
        RpcFault::OutOfRange { .. } => fault::BAD_STUB_DATA,
        RpcFault::BadHandle { .. } => fault::CONTEXT_MISMATCH,
        _ => fault::PROTOCOL,
    }
}
