//! The counterset of each block in a query's answers, at a given message.

use super::history::SetVersion;
use super::identifiers::{Asked, Identifiers};
use crate::Guid;

/// What is known about a query's answers until a message changes it.
#[derive(Debug)]
pub(super) struct Layout {
    /// The number of changing messages when this was computed.
    pub(super) num_changes: usize,
    pub(super) query_version: usize,
    pub(super) identifiers: Identifiers,
    /// Position and index in `sets`, ascending.
    targets: Vec<(u32, usize)>,
    /// The requested countersets, in order of their first position.
    pub(super) sets: Vec<SetOfQuery>,
}

/// A counterset in a query.
#[derive(Debug)]
pub(super) struct SetOfQuery {
    pub(super) guid: Guid,
    /// The version of the stream; `None` if not registered, or if there never was a stream.
    pub(super) version: Option<SetVersion>,
    /// The stream of its answers; `None` if not registered or not selected.
    pub(super) stream: Option<usize>,
}

/// What a block of an answer is.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Target {
    /// No identifier has its position.
    Unknown,
    /// It isn't wanted, or was reported as unknown.
    Unwanted,
    /// It belongs to this stream.
    Stream(usize),
}

impl Layout {
    /// The countersets of `identifiers`, without streams so far.
    pub(super) fn new(num_changes: usize, query_version: usize, identifiers: Identifiers) -> Layout {
        let mut sets: Vec<SetOfQuery> = Vec::new();
        let mut known = std::collections::HashMap::new();
        let mut targets: Vec<(u32, usize)> = Vec::new();
        for asked in identifiers.all() {
            let set = *known.entry(asked.guid).or_insert_with(|| {
                sets.push(SetOfQuery { guid: asked.guid, version: None, stream: None });
                sets.len() - 1
            });
            targets.push((asked.position, set));
        }
        targets.dedup();
        Layout { num_changes, query_version, identifiers, targets, sets }
    }

    /// The contents of a position of an answer.
    pub(super) fn target(&self, position: u32) -> Target {
        let is_it = |(other, _): &&(u32, usize)| *other == position;
        // Positions are usually 0, 1, 2, ...
        let target = self.targets.get(position as usize).filter(is_it).or_else(|| {
            let at = self.targets.binary_search_by_key(&position, |(other, _)| *other).ok()?;
            self.targets.get(at)
        });
        match target.and_then(|(_, set)| self.sets.get(*set)) {
            None => Target::Unknown,
            Some(set) => set.stream.map_or(Target::Unwanted, Target::Stream),
        }
    }

    /// How many blocks an answer must have.
    pub(super) fn num_blocks(&self) -> u32 {
        self.targets.last().map_or(0, |(position, _)| position.saturating_add(1))
    }

    /// The streams for answers.
    pub(super) fn streams(&self) -> impl Iterator<Item = usize> + '_ {
        self.sets.iter().filter_map(|set| set.stream)
    }

    /// The identifiers of each counterset, in the order of `sets`.
    pub(super) fn asked(&self) -> Vec<Vec<Asked>> {
        let mut asked = vec![Vec::new(); self.sets.len()];
        let by_guid: std::collections::HashMap<Guid, usize> =
            self.sets.iter().enumerate().map(|(at, set)| (set.guid, at)).collect();
        for identifier in self.identifiers.all() {
            if let Some(of_set) = by_guid.get(&identifier.guid).and_then(|at| asked.get_mut(*at)) {
                of_set.push(identifier.clone());
            }
        }
        asked
    }
}
