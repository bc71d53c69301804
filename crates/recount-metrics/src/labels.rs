//! The labels that distinguish the series of a metric.

use std::collections::HashMap;
use std::sync::Arc;

use recount_model::{Cooked, Instance};

/// The labels of a series, without those that are empty.
pub(crate) fn labels(host: &str, instance: Option<&Instance>) -> Vec<(&'static str, String)> {
    let id = instance.and_then(|instance| instance.id).map(|id| id.to_string());
    let shown = instance.map(Instance::shown);
    let all = [("host", Some(host.to_owned())), ("instance", shown), ("instance_id", id)];
    let present = all.into_iter().filter_map(|(name, value)| Some((name, value?)));
    present.filter(|(_, value)| !value.is_empty()).collect()
}

/// The instances of cooked values; `None` for that of an object without instances.
pub(crate) fn instances(cooked: &Cooked) -> impl Iterator<Item = Option<&Instance>> {
    let is_shown = |instance: &&Instance| cooked.object.instanced || !instance.is_unnamed();
    cooked.instances.iter().map(move |instance| Some(instance).filter(is_shown))
}

/// A host and, without its start, an instance.
type Key = (Arc<str>, Option<Instance>);

/// All sets of labels, in the order in which they appeared.
#[derive(Debug, Default)]
pub(crate) struct LabelSets {
    all: Vec<Vec<(&'static str, String)>>,
    places: HashMap<Key, usize>,
}

impl LabelSets {
    /// The labels of each instance.
    pub(crate) fn of(&mut self, cooked: &Cooked) -> Vec<usize> {
        instances(cooked).map(|instance| self.of_instance(&cooked.host, instance)).collect()
    }

    pub(crate) fn get(&self, set: usize) -> &[(&'static str, String)] {
        &self.all[set]
    }

    fn of_instance(&mut self, host: &Arc<str>, instance: Option<&Instance>) -> usize {
        let instance = instance.map(Instance::without_history);
        let next = self.all.len();
        let set = *self.places.entry((Arc::clone(host), instance.clone())).or_insert(next);
        if set == next {
            self.all.push(labels(host, instance.as_ref()));
        }
        set
    }
}
