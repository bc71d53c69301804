//! Sessions assembled message by message.

use std::sync::Arc;

use recount_model::{CellFault, CounterType, Decoded, Run, Selection, Source, Timestamp};
use recount_pcq::{
    ANY_COUNTER, ANY_INSTANCE, CounterIdentifierBuf, CounterRegInfo, CounterSetRegInfo, DataClocks, Guid,
    InstanceBuf, Message, MessageHeader, QueryDataBuf, Registration, ReturnCode, SessionSource,
    StringTableBuf, Text, opnum, request,
};

pub(crate) const RAWCOUNT: u32 = 0x0001_0000;
pub(crate) const LARGE_RAWCOUNT: u32 = 0x0001_0100;
pub(crate) const ELAPSED: u32 = 0x3024_0500;
pub(crate) const SECOND: u64 = 10_000_000;
pub(crate) const QUERY: u32 = 1;
/// Instance types of 2.2.4.1.
pub(crate) const SINGLE: u32 = 0;
pub(crate) const MULTIPLE: u32 = 2;

pub(crate) fn guid(number: u8) -> Guid {
    Guid([number; 16])
}

pub(crate) fn counter(counter_id: u32, word: u32) -> CounterRegInfo {
    CounterRegInfo::unlinked(counter_id, CounterType(word))
}

pub(crate) fn registration(number: u8, instance_type: u32, counters: Vec<CounterRegInfo>) -> Registration {
    let set = CounterSetRegInfo {
        guid: guid(number),
        detail_level: 100,
        num_counters: counters.len() as u32,
        instance_type,
        ..CounterSetRegInfo::default()
    };
    Registration { set, counters }
}

/// An identifier for the block at `index`.
pub(crate) fn asked(number: u8, counter_id: u32, instance: (u32, &str), index: u32) -> CounterIdentifierBuf {
    let identifier = CounterIdentifierBuf::new(guid(number), counter_id, instance.0, instance.1);
    CounterIdentifierBuf { index, ..identifier }
}

/// Everything of a counterset.
pub(crate) fn asked_all(number: u8, index: u32) -> CounterIdentifierBuf {
    asked(number, ANY_COUNTER, (0, ANY_INSTANCE), index)
}

pub(crate) fn instance(id: u32, name: &str) -> InstanceBuf {
    InstanceBuf::new(id, name)
}

/// Four bytes.
pub(crate) fn dword(value: u32) -> Vec<u8> {
    value.to_le_bytes().to_vec()
}

/// Eight bytes.
pub(crate) fn large(value: u64) -> Vec<u8> {
    value.to_le_bytes().to_vec()
}

/// The clocks of an answer at a second.
pub(crate) fn clocks(second: u64) -> DataClocks {
    DataClocks {
        perf_time: second * 1000,
        perf_time_100ns: second * SECOND,
        perf_freq: 1000,
        ..DataClocks::default()
    }
}

/// An answer at a second.
pub(crate) fn answer(second: u64) -> QueryDataBuf {
    QueryDataBuf::new(clocks(second))
}

/// A session as it is being recorded.
#[derive(Clone, Default)]
pub(crate) struct Recorded(pub(crate) Vec<u8>);

impl Recorded {
    pub(crate) fn message(&mut self, header: MessageHeader, buffer: &[u8]) -> &mut Recorded {
        Message { header, buffer }.write(&mut self.0);
        self.0.resize(self.0.len().next_multiple_of(8), 0);
        self
    }

    pub(crate) fn register(&mut self, registration: &Registration) -> &mut Recorded {
        let mut buffer = Vec::new();
        registration.write(&mut buffer);
        self.about(registration.set.guid, request::COUNTER_SET, &buffer)
    }

    /// A name or description of a counterset.
    pub(crate) fn text(&mut self, number: u8, request_code: u16, text: &str) -> &mut Recorded {
        self.about(guid(number), request_code, &Text::encode(text))
    }

    /// Names or descriptions of counters.
    pub(crate) fn texts(&mut self, number: u8, request_code: u16, texts: &[(u32, &str)]) -> &mut Recorded {
        let entries = texts.iter().map(|(id, text)| (*id, (*text).to_owned())).collect();
        let mut buffer = Vec::new();
        StringTableBuf { entries }.write(&mut buffer);
        self.about(guid(number), request_code, &buffer)
    }

    pub(crate) fn about(&mut self, guid: Guid, request_code: u16, buffer: &[u8]) -> &mut Recorded {
        let opnum = opnum::QUERY_REGISTRATION_INFO;
        self.message(MessageHeader { opnum, request_code, guid, ..MessageHeader::default() }, buffer)
    }

    pub(crate) fn info(&mut self, query: u32, identifiers: &[CounterIdentifierBuf]) -> &mut Recorded {
        let header = MessageHeader { opnum: opnum::QUERY_COUNTER_INFO, query, ..MessageHeader::default() };
        self.message(header, &identifier_bytes(identifiers))
    }

    /// Adds (`argument` 1) or removes (0) counters.
    pub(crate) fn validated(&mut self, argument: u32, identifiers: &[CounterIdentifierBuf]) -> &mut Recorded {
        let opnum = opnum::VALIDATE_COUNTERS;
        let header = MessageHeader { opnum, query: QUERY, argument, ..MessageHeader::default() };
        self.message(header, &identifier_bytes(identifiers))
    }

    pub(crate) fn data(&mut self, answer: QueryDataBuf) -> &mut Recorded {
        self.answered(QUERY, ReturnCode::SUCCESS, &answer.finish())
    }

    pub(crate) fn answered(&mut self, query: u32, return_code: ReturnCode, buffer: &[u8]) -> &mut Recorded {
        let opnum = opnum::QUERY_COUNTER_DATA;
        let time = Timestamp(77);
        self.message(MessageHeader { opnum, query, return_code, time, ..MessageHeader::default() }, buffer)
    }

    pub(crate) fn source(&self) -> SessionSource {
        SessionSource::open(Arc::new(self.0.clone())).expect("messages")
    }

    pub(crate) fn decoded(&self) -> Decoded {
        let source = self.source();
        let samples: Vec<u32> = (0..source.times().len() as u32).collect();
        source.decode(&samples, &Selection::all())
    }

    /// The runs of a session without findings.
    pub(crate) fn runs(&self) -> Vec<Run> {
        let source = self.source();
        assert!(source.health().is_sound(), "{:?}", source.health().findings());
        let decoded = self.decoded();
        assert!(decoded.health.is_sound(), "{:?}", decoded.health.findings());
        decoded.runs
    }
}

fn identifier_bytes(identifiers: &[CounterIdentifierBuf]) -> Vec<u8> {
    let mut buffer = Vec::new();
    for identifier in identifiers {
        identifier.write(&mut buffer);
    }
    buffer
}

pub(crate) fn shown(run: &Run) -> Vec<String> {
    run.instances.iter().map(recount_model::Instance::shown).collect()
}

pub(crate) fn counters(run: &Run) -> Vec<&str> {
    run.object.counters.iter().map(|counter| &*counter.name).collect()
}

pub(crate) fn firsts(run: &Run) -> Vec<&[u64]> {
    run.columns.iter().map(|column| &*column.first).collect()
}

pub(crate) fn faults(run: &Run) -> Vec<(u32, u32, u32)> {
    let mut faults: Vec<CellFault> = run.faults.clone();
    faults.sort_unstable();
    faults.iter().map(|fault| (fault.sample, fault.counter, fault.instance)).collect()
}

/// The findings as they are shown.
pub(crate) fn findings(health: &recount_model::Health) -> Vec<String> {
    health.findings().iter().map(ToString::to_string).collect()
}
