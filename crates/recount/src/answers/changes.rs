//! When counters changed and stayed so: for `recount stats --changes`.

use recount_analysis::changes::{ChangeOptions, Changes};
use recount_compute::{Cancelled, OnProgress};

use super::report::facts;
use crate::Timeline;

/// When counters went to another level, or began to rise or fall, and stayed so; the largest changes first. Captures are read once.
///
/// ```
/// use recount::analysis::changes::ChangeOptions;
/// use recount::{changes, unwatched};
///
/// # let path = concat!(env!("CARGO_MANIFEST_DIR"), "/../../samples/moved/disk-writer.rcap");
/// let capture = recount::open(path)?;
/// let found = changes(&capture.timeline(), &ChangeOptions::default(), &unwatched)?;
/// assert!(found.num_series > 0);
/// # Ok::<(), Box<dyn std::error::Error>>(())
/// ```
pub fn changes(
    timeline: &Timeline,
    options: &ChangeOptions,
    progress: OnProgress<'_>,
) -> Result<Changes, Cancelled> {
    let mut found =
        recount_analysis::changes::changes(timeline.inputs(), facts(timeline), options, progress)?;
    timeline.add_health(&mut found.health);
    Ok(found)
}
