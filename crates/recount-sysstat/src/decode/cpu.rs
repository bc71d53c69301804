//! CPU time. The kernel's counters may decrease, and CPUs come and go. `sar` has rules for this (formats/sa.md#cpu),
//! which apply to pairs of samples. Here they become corrections of the counters, so that plain differences follow
//! them.

use std::collections::BTreeMap;

use recount_model::{Basis, Timestamp};

use super::basis::{self, Bases};
use crate::layout::{Field, Layout};
use crate::structure::number::Numbers;

/// The counters of a CPU, and the ticks that its percentages refer to.
pub(crate) const NAMES: [&str; NUM_VALUES] =
    ["user", "nice", "sys", "idle", "iowait", "steal", "hardirq", "softirq", "guest", "guest_nice", TICKS];

/// The name of the base.
pub(crate) const TICKS: &str = "ticks";

pub(crate) const NUM_VALUES: usize = 11;
const NUM_FIELDS: usize = 10;

/// Guest time is part of user and nice.
const NUM_SUMMED: usize = 8;

const USER: usize = 0;
const NICE: usize = 1;
const IDLE: usize = 3;
const IOWAIT: usize = 4;
const GUEST: usize = 8;
const GUEST_NICE: usize = 9;
const AT_TICKS: usize = 10;

type Values = [u64; NUM_VALUES];

/// Reads items.
pub(crate) struct Reader {
    fields: [Option<Field>; NUM_FIELDS],
    numbers: Numbers,
}

impl Reader {
    pub(crate) fn of(layout: &Layout, numbers: Numbers) -> Reader {
        Reader { fields: std::array::from_fn(|index| layout.field(NAMES[index])), numbers }
    }

    /// The fields, and their sum.
    pub(crate) fn values(&self, item: &[u8]) -> Values {
        let mut values = [0; NUM_VALUES];
        for (value, field) in values.iter_mut().zip(&self.fields) {
            *value = field.and_then(|field| field.number(self.numbers, item)).unwrap_or(0);
        }
        values[AT_TICKS] = values[..NUM_SUMMED].iter().fold(0, |sum, value| sum.wrapping_add(*value));
        values
    }
}

/// Whether a CPU counts at all.
pub(crate) fn is_online(values: &Values) -> bool {
    values[AT_TICKS] != 0
}

/// Corrections by CPU (0: all CPUs): what to add, from which sample on.
#[derive(Default)]
pub(crate) struct Ledger {
    corrections: BTreeMap<usize, Vec<(u32, Values)>>,
    bases: BTreeMap<usize, Bases>,
}

impl Ledger {
    /// The values with their corrections added.
    pub(crate) fn corrected(&self, cpu: usize, values: Values, sample: u32) -> Values {
        let Some(correction) = self.correction(cpu, sample) else { return values };
        std::array::from_fn(|index| values[index].wrapping_add(correction[index]))
    }

    fn correction(&self, cpu: usize, sample: u32) -> Option<&Values> {
        let all = self.corrections.get(&cpu)?;
        let next = all.partition_point(|(from, _)| *from <= sample);
        Some(&all[next.checked_sub(1)?].1)
    }

    /// What the values of a CPU, or of all together, count from.
    pub(crate) fn basis(&self, cpu: usize, sample: u32) -> Basis {
        self.bases.get(&cpu).map_or_else(Basis::default, |bases| bases.at(sample))
    }

    /// When they last started afresh, up to a sample.
    pub(crate) fn start(&self, cpu: usize, sample: u32) -> Option<Timestamp> {
        self.bases.get(&cpu)?.start(sample)
    }

    /// `basis`: the number of what is corrected in this epoch.
    fn correct(&mut self, cpu: usize, sample: u32, correction: Values, basis: u64) {
        self.bases.entry(cpu).or_default().correct(sample, basis);
        let all = self.corrections.entry(cpu).or_default();
        if all.last().is_none_or(|(_, last)| *last != correction) {
            all.push((sample, correction));
        }
    }
}

/// Goes through the samples of a file to find the corrections.
pub(crate) struct Tracker {
    ledger: Ledger,
    file_created: u64,
    epoch: Option<u32>,
    /// The number of what is corrected in this epoch.
    basis: u64,
    /// By CPU (0 on a machine with a single CPU): the last values that weren't all zero, and the correction.
    tracks: Vec<Option<(Values, Values)>>,
    all: Values,
    all_correction: Values,
}

impl Tracker {
    pub(crate) fn new(file_created: u64) -> Tracker {
        Tracker {
            file_created,
            ledger: Ledger::default(),
            epoch: None,
            basis: 0,
            tracks: Vec::new(),
            all: [0; NUM_VALUES],
            all_correction: [0; NUM_VALUES],
        }
    }

    /// Processes the CPUs of the next sample.
    pub(crate) fn sample(
        &mut self,
        sample: u32,
        epoch: u32,
        time: Timestamp,
        cpus: impl ExactSizeIterator<Item = Values>,
    ) {
        let count = cpus.len();
        let is_first = self.epoch.replace(epoch) != Some(epoch);
        let cpus: Vec<Values> = cpus.collect();
        if is_first {
            self.begin(sample, time);
            if count > 1 {
                let is_on = |cpu: &usize| is_online(&cpus[*cpu]);
                let of_set = basis::of_set((1..count).filter(is_on));
                self.ledger.bases.entry(0).or_default().begin(sample, of_set);
            }
        }
        if self.tracks.len() < count {
            self.tracks.resize(count, None);
        }
        // Over all CPUs: current values, and those to compare them with.
        let (mut online, mut advance) = ([0_u64; NUM_VALUES], [0_i128; NUM_VALUES]);
        for (cpu, now) in
            cpus.into_iter().enumerate().filter(|(cpu, now)| is_online(now) && (*cpu > 0 || count == 1))
        {
            add(&mut online, &now);
            let Some((last, correction)) = self.tracks[cpu] else {
                self.tracks[cpu] = Some((now, [0; NUM_VALUES]));
                continue;
            };
            let (before, interval) = compare(&last, &now);
            for index in 0..AT_TICKS {
                advance[index] += i128::from(now[index]) - i128::from(before[index]);
            }
            advance[AT_TICKS] += i128::from(interval);
            let mut corrected = correction;
            let ticks_before = last[AT_TICKS].wrapping_add(correction[AT_TICKS]);
            let ticks = interval.checked_add(ticks_before);
            if ticks.is_none() {
                self.ledger.bases.entry(cpu).or_default().restart(sample, time);
            }
            corrected[AT_TICKS] = ticks.map_or(0, |ticks| ticks.wrapping_sub(now[AT_TICKS]));
            if interval == 0 {
                // A CPU without ticks was asleep.
                corrected[AT_TICKS] = corrected[AT_TICKS].wrapping_add(1);
                corrected[IDLE] = corrected[IDLE].wrapping_add(1);
            }
            if corrected != correction {
                self.ledger.correct(cpu, sample, corrected, self.basis);
            }
            self.tracks[cpu] = Some((now, corrected));
        }
        if count > 1 {
            self.sum(sample, time, is_first, &online, &advance);
        }
    }

    /// All CPUs together: the sum over those that are in this and the previous sample.
    fn sum(
        &mut self,
        sample: u32,
        time: Timestamp,
        is_first: bool,
        online: &Values,
        advance: &[i128; NUM_VALUES],
    ) {
        if is_first {
            self.all = *online;
            return;
        }
        let mut next = [0_u64; NUM_VALUES];
        let mut is_sound = true;
        for index in 0..NUM_VALUES {
            let value = i128::from(self.all[index]) + advance[index];
            is_sound &= u64::try_from(value).is_ok();
            next[index] = value as u64;
        }
        is_sound &= next[USER] >= next[GUEST] && next[NICE] >= next[GUEST_NICE];
        if !is_sound {
            self.ledger.bases.entry(0).or_default().restart(sample, time);
            next = *online;
        }
        let correction: Values = std::array::from_fn(|index| next[index].wrapping_sub(online[index]));
        if correction != self.all_correction || !is_sound {
            self.ledger.correct(0, sample, correction, self.basis);
        }
        (self.all, self.all_correction) = (next, correction);
    }

    /// After a restart, counters start afresh.
    fn begin(&mut self, sample: u32, time: Timestamp) {
        self.tracks.clear();
        self.all_correction = [0; NUM_VALUES];
        self.basis = basis::of_epoch(self.file_created, time);
        for corrections in self.ledger.corrections.values_mut() {
            corrections.push((sample, [0; NUM_VALUES]));
        }
        for bases in self.ledger.bases.values_mut() {
            bases.begin(sample, 0);
        }
    }

    pub(crate) fn finish(self) -> Ledger {
        self.ledger
    }
}

fn add(sum: &mut Values, values: &Values) {
    sum.iter_mut().zip(values).for_each(|(sum, value)| *sum = sum.wrapping_add(*value));
}

/// The values to compare a CPU's values with, and the ticks in between.
fn compare(last: &Values, now: &Values) -> (Values, u64) {
    /// Values from here on are taken to wrap around.
    const NEARLY_FULL: u64 = u64::MAX - 0x7_ffff;
    let mut before = *last;
    if now[IOWAIT] < before[IOWAIT] && before[IOWAIT] < NEARLY_FULL {
        // The kernel may later count waiting as idle time. Otherwise the CPU was offline.
        before[IOWAIT] = if now[IDLE] > before[IDLE] { now[IOWAIT] } else { 0 };
    }
    if now[IDLE] < before[IDLE] && before[IDLE] < NEARLY_FULL {
        before[IDLE] = 0;
    }
    let own = |values: &Values, whole: usize, part: usize| values[whole].wrapping_sub(values[part]);
    let fall = |whole, part| own(&before, whole, part).saturating_sub(own(now, whole, part));
    let shift = u128::from(fall(USER, GUEST)) + u128::from(fall(NICE, GUEST_NICE));
    // Decreases are subtracted from the rest, as in sar up to 12.7; if nothing would be left, the rule of later
    // versions applies.
    let sum = |values: &Values| values[..NUM_SUMMED].iter().map(|value| u128::from(*value)).sum::<u128>();
    let rises =
        (0..NUM_SUMMED).map(|index| u128::from(now[index].saturating_sub(before[index]))).sum::<u128>();
    let interval =
        (sum(now) + shift).checked_sub(sum(&before)).filter(|interval| *interval > 0 || rises == 0);
    // More than 64 bits can hold is more than any sum of ticks can go on by.
    (before, u64::try_from(interval.unwrap_or(rises)).unwrap_or(u64::MAX))
}
