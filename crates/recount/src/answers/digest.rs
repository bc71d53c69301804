//! A capture in a few thousand bytes: for `recount digest`.

use recount_analysis::digest::{Digest, DigestOptions, Load};
use recount_analysis::report::ReportOptions;
use recount_analysis::rules::RuleSet;
use recount_compute::{Cancelled, OnProgress};
use recount_model::Health;

use super::report::{facts, observed};
use crate::Timeline;

/// What matters most about captures, in at most as many bytes as the options say: what a report finds, resources, load, processes, and
/// the next questions. `length` counts the bytes of the form in which it is shown. Captures are read once; what could not be read is returned, too. There are no findings and
/// few samples if the span is empty: check [`Timeline::no_samples`] before.
///
/// ```
/// use recount::analysis::digest::{DEFAULT_MAX_BYTES, Digest, DigestOptions};
/// use recount::{digest, unwatched};
///
/// # let path = concat!(env!("CARGO_MANIFEST_DIR"), "/../../samples/objects.blg");
/// let capture = recount::open(path)?;
/// let options = DigestOptions {
///     inputs: vec!["objects.blg".to_owned()],
///     span: Vec::new(),
///     max_bytes: DEFAULT_MAX_BYTES,
/// };
/// let length = |digest: &Digest| digest.text().len();
/// let (found, health) = digest(&capture.timeline(), &[], &options, &length, &unwatched)?;
/// assert!(health.is_complete() && found.text().contains("8 samples"));
/// # Ok::<(), Box<dyn std::error::Error>>(())
/// ```
pub fn digest(
    timeline: &Timeline,
    sets: &[RuleSet],
    options: &DigestOptions,
    length: &dyn Fn(&Digest) -> usize,
    progress: OnProgress<'_>,
) -> Result<(Digest, Health), Cancelled> {
    let facts = facts(timeline);
    let mut load = Load::new(&facts);
    let of_report = ReportOptions::default();
    let observed = observed(timeline, sets, (facts, &of_report), progress, |batch| load.add(batch))?;
    let found = recount_analysis::digest::digest(&observed, load, options, length);
    Ok((found, observed.health))
}
