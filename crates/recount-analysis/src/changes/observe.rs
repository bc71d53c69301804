//! Reads captures once, and finds the changes.

use rayon::prelude::*;
use recount_compute::{Cancelled, Input, OnProgress};
use recount_model::Selection;

use super::answer::Changes;
use super::fit::{Bin, bins};
use super::overview::{Named, found, overview_places};
use crate::moved::{Axis, MAX_BINS, Track, read_tracks};
use crate::report::{Candidate, CaptureFacts};
use crate::roster::Roster;
use crate::stats::SeriesId;

/// Which series to look at.
#[derive(Clone, Debug)]
pub struct ChangeOptions {
    /// Counters.
    pub selection: Selection,
    /// Only those of the report's first charts, and the latencies.
    pub overview_only: bool,
}

impl Default for ChangeOptions {
    fn default() -> Self {
        ChangeOptions { selection: Selection::all(), overview_only: true }
    }
}

/// When counters changed and stayed so. Captures are read once.
///
/// Memory: that of the pipeline, and at most 4,800 bytes for every series that changes.
pub fn changes(
    inputs: &[Input],
    facts: CaptureFacts,
    options: &ChangeOptions,
    progress: OnProgress<'_>,
) -> Result<Changes, Cancelled> {
    let axis = Axis::whole(&facts.times, MAX_BINS);
    let (roster, tracks, health) = read_tracks(inputs, &facts.rhythm, &options.selection, &axis, progress)?;
    let all: Vec<(SeriesId, &Track)> = tracks.series().filter(|(_, track)| track.has_values()).collect();
    let chosen = if options.overview_only { chosen(&roster, &all) } else { (0..all.len()).collect() };
    let series: Vec<(Named<'_>, Vec<Bin>)> = chosen
        .into_par_iter()
        .map(|at| {
            let (id, track) = all[at];
            (Named::new(&roster, id), bins(track, &axis))
        })
        .collect();
    let num_series = series.len();
    let (changes, num_still) = found(series, &facts);
    Ok(Changes { changes, num_series, num_still, bin_samples: axis.bin_samples(), health, facts })
}

/// The places of the series that the report's first charts would draw.
fn chosen(roster: &Roster, all: &[(SeriesId, &Track)]) -> Vec<usize> {
    let candidates: Vec<Candidate<'_>> = all
        .iter()
        .map(|(id, track)| {
            let object = &roster.objects()[id.object as usize];
            let (sum, min, max) = track.extent();
            let place = (id.instance as usize, id.counter as usize);
            Candidate::new(object, place, sum, [Some(min), Some(max)])
        })
        .collect();
    overview_places(&candidates)
}
