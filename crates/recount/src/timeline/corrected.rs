//! Captures that correct raw values by earlier samples: parts of a recording are corrected by the samples of all parts.

use std::collections::BTreeMap;
use std::sync::Arc;

use recount_model::{Source, Timestamp};

use crate::Capture;
use crate::repeats::Repeats;

/// A sample: its time, capture and index.
type Placed = (Timestamp, usize, u32);

/// Changes what is read of the parts of recordings.
pub(super) fn correct_together(captures: &[Capture], repeats: &[Repeats], sources: &mut [Arc<dyn Source>]) {
    let recordings = recordings(captures, repeats, sources);
    let mut parts: Vec<usize> = recordings.iter().flatten().map(|(_, capture, _)| *capture).collect();
    parts.sort_unstable();
    parts.dedup();
    while let Some(&first) = parts.first() {
        let (alike, others): (Vec<usize>, Vec<usize>) =
            parts.into_iter().partition(|capture| captures[*capture].format == captures[first].format);
        correct(&recordings, &alike, sources);
        parts = others;
    }
}

/// The samples of each recording that is made of several captures, or of one that begins epochs because others do, in the order of
/// time. Those that are counted in another capture are left out.
fn recordings(captures: &[Capture], repeats: &[Repeats], sources: &[Arc<dyn Source>]) -> Vec<Vec<Placed>> {
    let mut recordings: BTreeMap<usize, Vec<Placed>> = BTreeMap::new();
    for (capture, (repeats, source)) in repeats.iter().zip(sources).enumerate() {
        if repeats.recordings.is_empty() {
            continue;
        }
        for (sample, time) in source.times().iter().enumerate() {
            let is_left_out = repeats.samples.binary_search(&(sample as u32)).is_ok();
            let recording = repeats.recordings.get(&source.epoch(sample)).filter(|_| !is_left_out);
            if let Some(recording) = recording {
                recordings.entry(*recording).or_default().push((time.utc, capture, sample as u32));
            }
        }
    }
    let is_changed = |samples: &Vec<Placed>| {
        let first = samples[0].1;
        captures[first].is_parted || samples.iter().any(|(_, capture, _)| *capture != first)
    };
    let mut recordings: Vec<Vec<Placed>> = recordings.into_values().filter(is_changed).collect();
    for samples in &mut recordings {
        samples.sort_unstable();
    }
    recordings
}

/// Changes what is read of these captures, which have one format.
fn correct(recordings: &[Vec<Placed>], parts: &[usize], sources: &mut [Arc<dyn Source>]) {
    let readers: Vec<Arc<dyn Source>> = parts.iter().map(|capture| reader(&sources[*capture])).collect();
    let numbered = |samples: &Vec<Placed>| {
        let number = |(_, capture, sample): &Placed| {
            parts.binary_search(capture).ok().map(|part| (part as u32, *sample))
        };
        samples.iter().filter_map(number).collect::<Vec<_>>()
    };
    let numbered: Vec<Vec<(u32, u32)>> = recordings.iter().map(numbered).collect();
    let corrected = readers.first().and_then(|first| first.corrected_together(&readers, &numbered));
    for (capture, reader) in parts.iter().zip(corrected.into_iter().flatten()) {
        sources[*capture] = around(&sources[*capture], reader);
    }
}

/// The source that reads the capture, beneath all changes.
fn reader(source: &Arc<dyn Source>) -> Arc<dyn Source> {
    source.inner().map_or_else(|| Arc::clone(source), reader)
}

/// All changes of a source, of another reader.
fn around(source: &Arc<dyn Source>, reader: Arc<dyn Source>) -> Arc<dyn Source> {
    match source.inner() {
        Some(inner) => source.around(around(inner, reader)),
        None => reader,
    }
}
