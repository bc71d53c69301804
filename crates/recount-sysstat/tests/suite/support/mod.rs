//! Cooked values of a file, by sample, object, instance and counter.

use std::collections::BTreeMap;
use std::sync::Arc;

use recount_compute::{Input, PipelineOptions, run};
use recount_model::{Health, Selection, Source, Status, Timestamp};
use recount_sysstat::SaSource;

/// (object, instance, counter)
pub(crate) type Path = (String, String, String);

/// The cells of one sample.
pub(crate) type Cells = BTreeMap<Path, Result<f64, Status>>;

/// The inputs of a file: one per epoch.
fn inputs(source: &Arc<dyn Source>) -> Vec<Input> {
    let mut epochs: BTreeMap<u32, Vec<u32>> = BTreeMap::new();
    for sample in 0..source.times().len() {
        epochs.entry(source.epoch(sample)).or_default().push(sample as u32);
    }
    let input = |samples| Input::new(Arc::clone(source), samples);
    epochs.into_values().map(input).collect()
}

/// All cells by epoch and time.
pub(crate) fn cells_of(source: &Arc<dyn Source>) -> BTreeMap<(u32, Timestamp), Cells> {
    cells_in_slices(source, 4 << 20).0
}

/// All cells by epoch and time, decoded in slices of a given number of bytes.
pub(crate) fn cells(source: &Arc<SaSource>, len_slice: usize) -> (BTreeMap<(u32, Timestamp), Cells>, Health) {
    let source: Arc<dyn Source> = Arc::<SaSource>::clone(source);
    cells_in_slices(&source, len_slice)
}

pub(crate) fn cells_in_slices(
    source: &Arc<dyn Source>,
    len_slice: usize,
) -> (BTreeMap<(u32, Timestamp), Cells>, Health) {
    let mut all: BTreeMap<(u32, Timestamp), Cells> = BTreeMap::new();
    let mut health = Health::default();
    for input in inputs(source) {
        let epoch = source.epoch(input.samples[0] as usize);
        let mut options = PipelineOptions { len_slice, ..PipelineOptions::default() };
        options.cook.selection = Selection::all();
        let found = run::<()>(&[input], &options, |batch, _| {
            for cooked in batch {
                for column in &cooked.columns {
                    let counter = &cooked.object.counters[column.counter].name;
                    for (sample, time) in cooked.times.iter().enumerate() {
                        let cells = all.entry((epoch, time.utc)).or_default();
                        for (at, instance) in cooked.instances.iter().enumerate() {
                            if column.covers.as_ref().is_some_and(|covers| !covers[at]) {
                                continue;
                            }
                            let cell = sample * cooked.instances.len() + at;
                            let value = match column.status_at(cell) {
                                Status::Ok => Ok(column.values[cell]),
                                status => Err(status),
                            };
                            let path =
                                (cooked.object.name.to_string(), instance.shown(), counter.to_string());
                            assert!(cells.insert(path.clone(), value).is_none(), "twice: {path:?}");
                        }
                    }
                }
            }
            Ok(())
        });
        health.absorb(found.expect("cooked"));
    }
    (all, health)
}
