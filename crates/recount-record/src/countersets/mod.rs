//! A classic source's objects as countersets, recorded through a client and a server inside this process.
//!
//! ```text
//! CountersetSource -> Sampler -> PerflibServer -> BlockProvider -> LiveSource
//! ```

mod counterset;
mod provider;
#[cfg(test)]
mod tests;
mod values;

use recount_model::{Event, Facts, NameTable, ProcessNote};
use recount_pcq::conversation::{ClientError, Method, PerflibClient, PerflibServer, Sampler};

pub use counterset::{PERF_FREQ_ID, PERF_TIME_ID, counterset_guid, provider_guid};
pub use provider::BlockProvider;

use crate::{LiveSource, SampleForm, TakeError, Taken};

/// A classic source's objects as countersets: a source of messages.
pub struct CountersetSource {
    sampler: Sampler<PerflibServer<BlockProvider>>,
    facts: Facts,
}

impl CountersetSource {
    /// Serves the objects of `source`. The GUIDs are made from `family` and the objects' names
    /// ([`BlockProvider::new`]).
    pub fn new(mut source: Box<dyn LiveSource>, family: &str) -> Result<CountersetSource, TakeError> {
        let facts = source.facts();
        let server = PerflibServer::new(BlockProvider::new(source, family)?);
        let sampler = Sampler::new(PerflibClient::new(server), &mut |_| true)?;
        Ok(CountersetSource { sampler, facts })
    }
}

impl LiveSource for CountersetSource {
    fn facts(&mut self) -> Facts {
        self.facts.clone()
    }

    /// Empty: the names are in the messages.
    fn texts(&mut self) -> Vec<(String, NameTable)> {
        Vec::new()
    }

    fn form(&self) -> SampleForm {
        SampleForm::Message
    }

    /// If the source fails, this fails with the source's reason, which answers can't carry.
    fn take(&mut self) -> Result<Option<Taken>, TakeError> {
        let sampled = self.sampler.take();
        let server = self.sampler.client().server();
        let sampled = match (sampled, server.take_failure()) {
            (Ok(sampled), _) => sampled,
            (Err(_), Some(failure)) => return Err(failure),
            (Err(error), None) if error.is_end() => return Ok(None),
            (Err(error), None) => return Err(error.into()),
        };
        let (num_unreadable, first_unreadable) = server.provider().unreadable();
        Ok(Some(Taken {
            time: sampled.time,
            num_unreadable: sampled.num_missing + num_unreadable,
            first_unreadable: sampled.first_missing.or(first_unreadable),
        }))
    }

    fn sample(&self) -> &[u8] {
        self.sampler.sample()
    }

    fn messages(&mut self) -> Vec<Vec<u8>> {
        self.sampler.take_messages()
    }

    fn processes(&mut self, all: bool) -> Vec<ProcessNote> {
        self.sampler.client().server().provider().source().processes(all)
    }

    fn take_events(&mut self) -> Vec<Event> {
        self.sampler.client().server().provider().source().take_events()
    }
}

impl From<ClientError> for TakeError {
    fn from(error: ClientError) -> TakeError {
        let function = error.method().map_or("MS-PCQ client", Method::name);
        TakeError::System { function, what: error.to_string() }
    }
}
