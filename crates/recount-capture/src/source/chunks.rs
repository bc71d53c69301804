//! Open chunks: several slices of the time line may need the same one, possibly at the same time.

use std::collections::VecDeque;
use std::sync::{Arc, Mutex, OnceLock, PoisonError};

use recount_model::Selection;

use crate::log::OpenChunk;
use crate::{CaptureError, Log};

/// Maximum number of open chunks: one per thread of a small machine.
const MAX_OPEN: usize = 4;

/// Opens the requested sections, and those of the objects whose instances are the parents of theirs: without these, a
/// thread has no process.
fn open_with_parents(log: &Log, at: usize, wanted: &dyn Fn(u32) -> bool) -> Result<OpenChunk, CaptureError> {
    let chunk = log.open_chunk(&log.entries[at], wanted)?;
    let parents = super::parents::parents(&chunk);
    if parents.iter().all(|parent| wanted(*parent)) {
        return Ok(chunk);
    }
    log.open_chunk(&log.entries[at], &|section| wanted(section) || parents.contains(&section))
}

type Opened = Arc<OnceLock<Arc<Result<OpenChunk, CaptureError>>>>;

/// The chunks opened last.
#[derive(Default)]
pub(crate) struct Chunks {
    open: Mutex<VecDeque<(usize, Selection, Opened)>>,
}

impl Chunks {
    /// A chunk with the sections that a selection needs. A second caller waits for the first. `is_last`: its last
    /// sample is requested, so it won't be needed again.
    pub(crate) fn open(
        &self,
        log: &Log,
        at: usize,
        selection: &Selection,
        wanted: &dyn Fn(u32) -> bool,
        is_last: bool,
    ) -> Arc<Result<OpenChunk, CaptureError>> {
        let opened = self.slot(at, selection);
        let chunk = Arc::clone(opened.get_or_init(|| Arc::new(open_with_parents(log, at, wanted))));
        if is_last {
            self.lock().retain(|(other, of, _)| *other != at || of != selection);
        }
        chunk
    }

    fn slot(&self, at: usize, selection: &Selection) -> Opened {
        let mut open = self.lock();
        if let Some((_, _, opened)) = open.iter().find(|(other, of, _)| *other == at && of == selection) {
            return Arc::clone(opened);
        }
        if open.len() == MAX_OPEN {
            open.pop_front();
        }
        let opened = Opened::default();
        open.push_back((at, selection.clone(), Arc::clone(&opened)));
        opened
    }

    fn lock(&self) -> std::sync::MutexGuard<'_, VecDeque<(usize, Selection, Opened)>> {
        // The state under this lock is always consistent.
        self.open.lock().unwrap_or_else(PoisonError::into_inner)
    }
}
