//! What a table of a fleet has of its captures, so that it has each row once (`formats/ledger.md`).
//!
//! Captures are compared by what they measured, not by their names. A [`Ledger`] takes what is known of the table, and
//! captures in any order. It says which rows of each capture are new, which are better than those of the table, and
//! which are copies.

mod bytes;
mod compare;
mod difference;
mod digest;
mod merge;
mod nameless;
mod plan;
mod relation;
mod totals;
mod unit;

use std::collections::{BTreeMap, BTreeSet, HashMap};

use recount_model::{SampleTime, Timestamp};
use uuid::Uuid;

pub use self::bytes::LedgerError;
use self::compare::{Common, compare, relate};
pub use self::difference::{Difference, DifferenceKind};
use self::digest::{Atom, Digest, Sample};
pub use self::plan::{LedgerStretch, Removed, Rows};
pub use self::unit::Unit;
use crate::Capture;

/// What a table has of some captures, and what further ones add.
#[derive(Debug, Default)]
pub struct Ledger {
    parts: Vec<Part>,
    /// The captures added, each with the number of its part, if it has one.
    added: Vec<(Digest, Option<usize>)>,
    /// Rows that the table has no more: their part, object or counter, and time.
    removed: Vec<(usize, Unit, Timestamp)>,
    /// Counters of an object in a sample of a part whose rows another part has, over a shorter interval.
    without: HashMap<(usize, Timestamp, Unit), BTreeSet<Unit>>,
}

/// Rows of a table with one `capture_id`.
#[derive(Debug)]
struct Part {
    id: String,
    /// The id of its capture, which that of another recording may have, too.
    base: String,
    /// The part that the recording is named after: parts with the same are of one recording.
    recording: String,
    digest: Digest,
    /// Which capture added in this ledger has the rows of each object of each sample, in the order of the digest;
    /// [`IN_TABLE`] if they are in the table already.
    owners: Vec<Vec<u32>>,
    is_changed: bool,
}

/// The rows are in the table.
const IN_TABLE: u32 = u32::MAX;

/// The namespace of ids of captures whose own id another recording has.
const NAMESPACE: Uuid = Uuid::from_u128(0x8e1f_5b0d_93c2_4d67_b5a4_0c7f_e2d9_1836);

/// What became of a capture.
#[derive(Clone, Debug, Default)]
#[non_exhaustive]
pub struct Added {
    /// The `capture_id` of its rows; `None` if the table needs none of them.
    pub id: Option<String>,
    /// Its samples that are in the table as parts of other captures, or of this one beyond what it had of them before.
    pub num_copies: u64,
    /// One of these captures.
    pub copy_of: Option<String>,
    /// Its samples whose rows replace worse ones.
    pub num_better: u64,
    /// A capture of the same machine with other values at the same time, and where they differ: two recordings.
    pub differs: Option<(String, Difference)>,
    /// A capture with the same values at the same local times, in another zone, and that zone: nothing was added.
    pub other_zone: Option<(String, Option<String>)>,
    /// A capture whose times can't be compared with its own: the zone of one of them is unknown. Nothing was added.
    pub no_zone: Option<String>,
    /// Whether it has no samples.
    pub is_empty: bool,
}

/// How a capture is taken into a ledger.
#[derive(Clone, Debug, Default)]
pub struct Taking {
    /// Its last sample that is taken; `None`: all.
    pub until: Option<Timestamp>,
    /// The time up to which an earlier state of the file was taken: samples up to there aren't counted as copies.
    pub reached: Option<Timestamp>,
    /// The time up to which the table has rows with the capture's id, if it was made without a ledger.
    pub in_table: Option<Timestamp>,
}

/// The recording that differs, and how.
type Differing = (String, Difference);

impl Ledger {
    /// An empty one.
    pub fn new() -> Ledger {
        Ledger::default()
    }

    /// Adds what is known of a part of the table, as [`Ledger::saved`] gave it, and the recording that it belongs to.
    pub fn load(&mut self, recording: &str, bytes: &[u8]) -> Result<(), LedgerError> {
        let mut part = bytes::read(bytes)?;
        recording.clone_into(&mut part.recording);
        self.parts.push(part);
        Ok(())
    }

    /// Adds a capture, after those that are known. All its samples are read.
    pub fn add(&mut self, capture: &Capture, taking: &Taking) -> Added {
        let number = self.added.len() as u32;
        let digest = Digest::of(capture, taking.until);
        let Some(base) = capture.id().filter(|_| !digest.samples.is_empty()) else {
            self.added.push((digest, None));
            return Added { is_empty: true, ..Added::default() };
        };
        if let Some(in_table) = taking.in_table.filter(|_| !self.parts.iter().any(|part| part.base == base)) {
            self.take_over(&base, &digest, in_table);
        }
        let mut added = Added::default();
        let is_unknown = digest.is_zone_unknown();
        if let Some(part) = self
            .parts
            .iter()
            .find(|part| part.digest.is_zone_unknown() != is_unknown && !is_in_another_zone(part, &digest))
        {
            added.no_zone = Some(part.id.clone());
            self.added.push((digest, None));
            return added;
        }
        if let Some((part, zone)) = self.in_another_zone(&digest) {
            added.other_zone = Some((self.parts[part].id.clone(), zone));
            self.added.push((digest, None));
            return added;
        }
        let (one, differs) = self.of_one_recording(&digest, &base);
        added.differs = differs;
        let part = self.merge(&one, digest, &base, number, taking, &mut added);
        added.id = part.map(|part| self.parts[part].id.clone());
        added
    }

    /// Makes a part of the rows that a table from before the ledger has of a capture.
    fn take_over(&mut self, base: &str, digest: &Digest, in_table: Timestamp) {
        let mut known = digest.clone();
        known.samples.retain(|sample| sample.time.utc <= in_table);
        let owners = known.samples.iter().map(|sample| vec![IN_TABLE; sample.atoms.len()]).collect();
        let (id, recording) = (base.to_owned(), base.to_owned());
        self.parts.push(Part {
            id,
            base: base.to_owned(),
            recording,
            digest: known,
            owners,
            is_changed: true,
        });
    }

    /// A part with the same values at the same local times, but not at the same moments.
    fn in_another_zone(&self, digest: &Digest) -> Option<(usize, Option<String>)> {
        let part = self.parts.iter().position(|part| is_in_another_zone(part, digest))?;
        Some((part, self.parts[part].digest.zone.clone()))
    }

    /// The parts that are of one recording with a digest, with what they have in common, and the first difference from any other.
    /// If a part differs, its whole recording does.
    fn of_one_recording(&self, digest: &Digest, base: &str) -> (Vec<(usize, Common)>, Option<Differing>) {
        let compared: Vec<Common> = self.parts.iter().map(|part| relate(&part.digest, digest)).collect();
        let differing = |recording: &str| {
            let parts = || self.parts.iter().zip(&compared).filter(|(part, _)| part.recording == recording);
            // A part may have only what was lost elsewhere: then the others say whether it is one recording.
            let has_same = parts().any(|(_, common)| common.is_one() || common.is_alike);
            let differs = |difference: &Difference| !has_same || difference.kind != DifferenceKind::Interval;
            parts().find_map(|(part, common)| Some((part, common.differing.clone().filter(&differs)?)))
        };
        let mut one = Vec::new();
        let mut first = None;
        for (number, (part, common)) in self.parts.iter().zip(&compared).enumerate() {
            // The id of a log is random: no other recording has it.
            let is_one = common.num_same > 0 || common.is_alike || part.base == base;
            match differing(&part.recording) {
                Some((other, difference)) if first.is_none() => first = Some((other.id.clone(), difference)),
                None if is_one => one.push((number, common.clone())),
                _ => {}
            }
        }
        (one, first)
    }

    /// An empty part for a capture that continues others, or begins a recording.
    fn new_part(&mut self, one: &[usize], digest: &Digest, base: &str) -> usize {
        let mut id = base.to_owned();
        while self.parts.iter().any(|part| part.id == id) {
            // The first sample of another recording may be the same, so what differs is in the name, too.
            let sums = digest.samples.iter().flat_map(|sample| &sample.atoms);
            let sum = sums.fold(0_u64, |sum, atom| sum.wrapping_add(atom.hash));
            id = Uuid::new_v5(&NAMESPACE, format!("{id}\n{sum:016x}").as_bytes()).to_string();
        }
        let recording = one.first().map_or_else(|| id.clone(), |part| self.parts[*part].recording.clone());
        let Digest { is_local, is_corrected, ref zone, .. } = *digest;
        let digest = Digest { is_local, is_corrected, zone: zone.clone(), ..Digest::default() };
        let base = base.to_owned();
        self.parts.push(Part { id, base, recording, digest, owners: Vec::new(), is_changed: true });
        self.parts.len() - 1
    }

    /// Makes parts one recording, if their recordings don't differ from each other: a capture may have only what two have in
    /// common.
    fn join(&mut self, one: &[usize], part: Option<usize>) {
        let Some(first) = one.first() else { return };
        let recording = self.parts[*first].recording.clone();
        let others: BTreeSet<String> = one.iter().map(|part| self.parts[*part].recording.clone()).collect();
        let of = |recording: &str| -> Vec<usize> {
            let numbers = 0..self.parts.len();
            numbers.filter(|number| self.parts[*number].recording == recording).collect()
        };
        let differ = |other: &str| {
            let digest = |part: &usize| &self.parts[*part].digest;
            let mut pairs = of(&recording)
                .into_iter()
                .flat_map(|one| of(other).into_iter().map(move |other| (one, other)));
            pairs.any(|(one, other)| relate(digest(&one), digest(&other)).differing.is_some())
        };
        let joined: Vec<usize> = others
            .iter()
            .filter(|other| **other != recording && !differ(other))
            .flat_map(|other| of(other))
            .collect();
        for part in joined.into_iter().chain(part) {
            self.parts[part].recording.clone_from(&recording);
        }
    }

    /// The parts: the id of each, the recording that it belongs to, and the times of its first and last sample.
    pub fn parts(&self) -> impl Iterator<Item = (&str, &str, Option<(SampleTime, SampleTime)>)> {
        self.parts.iter().map(|part| {
            let samples = &part.digest.samples;
            let span = samples.first().zip(samples.last()).map(|(first, last)| (first.time, last.time));
            (&*part.id, &*part.recording, span)
        })
    }

    /// What to keep of the parts that have changed: their ids, and bytes for [`Ledger::load`].
    pub fn saved(&self) -> Vec<(String, Vec<u8>)> {
        let changed = self.parts.iter().filter(|part| part.is_changed);
        changed.map(|part| (part.id.clone(), bytes::write(part))).collect()
    }
}

/// Whether a part has the same values at the same local times, but not at the same moments.
fn is_in_another_zone(part: &Part, digest: &Digest) -> bool {
    let is_local = digest.is_local || part.digest.is_local;
    is_local && {
        let common = compare(&part.digest, digest, true);
        common.is_one() && common.first_same.is_some_and(|(one, other)| one.utc != other.utc)
    }
}

impl Part {
    fn numbers(&self) -> HashMap<Unit, u32> {
        self.digest.units.iter().cloned().zip(0..).collect()
    }

    /// Adds objects of samples that it doesn't have. `units` are those that the new samples number.
    fn put(&mut self, units: &[Unit], new: Vec<Sample>, owner: u32) {
        let mut numbers = self.numbers();
        let mut all: BTreeMap<Timestamp, (SampleTime, Vec<(Atom, u32)>)> = BTreeMap::new();
        let samples = std::mem::take(&mut self.digest.samples);
        for (sample, owners) in samples.into_iter().zip(std::mem::take(&mut self.owners)) {
            let atoms = sample.atoms.into_iter().zip(owners).collect();
            all.insert(sample.time.utc, (sample.time, atoms));
        }
        for sample in new {
            let (_, atoms) = all.entry(sample.time.utc).or_insert_with(|| (sample.time, Vec::new()));
            for atom in sample.atoms {
                let unit = &units[atom.unit as usize];
                let number = *numbers.entry(unit.clone()).or_insert_with(|| {
                    self.digest.units.push(unit.clone());
                    self.digest.units.len() as u32 - 1
                });
                atoms.push((Atom { unit: number, ..atom }, owner));
            }
            atoms.sort_by_key(|(atom, _)| atom.unit);
        }
        for (time, atoms) in all.into_values() {
            let (atoms, owners) = atoms.into_iter().unzip();
            self.digest.samples.push(Sample { time, atoms });
            self.owners.push(owners);
        }
        self.is_changed = true;
    }
}
