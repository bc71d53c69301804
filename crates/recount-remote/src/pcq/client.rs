//! The methods, called over a connection.

use recount_pcq::conversation::{AuthenticationLevel, Method, PerflibV2, QueryHandle, Reply, RpcFault};
use recount_pcq::{Guid, ReturnCode};

use super::{LEN_AROUND, handle};
use crate::rpc::{NdrReader, NdrWriter, RpcClient, RpcError, fault};
use crate::transport::Transport;

/// A server at the other end of a connection.
pub struct RemotePerflib<T> {
    rpc: RpcClient<T>,
}

impl<T: Transport> RemotePerflib<T> {
    /// Over an association that has bound [`INTERFACE`](super::INTERFACE).
    pub fn new(rpc: RpcClient<T>) -> RemotePerflib<T> {
        RemotePerflib { rpc }
    }

    fn call<V>(
        &mut self,
        method: Method,
        stub: NdrWriter,
        max: usize,
        read: impl FnOnce(&mut NdrReader<'_>) -> Result<V, RpcError>,
    ) -> Result<V, RpcFault> {
        let answer = self.rpc.call(method.opnum(), &stub.into_bytes(), max.saturating_add(LEN_AROUND));
        let (answer, order) = answer.map_err(|error| failure(method, &error))?;
        let mut reader = NdrReader::new(method.name(), &answer, order);
        let value = read(&mut reader).and_then(|value| reader.end(0).map(|()| value));
        value.map_err(|error| failure(method, &error))
    }

    /// Calls a method that returns a buffer, whose parameters end with `dwInSize`.
    fn reply(&mut self, method: Method, mut stub: NdrWriter, in_size: u32) -> Result<Reply, RpcFault> {
        stub.u32(in_size);
        let len_unit = if method == Method::EnumerateCounterSet { Guid::LEN } else { 1 };
        let max = in_size as usize * len_unit;
        self.call(method, stub, max, |reader| {
            let (out_size, rtn_size) = (reader.u32()?, reader.u32()?);
            let room = reader.u32()?;
            if room > in_size {
                return Err(reader.fail(format!("an array of at most {in_size}"), room));
            }
            let count = reader.varying(room)?;
            let data = if method == Method::EnumerateCounterSet {
                guids(reader, count)?
            } else {
                reader.take(count as usize)?.to_vec()
            };
            Ok(Reply { return_code: ReturnCode(reader.u32()?), out_size, rtn_size, data })
        })
    }
}

fn failure(method: Method, error: &RpcError) -> RpcFault {
    match error {
        RpcError::Fault { status: fault::CONTEXT_MISMATCH } => RpcFault::BadHandle { method },
        other => RpcFault::Transport { method, what: other.to_string() },
    }
}

fn machine_first(machine: &str) -> NdrWriter {
    let mut stub = NdrWriter::default();
    stub.string(machine);
    stub
}

fn of_counterset(machine: &str, guid: Guid) -> NdrWriter {
    let mut stub = machine_first(machine);
    stub.align(4);
    stub.bytes(&guid.0);
    stub
}

fn of_query(query: QueryHandle) -> NdrWriter {
    let mut stub = NdrWriter::default();
    stub.bytes(&query.0);
    stub
}

/// `GUID`s, which are numbers to NDR; buffers of bytes are not.
fn guids(reader: &mut NdrReader<'_>, count: u32) -> Result<Vec<u8>, RpcError> {
    let mut data = Vec::new();
    for _ in 0..count {
        data.extend_from_slice(&reader.uuid()?.0);
    }
    Ok(data)
}

impl<T: Transport> PerflibV2 for RemotePerflib<T> {
    /// The level belongs to the association, where it was chosen ([`ClientOptions`](crate::rpc::ClientOptions)).
    fn set_authentication_level(&mut self, _level: AuthenticationLevel) {}

    fn enumerate_counter_set(&mut self, machine: &str, dw_in_size: u32) -> Result<Reply, RpcFault> {
        self.reply(Method::EnumerateCounterSet, machine_first(machine), dw_in_size)
    }

    fn query_registration_info(
        &mut self,
        machine: &str,
        guid: Guid,
        request_code: u32,
        request_lcid: u32,
        dw_in_size: u32,
    ) -> Result<Reply, RpcFault> {
        let mut stub = of_counterset(machine, guid);
        stub.u32(request_code);
        stub.u32(request_lcid);
        self.reply(Method::QueryCounterSetRegistrationInfo, stub, dw_in_size)
    }

    fn enumerate_instances(&mut self, machine: &str, guid: Guid, dw_in_size: u32) -> Result<Reply, RpcFault> {
        self.reply(Method::EnumerateCounterSetInstances, of_counterset(machine, guid), dw_in_size)
    }

    fn open_query_handle(&mut self, machine: &str) -> Result<(ReturnCode, QueryHandle), RpcFault> {
        self.call(Method::OpenQueryHandle, machine_first(machine), 0, |reader| {
            let opened = handle(reader)?;
            Ok((ReturnCode(reader.u32()?), opened))
        })
    }

    fn close_query_handle(&mut self, query: &mut QueryHandle) -> Result<ReturnCode, RpcFault> {
        let stub = of_query(*query);
        let (code, closed) = self.call(Method::CloseQueryHandle, stub, 0, |reader| {
            let closed = handle(reader)?;
            Ok((ReturnCode(reader.u32()?), closed))
        })?;
        *query = closed;
        Ok(code)
    }

    fn query_counter_info(&mut self, query: QueryHandle, dw_in_size: u32) -> Result<Reply, RpcFault> {
        self.reply(Method::QueryCounterInfo, of_query(query), dw_in_size)
    }

    fn query_counter_data(&mut self, query: QueryHandle, dw_in_size: u32) -> Result<Reply, RpcFault> {
        self.reply(Method::QueryCounterData, of_query(query), dw_in_size)
    }

    fn validate_counters(
        &mut self,
        query: QueryHandle,
        data: &mut [u8],
        dw_add: u32,
    ) -> Result<ReturnCode, RpcFault> {
        let method = Method::ValidateCounters;
        let len = u32::try_from(data.len()).unwrap_or(u32::MAX);
        let mut stub = of_query(query);
        stub.u32(len);
        stub.u32(len);
        stub.bytes(data);
        stub.u32(dw_add);
        let max = data.len();
        self.call(method, stub, max, |reader| {
            let found = reader.u32()?;
            if found != len {
                return Err(reader.fail(format!("an array of {len}"), found));
            }
            data.copy_from_slice(reader.take(len as usize)?);
            Ok(ReturnCode(reader.u32()?))
        })
    }
}
