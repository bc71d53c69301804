//! One pass over captures: the means of every series.

use std::sync::Arc;

use recount_compute::{Cancelled, CookOptions, Input, OnProgress, PipelineOptions, Rhythm, run_in_rhythm};
use recount_model::{Health, Selection};

use super::bins::Tracks;
use super::bounds::Axis;
use crate::roster::{Grouping, InstanceGrouping, Roster};

/// The series of captures, those of processes by their ids, with their means on an axis; and what could not be read.
pub(crate) fn read_tracks(
    inputs: &[Input],
    rhythm: &Arc<Rhythm>,
    selection: &Selection,
    axis: &Axis,
    progress: OnProgress<'_>,
) -> Result<(Roster, Tracks, Health), Cancelled> {
    let mut roster = Roster::new(Grouping { by_host: true, instances: InstanceGrouping::Tasks });
    let mut tracks = Tracks::default();
    let cook = CookOptions { selection: selection.clone(), ..CookOptions::default() };
    let pipeline = PipelineOptions { cook, ..PipelineOptions::default() };
    let health = run_in_rhythm(inputs, rhythm, &pipeline, |batch, step| {
        tracks.add(&roster.place(&batch), axis);
        Cancelled::check(progress(step))
    })?;
    tracks.finish();
    Ok((roster, tracks, health))
}
