//! Processor time that belongs to no process of the capture.

use recount_compute::Cancelled;

use super::totals::{Totals, totals};
use super::{By, Presence, TopRequest, names};
use crate::engine::cancel::Cancel;
use crate::engine::side::Side;
use crate::engine::time::Span;
use recount_analysis::roster::InstanceGrouping;

const TIME: &str = "% Processor Time";
/// Time is counted in ticks: less than this is noise.
const LEAST: f64 = 1.0;

/// What the processors did over the span and no process has used, in the unit of processes: as a share of one processor. `None` if
/// something else is asked for, if it isn't known, and if it is nothing.
pub(super) fn unattributed(
    side: &Side,
    request: &TopRequest,
    processes: &Totals,
    (span, grouping, presence): (Span, InstanceGrouping, Presence),
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
        let shares =
            totals.all().filter_map(|found| Some(found.total.extent.mean()? * presence.of(&found.total)));
        shares.reduce(|sum, share| sum + share)
    };
    let rest = used(&processors).zip(used(processes)).map(|(busy, attributed)| busy - attributed);
    Ok(rest.filter(|rest| *rest >= LEAST))
}
