//! An archive as a source of samples.

use std::collections::BTreeMap;
use std::ops::Range;
use std::sync::Arc;

use recount_model::{CountsSince, Decoded, ObjectDef, Opened, Selection, Source};

use crate::archive::Archive;
use crate::decode::Decoder;
use crate::objects::Streams;
use crate::rounds::Rounds;
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
        self.rounds.own().to_vec()
    }

    fn sampled_like(&self, others: &Arc<[Vec<Arc<str>>]>) -> Option<Arc<dyn Source>> {
        let rounds = self.rounds.with_others(&self.meta, others)?;
        Some(Arc::new(self.in_rounds(Arc::new(rounds), self.is_canonical)))
    }

    fn canonical(&self) -> Option<Arc<dyn Source>> {
        Some(Arc::new(self.in_rounds(Arc::clone(&self.rounds), true)))
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
    fn in_rounds(&self, rounds: Arc<Rounds>, is_canonical: bool) -> Archive {
        let own = Streams::new(&self.meta, &self.has_values, &rounds);
        let streams = if is_canonical { own.with_canonical(&self.meta, &rounds) } else { own };
        Archive { streams, rounds, is_canonical, ..self.clone() }
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
