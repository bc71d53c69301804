//! Decodes samples into cooked values.

mod cgroups;
mod draft;
mod processes;
mod system;
mod tasks;

use std::ops::ControlFlow;
use std::sync::Arc;

use recount_model::{
    CountsSince, Decoded, FindingKind, Health, ObjectDef, Opened, Place, ProcessNote, Selection, Source,
    Timestamp,
};

use crate::canonical::{Names, Objects};
use crate::objects::Listing;
use crate::objects::value::{Context, FieldRow};
use crate::parts::{LEN_PID, unpack, unpack_each};
use crate::store::{AtopLog, Sample};
use crate::structure::{LEN_RECORD_HEADER, Record, flag};
use draft::PendingObject;
use tasks::Living;

/// Names of the parts, in their order.
const PARTS: [&str; 4] = ["system part", "task part", "cgroup part", "pid part"];

impl Source for AtopLog {
    fn opened(&self) -> &Opened {
        &self.opened
    }

    fn epoch(&self, sample: usize) -> u32 {
        self.samples.get(sample).map_or(0, |sample| sample.epoch)
    }

    fn counts_since(&self, sample: usize) -> CountsSince {
        CountsSince { boot_time: self.samples.get(sample).and_then(|sample| sample.boot_time), program: None }
    }

    fn len_sample(&self, sample: usize) -> usize {
        /// Estimated size of the cells of a task, and of everything else.
        const LEN_TASK: u64 = 700;
        const LEN_SYSTEM: u64 = 16 << 10;
        let Some(Sample { record, .. }) = self.samples.get(sample) else { return 0 };
        let len = record.len_sample() + u64::from(record.num_tasks) * LEN_TASK + LEN_SYSTEM;
        usize::try_from(len).unwrap_or(usize::MAX)
    }

    fn objects(&self) -> Vec<(Arc<str>, Arc<ObjectDef>)> {
        self.names.as_ref().map_or_else(|| self.own_objects(), |names| names.objects.clone())
    }

    /// Users, parents, cgroups and containers. Command lines aren't given: they may hold secrets.
    fn processes(
        &self,
        span: (Timestamp, Timestamp),
        take: &mut dyn FnMut(ProcessNote) -> ControlFlow<()>,
    ) -> Health {
        for one in self.descriptions().iter().filter(|one| one.since <= span.1) {
            if take(ProcessNote::Described(one.clone())).is_break() {
                break;
            }
        }
        Health::default()
    }

    fn canonical(&self) -> Option<Arc<dyn Source>> {
        let mut log = self.clone();
        log.names = Some(Arc::new(Names::of(&self.own_objects())));
        Some(Arc::new(log))
    }

    fn decode(&self, samples: &[u32], selection: &Selection) -> Decoded {
        let Some(names) = &self.names else {
            let is_wanted = |object: &ObjectDef| selection.may_match_object(&self.host, &object.name);
            return self.decode_own(samples, is_wanted, selection);
        };
        let is_wanted = |object: &ObjectDef| names.may_match(&self.host, object, selection);
        names.renamed(self.decode_own(samples, is_wanted, &Selection::all()), selection)
    }
}

impl AtopLog {
    /// The objects with the log's names.
    fn own_objects(&self) -> Objects {
        self.objects.0.iter().map(|object| (Arc::clone(&self.host), Arc::clone(&object.def))).collect()
    }

    /// Decodes the selected parts of the wanted objects, with the log's names.
    fn decode_own(
        &self,
        samples: &[u32],
        is_wanted: impl Fn(&ObjectDef) -> bool,
        selection: &Selection,
    ) -> Decoded {
        let wanted = self.objects.0.iter().filter(|object| is_wanted(&object.def));
        let mut drafts: Vec<PendingObject<'_>> =
            wanted.map(|object| PendingObject::new(object, selection)).collect();
        let mut health = Health::default();
        let mut memory = Vec::new();
        // Under atop's names, values are atop's.
        let has_inherited = self.names.is_some() && drafts.iter().any(PendingObject::has_inherited);
        let mut living: Option<(u32, Living)> = None;
        for &number in samples {
            let Some(sample) = self.samples.get(number as usize) else { continue };
            let before = number.checked_sub(1).filter(|_| has_inherited);
            let before = before.filter(|before| self.epoch(*before as usize) == sample.epoch);
            let is_known = living.as_ref().is_some_and(|(of, _)| Some(*of) == before);
            if let Some(before) = before.filter(|_| !is_known) {
                let record = &self.samples[before as usize].record;
                living = Some((before, self.living(record)));
            }
            let now = self.decode_sample(sample, &mut drafts, &mut memory, &mut health);
            if has_inherited {
                let of_before = living.as_ref().filter(|_| before.is_some()).map(|(_, living)| living);
                let heirs = now.heirs(of_before);
                drafts
                    .iter_mut()
                    .filter(|draft| draft.has_inherited())
                    .for_each(|draft| draft.leave_out_inherited(&heirs));
            }
            living = Some((number, now));
            for draft in &mut drafts {
                draft.end_sample(number, self.times()[number as usize], sample);
            }
        }
        let records = samples.iter().filter_map(|sample| Some(&self.samples.get(*sample as usize)?.record));
        self.content.release_all(records.map(|record| record.ofs..record.ofs + record.len_sample() as usize));
        let cooked = drafts.into_iter().flat_map(|draft| draft.finish(&self.host, selection));
        Decoded { cooked: cooked.collect(), health, ..Decoded::default() }
    }

    fn decode_sample(
        &self,
        sample: &Sample,
        drafts: &mut [PendingObject<'_>],
        memory: &mut Vec<u8>,
        health: &mut Health,
    ) -> Living {
        let record = &sample.record;
        let mut context = Context {
            time: record.time,
            interval: sample.interval.map(f64::from),
            longest: f64::from(sample.longest),
            is_since_boot: record.is_since_boot(),
            flags: record.flags,
            has_cycles: false,
        };
        let (mut has_system, mut has_tasks, mut has_cgroups) = (false, false, false);
        for draft in drafts.iter_mut() {
            match draft.object.listing {
                Listing::Record => {
                    let start = record.ofs;
                    let header =
                        self.content.bytes().get(start..start + LEN_RECORD_HEADER).unwrap_or_default();
                    draft.push(draft::unnamed(), 0, &FieldRow::of(header, 0), &context);
                    draft.is_there = true;
                }
                Listing::Tasks { .. } => has_tasks = true,
                Listing::Cgroups => has_cgroups = record.flags & flag::CGROUPS != 0,
                _ => has_system = true,
            }
        }
        if has_system && let Some(system) = self.system(sample, memory, health) {
            self.list_system(system, &mut context, drafts);
        }
        let living =
            if has_tasks { self.list_tasks(record, &context, drafts, health) } else { Living::default() };
        if has_cgroups {
            self.list_cgroups(record, &context, drafts, health);
            self.check_pids(record, health);
        }
        living
    }

    /// The system structure of a sample.
    fn system<'m>(&self, sample: &Sample, memory: &'m mut Vec<u8>, health: &mut Health) -> Option<&'m [u8]> {
        let record = &sample.record;
        let (ofs, packed) = record.part(self.content.bytes(), 0)?;
        match unpack(packed, self.layouts.system.len, memory) {
            Ok(()) => Some(memory),
            Err(what) => {
                note_part(health, 0, ofs, &what);
                None
            }
        }
    }

    /// The pid part isn't used. But damage in it shows that the file was changed, and unpacking a few numbers takes no time.
    fn check_pids(&self, record: &Record, health: &mut Health) {
        let Some((ofs, packed)) = record.part(self.content.bytes(), 3) else { return };
        if let Err(what) = unpack_each(packed, LEN_PID, record.num_pids as usize, |_| {}) {
            let what = format!("{what}: no value depends on it");
            health.note(FindingKind::Damaged, Place::structure(PARTS[3], ofs as u64), what);
        }
    }

    /// A field of the system structure.
    fn int(&self, system: &[u8], name: &str) -> i64 {
        self.layouts.system.slot(name).map_or(0, |slot| slot.int(system, 0))
    }
}

/// Notes a damaged part, whose values the sample loses.
fn note_part(health: &mut Health, part: usize, ofs: usize, what: &str) {
    let what = format!("{what}: its values are left out of this sample");
    health.note(FindingKind::Damaged, Place::structure(PARTS[part], ofs as u64), what);
}
