//! Parts of one recording, put together: files that have samples in common continue each other wherever one has samples
//! that the other lacks.

use std::collections::BTreeMap;
use std::sync::Arc;

use recount_compute::Input;
use recount_model::{Source, Timestamp};

use crate::Capture;
use crate::repeats::Repeats;

/// More changes from one file to another aren't followed: each file then has only its own previous samples.
const MAX_STRETCHES: usize = 256;

/// The samples of one epoch of a capture. Only those may be compared.
struct Strand {
    capture: usize,
    epoch: u32,
    samples: Vec<u32>,
}

/// Consecutive samples of a capture.
pub(crate) struct Stretch {
    /// Index of the capture.
    pub(crate) capture: usize,
    /// Which recording it is a part of, if it is a part.
    pub(crate) recording: Option<usize>,
    pub(crate) input: Input,
}

impl Stretch {
    fn of(captures: &[Capture], capture: usize, recording: Option<usize>, samples: Vec<u32>) -> Stretch {
        let source = Arc::clone(&captures[capture].source);
        Stretch { capture, recording, input: Input { source, samples, continues: None } }
    }
}

/// Cuts the samples used of each capture into stretches, at the end of an epoch and wherever a sample of another part
/// of the same recording comes between two.
pub(crate) fn stretches(
    captures: &[Capture],
    repeats: &[Repeats],
    used: impl Fn(usize) -> Vec<u32>,
) -> Vec<Stretch> {
    let strands: Vec<Strand> = (0..captures.len())
        .flat_map(|capture| by_epoch(&*captures[capture].source, capture, used(capture)))
        .collect();
    let mut recordings: BTreeMap<usize, Vec<usize>> = BTreeMap::new();
    for (strand, recording) in recordings_of(&strands, repeats).into_iter().enumerate() {
        recordings.entry(recording).or_default().push(strand);
    }
    let mut made = Vec::with_capacity(strands.len());
    for (recording, parts) in recordings {
        let whole = |strand: &usize| {
            let strand = &strands[*strand];
            Stretch::of(captures, strand.capture, None, strand.samples.clone())
        };
        match parts.as_slice() {
            [alone] => made.push(whole(alone)),
            parts => match joined(captures, &strands, parts, recording) {
                Some(joined) => made.extend(joined),
                None => made.extend(parts.iter().map(whole)),
            },
        }
    }
    made
}

fn by_epoch(source: &dyn Source, capture: usize, samples: Vec<u32>) -> Vec<Strand> {
    let mut epochs: BTreeMap<u32, Vec<u32>> = BTreeMap::new();
    for sample in samples {
        epochs.entry(source.epoch(sample as usize)).or_default().push(sample);
    }
    epochs.into_iter().map(|(epoch, samples)| Strand { capture, epoch, samples }).collect()
}

/// The recording that each strand is a part of, by its first strand. Two epochs of a capture are never parts of one.
fn recordings_of(strands: &[Strand], repeats: &[Repeats]) -> Vec<usize> {
    let mut recording: Vec<usize> = (0..strands.len()).collect();
    let places: BTreeMap<(usize, u32), usize> =
        strands.iter().enumerate().map(|(at, strand)| ((strand.capture, strand.epoch), at)).collect();
    let pairs = repeats.iter().enumerate().flat_map(|(capture, repeats)| {
        repeats.joined.iter().map(move |(epoch, other, of_other)| ((capture, *epoch), (*other, *of_other)))
    });
    for (one, other) in pairs {
        let (Some(&one), Some(&other)) = (places.get(&one), places.get(&other)) else { continue };
        let (from, to) = (recording[one].max(recording[other]), recording[one].min(recording[other]));
        let captures_of = |number: usize| -> Vec<usize> {
            let parts = recording.iter().zip(strands).filter(|(of, _)| **of == number);
            parts.map(|(_, strand)| strand.capture).collect()
        };
        let of_from = captures_of(from);
        let is_twice = from != to && captures_of(to).iter().any(|capture| of_from.contains(capture));
        if !is_twice {
            recording.iter_mut().filter(|number| **number == from).for_each(|number| *number = to);
        }
    }
    recording
}

/// The samples of the parts in the order of time, cut where they change from one file to another. A sample that
/// contradicts another of the same time is in a stretch of its own, with those of its file that do so as well.
fn joined(
    captures: &[Capture],
    strands: &[Strand],
    parts: &[usize],
    recording: usize,
) -> Option<Vec<Stretch>> {
    // At one time raw values come first: those of the next sample are compared with them, not with computed ones.
    let mut all: Vec<(Timestamp, bool, usize, u32)> = Vec::new();
    for &strand in parts {
        let source = &captures[strands[strand].capture].source;
        let (times, is_cooked) = (source.times(), source.info().is_cooked);
        let samples = strands[strand].samples.iter();
        all.extend(samples.map(|&sample| (times[sample as usize].utc, is_cooked, strand, sample)));
    }
    all.sort_unstable();
    let mut made: Vec<(usize, Vec<u32>)> = Vec::new();
    let mut aside: BTreeMap<usize, Vec<u32>> = BTreeMap::new();
    let mut last: Option<(Timestamp, usize)> = None;
    for (time, _, strand, sample) in all {
        if last.is_some_and(|(before, of)| before == time && of != strand) {
            aside.entry(strand).or_default().push(sample);
            continue;
        }
        if let Some((_, samples)) = made.last_mut().filter(|(of, _)| *of == strand) {
            samples.push(sample);
        } else if made.len() == MAX_STRETCHES {
            return None;
        } else {
            made.push((strand, vec![sample]));
        }
        last = Some((time, strand));
    }
    let stretch = |recording: Option<usize>| {
        move |(strand, samples): (usize, Vec<u32>)| {
            Stretch::of(captures, strands[strand].capture, recording, samples)
        }
    };
    let made = made.into_iter().map(stretch(Some(recording)));
    Some(made.chain(aside.into_iter().map(stretch(None))).collect())
}
