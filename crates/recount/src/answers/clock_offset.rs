//! By how much the clock of some captures is behind that of others: for `--shift auto`.

use recount_analysis::clock_offset::{ClockOffset, ClockSide, NoOffset};

use crate::{Capture, Hint, Timeline};

impl Hint for NoOffset {
    fn hint(&self) -> Option<&'static str> {
        Some("say by how much its clock was behind: --shift 3s, or -3s if it was ahead")
    }
}

/// By how much the clock of `other` is behind that of `captures`, by the counters that both have. All samples are read.
pub fn clock_offset(captures: &[Capture], other: &[Capture]) -> Result<ClockOffset, NoOffset> {
    let whole = |captures: &[Capture]| Timeline::whole(captures).map_err(|_| NoOffset::NothingInCommon);
    let (captures, other) = (whole(captures)?, whole(other)?);
    let (times, times_of_other) = (captures.times(), other.times());
    recount_analysis::clock_offset::clock_offset(
        ClockSide { inputs: captures.inputs(), times: &times },
        ClockSide { inputs: other.inputs(), times: &times_of_other },
    )
}
