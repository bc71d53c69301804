//! Files that have different parts of the same samples, or that alternate often: one source, which puts the samples
//! together.

use std::sync::Arc;

use rayon::prelude::*;
use recount_model::{CountsSince, Decoded, Health, ObjectDef, Opened, Run, SampleTime, Selection, Source};

use crate::timeline::united::united;
use crate::timeline::united_cooked::united_cooked;

/// A sample of one of the parts.
#[derive(Clone, Copy, Debug)]
pub(crate) struct OfPart {
    pub(crate) time: SampleTime,
    /// Index of the part.
    pub(crate) part: usize,
    pub(crate) sample: u32,
}

/// The parts of one recording as one source. Its samples are in one epoch.
pub(crate) struct Recording {
    opened: Opened,
    parts: Vec<Part>,
    /// The samples of the parts that make each sample: up to the next one's.
    starts: Vec<u32>,
    places: Vec<(u32, u32)>,
}

/// A capture of which the recording has samples.
pub(crate) struct Part {
    /// Index of the capture.
    pub(crate) capture: usize,
    pub(crate) source: Arc<dyn Source>,
}

impl Recording {
    /// Puts samples in the order of time together.
    pub(crate) fn new(parts: Vec<Part>, samples: &[OfPart]) -> Recording {
        let mut times: Vec<SampleTime> = Vec::with_capacity(samples.len());
        let mut starts: Vec<u32> = Vec::with_capacity(samples.len());
        let mut places: Vec<(u32, u32)> = Vec::with_capacity(samples.len());
        let mut last: Vec<usize> = Vec::new();
        for place in samples {
            // Samples of one part are never one, even if they have the same time.
            let is_same =
                times.last().is_some_and(|time| time.utc == place.time.utc) && !last.contains(&place.part);
            if !is_same {
                times.push(place.time);
                starts.push(places.len() as u32);
                last.clear();
            }
            last.push(place.part);
            places.push((place.part as u32, place.sample));
        }
        let mut opened = parts.first().map(|part| part.source.opened().clone()).unwrap_or_default();
        for host in parts.iter().flat_map(|part| &part.source.info().hosts) {
            if !opened.info.hosts.contains(host) {
                opened.info.hosts.push(Arc::clone(host));
            }
        }
        // Each capture reports its own.
        opened.health = Health::default();
        opened.times = times.into();
        Recording { opened, parts, starts, places }
    }

    pub(crate) fn num_samples(&self) -> usize {
        self.starts.len()
    }

    /// The captures of which a sample is made.
    pub(crate) fn captures(&self, sample: usize) -> impl Iterator<Item = usize> + '_ {
        self.places(sample).iter().map(|(part, _)| self.parts[*part as usize].capture)
    }

    /// The captures of which a sample is made, each with its own sample.
    pub(crate) fn samples_of(&self, sample: usize) -> impl Iterator<Item = (usize, usize)> + '_ {
        self.places(sample)
            .iter()
            .map(|(part, sample)| (self.parts[*part as usize].capture, *sample as usize))
    }

    /// Part and sample.
    fn places(&self, sample: usize) -> &[(u32, u32)] {
        let Some(&start) = self.starts.get(sample) else { return &[] };
        let end = self.starts.get(sample + 1).map_or(self.places.len(), |end| *end as usize);
        &self.places[start as usize..end]
    }

    /// The first of the parts of a sample.
    fn first(&self, sample: usize) -> Option<(&dyn Source, usize)> {
        let &(part, sample) = self.places(sample).first()?;
        Some((&*self.parts[part as usize].source, sample as usize))
    }

    /// What `decode` finds in each part.
    fn of_parts(
        &self,
        samples: &[u32],
        decode: impl Fn(&dyn Source, &[u32]) -> Decoded + Sync,
    ) -> Vec<Decoded> {
        let mut wanted: Vec<Vec<u32>> = vec![Vec::new(); self.parts.len()];
        for (part, sample) in samples.iter().flat_map(|sample| self.places(*sample as usize)) {
            wanted[*part as usize].push(*sample);
        }
        let of_part = |(part, samples): (&Part, &Vec<u32>)| match samples.as_slice() {
            [] => Decoded::default(),
            samples => decode(&*part.source, samples),
        };
        self.parts.par_iter().zip(&wanted).map(of_part).collect()
    }
}

/// What isn't a run.
fn others(decoded: &mut [Decoded]) -> Decoded {
    let mut all = Decoded::default();
    for decoded in &mut *decoded {
        all.health.absorb(std::mem::take(&mut decoded.health));
    }
    let cooked = decoded.iter_mut().map(|decoded| std::mem::take(&mut decoded.cooked)).collect();
    all.cooked = united_cooked(cooked);
    all
}

impl Source for Recording {
    fn opened(&self) -> &Opened {
        &self.opened
    }

    fn round(&self, sample: usize) -> u32 {
        self.first(sample).map_or(0, |(source, sample)| source.round(sample))
    }

    fn counts_since(&self, sample: usize) -> CountsSince {
        self.first(sample).map(|(source, sample)| source.counts_since(sample)).unwrap_or_default()
    }

    fn len_sample(&self, sample: usize) -> usize {
        let len =
            |(part, sample): &(u32, u32)| self.parts[*part as usize].source.len_sample(*sample as usize);
        self.places(sample).iter().map(len).sum()
    }

    fn objects(&self) -> Vec<(Arc<str>, Arc<ObjectDef>)> {
        let mut objects: Vec<(Arc<str>, Arc<ObjectDef>)> = Vec::new();
        for object in self.parts.iter().flat_map(|part| part.source.objects()) {
            if !objects.contains(&object) {
                objects.push(object);
            }
        }
        objects
    }

    fn survey(&self, samples: &[u32], selection: &Selection) -> Decoded {
        let mut found = self.of_parts(samples, |source, samples| source.survey(samples, selection));
        let runs = found.iter_mut().flat_map(|decoded| std::mem::take(&mut decoded.runs)).collect();
        Decoded { runs, ..others(&mut found) }
    }

    fn decode(&self, samples: &[u32], selection: &Selection) -> Decoded {
        let mut found = self.of_parts(samples, |source, samples| source.decode(samples, selection));
        let runs: Vec<Vec<Run>> = found.iter_mut().map(|decoded| std::mem::take(&mut decoded.runs)).collect();
        Decoded { runs: united(runs), ..others(&mut found) }
    }
}
