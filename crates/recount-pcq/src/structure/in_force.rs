//! The messages that samples need: earlier messages that are still in force.

use std::collections::{BTreeMap, HashMap};

use recount_model::Timestamp;

use super::{Guid, Message, opnum};

/// Messages in force, in order: those that must precede a sample to interpret it.
#[derive(Debug, Default)]
pub struct MessagesInForce {
    in_force: BTreeMap<u64, (Timestamp, Vec<u8>)>,
    by_call: HashMap<Call, u64>,
    /// Counters added to and removed from a query since it was last fully described.
    changes: HashMap<u32, Vec<u64>>,
    num_kept: u64,
}

/// The request: a later answer to the same request replaces the earlier one.
#[derive(Debug, PartialEq, Eq, Hash)]
struct Call {
    opnum: u16,
    request_code: u16,
    argument: u32,
    guid: Guid,
    query: u32,
}

impl MessagesInForce {
    /// Adds a message. Unreadable and failed messages and samples are never in force.
    pub fn keep(&mut self, time: Timestamp, bytes: Vec<u8>) {
        let Ok(Message { header, .. }) = Message::parse(&bytes, 0) else { return };
        if !header.return_code.is_success() || header.opnum == opnum::QUERY_COUNTER_DATA {
            return;
        }
        let number = self.num_kept;
        self.num_kept += 1;
        if header.opnum == opnum::VALIDATE_COUNTERS {
            self.changes.entry(header.query).or_default().push(number);
        } else {
            if header.opnum == opnum::QUERY_COUNTER_INFO {
                for change in self.changes.remove(&header.query).unwrap_or_default() {
                    self.in_force.remove(&change);
                }
            }
            let call = Call {
                opnum: header.opnum,
                request_code: header.request_code,
                argument: header.argument,
                guid: header.guid,
                query: header.query,
            };
            if let Some(before) = self.by_call.insert(call, number) {
                self.in_force.remove(&before);
            }
        }
        self.in_force.insert(number, (time, bytes));
    }

    /// The messages with their times.
    pub fn iter(&self) -> impl Iterator<Item = (Timestamp, &[u8])> {
        self.in_force.values().map(|(time, bytes)| (*time, bytes.as_slice()))
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::{MessageHeader, ReturnCode, request};

    fn kept(headers: &[MessageHeader]) -> Vec<i64> {
        let mut messages = MessagesInForce::default();
        for (time, header) in (0..).zip(headers) {
            let mut bytes = Vec::new();
            Message { header: *header, buffer: &[] }.write(&mut bytes);
            messages.keep(Timestamp(time), bytes);
        }
        messages.keep(Timestamp(99), b"Dear reader".to_vec());
        messages.iter().map(|(time, _)| time.0).collect()
    }

    #[test]
    fn later_answers_take_the_place_of_earlier_ones() {
        let asked = |request_code| MessageHeader {
            opnum: opnum::QUERY_REGISTRATION_INFO,
            request_code,
            ..MessageHeader::default()
        };
        let of = |opnum, query| MessageHeader { opnum, query, ..MessageHeader::default() };
        let failed = MessageHeader { return_code: ReturnCode::ACCESS_DENIED, ..asked(request::COUNTER_SET) };
        let names =
            [asked(request::COUNTER_SET), asked(request::SET_NAME), asked(request::COUNTER_SET), failed];
        assert_eq!(kept(&names), [1, 2]);
        // Additions hold until the whole query is described; other queries have their own.
        let add = |query| of(opnum::VALIDATE_COUNTERS, query);
        let info = |query| of(opnum::QUERY_COUNTER_INFO, query);
        assert_eq!(
            kept(&[add(1), add(1), add(2), info(1), add(1), of(opnum::QUERY_COUNTER_DATA, 1)]),
            [2, 3, 4]
        );
        assert_eq!(kept(&[info(1), add(1), info(1)]), [2]);
    }
}
