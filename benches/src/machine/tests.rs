use std::collections::BTreeMap;
use std::io::Cursor;

use recount_blg::BlgSource;
use recount_model::{Selection, Source};

use super::*;
use crate::generate::{Flavour, Parameters, generate_to};

#[test]
fn an_index_has_one_name() {
    let machine = Machine::new(1);
    let mut names: BTreeMap<u32, &str> = BTreeMap::new();
    let specs = || machine.objects.iter().map(|object| object.spec);
    let objects = specs().map(|spec| (spec.index, spec.name));
    let counters = specs().flat_map(|spec| spec.counters).map(|counter| (counter.index, counter.name));
    for (index, name) in objects.chain(counters) {
        assert_eq!(*names.entry(index).or_insert(name), name, "index {index}");
    }
}

#[test]
fn bases_stand_behind_the_counters_they_serve() {
    for object in &Machine::new(1).objects {
        for pair in object.spec.counters.windows(2) {
            let base = recount_model::CounterType(pair[1].word);
            let wanted = recount_model::CounterType(pair[0].word).predefined().and_then(|row| row.base);
            assert_eq!(wanted.is_some(), base.is_base(), "{}: {}", object.spec.name, pair[0].name);
            assert!(wanted.is_none_or(|word| word == pair[1].word), "{}", pair[0].name);
        }
    }
}

#[test]
fn processes_come_and_go_and_most_are_idle() {
    let mut machine = Machine::new(3);
    let (mut moved, mut all) = (0, 0);
    let most: Vec<usize> = (0..600)
        .map(|_| {
            machine.step();
            let processes = machine.objects.last().expect("processes");
            moved += processes.instances.iter().filter(|instance| instance.has_moved).count();
            all += processes.instances.len();
            processes.instances.len()
        })
        .collect();
    let changes = most.windows(2).filter(|pair| pair[0] != pair[1]).count();
    assert!((20..80).contains(&changes), "{changes} changes in 600 s");
    assert!(most.iter().all(|num| (250..350).contains(num)), "{most:?}");
    assert!(moved * 4 < all && moved * 50 > all, "{moved} of {all} moved");
}

#[test]
fn logs_are_sound_and_repeatable_in_both_flavours() {
    for flavour in [Flavour::Objects, Flavour::List] {
        let write = || {
            let mut out = Cursor::new(Vec::new());
            let parameters = Parameters { flavour, len_file: 3_000_000, seed: 7 };
            let generated = generate_to(&mut out, parameters).expect("a log");
            assert!(generated.len_file >= 3_000_000);
            (out.into_inner(), generated.num_samples)
        };
        let ((bytes, num_samples), again) = (write(), write());
        assert!(bytes == again.0, "the same parameters gave other bytes");
        let source = BlgSource::open(std::sync::Arc::new(bytes)).expect("a log");
        assert_eq!(source.times().len() as u64, num_samples);
        let samples: Vec<u32> = (0..num_samples as u32).collect();
        let decoded = source.decode(&samples, &Selection::all());
        assert!(source.health().is_sound() && decoded.health.is_sound(), "{:?}", decoded.health.findings());
        let objects: std::collections::BTreeSet<_> =
            decoded.runs.iter().map(|run| run.object.name.to_string()).collect();
        assert_eq!(objects.len(), 7, "{objects:?}");
        assert!(decoded.runs.iter().all(|run| run.faults.is_empty()));
    }
}
