//! Aggregates over instances, through the pipeline: compared with a simple recomputation, and independent of
//! how the capture is cut.

use crate::support;

use std::collections::{BTreeMap, BTreeSet};

use proptest::prelude::*;
use recount_compute::{AggregateCatalogue, CookOptions, Cooked};
use recount_model::{AggregateFunction, Aggregation, Instance, Selection, Source, Status};

use support::aggregated::{COUNTERS, Outcome, Place, cells, census, cook_census, input};
use support::census::{Census, Entry};
use support::populations::{aggregation, functions, populations};

/// The simplest reading of the document: sample by sample, from the values of the instances.
fn plainly(census: &Census) -> BTreeMap<Place, Outcome> {
    let without = census.with_object(|object| object.aggregation = Aggregation::None);
    let values = cells(&cook_census(&without, usize::MAX, &CookOptions::default()));
    let keeps = census.object.aggregation == Aggregation::GlobalHistory;
    let mut history: BTreeMap<(String, Option<u64>, u32, usize), f64> = BTreeMap::new();
    let mut before: Vec<(String, Option<u64>, u32)> = Vec::new();
    let mut expected = BTreeMap::new();
    for (second, entries) in census.samples.iter().enumerate() {
        let Some(entries) = entries else { continue };
        let key = |i: &Instance| (i.name.to_string(), i.id, if i.id.is_some() { 0 } else { i.ordinal });
        let now: Vec<_> = entries.iter().map(|entry| key(&entry.instance)).collect();
        // An instance missing from the previous sample has returned, if it ever existed: drop its last
        // values.
        history.retain(|(name, id, ordinal, _), _| {
            let identity = (name.clone(), *id, *ordinal);
            !now.contains(&identity) || before.contains(&identity)
        });
        for (at, def) in census.object.counters.iter().enumerate().filter(|(_, def)| !def.is_hidden()) {
            let Some(function) = def.aggregate.instance_name() else { continue };
            let of = |e: &Entry| values[&(second as i64, e.instance.shown(), at)].0;
            let mut outcomes: Vec<Outcome> = entries.iter().map(of).collect();
            let gone = history.iter().filter(|((name, id, ordinal, counter), _)| {
                *counter == at && !now.contains(&(name.clone(), *id, *ordinal))
            });
            outcomes.extend(gone.map(|(_, value)| Ok(*value)));
            if outcomes.is_empty() {
                continue;
            }
            // From the sample with the most instances of the name.
            let same = |e: &&Entry| e.instance.name.eq_ignore_ascii_case(function);
            let counts = census.samples.iter().flatten().map(|entries| entries.iter().filter(same).count());
            let name = match counts.max().unwrap_or(0) {
                0 => function.to_owned(),
                count => format!("{function}#{count}"),
            };
            expected.insert((second as i64, name, at), taken_together(def.aggregate, &outcomes));
            for (entry, outcome) in entries.iter().zip(&outcomes) {
                if let (true, Ok(value)) = (keeps, outcome) {
                    let (name, id, ordinal) = key(&entry.instance);
                    history.insert((name, id, ordinal, at), *value);
                }
            }
        }
        before = now;
    }
    expected
}

/// Seconds since the previous sample, if that has this aggregate under any number.
fn interval_of(census: &Census, all: &BTreeMap<Place, Outcome>, place: &Place) -> Option<f64> {
    let without_number = |shown: &str| shown.split('#').next().map(str::to_owned);
    let before = (0..place.0).rev().find(|second| census.samples[*second as usize].is_some())?;
    let is_there =
        all.keys().any(|other| other.0 == before && without_number(&other.1) == without_number(&place.1));
    is_there.then(|| (place.0 - before) as f64)
}

fn taken_together(function: AggregateFunction, outcomes: &[Outcome]) -> Outcome {
    let values: Vec<f64> = outcomes.iter().filter_map(|outcome| outcome.ok()).collect();
    let statuses = || outcomes.iter().filter_map(|outcome| outcome.err());
    if statuses().any(|status| status == Status::InvalidData) {
        return Err(Status::InvalidData);
    }
    if values.is_empty() {
        return Err(statuses().min().expect("a status"));
    }
    let sum: f64 = values.iter().sum();
    Ok(match function {
        AggregateFunction::Total => sum,
        AggregateFunction::Average => sum / values.len() as f64,
        AggregateFunction::Minimum => values.iter().copied().reduce(f64::min).expect("a value"),
        AggregateFunction::Maximum => values.iter().copied().reduce(f64::max).expect("a value"),
        AggregateFunction::Undefined => unreachable!("has no instance"),
    })
}

/// For bitwise comparison.
fn bits(all: &[Cooked]) -> Vec<(Place, Result<u64, Status>, Option<u64>)> {
    let bits = |(place, (outcome, interval)): (Place, (Outcome, Option<f64>))| {
        (place, outcome.map(f64::to_bits), interval.map(f64::to_bits))
    };
    cells(all).into_iter().map(bits).collect()
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(400))]

    #[test]
    fn aggregates_equal_a_plain_recomputation(
        aggregation in aggregation(), functions in functions(), samples in populations()
    ) {
        let census = census(aggregation, functions, samples);
        let whole = cook_census(&census, usize::MAX, &CookOptions::default());
        let expected = plainly(&census);
        let real = |second: i64, shown: &str| {
            let entries = census.samples[second as usize].as_ref().expect("it has rows");
            entries.iter().any(|entry| entry.instance.shown() == shown)
        };
        let mut got = cells(&whole);
        got.retain(|(second, shown, _), _| !real(*second, shown));
        prop_assert_eq!(got.keys().collect::<Vec<_>>(), expected.keys().collect::<Vec<_>>());
        for (place, want) in &expected {
            let (outcome, interval) = &got[place];
            let agrees = match (want, outcome) {
                (Ok(want), Ok(got)) => (got - want).abs() <= 1e-12 * want.abs(),
                (want, got) => want == got,
            };
            prop_assert!(agrees, "{place:?}: expected {want:?}, got {outcome:?}");
            prop_assert_eq!(*interval, interval_of(&census, &expected, place), "{:?}", place);
        }
    }

    #[test]
    fn aggregates_are_the_same_however_the_capture_is_cut(
        aggregation in aggregation(), functions in functions(), samples in populations()
    ) {
        let census = census(aggregation, functions, samples);
        let whole = bits(&cook_census(&census, usize::MAX, &CookOptions::default()));
        for len_slice in [1, 250, 700] {
            let cut = bits(&cook_census(&census, len_slice, &CookOptions::default()));
            prop_assert_eq!(&cut, &whole, "slices of {} bytes", len_slice);
        }
    }

    #[test]
    fn instances_keep_their_values_beside_aggregates(
        aggregation in aggregation(), functions in functions(), samples in populations()
    ) {
        let census = census(aggregation, functions, samples);
        let with: BTreeMap<Place, _> =
            bits(&cook_census(&census, 300, &CookOptions::default())).into_iter().map(|(p, o, i)| (p, (o, i))).collect();
        let without = census.with_object(|object| object.aggregation = Aggregation::None);
        for (place, outcome, interval) in bits(&cook_census(&without, 300, &CookOptions::default())) {
            prop_assert_eq!(with.get(&place), Some(&(outcome, interval)));
        }
    }

    #[test]
    fn a_selection_shows_a_part_of_what_all_shows(
        aggregation in aggregation(), functions in functions(), samples in populations()
    ) {
        let census = census(aggregation, functions, samples);
        let all = bits(&cook_census(&census, usize::MAX, &CookOptions::default()));
        for pattern in [r"\Thing(_Total)\*", r"\Thing(a*)\Things", r"\Thing(_*#*)\*", "%", r"\Other(*)\*"] {
            let selection = Selection::from_iter([pattern.parse().expect(pattern)]);
            let options = CookOptions { selection: selection.clone(), ..CookOptions::default() };
            let selected = bits(&cook_census(&census, 300, &options));
            let wanted = |((_, shown, counter), ..): &(Place, Result<u64, Status>, Option<u64>)| {
                let (name, number) = shown.split_once('#').unwrap_or((shown, "0"));
                let ordinal = number.parse().expect("a number");
                let instance = Instance { ordinal, ..Instance::named(name) };
                selection.matches("WEB1", "Thing", Some(&instance), COUNTERS[*counter])
            };
            prop_assert_eq!(selected, all.iter().filter(|row| wanted(row)).cloned().collect::<Vec<_>>());
        }
    }

    #[test]
    fn the_catalogue_lists_the_aggregates_beforehand(
        aggregation in aggregation(), functions in functions(), samples in populations()
    ) {
        let census = census(aggregation, functions, samples);
        let real = |shown: &str| {
            let entries = || census.samples.iter().flatten().flatten();
            entries().any(|entry| entry.instance.shown() == shown)
        };
        let shown = cells(&cook_census(&census, usize::MAX, &CookOptions::default()));
        let shown: BTreeSet<(String, usize)> =
            shown.into_keys().map(|(_, shown, counter)| (shown, counter)).filter(|(i, _)| !real(i)).collect();
        let mut catalogue = AggregateCatalogue::new(&[input(&census)]);
        let mut told = BTreeSet::new();
        for sample in 0..census.samples.len() as u32 {
            for run in census.decode(&[sample], &Selection::all()).runs {
                for aggregate in catalogue.of(&run, false) {
                    let name = aggregate.instance.shown();
                    told.extend(aggregate.counters.iter().map(|counter| (name.clone(), *counter)));
                }
            }
        }
        told.retain(|(name, _)| !real(name));
        if aggregation == Aggregation::GlobalHistory {
            // An instance that never had a value leaves none, which only cooking can find out.
            prop_assert!(told.is_superset(&shown), "{told:?} {shown:?}");
        } else {
            prop_assert_eq!(told, shown);
        }
    }
}
