//! Files that are parts of recordings: what has to be corrected depends on the sample before, whichever file that is in.

use std::any::Any;
use std::collections::BTreeMap;
use std::sync::Arc;

use recount_model::{Source, Timestamp};

use super::ledgers::Ledgers;
use crate::store::{SaSource, Sample};

/// The samples of several files.
pub(super) struct Recordings {
    /// Each is a [`SaSource`].
    parts: Vec<Arc<dyn Source>>,
    /// Recording by recording in the order of time, and then those that belong to none.
    samples: Vec<PlacedSample>,
}

/// A sample of a file.
#[derive(Clone, Copy)]
struct PlacedSample {
    /// Index of the file.
    part: u32,
    /// Index in the file.
    number: u32,
    epoch: u32,
}

/// The files with ledgers about all samples of their recordings. Those of a recording whose files are laid out differently
/// keep ledgers of their own.
pub(super) fn corrected_together(
    parts: &[Arc<dyn Source>],
    recordings: &[Vec<(u32, u32)>],
) -> Option<Vec<Arc<dyn Source>>> {
    let files: Vec<&SaSource> = parts.iter().map(file).collect::<Option<_>>()?;
    // By the first file that is laid out like it.
    let mut kinds: BTreeMap<usize, Vec<usize>> = BTreeMap::new();
    for (part, file) in files.iter().enumerate() {
        let like = kinds.keys().copied().find(|first| is_laid_out_alike(files[*first], file));
        kinds.entry(like.unwrap_or(part)).or_default().push(part);
    }
    let mut corrected = parts.to_vec();
    for alike in kinds.values().filter(|alike| recordings.iter().any(|recording| is_of(recording, alike))) {
        let (samples, places) = placed(&files, alike, recordings);
        let ledgers = Ledgers::of_recordings(Recordings { parts: parts.to_vec(), samples }, files[alike[0]]);
        let ledgers = Arc::new(ledgers);
        for (part, places) in alike.iter().zip(places) {
            let (ledgers, places) = (Arc::clone(&ledgers), Some(places.into()));
            corrected[*part] = Arc::new(SaSource { ledgers, places, ..files[*part].clone() });
        }
    }
    Some(corrected)
}

/// All samples of some files, and the place of each sample of each file among them.
fn placed(
    files: &[&SaSource],
    alike: &[usize],
    recordings: &[Vec<(u32, u32)>],
) -> (Vec<PlacedSample>, Vec<Vec<u32>>) {
    const NOWHERE: u32 = u32::MAX;
    let mut samples: Vec<PlacedSample> = Vec::new();
    let mut places: Vec<Vec<u32>> =
        alike.iter().map(|part| vec![NOWHERE; files[*part].samples.len()]).collect();
    let mut epoch = 0;
    for recording in recordings {
        if !is_of(recording, alike) {
            continue;
        }
        let mut last: Option<(u32, Timestamp)> = None;
        for &(part, sample) in recording {
            let file = files[part as usize];
            let (Ok(at), Some(&number)) =
                (alike.binary_search(&(part as usize)), file.order.get(sample as usize))
            else {
                continue;
            };
            let time = file.samples[number as usize].time.utc;
            // What two files have of one time is one sample.
            if last.is_none_or(|(other, before)| before != time || other == part) {
                samples.push(PlacedSample { part, number, epoch });
                last = Some((part, time));
            }
            places[at][number as usize] = samples.len().saturating_sub(1) as u32;
        }
        epoch += 1;
    }
    for (&part, places) in alike.iter().zip(&mut places) {
        let mut last = None;
        for (number, place) in places.iter_mut().enumerate().filter(|(_, place)| **place == NOWHERE) {
            let own = files[part].samples[number].epoch;
            epoch += u32::from(last.replace(own).is_some_and(|last| last != own));
            *place = samples.len() as u32;
            samples.push(PlacedSample { part: part as u32, number: number as u32, epoch });
        }
        epoch += 1;
    }
    (samples, places)
}

/// Whether a recording has samples, all of some files.
fn is_of(recording: &[(u32, u32)], files: &[usize]) -> bool {
    !recording.is_empty() && recording.iter().all(|(part, _)| files.binary_search(&(*part as usize)).is_ok())
}

fn file(part: &Arc<dyn Source>) -> Option<&SaSource> {
    (&**part as &dyn Any).downcast_ref()
}

/// Whether the items of one file are read as those of the other.
fn is_laid_out_alike(one: &SaSource, other: &SaSource) -> bool {
    let layout = |file: &SaSource| {
        let header = &file.header;
        (header.format, header.numbers, header.is_vendors, header.hz)
    };
    let activity = |file: &SaSource, at: usize| {
        let activity = file.activities[at];
        (activity.id, activity.magic, activity.num_sub_items, activity.len_item, activity.types)
    };
    layout(one) == layout(other)
        && one.activities.len() == other.activities.len()
        && (0..one.activities.len()).all(|at| activity(one, at) == activity(other, at))
}

impl SaSource {
    /// The place of a sample, by its index in the file, among those that the ledgers are about.
    pub(super) fn place(&self, number: u32) -> u32 {
        self.places.as_ref().map_or(number, |places| places[number as usize])
    }

    /// The time of the sample before one, by its index in time order: in its recording, or else in what the files have of the machine.
    pub(super) fn time_before(&self, sample: usize) -> Option<Timestamp> {
        let in_recordings = || {
            let recordings = self.ledgers.recordings.as_ref()?;
            let place = self.place(*self.order.get(sample)?) as usize;
            let [before, own] =
                [recordings.samples.get(place.checked_sub(1)?)?, recordings.samples.get(place)?];
            let file = file(&recordings.parts[before.part as usize])?;
            let time = file.samples[before.number as usize].time.utc;
            Some((before.epoch == own.epoch, time)).filter(|(is_same, _)| *is_same || file.host == self.host)
        };
        let in_file = || Some(self.opened.times.get(sample.checked_sub(1)?)?.utc);
        match in_recordings() {
            Some((true, time)) => Some(time),
            // A recording that a restart ended may go on in another file.
            Some((false, time)) => {
                in_file().max(Some(time).filter(|time| *time < self.opened.times[sample].utc))
            }
            None => in_file(),
        }
    }

    /// Passes one activity's items of all samples that the ledgers are about to `take`, with place, epoch and time of each
    /// sample: in the order of the file, or of recordings.
    pub(super) fn each_items<'a>(
        &'a self,
        wanted: usize,
        mut take: impl FnMut(u32, u32, Timestamp, &'a [u8]),
    ) {
        let mut take_of = |file: &'a SaSource, sample: &Sample, place: usize, epoch: u32| {
            file.activities_of(sample, |index, items| {
                if index == wanted {
                    take(place as u32, epoch, sample.time.utc, items);
                }
                index < wanted
            });
        };
        let Some(recordings) = &self.ledgers.recordings else {
            for (place, sample) in self.samples.iter().enumerate() {
                take_of(self, sample, place, sample.epoch);
            }
            return;
        };
        for (place, placed) in recordings.samples.iter().enumerate() {
            if let Some(part) = file(&recordings.parts[placed.part as usize]) {
                take_of(part, &part.samples[placed.number as usize], place, placed.epoch);
            }
        }
    }
}
