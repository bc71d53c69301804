//! What moves with a counter: for `recount moved --target`.

use recount_analysis::target::{Companions, NoTarget, TargetOptions};
use recount_compute::OnProgress;

use super::report::facts;
use crate::contents::near::unmatched_text;
use crate::{Hint, Timeline};

impl Hint for NoTarget {
    fn hint(&self) -> Option<&'static str> {
        match self {
            NoTarget::Unmatched(_) => Some(crate::hint::NO_COUNTERS),
            NoTarget::NotOne(_) => {
                Some("name the instance, as in --target '\\PhysicalDisk(sda)\\% Disk Time'")
            }
            _ => None,
        }
    }
}

/// Which counters move with another, at the same time, before it or after it. Captures are read once.
///
/// ```
/// use recount::analysis::target::TargetOptions;
/// use recount::{Selection, companions, unwatched};
///
/// # let path = concat!(env!("CARGO_MANIFEST_DIR"), "/../../samples/moved/disk-writer.rcap");
/// let capture = recount::open(path)?;
/// let target = r"\PhysicalDisk(_Total)\Disk Writes/sec".parse()?;
/// let options = TargetOptions { target, selection: Selection::all() };
/// let found = companions(&capture.timeline(), &options, &unwatched)?;
/// assert!(found.num_series > 0);
/// # Ok::<(), Box<dyn std::error::Error>>(())
/// ```
pub fn companions(
    timeline: &Timeline,
    options: &TargetOptions,
    progress: OnProgress<'_>,
) -> Result<Companions, NoTarget> {
    let found = recount_analysis::target::companions(timeline.inputs(), facts(timeline), options, progress);
    let mut found = found.map_err(|error| match error {
        NoTarget::Unmatched(text) => {
            NoTarget::Unmatched(unmatched_text([&options.target], timeline.captures()).unwrap_or(text))
        }
        error => error,
    })?;
    timeline.add_health(&mut found.health);
    Ok(found)
}
