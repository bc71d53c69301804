//! What a query asks for, from which message on.

use super::identifiers::Identifiers;
use crate::Guid;

/// The messages about one query, in their order.
#[derive(Debug, Default)]
pub(super) struct QueryHistory {
    events: Vec<(u64, Event)>,
}

#[derive(Debug)]
enum Event {
    /// The server said what stands where.
    Info(Identifiers),
    /// Counters were added, without a word on where they stand.
    Added(Identifiers),
    /// Nothing is sure any more.
    Lost(Unknown),
}

/// Why it isn't known what the blocks of an answer are.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Unknown {
    /// No message says it.
    NeverSaid,
    /// Counters were removed, and no `PerflibV2QueryCounterInfo` followed: the document doesn't say what becomes of the
    /// positions of the others.
    Removed,
    /// A message about it can't be read.
    Unreadable,
}

impl QueryHistory {
    /// Takes the answer of `PerflibV2QueryCounterInfo`; `false` if it says what was known.
    pub(super) fn info(&mut self, number: u64, identifiers: Identifiers) -> bool {
        let is_known = matches!(self.events.last(), Some((_, Event::Info(known))) if *known == identifiers);
        if !is_known {
            self.put(number, Event::Info(identifiers));
        }
        !is_known
    }

    /// Takes counters that `PerflibV2ValidateCounters` added.
    pub(super) fn added(&mut self, number: u64, identifiers: Identifiers) {
        self.put(number, Event::Added(identifiers));
    }

    /// From here on it isn't known what stands where, until the server says it.
    pub(super) fn lost(&mut self, number: u64, why: Unknown) {
        self.put(number, Event::Lost(why));
    }

    /// Messages come in the order of their numbers; one that doesn't takes its place.
    fn put(&mut self, number: u64, event: Event) {
        let place = self.events.partition_point(|(other, _)| *other <= number);
        self.events.insert(place, (number, event));
    }

    /// The countersets of all counters that were ever asked for.
    pub(super) fn guids(&self) -> impl Iterator<Item = Guid> + '_ {
        let identifiers = self.events.iter().filter_map(|(_, event)| match event {
            Event::Info(identifiers) | Event::Added(identifiers) => Some(identifiers),
            Event::Lost(_) => None,
        });
        identifiers.flat_map(|identifiers| identifiers.all().iter().map(|asked| asked.guid))
    }

    /// What is known at message `number`: the same value for messages between which nothing was said.
    pub(super) fn version(&self, number: u64) -> usize {
        self.events.partition_point(|(other, _)| *other <= number)
    }

    /// The identifiers at a version.
    ///
    /// They are those of the last `PerflibV2QueryCounterInfo`; what was added later follows, in order. A
    /// session may do without that method: then what was added is all there is.
    pub(super) fn identifiers(&self, version: usize) -> Result<Identifiers, Unknown> {
        let events = self.events.get(..version).unwrap_or(&self.events);
        let info = events.iter().rposition(|(_, event)| matches!(event, Event::Info(_)));
        let since = events.get(info.map_or(0, |at| at + 1)..).unwrap_or_default();
        let lost = since.iter().find_map(|(_, event)| match event {
            Event::Lost(why) => Some(*why),
            _ => None,
        });
        if let Some(why) = lost {
            return Err(why);
        }
        let said = match info.and_then(|at| events.get(at)) {
            Some((_, Event::Info(identifiers))) => Some(identifiers.clone()),
            _ => None,
        };
        if since.is_empty() {
            return said.ok_or(Unknown::NeverSaid);
        }
        let added = since.iter().filter_map(|(_, event)| match event {
            Event::Added(identifiers) => Some(identifiers),
            _ => None,
        });
        Ok(said.unwrap_or_default().with_added(added))
    }
}

impl Unknown {
    /// In words, for a finding about an answer.
    pub(super) const fn what(self) -> &'static str {
        match self {
            Unknown::NeverSaid => {
                "no PerflibV2QueryCounterInfo and no PerflibV2ValidateCounters before it says what its blocks are"
            }
            Unknown::Removed => {
                "counters were removed from the query, and no PerflibV2QueryCounterInfo has said since what its blocks are"
            }
            Unknown::Unreadable => {
                "a message about the query can't be read, and no PerflibV2QueryCounterInfo has said since what its blocks are"
            }
        }
    }
}
