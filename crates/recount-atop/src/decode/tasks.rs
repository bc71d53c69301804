//! Processes and threads.

use std::collections::{HashMap, HashSet};
use std::sync::Arc;

use recount_model::{FindingKind, Health, Instance, Place, Timestamp};

use super::draft::PendingObject;
use super::note_part;
use crate::objects::Listing;
use crate::objects::value::{Context, FieldRow, Life};
use crate::parts::unpack_each;
use crate::store::AtopLog;
use crate::structure::layout::{Layout, Slot};
use crate::structure::{MAX_TASKS, Record};

/// The parent of all kernel threads.
const KTHREADD: i64 = 2;

/// Fields that identify a task.
pub(super) struct Identity {
    tgid: Option<Slot>,
    pub(super) pid: Option<Slot>,
    pub(super) ppid: Option<Slot>,
    name: Option<Slot>,
    pub(super) is_process: Option<Slot>,
    pub(super) state: Option<Slot>,
    pub(super) start: Option<Slot>,
    gpu_state: Option<Slot>,
    memory: Option<Slot>,
}

impl Identity {
    pub(super) fn of(layout: &Layout) -> Identity {
        Identity {
            tgid: layout.slot("gen.tgid"),
            pid: layout.slot("gen.pid"),
            ppid: layout.slot("gen.ppid"),
            name: layout.slot("gen.name"),
            is_process: layout.slot("gen.is_process"),
            state: layout.slot("gen.state"),
            start: layout.slot("gen.start"),
            gpu_state: layout.slot("gpu.state"),
            memory: layout.slot("mem.virtual"),
        }
    }
}

pub(super) fn int(slot: Option<Slot>, task: &[u8]) -> i64 {
    slot.map_or(0, |slot| slot.int(task, 0))
}

impl AtopLog {
    pub(super) fn list_tasks(
        &self,
        record: &Record,
        context: &Context,
        drafts: &mut [PendingObject<'_>],
        health: &mut Health,
    ) -> Living {
        let mut living = Living::default();
        let Some((ofs, packed)) = record.part(self.content.bytes(), 1) else { return living };
        if record.num_tasks > MAX_TASKS {
            let what =
                format!("{} tasks are more than the {MAX_TASKS} that are read: left out", record.num_tasks);
            health.note(FindingKind::Dropped, Place::structure("task part", ofs as u64), what);
            return living;
        }
        let layout = &self.layouts.task;
        let identity = Identity::of(layout);
        let mut process: (i64, Arc<str>) = (-1, "".into());
        let unpacked = unpack_each(packed, layout.len, record.num_tasks as usize, |task| {
            let is_process = int(identity.is_process, task) != 0;
            let tgid = int(identity.tgid, task);
            let time_start = int(identity.start, task);
            let state = int(identity.state, task);
            let has_ended = state == i64::from(b'E');
            let is_kernel = [tgid, int(identity.ppid, task)].contains(&KTHREADD);
            let is_zombie = [b'Z', b'X'].map(i64::from).contains(&state);
            if has_ended && living.has(tgid, time_start) {
                // It has ended, but isn't reaped: its entry as a zombie has the same differences, and more.
                return;
            }
            living.add(&identity, task);
            let name = named(&identity, task);
            if is_process {
                process = (tgid, Arc::clone(&name));
            }
            let parent = || if process.0 == tgid { Arc::clone(&process.1) } else { tgid.to_string().into() };
            let instance = Instance {
                parent: (!is_process).then(parent),
                id: u64::try_from(int(identity.pid, task)).ok(),
                start: start(time_start),
                ..Instance::named(name)
            };
            let has_memory = is_kernel || !is_zombie && int(identity.memory, task) != 0;
            let life = match (has_ended, has_memory) {
                (true, _) => Life::Ended,
                (false, true) => Life::Alive,
                (false, false) => Life::Ending,
            };
            let row = FieldRow {
                life,
                uses_gpu: is_process && matches!(int(identity.gpu_state, task) as u8, b'A' | b'E'),
                ..FieldRow::of(task, 0)
            };
            let is_wanted = |draft: &&mut PendingObject<'_>| match draft.object.listing {
                Listing::Tasks { processes } => processes == is_process,
                _ => false,
            };
            drafts
                .iter_mut()
                .filter(is_wanted)
                .for_each(|draft| draft.push(instance.clone(), 0, &row, context));
        });
        let drafts = drafts.iter_mut().filter(|draft| matches!(draft.object.listing, Listing::Tasks { .. }));
        match unpacked {
            Ok(()) => drafts.for_each(|draft| draft.is_there = true),
            Err(what) => {
                drafts.for_each(PendingObject::forget);
                note_part(health, 1, ofs, &what);
            }
        }
        living
    }

    /// The processes of a sample.
    pub(super) fn living(&self, record: &Record) -> Living {
        let mut living = Living::default();
        let Some((_, packed)) = record.part(self.content.bytes(), 1) else { return living };
        if record.num_tasks > MAX_TASKS {
            return living;
        }
        let identity = Identity::of(&self.layouts.task);
        // That it is damaged is said where its values are missing.
        let _ = unpack_each(packed, self.layouts.task.len, record.num_tasks as usize, |task| {
            living.add(&identity, task);
        });
        living
    }
}

/// The processes of a sample.
#[derive(Default)]
pub(super) struct Living {
    /// Those that are there, zombies too, by their ids: start and parent.
    processes: HashMap<i64, (i64, i64)>,
    /// The parents of those that have ended since the sample before.
    parents_of_ended: HashSet<i64>,
}

impl Living {
    fn add(&mut self, identity: &Identity, task: &[u8]) {
        if int(identity.is_process, task) == 0 {
            return;
        }
        let parent = int(identity.ppid, task);
        if int(identity.state, task) == i64::from(b'E') {
            self.parents_of_ended.insert(parent);
        } else {
            let start = int(identity.start, task);
            self.processes.insert(int(identity.tgid, task), (start, parent));
        }
    }

    /// Starts are rounded, up or down.
    fn has(&self, id: i64, start: i64) -> bool {
        self.processes.get(&id).is_some_and(|(known, _)| known.abs_diff(start) <= 1)
    }

    /// The processes that may have waited for one that ended after the sample before.
    pub(super) fn heirs(&self, before: Option<&Living>) -> HashSet<i64> {
        let known = before.into_iter().flat_map(|before| &before.processes);
        let ended = known.filter(|(id, (start, _))| !self.has(**id, *start));
        ended.map(|(_, (_, parent))| *parent).chain(self.parents_of_ended.iter().copied()).collect()
    }
}

/// The name of a task's instance.
pub(super) fn named(identity: &Identity, task: &[u8]) -> Arc<str> {
    let name = identity.name.map(|slot| slot.text(task, 0)).unwrap_or_default();
    instance_name(&name, int(identity.ppid, task)).into()
}

/// The instance name of a task, as in our own recorder. A kernel worker's name omits the work queue that it served
/// last, which changes all the time. No task has the name of the sum.
fn instance_name(name: &str, parent: i64) -> &str {
    if name.eq_ignore_ascii_case("_Total") {
        return "_Total_";
    }
    if parent != KTHREADD || !name.starts_with("kworker/") || name.starts_with("kworker/R-") {
        return name;
    }
    name.split(['-', '+']).next().unwrap_or(name)
}

pub(super) fn start(seconds: i64) -> Option<Timestamp> {
    let ticks = seconds.checked_mul(Timestamp::TICKS_PER_SECOND)?.checked_add(Timestamp::UNIX_EPOCH.0)?;
    (seconds > 0).then_some(Timestamp(ticks))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn kernel_workers_keep_their_names() {
        assert_eq!(instance_name("kworker/u8:2+ext", 2), "kworker/u8:2");
        assert_eq!(instance_name("kworker/0:1H-kb", 2), "kworker/0:1H");
        assert_eq!(instance_name("kworker/R-mm_pe", 2), "kworker/R-mm_pe");
        assert_eq!(instance_name("kworker/0:1-me", 700), "kworker/0:1-me");
        assert_eq!(instance_name("_total", 1), "_Total_");
        assert_eq!(instance_name("a-b", 2), "a-b");
    }
}
