//! The tables of captures: one per object, as in `recount convert --layout objects`.

use std::collections::{HashMap, HashSet};
use std::sync::Arc;

use polars::prelude::{DataFrame, PolarsResult};
use recount_compute::{AggregateCatalogue, Cooked, Input, PipelineOptions, survey};
use recount_model::{Health, Instance, Instances, ObjectDef};
use recount_tables::batches::ObjectBatches;
use recount_tables::schema::TIME;

use crate::QueryError;
use crate::frame::Frame;
use crate::names::may_mean;
use crate::needs::Needs;

/// The tables of objects, in order of appearance.
pub(crate) struct Tables<'a> {
    needs: &'a Needs,
    pub(crate) objects: Vec<ObjectTable>,
    places: HashMap<Arc<str>, usize>,
}

/// The table of an object.
pub(crate) struct ObjectTable {
    pub(crate) name: Arc<str>,
    pub(crate) batches: ObjectBatches,
    pub(crate) instances: KnownInstances,
    /// Whether the query names it, or may do so.
    is_named: bool,
    frame: Frame,
}

/// Which instances an object has, over all hosts.
#[derive(Default)]
pub(crate) struct KnownInstances {
    all: HashSet<(Arc<str>, String)>,
    /// The instances of the last run: most runs repeat them.
    last: Option<Instances>,
    instanced: bool,
}

impl<'a> Tables<'a> {
    /// The tables of objects that the captures list before anything is read.
    pub(crate) fn known(inputs: &[Input], needs: &'a Needs) -> Tables<'a> {
        let mut tables = Tables { needs, objects: Vec::new(), places: HashMap::new() };
        for (_, object) in inputs.iter().flat_map(|input| input.source.objects()) {
            tables.learn(&object);
        }
        tables
    }

    /// Surveys all samples for objects, columns and instances, without computing values.
    pub(crate) fn survey(&mut self, inputs: &[Input]) -> Health {
        let mut aggregates = AggregateCatalogue::new(inputs);
        survey(inputs, &PipelineOptions::default(), |decoded| {
            for run in decoded.runs {
                let instances = self.learn(&run.object);
                instances.add(&run.host, &run.instances);
                for aggregate in aggregates.of(&run, false) {
                    instances.add_one(&run.host, &aggregate.instance);
                }
            }
            for cooked in decoded.cooked {
                self.learn(&cooked.object).add(&cooked.host, &cooked.instances);
            }
        })
    }

    /// Adds the columns for a definition.
    fn learn(&mut self, object: &Arc<ObjectDef>) -> &mut KnownInstances {
        let at = self.place(&object.name);
        let table = &mut self.objects[at];
        table.batches.learn(object, |counter| !counter.is_hidden());
        table.instances.instanced |= object.instanced;
        &mut table.instances
    }

    fn place(&mut self, object: &Arc<str>) -> usize {
        if let Some(place) = self.places.get(object) {
            return *place;
        }
        let names: Vec<&str> = self.needs.tables().filter(|name| may_mean(name, object)).collect();
        let mut batches = ObjectBatches::new(false).with_instances();
        if let Some(columns) = self.needs.columns_of(&names).cloned() {
            // Without any column polars would not know how many rows there are.
            batches = batches.keeping(move |name| name == TIME.name || columns.contains(name));
        }
        self.objects.push(ObjectTable {
            name: Arc::clone(object),
            batches,
            instances: KnownInstances::default(),
            is_named: !names.is_empty(),
            frame: Frame::default(),
        });
        self.places.insert(Arc::clone(object), self.objects.len() - 1);
        self.objects.len() - 1
    }

    /// Adds the values of a slice of time, except those of objects that the query doesn't name.
    pub(crate) fn add(&mut self, slice: Vec<Cooked>) -> Result<(), QueryError> {
        let mut by_table: Vec<Vec<Cooked>> = Vec::new();
        for cooked in slice {
            let at = self.place(&cooked.object.name);
            by_table.resize_with(self.objects.len(), Vec::new);
            by_table[at].push(cooked);
        }
        for (table, slice) in self.objects.iter_mut().zip(by_table).filter(|(table, _)| table.is_named) {
            for batch in table.batches.batches(slice)? {
                table.frame.push(&batch)?;
            }
        }
        Ok(())
    }

    /// Names of the objects.
    pub(crate) fn names(&self) -> impl Iterator<Item = &str> + Clone {
        self.objects.iter().map(|object| &*object.name)
    }

    /// The table of an existing object.
    pub(crate) fn object(&mut self, name: &str) -> &mut ObjectTable {
        let at = self.place(&name.into());
        &mut self.objects[at]
    }
}

impl ObjectTable {
    pub(crate) fn frame(&mut self) -> PolarsResult<DataFrame> {
        self.frame.widen(&self.batches.schema())?;
        self.frame.to_polars()
    }
}

impl KnownInstances {
    fn add(&mut self, host: &Arc<str>, instances: &Instances) {
        if self.last.as_ref().is_some_and(|last| Arc::ptr_eq(last, instances)) {
            return;
        }
        instances.iter().for_each(|instance| self.add_one(host, instance));
        self.last = Some(Arc::clone(instances));
    }

    fn add_one(&mut self, host: &Arc<str>, instance: &Instance) {
        self.all.insert((Arc::clone(host), instance.shown()));
    }

    /// Number of instances; `None` if the object has none by definition.
    pub(crate) fn count(&self) -> Option<u64> {
        self.instanced.then_some(self.all.len() as u64)
    }
}
