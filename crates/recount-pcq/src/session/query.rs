//! The requests of a query, and from which message on they apply.

use super::identifiers::Identifiers;
use crate::Guid;

/// The messages about one query, in order.
#[derive(Debug, Default)]
pub(super) struct QueryHistory {
    events: Vec<(u64, Event)>,
}

#[derive(Debug)]
enum Event {
    /// The server stated the positions.
    Info(Identifiers),
    /// Counters were added, without stating their positions.
    Added(Identifiers),
    /// Nothing is certain any more.
    Lost(Unknown),
}

/// Why the meaning of an answer's blocks is unknown.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Unknown {
    /// No message says it.
    NeverSaid,
    /// Counters were removed, and no `PerflibV2QueryCounterInfo` followed: the document doesn't say how the
    /// positions of the others change.
    Removed,
    /// A message about it can't be read.
    Unreadable,
}

impl QueryHistory {
    /// Adds the answer of `PerflibV2QueryCounterInfo`; `false` if it adds nothing new.
    pub(super) fn info(&mut self, number: u64, identifiers: Identifiers) -> bool {
        let is_known = matches!(self.events.last(), Some((_, Event::Info(known))) if *known == identifiers);
        if !is_known {
            self.put(number, Event::Info(identifiers));
        }
        !is_known
    }

    /// Adds counters that `PerflibV2ValidateCounters` added.
    pub(super) fn added(&mut self, number: u64, identifiers: Identifiers) {
        self.put(number, Event::Added(identifiers));
    }

    /// From here on the positions are unknown, until the server states them.
    pub(super) fn lost(&mut self, number: u64, why: Unknown) {
        self.put(number, Event::Lost(why));
    }

    /// Messages usually come in numerical order; others are inserted at their place.
    fn put(&mut self, number: u64, event: Event) {
        let place = self.events.partition_point(|(other, _)| *other <= number);
        self.events.insert(place, (number, event));
    }

    /// The countersets of all counters ever requested.
    pub(super) fn guids(&self) -> impl Iterator<Item = Guid> + '_ {
        let identifiers = self.events.iter().filter_map(|(_, event)| match event {
            Event::Info(identifiers) | Event::Added(identifiers) => Some(identifiers),
            Event::Lost(_) => None,
        });
        identifiers.flat_map(|identifiers| identifiers.all().iter().map(|asked| asked.guid))
    }

    /// The version at message `number`: equal for messages without changes between them.
    pub(super) fn version(&self, number: u64) -> usize {
        self.events.partition_point(|(other, _)| *other <= number)
    }

    /// The identifiers at a version.
    ///
    /// They are those of the last `PerflibV2QueryCounterInfo`, followed by later additions in order. In a
    /// session without that method, only the additions count.
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
