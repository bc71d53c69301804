//! Interceptors between a client and a server.

use std::cell::RefCell;
use std::ops::DerefMut;
use std::rc::Rc;

use recount_pcq::conversation::{
    AuthenticationLevel, Method, PerflibServer, PerflibV2, QueryHandle, Reply, RpcFault,
};
use recount_pcq::{Guid, ReturnCode};

use super::script::Scripted;

type Server = PerflibServer<Scripted>;

/// Changes to a call on its way to the server and back.
pub(super) trait Wire {
    fn server(&mut self) -> Result<impl DerefMut<Target = Server>, RpcFault>;

    /// Changes an answer.
    fn reply(&mut self, _method: Method, _size: u32, reply: Reply) -> Reply {
        reply
    }

    /// Changes the buffer of `PerflibV2ValidateCounters`.
    fn validated(&mut self, _data: &mut [u8]) {}
}

/// A server reached through messages.
pub(super) struct Wired<W>(pub(super) W);

impl<W: Wire> PerflibV2 for Wired<W> {
    fn set_authentication_level(&mut self, level: AuthenticationLevel) {
        if let Ok(mut server) = self.0.server() {
            server.set_authentication_level(level);
        }
    }

    fn enumerate_counter_set(&mut self, machine: &str, size: u32) -> Result<Reply, RpcFault> {
        let reply = self.0.server()?.enumerate_counter_set(machine, size)?;
        Ok(self.0.reply(Method::EnumerateCounterSet, size, reply))
    }

    fn query_registration_info(
        &mut self,
        machine: &str,
        guid: Guid,
        code: u32,
        lcid: u32,
        size: u32,
    ) -> Result<Reply, RpcFault> {
        let reply = self.0.server()?.query_registration_info(machine, guid, code, lcid, size)?;
        Ok(self.0.reply(Method::QueryCounterSetRegistrationInfo, size, reply))
    }

    fn enumerate_instances(&mut self, machine: &str, guid: Guid, size: u32) -> Result<Reply, RpcFault> {
        let reply = self.0.server()?.enumerate_instances(machine, guid, size)?;
        Ok(self.0.reply(Method::EnumerateCounterSetInstances, size, reply))
    }

    fn open_query_handle(&mut self, machine: &str) -> Result<(ReturnCode, QueryHandle), RpcFault> {
        self.0.server()?.open_query_handle(machine)
    }

    fn close_query_handle(&mut self, query: &mut QueryHandle) -> Result<ReturnCode, RpcFault> {
        self.0.server()?.close_query_handle(query)
    }

    fn query_counter_info(&mut self, query: QueryHandle, size: u32) -> Result<Reply, RpcFault> {
        let reply = self.0.server()?.query_counter_info(query, size)?;
        Ok(self.0.reply(Method::QueryCounterInfo, size, reply))
    }

    fn query_counter_data(&mut self, query: QueryHandle, size: u32) -> Result<Reply, RpcFault> {
        let reply = self.0.server()?.query_counter_data(query, size)?;
        Ok(self.0.reply(Method::QueryCounterData, size, reply))
    }

    fn validate_counters(
        &mut self,
        query: QueryHandle,
        data: &mut [u8],
        add: u32,
    ) -> Result<ReturnCode, RpcFault> {
        let code = self.0.server()?.validate_counters(query, data, add)?;
        self.0.validated(data);
        Ok(code)
    }
}

/// A server that someone else holds, too.
pub(super) struct Shared(pub(super) Rc<RefCell<Server>>);

impl Wire for Shared {
    fn server(&mut self) -> Result<impl DerefMut<Target = Server>, RpcFault> {
        Ok(self.0.borrow_mut())
    }
}

/// A server behind a broken pipe.
pub(super) struct Unreachable;

impl Wire for Unreachable {
    fn server(&mut self) -> Result<impl DerefMut<Target = Server>, RpcFault> {
        let what = "the pipe is broken".to_owned();
        Err::<Box<Server>, _>(RpcFault::Transport { method: Method::EnumerateCounterSet, what })
    }
}
