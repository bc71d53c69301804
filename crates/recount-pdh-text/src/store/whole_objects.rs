//! The objects of a file with several headers: an object that several parts have is one, with the counters of all.

use std::collections::{HashMap, HashSet};
use std::sync::Arc;

use recount_model::{FindingKind, Health, ObjectDef};

use super::parts::{FileParts, Section};
use super::timeline::Timeline;
use crate::names::ColumnTarget;
use crate::text::Text;

/// Number of a column that is skipped.
pub(crate) const NO_COLUMN: u32 = u32::MAX;

/// The place of an object, and of its counters.
type KnownObject = (usize, HashMap<String, usize>);

/// The objects of all parts.
#[derive(Debug, Default)]
pub(crate) struct WholeObjects {
    /// By host, in order of appearance.
    pub(crate) objects: Vec<(Arc<str>, Arc<ObjectDef>)>,
    /// Per section and group of its layout.
    places: Vec<Vec<GroupPlace>>,
    /// Per section and column of its layout, the number of the counter of the instance, which is the same in all sections;
    /// empty if the file has only one part.
    numbers: Vec<Vec<u32>>,
}

/// Where the columns of a group belong.
#[derive(Debug)]
pub(crate) struct GroupPlace {
    /// Index of the object.
    object: usize,
    /// Per counter of the group, its index in the object.
    pub(crate) counter_at: Vec<usize>,
}

impl WholeObjects {
    pub(crate) fn of(parts: &FileParts) -> WholeObjects {
        let sections = &parts.sections;
        let mut whole = WholeObjects::default();
        // The place of each object, and of its counters, by their names in lower case: for look-up only.
        let mut known: HashMap<(Arc<str>, String), KnownObject> = HashMap::new();
        for section in sections {
            let mut places = Vec::with_capacity(section.layout.groups.len());
            for group in &section.layout.groups {
                let key = (group.host.clone(), group.object.name.to_lowercase());
                let (object, counters) = known.entry(key).or_insert_with(|| {
                    let none = ObjectDef { counters: Vec::new(), ..(*group.object).clone() };
                    whole.objects.push((group.host.clone(), Arc::new(none)));
                    (whole.objects.len() - 1, HashMap::new())
                });
                let all = Arc::make_mut(&mut whole.objects[*object].1);
                all.instanced |= group.object.instanced;
                let mut counter_at = Vec::with_capacity(group.object.counters.len());
                for counter in &group.object.counters {
                    let at = *counters.entry(counter.name.to_lowercase()).or_insert_with(|| {
                        all.counters.push(counter.clone());
                        all.counters.len() - 1
                    });
                    counter_at.push(at);
                }
                places.push(GroupPlace { object: *object, counter_at });
            }
            whole.places.push(places);
        }
        if parts.all.len() > 1 {
            whole.number(sections);
        }
        whole
    }

    /// Numbers the columns of all sections.
    fn number(&mut self, sections: &[Arc<Section>]) {
        let mut known: HashMap<(usize, usize, String), u32> = HashMap::new();
        for (section, places) in sections.iter().zip(&self.places) {
            let groups = &section.layout.groups;
            let instances: Vec<Vec<String>> = groups
                .iter()
                .map(|group| group.instances.iter().map(|one| one.shown().to_lowercase()).collect())
                .collect();
            let mut number = |target: &Option<ColumnTarget>| {
                let Some(target) = target else { return NO_COLUMN };
                let place = &places[target.group];
                let instance = instances[target.group][target.instance].clone();
                let next = known.len() as u32;
                *known.entry((place.object, place.counter_at[target.counter], instance)).or_insert(next)
            };
            self.numbers.push(section.layout.targets.iter().map(&mut number).collect());
        }
    }

    /// The numbers of the columns of a section; [`NO_COLUMN`] for one that is skipped.
    pub(crate) fn numbers(&self, section: usize) -> &[u32] {
        self.numbers.get(section).map(Vec::as_slice).unwrap_or_default()
    }

    /// Reports rows of one time in several parts that share columns.
    pub(super) fn note_shared(&self, timeline: &Timeline, text: &Text, health: &mut Health) {
        let mut sets: HashMap<usize, HashSet<u32>> = HashMap::new();
        let mut pairs: HashMap<(usize, usize), bool> = HashMap::new();
        let mut share = |one: usize, other: usize| {
            *pairs.entry((one, other)).or_insert_with(|| {
                let known = sets.entry(one).or_insert_with(|| self.numbers(one).iter().copied().collect());
                self.numbers(other).iter().any(|number| *number != NO_COLUMN && known.contains(number))
            })
        };
        let mut is_shared = |sample: &usize| {
            let earlier = |range: std::ops::Range<usize>| range.start..*sample;
            timeline.shared(*sample).map(earlier).is_some_and(|mut earlier| {
                earlier.any(|other| {
                    timeline.part(other) != timeline.part(*sample)
                        && share(timeline.section(other), timeline.section(*sample))
                })
            })
        };
        let shared: Vec<usize> = (0..timeline.times.len()).filter(|sample| is_shared(sample)).collect();
        let Some(first) = shared.first() else { return };
        let rows =
            if shared.len() == 1 { "1 row has".to_owned() } else { format!("{} rows have", shared.len()) };
        let what = format!(
            "{rows} the time and some of the columns of a row in another part of the file: equal values are counted once"
        );
        health.note(FindingKind::Odd, text.row_place(timeline.ofs_rows[*first], "time"), what);
    }

    /// The object of a group of a section, and where its counters are.
    pub(crate) fn of_group(&self, section: usize, group: usize) -> (&Arc<ObjectDef>, &GroupPlace) {
        let place = &self.places[section][group];
        (&self.objects[place.object].1, place)
    }
}
