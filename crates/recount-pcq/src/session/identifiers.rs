//! The requests of a query: counter identifiers and their positions (MS-PCQ 2.2.4.6, 3.1.4.1.5).

use std::sync::Arc;

use recount_bytes::FormatError;
use recount_model::{FindingKind, Health, Place};

use crate::{ANY_COUNTER, ANY_INSTANCE, CounterIdentifier, CounterIdentifiers, Guid, ReturnCode};

/// The part of a `_PERF_COUNTER_IDENTIFIER` that describes a block's contents.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(super) struct Asked {
    /// `Index`: position of the block in the answers.
    pub(super) position: u32,
    pub(super) guid: Guid,
    pub(super) counter_id: u32,
    pub(super) instance_id: u32,
    pub(super) name: Arc<str>,
}

impl Asked {
    /// Whether it requests every counter of the counterset.
    pub(super) fn any_counter(&self) -> bool {
        self.counter_id == ANY_COUNTER
    }

    /// Whether it requests every instance of the counterset.
    pub(super) fn any_instance(&self) -> bool {
        &*self.name == ANY_INSTANCE
    }
}

/// The identifiers of a query, in order of position.
///
/// Several may have the same position if they belong to one counterset: the block itself identifies its
/// values.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub(super) struct Identifiers(Arc<[Asked]>);

impl Identifiers {
    /// The answer of `PerflibV2QueryCounterInfo`, which says the positions. `Status` "MUST be ignored by the
    /// client" (3.1.4.1.5). If two countersets claim a position, both are left out.
    pub(super) fn of_info(buffer: &[u8], ofs: u64, health: &mut Health) -> Result<Identifiers, FormatError> {
        let mut all = Vec::new();
        for identifier in CounterIdentifiers::parse(buffer, ofs) {
            let identifier = identifier?;
            all.push(Asked {
                position: identifier.index,
                guid: identifier.guid,
                counter_id: identifier.counter_id,
                instance_id: identifier.instance_id,
                name: identifier.name.to_string_lossy().into(),
            });
        }
        all.sort_by_key(|asked| asked.position);
        let is_clear = |group: &&[Asked]| {
            let is_clear = group.iter().all(|asked| asked.guid == group[0].guid);
            if !is_clear {
                let what = format!(
                    "two countersets at position {} of the answers; none is read from there (MS-PCQ 3.1.4.1.5)",
                    group[0].position
                );
                health.note(FindingKind::Damaged, Place::structure(CounterIdentifier::NAME, ofs), what);
            }
            is_clear
        };
        let groups = all.chunk_by(|a, b| a.position == b.position);
        Ok(Identifiers(groups.filter(is_clear).flatten().cloned().collect()))
    }

    /// The answer of `PerflibV2ValidateCounters`: those whose `Status` says success (3.1.4.1.7), numbered from 0 on.
    pub(super) fn of_validation(buffer: &[u8], ofs: u64) -> Result<Identifiers, FormatError> {
        let mut all = Vec::new();
        for identifier in CounterIdentifiers::parse(buffer, ofs) {
            let identifier = identifier?;
            if identifier.status == ReturnCode::SUCCESS.0 {
                all.push(Asked {
                    position: all.len() as u32,
                    guid: identifier.guid,
                    counter_id: identifier.counter_id,
                    instance_id: identifier.instance_id,
                    name: identifier.name.to_string_lossy().into(),
                });
            }
        }
        Ok(Identifiers(all.into()))
    }

    /// Appends others, at the positions that follow.
    pub(super) fn with_added<'a>(&self, others: impl Iterator<Item = &'a Identifiers>) -> Identifiers {
        let mut all = self.0.to_vec();
        for asked in others.flat_map(|others| others.0.iter()) {
            let position = all.last().map_or(0, |last| last.position.saturating_add(1));
            all.push(Asked { position, ..asked.clone() });
        }
        Identifiers(all.into())
    }

    /// All of them.
    pub(super) fn all(&self) -> &[Asked] {
        &self.0
    }

    /// Those at a position.
    pub(super) fn at(&self, position: u32) -> &[Asked] {
        let start = self.0.partition_point(|asked| asked.position < position);
        let behind = self.0.get(start..).unwrap_or_default();
        let len = behind.iter().take_while(|asked| asked.position == position).count();
        behind.get(..len).unwrap_or_default()
    }
}
