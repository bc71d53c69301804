//! Who the processes are: users, parents, cgroups and containers.

use std::collections::HashMap;
use std::sync::Arc;

use recount_model::{ProcessDescription, Source as _, Timestamp, container_of_cgroup, unit_of_cgroup};

use super::tasks::{Identity, int, named, start};
use crate::parts::{LEN_PID, unpack, unpack_each};
use crate::store::AtopLog;
use crate::structure::layout::{Layout, Slot};
use crate::structure::{MAX_TASKS, Record, flag};

/// Digits that Docker's short ids have.
const LEN_SHORT_ID: usize = 12;

/// Fields that say who a process is, besides its identity.
struct Facts {
    identity: Identity,
    real_user: Option<Slot>,
    user: Option<Slot>,
    container: Option<Slot>,
    cgroup: Option<Slot>,
}

impl Facts {
    fn of(layout: &Layout) -> Facts {
        Facts {
            identity: Identity::of(layout),
            real_user: layout.slot("gen.ruid"),
            user: layout.slot("gen.euid"),
            container: layout.slot("gen.container"),
            cgroup: layout.slot("gen.cgroup_path"),
        }
    }

    /// The process of a task; `None` of a thread. What has ended or is about to has lost most of it.
    fn described(&self, task: &[u8], since: Timestamp) -> Option<(ProcessDescription, bool)> {
        let identity = &self.identity;
        if int(identity.is_process, task) == 0 {
            return None;
        }
        let state = int(identity.state, task);
        let has_ended = state == i64::from(b'E');
        let user = if has_ended { self.real_user } else { self.user };
        let text = |slot: Option<Slot>| {
            let text = slot.map(|slot| slot.text(task, 0).into_owned());
            text.filter(|text| !text.is_empty() && !has_ended)
        };
        let parent = int(identity.ppid, task);
        let container = text(self.container);
        let is_id = |text: &String| text.len() >= LEN_SHORT_ID && text.bytes().all(|b| b.is_ascii_hexdigit());
        let (id, name) = match container {
            Some(text) if is_id(&text) => (Some(text), None),
            other => (None, other),
        };
        let one = ProcessDescription {
            since,
            pid: u32::try_from(int(identity.pid, task)).ok()?,
            start: start(int(identity.start, task))?,
            parent: u32::try_from(parent).unwrap_or(0),
            name: named(identity, task),
            user_id: user.map(|slot| slot.int(task, 0) as u32),
            container: id.map(Into::into),
            container_name: name.map(Into::into),
            ..ProcessDescription::default()
        };
        let is_alive = !has_ended && ![b'Z', b'X'].map(i64::from).contains(&state);
        Some((placed(one, text(self.cgroup).as_deref()), is_alive))
    }
}

/// With its cgroup, and what that says.
fn placed(one: ProcessDescription, cgroup: Option<&str>) -> ProcessDescription {
    let Some(path) = cgroup else { return one };
    ProcessDescription {
        cgroup: Some(path.into()),
        unit: unit_of_cgroup(path).map(Into::into),
        container: container_of_cgroup(path).map(Into::into).or(one.container),
        ..one
    }
}

impl AtopLog {
    /// The descriptions of all processes, in the order of time. One pass over the tasks, and only one: it is kept.
    pub(super) fn descriptions(&self) -> &[ProcessDescription] {
        self.descriptions.get_or_init(|| {
            let mut all = Vec::new();
            let mut known: HashMap<(u32, Timestamp), usize> = HashMap::new();
            for (sample, time) in self.samples.iter().zip(self.times()) {
                self.describe(&sample.record, time.utc, |one, is_alive| {
                    let is_same = |before: &ProcessDescription| {
                        ProcessDescription { since: before.since, ..one.clone() } == *before
                    };
                    let task = (one.pid, one.start);
                    let before = known.get(&task).map(|at| &all[*at]);
                    if before.is_none_or(|before| is_alive && !is_same(before)) {
                        known.insert(task, all.len());
                        all.push(one);
                    }
                });
            }
            all
        })
    }

    /// The processes of a sample, and whether they live. A damaged part says nothing; that it is damaged is said where its values are
    /// missing.
    fn describe(&self, record: &Record, time: Timestamp, mut each: impl FnMut(ProcessDescription, bool)) {
        let Some((_, packed)) = record.part(self.content.bytes(), 1) else { return };
        if record.num_tasks > MAX_TASKS {
            return;
        }
        let facts = Facts::of(&self.layouts.task);
        let cgroups = self.cgroups_of_processes(record);
        let mut found = Vec::new();
        let unpacked = unpack_each(packed, self.layouts.task.len, record.num_tasks as usize, |task| {
            found.extend(facts.described(task, time));
        });
        if unpacked.is_err() {
            return;
        }
        for (one, is_alive) in found {
            let cgroup = cgroups.get(&i64::from(one.pid)).filter(|_| is_alive).map(|path| &**path);
            each(placed(one, cgroup), is_alive);
        }
    }

    /// The cgroups of processes by id, from version 2.11 on.
    fn cgroups_of_processes(&self, record: &Record) -> HashMap<i64, Arc<str>> {
        let mut all = HashMap::new();
        let part = |number: usize| record.part(self.content.bytes(), number).map(|(_, packed)| packed);
        let has_cgroups = record.flags & flag::CGROUPS != 0;
        let Some((cgroups, pids)) = part(2).zip(part(3)).filter(|_| has_cgroups) else { return all };
        let mut bytes = Vec::new();
        if unpack(cgroups, record.len_cgroups.min(super::cgroups::MAX_LEN_PART) as usize, &mut bytes).is_err()
        {
            return all;
        }
        let mut ids: Vec<i64> = Vec::new();
        let each = |id: &[u8]| ids.extend(id.first_chunk().map(|id| i64::from(i32::from_le_bytes(*id))));
        if unpack_each(pids, LEN_PID, record.num_pids as usize, each).is_err() {
            return all;
        }
        let mut ids = ids.into_iter();
        let num = self.layouts.cgroup.slot("gen.processes");
        for (path, cgroup) in self.cgroups(&bytes, record.num_cgroups).0 {
            let path: Arc<str> = path.into();
            let num = usize::try_from(int(num, cgroup)).unwrap_or(0);
            // 0 is a process of another pid namespace.
            all.extend(ids.by_ref().take(num).filter(|id| *id > 0).map(|id| (id, Arc::clone(&path))));
        }
        all
    }
}
