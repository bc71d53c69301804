//! What a capture has measured, in a few bytes per sample and object (`formats/ledger.md#digest`).

use std::collections::{BTreeMap, HashMap};
use std::ops::Range;
use std::sync::Arc;

use rayon::prelude::*;
use recount_compute::cells::{Block, CellValue, counter_keys};
use recount_model::{Decoded, Health, SampleTime, Selection, Source, Timestamp};
use twox_hash::XxHash64;

use super::totals::{Decimals, Totals};
use super::unit::Unit;
use crate::Capture;

/// Raw bytes decoded at a time by each thread, and samples.
const LEN_SLICE: usize = 2 << 20;
const MAX_SLICE: usize = 1_024;

/// What was measured of one object in one sample.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) struct Atom {
    /// Number of the object.
    pub(crate) unit: u32,
    /// Number of values.
    pub(crate) count: u32,
    /// Time since the sample before that has the object, in ticks; 0 if there is none.
    pub(crate) step: i64,
    /// Number of values in the sample before.
    pub(crate) before: u32,
    /// Which counters and instances have a value.
    pub(crate) shape: u64,
    /// The same with their values.
    pub(crate) hash: u64,
    /// The values without their names; 0 if unknown.
    pub(crate) plain: u64,
    /// Whether its capture had losses.
    pub(crate) is_damaged: bool,
}

/// A sample: its time, and its objects in the order of their numbers.
#[derive(Clone, Debug)]
pub(crate) struct Sample {
    pub(crate) time: SampleTime,
    pub(crate) atoms: Vec<Atom>,
}

/// What a capture has measured, by time.
#[derive(Clone, Debug, Default)]
pub(crate) struct Digest {
    pub(crate) units: Vec<Unit>,
    pub(crate) samples: Vec<Sample>,
    /// Whether its times are made from local times: by a zone that the caller named, or by none.
    pub(crate) is_local: bool,
    /// Whether its reader corrects raw values by earlier samples, which the hashes leave out.
    pub(crate) is_corrected: bool,
    /// How the capture names the zone.
    pub(crate) zone: Option<String>,
    /// Its computed values, summed.
    pub(crate) totals: Totals,
}

/// Sums over the values of an object in a sample.
#[derive(Clone, Copy, Debug, Default)]
struct Sums {
    count: u32,
    shape: u64,
    hash: u64,
    plain: u64,
    /// Of computed values.
    sum: f64,
}

impl Sums {
    /// Adds in any order: the order of counters and instances says nothing.
    fn add(&mut self, other: Sums) {
        self.count = self.count.saturating_add(other.count);
        self.shape = self.shape.wrapping_add(other.shape);
        self.hash = self.hash.wrapping_add(other.hash);
        self.plain = self.plain.wrapping_add(other.plain);
        self.sum += other.sum;
    }
}

/// What some samples have.
#[derive(Debug, Default)]
struct FoundSums {
    /// Sums by the sample's time and the object.
    sums: HashMap<(Timestamp, Unit), Sums>,
    decimals: Decimals,
}

impl Digest {
    /// The digest of the samples up to a time.
    pub(crate) fn of(capture: &Capture, until: Option<Timestamp>) -> Digest {
        let uncorrected = capture.source.uncorrected();
        let source = uncorrected.as_deref().unwrap_or(&*capture.source);
        let times = source.times();
        let num = times.partition_point(|time| until.is_none_or(|until| time.utc <= until));
        let slices = slices(source, num);
        let parts: Vec<(FoundSums, Health)> =
            slices.into_par_iter().map(|slice| found(source, slice)).collect();
        let mut health = capture.health();
        let mut all: BTreeMap<Timestamp, BTreeMap<Unit, Sums>> = BTreeMap::new();
        let mut decimals = Decimals::default();
        for (found, of_part) in parts {
            health.absorb(of_part);
            decimals.absorb(&found.decimals);
            #[expect(clippy::iter_over_hash_type, reason = "sums are the same in any order")]
            for ((time, unit), sums) in found.sums {
                all.entry(time).or_default().entry(unit).or_default().add(sums);
            }
        }
        let info = source.info();
        let mut digest = Digest {
            is_local: info.is_zone_unknown || info.is_zone_asked,
            is_corrected: uncorrected.is_some(),
            zone: info
                .zone
                .as_ref()
                .map(|zone| zone.name_at(times.first().map_or(0, |time| time.offset_min)).to_owned()),
            ..Digest::default()
        };
        digest.fill(source, &times[..num], all, !health.is_complete());
        if info.is_cooked {
            digest.totals.decimals = decimals.of_rounded();
        } else {
            digest.totals = Totals::of(capture, until);
        }
        digest
    }

    /// Whether all its values were computed by another program. Some recorders have computed values beside raw ones.
    pub(crate) fn is_cooked(&self) -> bool {
        self.units.iter().all(|unit| unit.counter.is_some())
    }

    /// Whether its times are local times of an unknown zone.
    pub(crate) fn is_zone_unknown(&self) -> bool {
        self.is_local && self.zone.is_none()
    }

    /// Adds samples in the order of time, each object with what is known of its sample before.
    fn fill(
        &mut self,
        source: &dyn Source,
        times: &[SampleTime],
        mut all: BTreeMap<Timestamp, BTreeMap<Unit, Sums>>,
        is_damaged: bool,
    ) {
        let mut numbers: HashMap<Unit, u32> = HashMap::new();
        // Per object: the epoch, time and number of values of its last sample.
        let mut last: Vec<Option<(u32, Timestamp, u32)>> = Vec::new();
        for (index, time) in times.iter().enumerate() {
            let epoch = source.epoch(index);
            // Samples of one time are one.
            let Some(units) = all.remove(&time.utc) else { continue };
            let mut atoms: Vec<Atom> = Vec::with_capacity(units.len());
            for (unit, sums) in units {
                let number = *numbers.entry(unit).or_insert_with_key(|unit| {
                    self.units.push(unit.clone());
                    last.push(None);
                    self.units.len() as u32 - 1
                });
                let last = &mut last[number as usize];
                let before = last.filter(|(of, ..)| *of == epoch);
                let Sums { count, shape, hash, plain, sum } = sums;
                let step = before.map_or(0, |(_, before, _)| time.utc.0.saturating_sub(before.0));
                if self.units[number as usize].counter.is_some() {
                    self.totals.add(*time, &self.units[number as usize], (count, step, sum));
                }
                atoms.push(Atom {
                    unit: number,
                    count,
                    step,
                    before: before.map_or(0, |(.., count)| count),
                    shape,
                    hash,
                    plain,
                    is_damaged,
                });
                *last = Some((epoch, time.utc, count));
            }
            atoms.sort_unstable_by_key(|atom| atom.unit);
            self.samples.push(Sample { time: *time, atoms });
        }
        self.samples.sort_by_key(|sample| sample.time.utc);
    }
}

/// Consecutive samples, few enough to be decoded together.
fn slices(source: &dyn Source, num: usize) -> Vec<Range<u32>> {
    let mut slices = Vec::new();
    let (mut begin, mut len) = (0, 0_usize);
    for at in 0..num {
        len = len.saturating_add(source.len_sample(at));
        if len >= LEN_SLICE || at + 1 - begin >= MAX_SLICE || at + 1 == num {
            slices.push(begin as u32..at as u32 + 1);
            (begin, len) = (at + 1, 0);
        }
    }
    slices
}

fn found(source: &dyn Source, samples: Range<u32>) -> (FoundSums, Health) {
    let decoded = source.decode(&samples.collect::<Vec<u32>>(), &Selection::all());
    let mut found = FoundSums::default();
    add_blocks(&decoded, &mut found);
    (found, decoded.health)
}

fn add_blocks(decoded: &Decoded, found: &mut FoundSums) {
    let runs = decoded.runs.iter().map(|run| (Block::of_run(run), false));
    let cooked = decoded.cooked.iter().map(|cooked| (Block::of_cooked(cooked), true));
    for (block, is_cooked) in runs.chain(cooked) {
        let host: Arc<str> = block.host.to_lowercase().into();
        let unit = |counter: Option<&Arc<str>>| Unit {
            host: Arc::clone(&host),
            object: Arc::clone(&block.object.name),
            counter: counter.cloned(),
        };
        let whole = unit(None);
        let counters: Vec<(u64, Unit)> = counter_keys(block.object)
            .into_iter()
            .zip(&block.object.counters)
            .map(|((name, is_base, number), counter)| {
                let hash = hash_of(&[name.as_bytes(), &[u8::from(is_base)], &number.to_le_bytes()]);
                (hash, if is_cooked { unit(Some(&counter.name)) } else { whole.clone() })
            })
            .collect();
        let instances: Vec<u64> = block.instances.iter().map(hash_of_instance).collect();
        for (row, time) in block.times().iter().enumerate() {
            if !is_cooked {
                found.sums.entry((time.utc, whole.clone())).or_default();
            }
            for (counter, (of_counter, unit)) in counters.iter().enumerate() {
                let mut sums: Option<Sums> = None;
                for (instance, of_instance) in instances.iter().enumerate() {
                    if !block.has(counter, instance) {
                        continue;
                    }
                    let sums = sums.get_or_insert_default();
                    if let Some(value) = value_of(&block, row, counter, instance) {
                        sums.add(cell([*of_counter, *of_instance], value));
                    }
                    if let Some(CellValue::Cooked(bits)) = block.value(row, counter, instance) {
                        let value = f64::from_bits(bits);
                        found.decimals.add(value);
                        sums.sum += value;
                    }
                }
                if let Some(sums) = sums {
                    found.sums.entry((time.utc, unit.clone())).or_default().add(sums);
                }
            }
        }
    }
}

/// A value as two words: the raw ones, the bits of a computed one, or the hash of a text.
fn value_of(block: &Block<'_>, row: usize, counter: usize, instance: usize) -> Option<[u64; 2]> {
    const TEXT: u64 = u64::MAX;
    if let Some(text) = block.text(row, counter, instance) {
        return Some([hash_of(&[text.as_bytes()]), TEXT]);
    }
    block.value(row, counter, instance).map(|cell| match cell {
        CellValue::Raw(first, second) => [first, second],
        CellValue::Cooked(bits) => [bits, 0],
    })
}

fn cell(name: [u64; 2], value: [u64; 2]) -> Sums {
    let mut bytes = [0; 32];
    for (place, word) in bytes.chunks_exact_mut(8).zip(name.into_iter().chain(value)) {
        place.copy_from_slice(&word.to_le_bytes());
    }
    let of = |bytes: &[u8]| XxHash64::oneshot(0, bytes);
    Sums { count: 1, shape: of(&bytes[..16]), hash: of(&bytes), plain: of(&bytes[16..]), sum: 0.0 }
}

fn hash_of_instance(instance: &recount_model::Instance) -> u64 {
    let parent = instance.parent.as_deref().unwrap_or_default();
    let number = instance.id.unwrap_or_else(|| u64::from(instance.ordinal));
    let kind = [u8::from(instance.parent.is_some()), u8::from(instance.id.is_some())];
    hash_of(&[parent.as_bytes(), instance.name.as_bytes(), &kind, &number.to_le_bytes()])
}

/// XXH64 (seed 0) of parts, each after its length.
fn hash_of(parts: &[&[u8]]) -> u64 {
    let mut bytes = Vec::new();
    for part in parts {
        bytes.extend((part.len() as u64).to_le_bytes());
        bytes.extend(*part);
    }
    XxHash64::oneshot(0, &bytes)
}
