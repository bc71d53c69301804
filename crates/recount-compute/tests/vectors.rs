//! Every row of counter-vectors.csv, whose values come from exact rational arithmetic over the specification.

mod support;

use std::sync::Arc;

use recount_compute::{CookOptions, cook};
use recount_model::{Formula, Run};

use support::vectors::{Vector, repeated, vectors};

fn agrees(vector: &Vector, got: Option<f64>, got_status: &str) -> bool {
    let value_agrees = match (vector.value, got) {
        (None, None) => true,
        (Some(expected), Some(got)) => (got - expected).abs() <= 1e-12 * expected.abs(),
        _ => false,
    };
    value_agrees && vector.status == got_status
}

fn check(form: &str, build: impl Fn(&Vector) -> Run) {
    let all = vectors();
    assert!(all.len() >= 2_040, "{} vectors", all.len());
    for vector in &all {
        let run = build(vector);
        for count in [1, 3, 40] {
            let run = Arc::new(repeated(&run, count));
            let cooked = cook(&run, None, &CookOptions::default());
            let Some(column) = cooked.columns.iter().find(|column| column.counter == 0) else {
                assert_eq!(vector.recipe().formula, Formula::Base, "{}", vector.case);
                continue;
            };
            for cell in cooked.num_cells() - count..cooked.num_cells() {
                let (got, status) = (column.value_at(cell), column.status_at(cell).as_str());
                assert!(
                    agrees(vector, got, status),
                    "{form}, {}: expected {:?} {}, got {got:?} {status}",
                    vector.case,
                    vector.value,
                    vector.status
                );
            }
        }
    }
}

#[test]
fn every_vector_as_an_object() {
    check("object", Vector::as_object);
}

#[test]
fn every_vector_as_a_counter_list() {
    check("counter list", Vector::as_counter_list);
}

/// The two samples in two runs: what the carry yields is what one run yields, to the bit.
#[test]
fn every_vector_across_a_run_boundary() {
    for vector in vectors().iter().filter(|vector| vector.samples.len() == 2) {
        for whole in [vector.as_object(), vector.as_counter_list()] {
            for count in [1, 3, 40] {
                let whole = Arc::new(repeated(&whole, count));
                let options = CookOptions::default();
                let expected = cook(&whole, None, &options);
                let later = Arc::new(support::slice(&whole, 1..2));
                let got = cook(&later, Some(&support::slice(&whole, 0..1)), &options);
                for (expected, got) in expected.columns.iter().zip(&got.columns) {
                    let at = |i: usize| (expected.values[count + i].to_bits(), expected.status_at(count + i));
                    for i in 0..count {
                        assert_eq!((got.values[i].to_bits(), got.status_at(i)), at(i), "{}", vector.case);
                    }
                }
            }
        }
    }
}
