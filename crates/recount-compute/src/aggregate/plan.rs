//! Adds aggregates to the values of one run.

use std::sync::Arc;

use recount_model::{AggregateFunction, Instance, Status};

use super::fold::Fold;
use super::names::{Aggregate, aggregates};
use super::taken_names::TakenNames;
use crate::{Cooked, CookedColumn};

/// The aggregates of one run, before they are computed.
#[derive(Debug, Default)]
pub(crate) struct Plan {
    aggregates: Vec<Aggregate>,
    /// Per aggregate: whether the previous sample has it.
    continued: Vec<bool>,
    /// Per counter: the last values of instances that no longer exist. Counters after the end have none.
    gone: Vec<Fold>,
    /// Per instance, whether the aggregates are over it; `None` for all.
    chosen: Option<Vec<bool>>,
}

impl Plan {
    /// `shown` are the aggregates of the previous run.
    pub(super) fn new(
        cooked: &Cooked,
        gone: Vec<Fold>,
        chosen: Option<Vec<bool>>,
        shown: &[AggregateFunction],
        taken: &TakenNames,
    ) -> Plan {
        let is_left = |counter: usize| gone.get(counter).is_some_and(Fold::has_values);
        let exists = |counter: usize| {
            let column = cooked.columns.iter().find(|column| column.counter == counter);
            column.is_some_and(|column| {
                is_left(counter)
                    || (0..cooked.instances.len())
                        .any(|i| column.covers(i) && is_chosen(chosen.as_deref(), i))
            })
        };
        let aggregates = aggregates(&cooked.host, &cooked.object, &cooked.instances, taken, exists);
        let continued = aggregates.iter().map(|aggregate| shown.contains(&aggregate.function)).collect();
        Plan { aggregates, continued, gone, chosen }
    }

    pub(super) fn functions(&self) -> impl Iterator<Item = AggregateFunction> {
        self.aggregates.iter().map(|aggregate| aggregate.function)
    }

    /// The cooked values with the aggregates as further instances.
    pub(crate) fn add_to(&self, mut cooked: Cooked) -> Cooked {
        if self.aggregates.is_empty() {
            return cooked;
        }
        let shape = Shape {
            num_samples: cooked.num_samples(),
            num_instances: cooked.instances.len(),
            width: cooked.instances.len() + self.aggregates.len(),
        };
        cooked.columns = cooked.columns.iter().map(|column| self.widened(column, shape)).collect();
        let added = self.aggregates.iter().map(|aggregate| aggregate.instance.clone());
        cooked.instances = cooked.instances.iter().cloned().chain(added).collect::<Vec<Instance>>().into();
        cooked.continued.extend(&self.continued);
        cooked
    }

    fn widened(&self, column: &CookedColumn, shape: Shape) -> CookedColumn {
        let has_counter = |a: &Aggregate| a.counters.binary_search(&column.counter).is_ok();
        let aggregate = self.aggregates.iter().position(has_counter);
        let covers = (0..shape.width).map(|instance| match instance.checked_sub(shape.num_instances) {
            None => column.covers(instance),
            Some(at) => aggregate == Some(at),
        });
        let covers: Arc<[bool]> = covers.collect();
        let mut wide = CookedColumn {
            counter: column.counter,
            values: shape.widened(&column.values, &0.0),
            status: column.status.as_ref().map(|status| shape.widened(status, &Status::Ok)),
            covers: covers.contains(&false).then_some(covers),
            texts: column.texts.as_ref().map(|texts| shape.widened(texts, &None)),
        };
        if let Some(at) = aggregate {
            for sample in 0..shape.num_samples {
                let outcome = self.computed(at, column, sample, shape);
                let cell = sample * shape.width + shape.num_instances + at;
                match outcome {
                    Ok(value) => wide.values[cell] = value,
                    Err(status) => {
                        let num_cells = shape.num_samples * shape.width;
                        wide.status.get_or_insert_with(|| vec![Status::Ok; num_cells])[cell] = status;
                    }
                }
            }
        }
        wide
    }

    /// An aggregate in one sample: first over the missing instances, then over the present ones, each in
    /// order.
    fn computed(&self, at: usize, column: &CookedColumn, sample: usize, shape: Shape) -> Result<f64, Status> {
        let mut fold = self.gone.get(column.counter).copied().unwrap_or(Fold::EMPTY);
        let is_counted = |i: &usize| column.covers(*i) && is_chosen(self.chosen.as_deref(), *i);
        for instance in (0..shape.num_instances).filter(is_counted) {
            let cell = sample * shape.num_instances + instance;
            match column.status_at(cell) {
                status if status.has_value() => fold.add(column.values[cell]),
                missing => fold.miss(missing),
            }
        }
        fold.finish(self.aggregates[at].function)
    }
}

/// Whether aggregates are over an instance.
fn is_chosen(chosen: Option<&[bool]>, instance: usize) -> bool {
    chosen.is_none_or(|chosen| chosen.get(instance).copied().unwrap_or(false))
}

/// The number of cells before and after.
#[derive(Clone, Copy)]
struct Shape {
    num_samples: usize,
    num_instances: usize,
    /// Instances and aggregates.
    width: usize,
}

impl Shape {
    /// The cells of all samples, with room for the aggregates after each sample.
    fn widened<T: Clone>(self, cells: &[T], filler: &T) -> Vec<T> {
        let mut wide = Vec::with_capacity(self.num_samples * self.width);
        for sample in 0..self.num_samples {
            wide.extend_from_slice(&cells[sample * self.num_instances..(sample + 1) * self.num_instances]);
            wide.resize((sample + 1) * self.width, filler.clone());
        }
        wide
    }
}
