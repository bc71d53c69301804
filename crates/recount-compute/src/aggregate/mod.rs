//! Aggregates over the instances of a counterset (MS-PCQ 2.2.4.1 `InstanceType`, 2.2.4.2 `AggregateFunc`).
//!
//! They are computed as the document prescribes for clients: from cooked values, over all instances in the
//! capture, independent of the selection; only a multiple-instance aggregate is over the instances that the
//! selection names, if [`CookOptions::over_named`](crate::CookOptions::over_named) is set. Each function used by a counter of the object becomes an additional
//! instance after the others (`_Total`, `_Average`, `_Minimum`, `_Maximum`), with the counters of that
//! function and without raw values.
//!
//! - Only existing values count. If there are none, the aggregate's status is the smallest of the instances';
//!   if one of them is `invalid-data`, so is the aggregate.
//! - Without instances there is no aggregate. In a global aggregate with history, however, an instance that
//!   has disappeared still counts with its last value until it returns.
//!
//! An instance table doesn't change within a run, so the missing instances are the same for all of its
//! samples. They are determined run by run, in order ([`Aggregator::plan`]); the rest can be done in any
//! order ([`Plan::add_to`]).

mod chosen;
mod fold;
mod functions;
mod gone;
mod history;
mod names;
mod plan;
mod taken_names;

use std::collections::HashMap;
use std::sync::Arc;

use recount_model::{AggregateFunction, Aggregation, Run, Selection};

use self::chosen::chosen;
pub(crate) use self::functions::is_aggregated;
use self::history::History;
pub use self::names::{Aggregate, AggregateCatalogue};
pub(crate) use self::plan::Plan;
pub use self::taken_names::TakenNames;
use crate::Cooked;

/// The state of the previous runs that aggregates need, per stream of runs of one object.
#[derive(Debug)]
pub(crate) struct Aggregator {
    streams: HashMap<usize, Stream>,
    taken: TakenNames,
    /// What names the instances of multiple-instance aggregates; everything for all instances.
    naming: Selection,
}

#[derive(Debug, Default)]
struct Stream {
    /// The aggregates of the previous run.
    shown: Vec<AggregateFunction>,
    history: Option<History>,
}

impl Aggregator {
    /// For runs of captures that use these names already. Multiple-instance aggregates are over the instances that `naming`
    /// names, or over all if it names none.
    pub(crate) fn new(taken: TakenNames, naming: Selection) -> Aggregator {
        Aggregator { streams: HashMap::new(), taken, naming }
    }

    /// What to add to the cooked values of a run, which must contain all instances. The runs of a stream must
    /// come in order.
    pub(crate) fn plan(&mut self, stream: usize, run: &Arc<Run>, cooked: &Cooked) -> Plan {
        let stream = self.streams.entry(stream).or_default();
        if run.num_samples() == 0 {
            return Plan::default();
        }
        let keeps = run.object.aggregation == Aggregation::GlobalHistory;
        let gone = if keeps { History::advance(&mut stream.history, run, cooked) } else { Vec::new() };
        let chosen = chosen(&cooked.host, &cooked.object, &cooked.instances, &self.naming);
        let plan = Plan::new(cooked, gone, chosen, &stream.shown, &self.taken);
        stream.shown = plan.functions().collect();
        plan
    }

    /// Moves the state of a stream here, under another number.
    pub(crate) fn adopt(&mut self, number: usize, from: &mut Aggregator, number_there: usize) {
        if let Some(stream) = from.streams.remove(&number_there) {
            self.streams.insert(number, stream);
        }
    }
}
