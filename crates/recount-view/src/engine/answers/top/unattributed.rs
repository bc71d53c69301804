//! Processor time that belongs to no process of the capture.

use recount_compute::Cancelled;

use super::totals::{Totals, totals};
use super::{By, Presence, TopRequest, names};
use crate::engine::cancel::Cancel;
use crate::engine::side::Side;
use crate::engine::time::Span;
use recount_analysis::attribution::not_attributed;
use recount_analysis::roster::InstanceGrouping;

const TIME: &str = "% Processor Time";
/// The part of the time in which both sides have values.
const LEAST_COMMON: f64 = 0.9;

/// What the processors did over the span and no process has used, in the unit of processes: as a share of one processor. `None` if
/// something else is asked for, if it isn't known, and if it is nothing.
pub(super) fn unattributed(
    side: &Side,
    request: &TopRequest,
    processes: &Totals,
    (span, grouping, presence): (Span, InstanceGrouping, &Presence),
    cancel: &Cancel,
) -> Result<Option<f64>, Cancelled> {
    let is_asked = request.object == "Process" && request.counter == TIME && side.facts.hosts.len() <= 1;
    let of_processors = TopRequest {
        side: request.side,
        object: "Processor".to_owned(),
        counter: TIME.to_owned(),
        from: request.from,
        to: request.to,
        by: By::Share,
        limit: 0,
    };
    let Some(known) = is_asked.then(|| names(side, &of_processors).ok()).flatten() else { return Ok(None) };
    let processors = totals(side, &known, &of_processors, (span, grouping), cancel)?;
    let used = |totals: &Totals| {
        let shares = totals.all().filter_map(|found| Some(found.total.extent.mean()? * presence.of(found)));
        shares.reduce(|sum, share| sum + share)
    };
    // Values of different times can't be compared.
    let covered = |totals: &Totals| totals.all().map(|found| presence.of(found)).fold(0.0, f64::max);
    let (of_processors, of_processes) = (covered(&processors), covered(processes));
    if of_processors.min(of_processes) < LEAST_COMMON * of_processors.max(of_processes) {
        return Ok(None);
    }
    let used = used(&processors).zip(used(processes));
    Ok(used.and_then(|(busy, attributed)| not_attributed(busy, attributed)))
}
