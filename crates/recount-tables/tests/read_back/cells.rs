//! Cooked columns as comparable cells.

use recount_compute::Cooked;
use recount_model::{Status, Timestamp};

/// One value, or why there is none, with everything that a table says about it.
#[derive(Clone, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub(crate) struct Cell {
    pub(crate) time: Timestamp,
    pub(crate) host: String,
    pub(crate) object: String,
    /// `None` for an object without instances.
    pub(crate) instance: Option<String>,
    pub(crate) id: Option<u64>,
    pub(crate) counter: String,
    /// Bits of the interval.
    pub(crate) interval: Option<u64>,
    /// Bits of the weight.
    pub(crate) weight: u64,
    /// Bits of the value.
    pub(crate) value: Result<u64, Status>,
}

/// All cells, sorted.
pub(crate) fn cells(all: &[Cooked], with_ids: bool) -> Vec<Cell> {
    let mut cells = Vec::new();
    for cooked in all {
        check(cooked);
        let num_instances = cooked.instances.len();
        for column in cooked.columns.iter().filter(|column| !is_base(cooked, column.counter)) {
            for at in 0..cooked.num_cells() {
                let (sample, instance) = (at / num_instances, at % num_instances);
                if !column.covers(instance) {
                    continue;
                }
                let shown = &cooked.instances[instance];
                cells.push(Cell {
                    time: cooked.times[sample].utc,
                    host: cooked.host.to_string(),
                    object: cooked.object.name.to_string(),
                    instance: cooked.object.instanced.then(|| shown.shown()),
                    id: shown.id.filter(|_| with_ids),
                    counter: cooked.object.counters[column.counter].name.to_string(),
                    interval: cooked.interval_of(sample, instance).map(f64::to_bits),
                    weight: cooked.weight_of(sample, instance).to_bits(),
                    value: column.value_at(at).map(f64::to_bits).ok_or(column.status_at(at)),
                });
            }
        }
    }
    cells.sort();
    cells
}

fn is_base(cooked: &Cooked, counter: usize) -> bool {
    cooked.object.counters[counter].is_base()
}

/// Checks the invariants that every consumer relies on.
fn check(cooked: &Cooked) {
    assert!(cooked.times.is_sorted());
    assert_eq!(cooked.interval_s.len(), cooked.num_samples());
    assert_eq!(cooked.continued.len(), cooked.instances.len());
    assert!(cooked.columns.is_sorted_by_key(|column| column.counter));
    for column in &cooked.columns {
        assert_eq!(column.values.len(), cooked.num_cells());
        assert!(column.status.as_ref().is_none_or(|status| status.len() == cooked.num_cells()));
        assert!(column.covers.as_ref().is_none_or(|covers| covers.len() == cooked.instances.len()));
        let has_zero = |at: usize| column.value_at(at).is_some() || column.values[at] == 0.0;
        assert!((0..cooked.num_cells()).all(has_zero), "a value where there is none");
    }
}
