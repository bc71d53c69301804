//! Any registration and any instances, asked for in any way: runs hold exactly the values that were put in.

use std::collections::{BTreeMap, BTreeSet};

use proptest::prelude::*;
use recount_model::{Run, Source};
use recount_pcq::{ANY_COUNTER, ANY_INSTANCE, CounterIdentifierBuf, Registration};

use crate::links::TYPES;
use crate::support::*;

/// Ids of a counterset's counters, in the order of the registration.
type CounterIds = Vec<u32>;
/// An instance: id and name.
type Key = (u32, String);
/// Samples by second: instances, each with a value per counter; `None`: not delivered.
type Samples = Vec<Vec<(Key, Vec<Option<u64>>)>>;

/// One counterset, and a machine's data about it.
#[derive(Clone, Debug)]
struct Population {
    registration: Registration,
    samples: Samples,
    /// How it is requested: everything together, by instance, by counter, or one by one.
    way: usize,
}

fn population(number: u8) -> impl Strategy<Value = Population> {
    let ids = prop::collection::btree_set(0_u32..1000, 1..6);
    let names = prop::collection::btree_set((0_u32..4, "[a-zéΩ#*/]{0,4}x"), 0..5);
    (ids, names, 0_usize..4, any::<bool>()).prop_flat_map(move |(ids, names, way, is_single)| {
        let ids: CounterIds = ids.into_iter().rev().collect();
        let words =
            prop::collection::vec(prop::sample::select(TYPES.map(|(word, ..)| word).to_vec()), ids.len());
        let names: Vec<Key> = if is_single { vec![(0, String::new())] } else { names.into_iter().collect() };
        let value = prop::option::weighted(0.9, prop_oneof![any::<u32>().prop_map(u64::from), any::<u64>()]);
        let row = (prop::bool::weighted(0.8), prop::collection::vec(value, ids.len()));
        let rows = prop::collection::vec(row, names.len());
        let samples = prop::collection::vec(rows, 1..6);
        (words, samples).prop_map(move |(words, samples)| {
            let counters = ids.iter().zip(words).map(|(id, word)| counter(*id, word)).collect();
            let present = |rows: Vec<(bool, Vec<Option<u64>>)>| {
                let rows = names.iter().cloned().zip(rows);
                rows.filter(|(_, (there, _))| *there || is_single)
                    .map(|(key, (_, values))| (key, values))
                    .collect()
            };
            Population {
                registration: registration(number, if is_single { SINGLE } else { MULTIPLE }, counters),
                samples: samples.into_iter().map(present).collect(),
                way,
            }
        })
    })
}

impl Population {
    fn ids(&self) -> CounterIds {
        self.registration.counters.iter().map(|counter| counter.counter_id).collect()
    }

    fn is_single(&self) -> bool {
        self.registration.set.instance_type == SINGLE
    }

    /// Every instance of any sample, in the order of their keys.
    fn keys(&self) -> Vec<Key> {
        let keys: BTreeSet<&Key> = self.samples.iter().flatten().map(|(key, _)| key).collect();
        keys.into_iter().cloned().collect()
    }

    fn identifiers(&self, first: u32) -> Vec<CounterIdentifierBuf> {
        let number = self.registration.set.guid.0[0];
        let any = (0, ANY_INSTANCE);
        let keys = self.keys();
        let asked = |index: u32, id, instance| asked(number, id, instance, first + index);
        match self.way {
            0 => vec![asked(0, ANY_COUNTER, any)],
            1 => (0..).zip(&keys).map(|(index, key)| asked(index, ANY_COUNTER, (key.0, &key.1))).collect(),
            2 => (0..).zip(self.ids()).map(|(index, id)| asked(index, id, any)).collect(),
            _ => {
                let all = keys.iter().flat_map(|key| self.ids().into_iter().map(move |id| (id, key)));
                (0..).zip(all).map(|(index, (id, key))| asked(index, id, (key.0, &key.1))).collect()
            }
        }
    }

    /// Whether the values of a counter have eight bytes in a sample: whatever its type says.
    fn is_large(at: usize, sample: usize) -> bool {
        (at + sample / 2).is_multiple_of(2)
    }

    fn bytes(value: Option<u64>, at: usize, sample: usize) -> Vec<u8> {
        match value {
            None => Vec::new(),
            Some(value) if Self::is_large(at, sample) => large(value),
            Some(value) => dword(value as u32),
        }
    }

    fn answer(&self, sample: usize, answer: &mut recount_pcq::QueryDataBuf) {
        const NOT_FOUND: u32 = 3;
        let (ids, rows) = (self.ids(), &self.samples[sample]);
        let row_of = |key: &Key| rows.iter().find(|(other, _)| other == key).map(|(_, values)| values);
        match self.way {
            0 => {
                let row = |(key, values): &(Key, Vec<Option<u64>>)| {
                    let values = values.iter().enumerate();
                    let values: Vec<_> = values.map(|(at, value)| Self::bytes(*value, at, sample)).collect();
                    (instance(key.0, &key.1), values)
                };
                answer.push_counter_set(&ids, &rows.iter().map(row).collect::<Vec<_>>());
            }
            1 => self.keys().iter().for_each(|key| match row_of(key) {
                None => answer.push_error(NOT_FOUND),
                Some(values) => {
                    let values = ids.iter().zip(values).enumerate();
                    let values: Vec<_> =
                        values.map(|(at, (id, value))| (*id, Self::bytes(*value, at, sample))).collect();
                    answer.push_multi_counters(&values);
                }
            }),
            2 => (0..ids.len()).for_each(|at| {
                let rows = rows
                    .iter()
                    .map(|(key, values)| (instance(key.0, &key.1), Self::bytes(values[at], at, sample)));
                answer.push_multi_instances(&rows.collect::<Vec<_>>());
            }),
            _ => self.keys().iter().for_each(|key| {
                for at in 0..ids.len() {
                    match row_of(key) {
                        None => answer.push_error(NOT_FOUND),
                        Some(values) => answer.push_single(Self::bytes(values[at], at, sample)),
                    }
                }
            }),
        }
    }

    /// By second, instance and counter id: the value, or `None` for a fault. A sample in which the object isn't there has
    /// no entry.
    fn expected(&self, is_asked: bool) -> BTreeMap<i64, BTreeMap<(Key, u32), Option<u64>>> {
        // Either as a list that may be empty, or instance by instance, each found or not.
        let is_told = if self.way.is_multiple_of(2) { !self.is_single() } else { is_asked };
        let mut expected = BTreeMap::new();
        for (sample, (rows, second)) in self.samples.iter().zip(1..).enumerate() {
            let mut cells = BTreeMap::new();
            for (key, values) in rows {
                for (at, (counter, value)) in self.registration.counters.iter().zip(values).enumerate() {
                    let is_large = Self::is_large(at, sample);
                    let value = value.map(|value| if is_large { value } else { u64::from(value as u32) });
                    // A text isn't read as a number, and so is no fault.
                    let is_text = counter.counter_type.0 == 0x0000_0B00;
                    let value = if is_text { Some(0) } else { value };
                    cells.insert((key.clone(), counter.counter_id), value);
                }
            }
            if !rows.is_empty() || is_told {
                expected.insert(second, cells);
            }
        }
        expected
    }
}

/// What runs of an object hold, in the words of [`Population::expected`].
fn found(runs: &[&Run], ids: &[u32]) -> BTreeMap<i64, BTreeMap<(Key, u32), Option<u64>>> {
    let mut found = BTreeMap::new();
    for run in runs {
        assert!(run.columns.iter().all(|column| column.first.len() == run.num_cells()));
        for sample in 0..run.num_samples() {
            let cells: &mut BTreeMap<_, _> =
                found.entry(run.clocks.time[sample].utc.0 / SECOND as i64).or_default();
            for (at, instance) in run.instances.iter().enumerate() {
                let key = (instance.id.unwrap_or(0) as u32, instance.name.to_string());
                for (counter, id) in ids.iter().enumerate() {
                    assert!(run.columns[counter].covers.is_none(), "all was asked for");
                    let is_fault = run.faults.iter().any(|fault| {
                        (fault.sample, fault.counter, fault.instance)
                            == (sample as u32, counter as u32, at as u32)
                    });
                    let value = run.columns[counter].first[sample * run.instances.len() + at];
                    assert!(!is_fault || value == 0);
                    let before = cells.insert((key.clone(), *id), (!is_fault).then_some(value));
                    assert_eq!(before, None);
                }
            }
        }
    }
    found
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(400))]

    #[test]
    fn runs_hold_what_was_put_in(populations in (population(1), population(2), population(3))) {
        let populations = [populations.0, populations.1, populations.2];
        let mut recorded = Recorded::default();
        let mut identifiers: Vec<CounterIdentifierBuf> = Vec::new();
        for population in &populations {
            recorded.register(&population.registration);
            let first = identifiers.len() as u32;
            identifiers.extend(population.identifiers(first));
        }
        recorded.info(QUERY, &identifiers);
        let num_samples = populations.iter().map(|population| population.samples.len()).min().unwrap_or(0);
        for sample in 0..num_samples {
            let mut answer = answer(sample as u64 + 1);
            for population in &populations {
                population.answer(sample, &mut answer);
            }
            recorded.data(answer);
        }
        let decoded = recorded.decoded();
        prop_assert!(decoded.health.is_sound(), "{:?}", decoded.health.findings());
        for (at, population) in populations.iter().enumerate() {
            let mut population = population.clone();
            // Instances of samples that weren't taken are asked for, too, and never found.
            let asked = population.keys();
            population.samples.truncate(num_samples);
            let name = population.registration.set.guid.to_string();
            let runs: Vec<&Run> = decoded.runs.iter().filter(|run| *run.object.name == *name).collect();
            let expected = population.expected(!asked.is_empty());
            prop_assert_eq!(found(&runs, &population.ids()), expected, "counterset {}, asked {:?}", at + 1, asked);
        }
        // Every sample decoded alone gives the same as among the others.
        let source = recorded.source();
        let cut: usize = (0..num_samples as u32)
            .flat_map(|sample| source.decode(&[sample], &recount_model::Selection::all()).runs)
            .map(|run| run.num_cells())
            .sum();
        prop_assert_eq!(cut, decoded.runs.iter().map(Run::num_cells).sum::<usize>());
    }
}
