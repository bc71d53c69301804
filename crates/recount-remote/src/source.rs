//! A remote machine as a source of samples.

use std::time::{Duration, Instant};

use recount_model::{Facts, NameTable};
use recount_pcq::conversation::ClientError;
use recount_record::{LiveSource, SampleForm, TakeError, Taken};

use crate::Host;
use crate::connect::{self, PcqSampler, RegistrySource};
use crate::options::{RemoteOptions, Via};
use crate::remote_error::RemoteError;

/// The first wait before another attempt to connect; it doubles up to the longest.
const FIRST_WAIT: Duration = Duration::from_secs(1);
const LONGEST_WAIT: Duration = Duration::from_mins(1);

/// Decides whether an object or counterset is selected, given its name and whether it is on by default.
type Wanted = Box<dyn Fn(&str, bool) -> bool>;

/// A server's counters, sampled over a connection. A lost connection is re-established, with growing waits between
/// attempts; samples in between fail.
pub struct RemoteSource {
    options: RemoteOptions,
    wanted: Wanted,
    connection: Option<Connection>,
    /// Connections so far. Queries of MS-PCQ have another number in the log for each.
    num_connections: u32,
    outage: Option<Outage>,
    reconnected: Option<(i64, String)>,
    sample: Vec<u8>,
    messages: Vec<Vec<u8>>,
    facts: Facts,
    texts: Vec<(String, NameTable)>,
    is_renamed: bool,
}

enum Connection {
    Pcq(Box<PcqSampler>),
    Registry(Box<RegistrySource>),
}

/// Why there is no sample.
enum Failure {
    /// The connection is of no more use.
    Lost(String),
    /// The next sample may succeed.
    Sample(String),
}

impl Connection {
    /// `None` if the server plays back a recording that has ended.
    fn take(&mut self, sample: &mut Vec<u8>, messages: &mut Vec<Vec<u8>>) -> Result<Option<Taken>, Failure> {
        match self {
            Connection::Pcq(sampler) => {
                let sampled = match sampler.take() {
                    Ok(sampled) => sampled,
                    Err(error) if error.is_end() => return Ok(None),
                    Err(error @ ClientError::Rpc(_)) => return Err(Failure::Lost(error.to_string())),
                    Err(error) => return Err(Failure::Sample(error.to_string())),
                };
                sample.extend_from_slice(sampler.sample());
                messages.extend(sampler.take_messages());
                Ok(Some(Taken {
                    time: sampled.time,
                    num_unreadable: sampled.num_missing,
                    first_unreadable: sampled.first_missing,
                }))
            }
            Connection::Registry(source) => {
                let taken = match (source.take(), source.system_mut().failure().take()) {
                    (Ok(taken), _) => taken,
                    (Err(_), Some(failure)) => return Err(Failure::Lost(failure.to_string())),
                    (Err(TakeError::Ended), None) => return Ok(None),
                    (Err(error), None) => return Err(Failure::Sample(error.to_string())),
                };
                sample.extend_from_slice(source.block());
                Ok(taken)
            }
        }
    }
}

/// A time without a connection.
struct Outage {
    since: Instant,
    wait: Duration,
    next: Instant,
    why: String,
}

impl RemoteSource {
    /// Connects, and requests everything that the selected countersets or objects need. `wanted` is called with a name,
    /// and with whether it is on by default.
    pub fn connect(
        options: RemoteOptions,
        wanted: impl Fn(&str, bool) -> bool + 'static,
    ) -> Result<RemoteSource, RemoteError> {
        let mut source = RemoteSource {
            options,
            wanted: Box::new(wanted),
            connection: None,
            num_connections: 0,
            outage: None,
            reconnected: None,
            sample: Vec::new(),
            messages: Vec::new(),
            facts: Facts::new(),
            texts: Vec::new(),
            is_renamed: false,
        };
        source.connection = Some(source.new_connection()?);
        source.is_renamed = false;
        Ok(source)
    }

    fn new_connection(&mut self) -> Result<Connection, RemoteError> {
        let connection = match self.options.via {
            Via::Pcq => {
                let sampler = connect::pcq(&self.options, &*self.wanted, self.num_connections)?;
                Connection::Pcq(Box::new(sampler))
            }
            Via::Registry => {
                let mut registry = connect::registry(&self.options, &*self.wanted)?;
                let texts = registry.texts();
                self.is_renamed = texts != self.texts;
                self.texts = texts;
                self.facts = registry.facts();
                Connection::Registry(Box::new(registry))
            }
        };
        self.num_connections += 1;
        Ok(connection)
    }

    /// Makes a new connection if there is none and it is time to try.
    fn make_connection(&mut self) -> Result<(), TakeError> {
        if let Some(outage) = &self.outage {
            let now = Instant::now();
            if now < outage.next {
                let wait = (outage.next - now).as_secs_f64().ceil();
                return Err(failed(format!("{}; next attempt in {wait} s", outage.why)));
            }
            match self.new_connection() {
                Ok(connection) => {
                    let lasted = self.outage.take().map_or(Duration::ZERO, |outage| outage.since.elapsed());
                    let extent = i64::try_from(lasted.as_nanos() / 100).unwrap_or(i64::MAX);
                    self.reconnected = Some((extent, self.options.host.to_string()));
                    self.connection = Some(connection);
                }
                Err(error) => return Err(self.lose(error.to_string())),
            }
        }
        Ok(())
    }

    /// Drops the connection.
    fn lose(&mut self, why: String) -> TakeError {
        self.connection = None;
        let before = self.outage.take();
        let wait = before.as_ref().map_or(FIRST_WAIT, |outage| (outage.wait * 2).min(LONGEST_WAIT));
        let now = Instant::now();
        let since = before.map_or(now, |outage| outage.since);
        self.outage = Some(Outage { since, wait, next: now + wait, why: why.clone() });
        failed(why)
    }
}

fn failed(what: String) -> TakeError {
    TakeError::System { function: "remote machine", what }
}

impl LiveSource for RemoteSource {
    fn facts(&mut self) -> Facts {
        let Host { name, .. } = &self.options.host;
        let what = match self.options.via {
            Via::Pcq => "MS-PCQ",
            Via::Registry => "HKEY_PERFORMANCE_DATA",
        };
        let source = format!("{what} of {}, as {}", self.options.host, self.options.account.name());
        let mut facts = self.facts.clone();
        facts.entry("host".to_owned()).or_insert_with(|| name.clone());
        facts.insert("source".to_owned(), source);
        facts
    }

    /// Those of the registry when the connection was made. MS-PCQ has names in its messages.
    fn texts(&mut self) -> Vec<(String, NameTable)> {
        self.texts.clone()
    }

    fn form(&self) -> SampleForm {
        match self.options.via {
            Via::Pcq => SampleForm::Message,
            Via::Registry => SampleForm::Block,
        }
    }

    fn take(&mut self) -> Result<Option<Taken>, TakeError> {
        self.sample.clear();
        self.make_connection()?;
        let Some(connection) = &mut self.connection else { return Err(failed("no connection".to_owned())) };
        match connection.take(&mut self.sample, &mut self.messages) {
            Ok(taken) => Ok(taken),
            Err(Failure::Lost(why)) => {
                let why = format!("{}: {why}", self.options.host);
                Err(self.lose(why))
            }
            Err(Failure::Sample(why)) => Err(failed(format!("{}: {why}", self.options.host))),
        }
    }

    fn sample(&self) -> &[u8] {
        &self.sample
    }

    fn keeps_trying(&self) -> bool {
        true
    }

    fn take_renamed(&mut self) -> bool {
        std::mem::take(&mut self.is_renamed)
    }

    fn take_reconnected(&mut self) -> Option<(i64, String)> {
        self.reconnected.take()
    }

    fn messages(&mut self) -> Vec<Vec<u8>> {
        std::mem::take(&mut self.messages)
    }
}
