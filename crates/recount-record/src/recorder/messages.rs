//! The messages that a log needs at its head: what those before it said, as far as it is in force.

use std::collections::{BTreeMap, HashMap};

use recount_blocks::pcq::{Guid, Message, opnum};
use recount_model::Timestamp;

/// Messages in force, in their order.
#[derive(Default)]
pub(super) struct Messages {
    in_force: BTreeMap<u64, (Timestamp, Vec<u8>)>,
    by_call: HashMap<Call, u64>,
    /// Counters that were added to a query and removed from it since it was last told as a whole.
    changes: HashMap<u32, Vec<u64>>,
    num_kept: u64,
}

/// What was asked: a later answer to the same takes the place of the one before.
#[derive(PartialEq, Eq, Hash)]
struct Call {
    opnum: u16,
    request_code: u16,
    argument: u32,
    guid: Guid,
    query: u32,
}

impl Messages {
    /// Takes in a message. What can't be read, and what failed, is in force nowhere.
    pub(super) fn keep(&mut self, time: Timestamp, bytes: Vec<u8>) {
        let Ok(Message { header, .. }) = Message::parse(&bytes, 0) else { return };
        if !header.return_code.is_success() {
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

    pub(super) fn iter(&self) -> impl Iterator<Item = (Timestamp, &[u8])> {
        self.in_force.values().map(|(time, bytes)| (*time, bytes.as_slice()))
    }
}
