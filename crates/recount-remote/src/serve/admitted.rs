//! Interfaces that open what they serve only for authenticated clients.

use std::convert::Infallible;
use std::sync::Arc;

use recount_pcq::conversation::{
    AuthenticationLevel, Collected, CounterProvider, CountersetInfo, PerflibServer, ServerLimits,
};
use recount_record::TakeError;
use recount_record::countersets::BlockProvider;

use super::OpenSource;
use super::places::Place;
use crate::rpc::{Called, Interface, Syntax, fault};
use crate::{INTERFACE, PerflibInterface};

/// An interface of a connection that has to have a place for authenticated calls.
pub(super) struct Admitted<'a, I> {
    interface: I,
    place: &'a Place,
}

impl<'a, I: Interface> Admitted<'a, I> {
    pub(super) fn new(interface: I, place: &'a Place) -> Admitted<'a, I> {
        Admitted { interface, place }
    }
}

impl<I: Interface> Interface for Admitted<'_, I> {
    fn syntax(&self) -> Syntax {
        self.interface.syntax()
    }

    fn call(&mut self, call: &Called<'_>) -> Result<Vec<u8>, u32> {
        if (is_private(call) || call.is_known) && !self.place.admits() {
            return Err(fault::TOO_BUSY);
        }
        self.interface.call(call)
    }
}

/// Whether the call was protected as every method requires it. Its client has the password then.
fn is_private(call: &Called<'_>) -> bool {
    call.level >= AuthenticationLevel::PKT_PRIVACY
}

/// MS-PCQ, whose source is opened by the first authenticated call.
pub(super) struct LatePerflib {
    open: OpenSource,
    family: String,
    limits: ServerLimits,
    report: Arc<dyn Fn(&str) + Send + Sync>,
    opened: Option<PerflibInterface<BlockProvider>>,
    /// Answers the others, all of which are denied.
    denied: PerflibInterface<Nothing>,
}

impl LatePerflib {
    pub(super) fn new(
        open: OpenSource,
        family: &str,
        limits: ServerLimits,
        report: Arc<dyn Fn(&str) + Send + Sync>,
    ) -> LatePerflib {
        let denied = PerflibInterface::new(PerflibServer::new(Nothing));
        LatePerflib { open, family: family.to_owned(), limits, report, opened: None, denied }
    }

    fn source(&self) -> Result<PerflibInterface<BlockProvider>, TakeError> {
        let provider = BlockProvider::new((self.open)()?, &self.family)?;
        Ok(PerflibInterface::new(PerflibServer::with_limits(provider, self.limits)))
    }
}

impl Interface for LatePerflib {
    fn syntax(&self) -> Syntax {
        INTERFACE
    }

    fn call(&mut self, call: &Called<'_>) -> Result<Vec<u8>, u32> {
        if !is_private(call) {
            return self.denied.call(call);
        }
        let mut opened = match self.opened.take() {
            Some(opened) => opened,
            None => self.source().map_err(|error| {
                (self.report)(&format!("can't open what is served: {error}"));
                fault::NO_MEMORY
            })?,
        };
        let answer = opened.call(call);
        self.opened = Some(opened);
        answer
    }
}

/// No countersets.
struct Nothing;

impl CounterProvider for Nothing {
    type Error = Infallible;

    fn countersets(&self) -> &[CountersetInfo] {
        &[]
    }

    fn collect(&mut self) -> Result<Option<Collected>, Infallible> {
        Ok(None)
    }
}
