//! Tables as a source of cooked values for the pipeline.

use std::sync::Arc;

use recount_compute::select_cooked;
use recount_model::{Cooked, Decoded, Health, ObjectDef, Opened, Selection, Source};

use super::ParquetTables;
use super::nulls::Nulls;
use super::object_table::{ObjectTable, ReadContext};
use super::sampled_file::leave_out;
use super::tables::{LayoutTables, ObjectTables};
use crate::schema::NULLS_TABLE;

impl Source for ParquetTables {
    fn opened(&self) -> &Opened {
        &self.opened
    }

    fn len_sample(&self, sample: usize) -> usize {
        self.len_samples.get(sample).map_or(0, |len| *len as usize)
    }

    fn objects(&self) -> Vec<(Arc<str>, Arc<ObjectDef>)> {
        match &self.layout {
            LayoutTables::Tidy(_) => Vec::new(),
            LayoutTables::Objects(objects) => {
                objects.known.iter().map(|object| (Arc::default(), Arc::clone(object))).collect()
            }
        }
    }

    fn decode(&self, samples: &[u32], selection: &Selection) -> Decoded {
        let reading = ReadContext {
            samples,
            times: self.times(),
            selection,
            windows: &self.windows,
            names: &self.names,
        };
        let mut health = Health::default();
        let cooked = match &self.layout {
            LayoutTables::Tidy(table) => table.read(reading, &mut health),
            LayoutTables::Objects(objects) => objects.read(reading, &mut health),
        };
        let selected = cooked.into_iter().map(|cooked| select_cooked(cooked, selection));
        let cooked = selected.filter(|cooked| !cooked.columns.is_empty()).collect();
        Decoded { cooked, health, ..Decoded::default() }
    }
}

impl ObjectTables {
    fn read(&self, reading: ReadContext<'_>, health: &mut Health) -> Vec<Cooked> {
        let is_wanted =
            |table: &&ObjectTable| reading.selection.may_match_object_anywhere(&table.object.name);
        let wanted: Vec<&ObjectTable> = self.tables.iter().filter(is_wanted).collect();
        let is_wanted = |object: u32| wanted.iter().any(|table| table.name == object);
        let ReadContext { samples, windows, names, .. } = reading;
        let read = self.nulls.as_ref().map(|nulls| nulls.read(samples, windows, names, is_wanted, health));
        let nulls = match read {
            None => Nulls::default(),
            Some(Ok(nulls)) => nulls,
            Some(Err(source)) => {
                // Without their reasons, nulls would look like counters that don't exist.
                leave_out(NULLS_TABLE, &source, health);
                return Vec::new();
            }
        };
        wanted.iter().flat_map(|table| table.read(reading, &nulls, health)).collect()
    }
}
