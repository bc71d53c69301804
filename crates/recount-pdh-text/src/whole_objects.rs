//! The objects of a file with several headers: an object that several parts have is one, with the counters of all.

use std::collections::HashMap;
use std::sync::Arc;

use recount_model::ObjectDef;

use crate::store::Section;

/// The place of an object, and of its counters.
type KnownObject = (usize, HashMap<String, usize>);

/// The objects of all parts.
#[derive(Debug, Default)]
pub(crate) struct WholeObjects {
    /// By host, in order of appearance.
    pub(crate) objects: Vec<(Arc<str>, Arc<ObjectDef>)>,
    /// Per section and group of its layout.
    places: Vec<Vec<GroupPlace>>,
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
    pub(crate) fn of(sections: &[Arc<Section>]) -> WholeObjects {
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
        whole
    }

    /// The object of a group of a section, and where its counters are.
    pub(crate) fn of_group(&self, section: usize, group: usize) -> (&Arc<ObjectDef>, &GroupPlace) {
        let place = &self.places[section][group];
        (&self.objects[place.object].1, place)
    }
}
