//! Aggregates: what the instances of a counterset come to together (MS-PCQ 2.2.4.1 `InstanceType`, 2.2.4.2
//! `AggregateFunc`).
//!
//! They are computed as the document has the client do it: from cooked values, over all instances that the capture holds,
//! whatever is selected. Each function that a counter of the object asks for becomes an instance behind the others
//! (`_Total`, `_Average`, `_Minimum`, `_Maximum`), which has the counters of that function and no raw values.
//!
//! - Only values that exist count. If none does, the aggregate's status is the smallest of the instances'; if one of
//!   them is `invalid-data`, so is the aggregate.
//! - Without instances there is no aggregate. In a global aggregate with history, though, an instance that has gone goes
//!   on to count with its last value, until it comes back.
//!
//! An instance table doesn't change within a run, so what has gone is the same for all of its samples. It is found out
//! run by run, in their order ([`Aggregator::plan`]); the rest needs no order ([`Plan::add_to`]).

mod fold;
mod gone;
mod history;
mod names;
mod plan;
mod taken_names;

use std::collections::HashMap;
use std::sync::Arc;

use recount_model::{AggregateFunction, Aggregation, Run};

use self::history::History;
pub(crate) use self::names::is_aggregated;
pub use self::names::{Aggregate, AggregateCatalogue};
pub(crate) use self::plan::Plan;
use self::taken_names::TakenNames;
use crate::{Cooked, Input};

/// What aggregates need to know of the runs before, per stream of runs of one object.
#[derive(Debug)]
pub(crate) struct Aggregator {
    streams: HashMap<usize, Stream>,
    taken: TakenNames,
}

#[derive(Debug, Default)]
struct Stream {
    /// The aggregates of the run before.
    shown: Vec<AggregateFunction>,
    history: Option<History>,
}

impl Aggregator {
    /// For the runs of these inputs, which are looked through for names.
    pub(crate) fn new(inputs: &[Input]) -> Aggregator {
        Aggregator { streams: HashMap::new(), taken: TakenNames::find(inputs) }
    }

    /// What to add to the cooked values of a run, of which no instance has been left out. The runs of a stream come in
    /// their order.
    pub(crate) fn plan(&mut self, stream: usize, run: &Arc<Run>, cooked: &Cooked) -> Plan {
        let stream = self.streams.entry(stream).or_default();
        if run.num_samples() == 0 {
            return Plan::default();
        }
        let keeps = run.object.aggregation == Aggregation::GlobalHistory;
        let gone = if keeps { History::advance(&mut stream.history, run, cooked) } else { Vec::new() };
        let plan = Plan::new(cooked, gone, &stream.shown, &self.taken);
        stream.shown = plan.functions().collect();
        plan
    }
}
