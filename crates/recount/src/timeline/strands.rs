//! Parts of one recording, put together: files that have samples in common continue each other wherever one has samples
//! that the other lacks.

use std::collections::BTreeMap;
use std::sync::Arc;

use recount_compute::Input;
use recount_model::{Source, Timestamp};

use crate::repeats::Repeats;
use crate::timeline::recording::{OfPart, Part, Recording};

/// If there are more changes from one file to another, the files are read as one.
const MAX_STRETCHES: usize = 256;

/// The samples of one epoch of a capture. Only those may be compared.
struct Strand {
    capture: usize,
    epoch: u32,
    samples: Vec<u32>,
}

/// Consecutive samples of a capture.
pub(crate) struct InputStretch {
    /// Index of the capture.
    pub(crate) capture: usize,
    /// Which recording it is a part of, if it is a part.
    pub(crate) recording: Option<usize>,
    /// The recording, if its parts are put together.
    pub(crate) whole: Option<Arc<Recording>>,
    pub(crate) input: Input,
}

impl InputStretch {
    fn of(
        sources: &[Arc<dyn Source>],
        capture: usize,
        recording: Option<usize>,
        samples: Vec<u32>,
    ) -> InputStretch {
        let source = Arc::clone(&sources[capture]);
        InputStretch { capture, recording, whole: None, input: Input::new(source, samples) }
    }

    /// The time of its first sample.
    pub(crate) fn begin(&self) -> Option<Timestamp> {
        self.time(*self.input.samples.first()?)
    }

    /// The time of its last sample.
    pub(crate) fn end(&self) -> Option<Timestamp> {
        self.time(*self.input.samples.last()?)
    }

    /// Samples before a time are only what the first one is compared with.
    pub(crate) fn begin_at(&mut self, begin: Option<Timestamp>) {
        let num_before = self.input.samples.partition_point(|sample| self.time(*sample) < begin);
        let used = self.input.samples.split_off(num_before);
        self.input.before = std::mem::replace(&mut self.input.samples, used);
    }

    fn time(&self, sample: u32) -> Option<Timestamp> {
        self.input.source.times().get(sample as usize).map(|time| time.utc)
    }

    /// The samples of captures of which one of its samples is made.
    pub(crate) fn places(&self, at: usize) -> impl Iterator<Item = (usize, usize)> + '_ {
        let sample = self.input.samples.get(at).map(|sample| *sample as usize);
        let alone = sample.filter(|_| self.whole.is_none()).map(|sample| (self.capture, sample));
        let parts = self.whole.as_ref().zip(sample).into_iter();
        alone.into_iter().chain(parts.flat_map(|(whole, sample)| whole.samples_of(sample)))
    }
}

/// Cuts the samples used of each capture, by its source, into stretches, at the end of an epoch and wherever a sample of another part
/// of the same recording comes between two.
pub(crate) fn stretches(
    sources: &[Arc<dyn Source>],
    repeats: &[Repeats],
    used: impl Fn(usize) -> Vec<u32>,
) -> Vec<InputStretch> {
    let strands: Vec<Strand> =
        (0..sources.len()).flat_map(|capture| by_epoch(&*sources[capture], capture, used(capture))).collect();
    let mut recordings: BTreeMap<(Option<usize>, usize), Vec<usize>> = BTreeMap::new();
    for (at, strand) in strands.iter().enumerate() {
        let recording = repeats[strand.capture].recordings.get(&strand.epoch).copied();
        // A strand of no recording is alone.
        let key = (recording, if recording.is_some() { 0 } else { at });
        recordings.entry(key).or_default().push(at);
    }
    let mut made = Vec::with_capacity(strands.len());
    for ((recording, _), parts) in recordings {
        match (parts.as_slice(), recording) {
            (parts @ [_, _, ..], Some(recording)) => {
                made.extend(joined(sources, &strands, parts, recording));
            }
            (parts, _) => made.extend(parts.iter().map(|strand| {
                let strand = &strands[*strand];
                InputStretch::of(sources, strand.capture, None, strand.samples.clone())
            })),
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

/// A sample of a strand, in the order of time.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
struct StrandSample {
    time: Timestamp,
    strand: usize,
    sample: u32,
}

/// The samples of the parts in the order of time: cut where they change from one file to another, or put together if files
/// have parts of the same samples or if they change too often. Values that have been computed need no sample before, and come
/// between no two raw ones.
fn joined(
    sources: &[Arc<dyn Source>],
    strands: &[Strand],
    parts: &[usize],
    recording: usize,
) -> Vec<InputStretch> {
    let is_cooked = |strand: &usize| sources[strands[*strand].capture].info().is_cooked;
    let (cooked, raw): (Vec<usize>, Vec<usize>) = parts.iter().partition(|strand| is_cooked(strand));
    let stretch = |recording: Option<usize>| {
        move |(strand, samples): (usize, Vec<u32>)| {
            InputStretch::of(sources, strands[strand].capture, recording, samples)
        }
    };
    let mut made: Vec<InputStretch> = Vec::new();
    let of_cooked = raw.is_empty().then_some(recording);
    for (parts, is_raw) in [(raw, true), (cooked, false)] {
        let places = in_time(sources, strands, &parts);
        let cut = Cut::of(&places);
        let is_cut_too_often = cut.made.len() > MAX_STRETCHES;
        if is_raw && (is_cut_too_often || !cut.aside.is_empty()) {
            made.push(put_together(sources, strands, &places, recording));
        } else if is_cut_too_often {
            let whole = |strand: &usize| (*strand, strands[*strand].samples.clone());
            made.extend(parts.iter().map(whole).map(stretch(None)));
        } else {
            let recording = if is_raw { Some(recording) } else { of_cooked };
            made.extend(cut.made.into_iter().map(stretch(recording)));
            made.extend(cut.aside.into_iter().map(stretch(None)));
        }
    }
    made
}

fn in_time(sources: &[Arc<dyn Source>], strands: &[Strand], parts: &[usize]) -> Vec<StrandSample> {
    let mut places: Vec<StrandSample> = Vec::new();
    for &strand in parts {
        let times = sources[strands[strand].capture].times();
        let of_strand = strands[strand].samples.iter();
        places.extend(of_strand.map(|&sample| StrandSample {
            time: times[sample as usize].utc,
            strand,
            sample,
        }));
    }
    places.sort_unstable();
    places
}

/// Samples cut where they change from one strand to another.
#[derive(Default)]
struct Cut {
    /// Strands and their samples.
    made: Vec<(usize, Vec<u32>)>,
    /// Samples of the time of another strand's sample.
    aside: BTreeMap<usize, Vec<u32>>,
}

impl Cut {
    fn of(places: &[StrandSample]) -> Cut {
        let mut cut = Cut::default();
        let mut last: Option<&StrandSample> = None;
        for place in places {
            if last.is_some_and(|last| last.time == place.time && last.strand != place.strand) {
                cut.aside.entry(place.strand).or_default().push(place.sample);
                continue;
            }
            match cut.made.last_mut().filter(|(strand, _)| *strand == place.strand) {
                Some((_, samples)) => samples.push(place.sample),
                None => cut.made.push((place.strand, vec![place.sample])),
            }
            last = Some(place);
        }
        cut
    }
}

fn put_together(
    sources: &[Arc<dyn Source>],
    strands: &[Strand],
    places: &[StrandSample],
    recording: usize,
) -> InputStretch {
    let mut numbers: BTreeMap<usize, usize> = BTreeMap::new();
    let mut parts: Vec<Part> = Vec::new();
    let mut samples: Vec<OfPart> = Vec::with_capacity(places.len());
    for place in places {
        let capture = strands[place.strand].capture;
        let source = &sources[capture];
        let part = *numbers.entry(capture).or_insert_with(|| {
            parts.push(Part { capture, source: Arc::clone(source) });
            parts.len() - 1
        });
        samples.push(OfPart { time: source.times()[place.sample as usize], part, sample: place.sample });
    }
    let capture = parts.first().map_or(0, |part| part.capture);
    let whole = Arc::new(Recording::new(parts, &samples));
    let samples = (0..whole.num_samples() as u32).collect();
    let input = Input::new(Arc::clone(&whole) as Arc<dyn Source>, samples);
    InputStretch { capture, recording: Some(recording), whole: Some(whole), input }
}
