//! What captures say about who processes are, for looking them up.

use std::collections::HashMap;
use std::ops::ControlFlow;
use std::sync::Arc;

use recount_model::{EndedProcess, Health, Instance, ProcessDescription, ProcessNote, Source, Timestamp};

use super::name::shown_process;

/// Who the processes of captures are.
#[derive(Debug, Default)]
pub struct Descriptions {
    /// By machine and id.
    described: HashMap<Arc<str>, HashMap<u32, Vec<ProcessDescription>>>,
    pub(super) ended: Vec<(Arc<str>, EndedProcess)>,
    health: Health,
}

impl Descriptions {
    /// What sources say about the processes that may have lived in a span of time. Memory: a description per process and program, which
    /// share their texts.
    pub fn of<'s>(
        sources: impl IntoIterator<Item = &'s Arc<dyn Source>>,
        span: (Timestamp, Timestamp),
    ) -> Descriptions {
        let mut all = Descriptions::default();
        for source in sources {
            let host = source.info().hosts.first().cloned().unwrap_or_default();
            let found = source.processes(span, &mut |note| {
                all.add(&host, note);
                ControlFlow::Continue(())
            });
            all.health.absorb(found);
        }
        for described in all.described.values_mut().flat_map(HashMap::values_mut) {
            described.sort_by_key(|one| one.since);
            described.dedup();
        }
        all.forget_what_was_left();
        all
    }

    /// A process that ended under another name than it was described by had executed another program: what was said of the one before isn't
    /// its own.
    fn forget_what_was_left(&mut self) {
        for (host, ended) in self.ended.iter().filter(|(_, ended)| ended.count <= 1) {
            let of_host = self.described.get_mut(host);
            let Some(known) = of_host.and_then(|of_host| of_host.get_mut(&ended.pid)) else { continue };
            let is_own = |one: &&ProcessDescription| one.start == ended.start && one.since <= ended.sample;
            let Some(last) = known.iter().rev().find(is_own).filter(|last| last.name != ended.name) else {
                continue;
            };
            let left = ProcessDescription {
                since: ended.sample,
                name: Arc::clone(&ended.name),
                executable: None,
                command: Vec::new(),
                is_command_cut: false,
                ..last.clone()
            };
            let at = known.partition_point(|one| one.since <= ended.sample);
            known.insert(at, left);
        }
    }

    /// The same, whenever they lived.
    pub fn of_all<'s>(sources: impl IntoIterator<Item = &'s Arc<dyn Source>>) -> Descriptions {
        Descriptions::of(sources, (Timestamp(i64::MIN), Timestamp(i64::MAX)))
    }

    fn add(&mut self, host: &Arc<str>, note: ProcessNote) {
        match note {
            ProcessNote::Described(one) => {
                let of_host = self.described.entry(Arc::clone(host)).or_default();
                of_host.entry(one.pid).or_default().push(one);
            }
            ProcessNote::Ended(one) => self.ended.push((Arc::clone(host), one)),
        }
    }

    /// What had to be left out.
    pub fn health(&self) -> &Health {
        &self.health
    }

    /// Whether nothing is known of any process.
    pub fn is_empty(&self) -> bool {
        self.described.is_empty() && self.ended.is_empty()
    }

    /// Who an instance of `Process` was at a time: by the last description up to then, or its first.
    pub fn find(&self, host: &str, instance: &Instance, at: Timestamp) -> Option<&ProcessDescription> {
        let pid = u32::try_from(instance.id?).ok()?;
        self.of_task(host, pid, instance.start?, at)
    }

    pub(super) fn of_task(
        &self,
        host: &str,
        pid: u32,
        start: Timestamp,
        at: Timestamp,
    ) -> Option<&ProcessDescription> {
        let known = self.described.get(host)?.get(&pid)?;
        let mut own = known.iter().filter(|one| one.start == start);
        let first = own.next()?;
        Some(own.take_while(|one| one.since <= at).last().unwrap_or(first))
    }

    /// An instance of `Process` as people know it: `python3 train.py (pid 1224, ml.service)`.
    pub fn shown(&self, host: &str, instance: &Instance, at: Timestamp) -> String {
        shown_process(&instance.name, instance.id, self.find(host, instance, at))
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_ended_under_another_name_has_no_command_of_the_one_before() {
        let host: Arc<str> = "web1".into();
        let fork = ProcessDescription {
            since: Timestamp(10),
            pid: 7,
            start: Timestamp(5),
            name: "python3".into(),
            executable: Some("/usr/bin/python3".into()),
            command: vec!["python3".into(), "storm.py".into()],
            user: Some("root".into()),
            ..ProcessDescription::default()
        };
        let ended = EndedProcess {
            sample: Timestamp(20),
            pid: 7,
            start: Timestamp(5),
            name: "sh".into(),
            count: 1,
            ..EndedProcess::default()
        };
        let mut all = Descriptions::default();
        all.add(&host, ProcessNote::Described(fork.clone()));
        all.add(&host, ProcessNote::Ended(ended));
        all.forget_what_was_left();
        let at = |time| all.of_task(&host, 7, Timestamp(5), Timestamp(time)).expect("described");
        assert_eq!(at(10), &fork);
        let last = at(20);
        assert_eq!((&*last.name, last.command.len(), last.user.as_deref()), ("sh", 0, Some("root")));
    }
}
