//! Who started whom, and what a process takes over from what started it.

use std::collections::HashMap;
use std::sync::Arc;

use recount_model::Timestamp;

use super::row::{Place, ProcessRow};

/// A longer line of ancestors isn't followed.
const MAX_ANCESTORS: usize = 64;
/// By how much a start may be late: that of a process that no sample has is known from its end.
const LATE_100NS: i64 = Timestamp::TICKS_PER_SECOND;

/// Who started whom.
#[derive(Debug)]
pub struct Family<'r> {
    rows: &'r [ProcessRow],
    /// By machine and id: the rows of those that had it, by start.
    by_pid: HashMap<(Arc<str>, u64), Vec<usize>>,
}

impl<'r> Family<'r> {
    /// The family of all processes of captures.
    pub fn of(rows: &'r [ProcessRow]) -> Family<'r> {
        let mut by_pid: HashMap<_, Vec<usize>> = HashMap::new();
        for (at, row) in rows.iter().enumerate().filter(|(_, row)| row.count == 1) {
            if let Some(pid) = row.pid {
                by_pid.entry((Arc::clone(&row.host), pid)).or_default().push(at);
            }
        }
        #[expect(clippy::iter_over_hash_type, reason = "each is sorted separately")]
        for known in by_pid.values_mut() {
            known.sort_by_key(|at| began(&rows[*at]));
        }
        Family { rows, by_pid }
    }

    /// The process that had the parent's id when this one began.
    pub fn parent(&self, row: &ProcessRow) -> Option<&'r ProcessRow> {
        let known = self.by_pid.get(&(Arc::clone(&row.host), row.parent?))?;
        let is_before =
            |parent: &usize| began(&self.rows[*parent]).0 <= began(row).0.saturating_add(LATE_100NS);
        let at = known.partition_point(is_before).checked_sub(1)?;
        Some(&self.rows[known[at]]).filter(|parent| parent.pid != row.pid)
    }

    /// Those that started it, the nearest first.
    pub fn ancestors(&self, row: &ProcessRow) -> impl Iterator<Item = &'r ProcessRow> {
        std::iter::successors(self.parent(row), |row| self.parent(row)).take(MAX_ANCESTORS)
    }

    /// Where a process belongs that was too short to be described: where what started it does. What the first process starts is put into
    /// a cgroup of its own.
    fn inherited(&self, row: &ProcessRow) -> Option<Place> {
        let is_known = |row: &&ProcessRow| row.description.is_some() || row.cgroup().is_some();
        if is_known(&row) {
            return None;
        }
        let known = self.ancestors(row).find(is_known).filter(|known| known.pid != Some(1))?;
        Some(Place {
            unit: known.unit().map(Into::into),
            container: known.container().map(Into::into),
            container_name: known.container_name().map(Into::into),
        })
    }
}

/// Puts the processes that were too short to be described where those belong that started them.
pub fn inherit_places(rows: &mut [ProcessRow]) {
    let family = Family::of(rows);
    let inherited: Vec<Option<Place>> = rows.iter().map(|row| family.inherited(row)).collect();
    rows.iter_mut().zip(inherited).for_each(|(row, place)| row.inherited = place);
}

/// When it began, or was seen first.
fn began(row: &ProcessRow) -> Timestamp {
    row.start.unwrap_or(row.seen.0)
}
