//! An archive as a source of samples.

use std::collections::{BTreeMap, BTreeSet, HashMap};
use std::ops::Range;
use std::sync::Arc;

use recount_model::{CountsSince, Decoded, ObjectDef, Opened, Selection, Source};

use crate::archive::Archive;
use crate::decode::Decoder;
use crate::objects::Streams;
use crate::scan::RecordPlace;

impl Source for Archive {
    fn opened(&self) -> &Opened {
        &self.opened
    }

    fn epoch(&self, sample: usize) -> u32 {
        self.records.get(sample).map_or(0, |record| record.epoch)
    }

    fn epoch_despite_losses(&self, sample: usize) -> u32 {
        self.records.get(sample).map_or(0, |record| record.epoch_despite_losses)
    }

    fn round(&self, sample: usize) -> u32 {
        self.records.get(sample).map_or(0, |record| self.rounds.number(record.shape))
    }

    /// The rule by which PCP's tools join archives without a mark: the same agent with the same sequence number.
    fn counts_since(&self, sample: usize) -> CountsSince {
        let run_at = |record: &RecordPlace| {
            let upto = self.collectors.partition_point(|collector| collector.time <= record.time);
            let last = self.collectors.get(..upto)?.iter().rfind(|collector| collector.epoch == record.epoch);
            last.map(|collector| collector.run)
        };
        CountsSince { boot_time: None, program: self.records.get(sample).and_then(run_at) }
    }

    fn sampled_together(&self) -> Vec<Vec<Arc<str>>> {
        self.rounds.kinds().to_vec()
    }

    fn sampled_like(&self, others: &[Vec<Arc<str>>]) -> Option<Arc<dyn Source>> {
        let metrics = self.meta.metrics.iter().zip(0_u32..).zip(&*self.has_values);
        let known: HashMap<&str, u32> = metrics
            .filter(|(_, has_values)| **has_values)
            .map(|((metric, number), _)| (metric.name(), number))
            .collect();
        let mut shapes = BTreeSet::clone(&self.shapes);
        for names in others {
            let mut shape: Vec<u32> = names.iter().filter_map(|name| known.get(&**name).copied()).collect();
            shape.sort_unstable();
            if !shape.is_empty() {
                shapes.insert(shape);
            }
        }
        let rounds = self.rounds.numbered_among(others);
        if shapes == *self.shapes && rounds.is_none() {
            return None;
        }
        let alike = self.with_shapes(shapes, self.is_canonical);
        let rounds = rounds.map_or_else(|| Arc::clone(&self.rounds), Arc::new);
        Some(Arc::new(Archive { rounds, ..alike }))
    }

    fn canonical(&self) -> Option<Arc<dyn Source>> {
        Some(Arc::new(self.with_shapes(BTreeSet::clone(&self.shapes), true)))
    }

    fn len_sample(&self, sample: usize) -> usize {
        self.records.get(sample).map_or(0, |record| record.len.max(record.len_cells))
    }

    fn objects(&self) -> Vec<(Arc<str>, Arc<ObjectDef>)> {
        let object = |stream: &crate::objects::Stream| (Arc::clone(&self.host), Arc::clone(&stream.object));
        self.streams.streams.iter().map(object).collect()
    }

    fn decode(&self, samples: &[u32], selection: &Selection) -> Decoded {
        let mut decoder = Decoder::new(self, selection, samples.len());
        for &sample in samples {
            decoder.push(sample as usize);
        }
        self.release(samples);
        decoder.finish()
    }
}

impl Archive {
    /// With counters parted by kinds of records.
    fn with_shapes(&self, shapes: BTreeSet<Vec<u32>>, is_canonical: bool) -> Archive {
        let own = Streams::new(&self.meta, &self.has_values, &shapes);
        let streams = if is_canonical { own.with_canonical(&self.meta, &shapes) } else { own };
        Archive { streams, shapes: Arc::new(shapes), is_canonical, ..self.clone() }
    }

    /// Releases the pages of samples, with one call per volume: each call interrupts all other threads.
    fn release(&self, samples: &[u32]) {
        let mut ranges: BTreeMap<usize, Range<usize>> = BTreeMap::new();
        for place in samples.iter().filter_map(|sample| self.records.get(*sample as usize)) {
            let (ofs, end) = (place.ofs, place.ofs + place.len);
            let range = ranges.entry(place.volume).or_insert(ofs..end);
            *range = range.start.min(ofs)..range.end.max(end);
        }
        for (volume, range) in ranges {
            if let Some(volume) = self.volumes.get(volume) {
                volume.content.release(range);
            }
        }
    }
}
