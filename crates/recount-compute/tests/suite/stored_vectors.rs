//! Every row of counter-vectors.csv, whose values come from exact rational arithmetic over the specification.

use crate::support;

use std::sync::Arc;

use recount_compute::{CookOptions, cook};
use recount_model::{CounterType, Formula, Run};

use support::linked::linked;
use support::vectors::{Vector, repeated, vectors};
use support::{bits, cook_all, tolerance};

/// Every type value of the document.
#[rustfmt::skip]
const DOCUMENT: [u32; 34] = [
    0x1041_0400, 0x2041_0500, 0x0045_0400, 0x0045_0500, 0x0055_0500, 0x0065_0500, 0x1041_0500, 0x0000_0B00,
    0x0001_0000, 0x0001_0100, 0x0000_0000, 0x0000_0100, 0x20C2_0400, 0x0041_0400, 0x2141_0500, 0x3024_0500,
    0x4003_0401, 0x3002_0400, 0x4003_0402, 0x4002_0500, 0x2061_0500, 0x2057_0500, 0x2047_0500, 0x2067_0500,
    0x2051_0500, 0x2151_0500, 0x2241_0500, 0x2341_0500, 0x2251_0500, 0x2351_0500, 0x2002_0400, 0x4003_0403,
    0x2002_0500, 0x4003_0500,
];

fn agrees(vector: &Vector, got: Option<f64>, got_status: &str) -> bool {
    let value_agrees = match (vector.value, got) {
        (None, None) => true,
        (Some(expected), Some(got)) => {
            (got - expected).abs() <= tolerance(vector.recipe().formula, expected, vector.multi as f64)
        }
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
#[ignore = "reads ../shared/data"]
fn every_vector_as_an_object() {
    check("object", Vector::as_object);
}

#[test]
#[ignore = "reads ../shared/data"]
fn every_vector_as_a_counter_list() {
    check("counter list", Vector::as_counter_list);
}

/// The two samples in two runs: with the carry the result is the same as in one run, to the bit.
#[test]
#[ignore = "reads ../shared/data"]
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

#[test]
#[ignore = "reads ../shared/data"]
fn both_forms_of_every_type_of_the_document_give_the_same_values() {
    let all = vectors();
    for word in DOCUMENT {
        let predefined = CounterType(word).predefined().expect("in the table");
        let of_type = || all.iter().filter(|vector| vector.word == word);
        let is_number = !matches!(predefined.formula, Formula::Base | Formula::NotANumber);
        assert!(!is_number || of_type().filter(|v| v.value.is_some()).count() >= 20, "{}", predefined.name);
        for vector in of_type() {
            for count in [1, 3, 40] {
                let classic = repeated(&vector.as_object(), count);
                let linked = linked(&classic);
                assert_eq!(
                    bits(&cook_all(&linked, None)),
                    bits(&cook_all(&classic, None)),
                    "{}",
                    vector.case
                );
                if vector.samples.len() == 2 {
                    let carried = |run: &Run| {
                        bits(&cook_all(&support::slice(run, 1..2), Some(&support::slice(run, 0..1))))
                    };
                    assert_eq!(carried(&linked), carried(&classic), "{}, carried", vector.case);
                }
            }
        }
    }
}

/// The vectors' own answers for the linked form, so that it isn't only equal to the classic one but correct.
#[test]
#[ignore = "reads ../shared/data"]
fn linked_vectors_give_the_values_of_the_specification() {
    for vector in vectors() {
        let cooked = cook_all(&linked(&vector.as_object()), None);
        let Some(column) = cooked.columns.iter().find(|column| column.counter == 0) else { continue };
        let last = cooked.num_cells() - 1;
        let (got, status) = (column.value_at(last), column.status_at(last).as_str());
        assert!(agrees(&vector, got, status), "{}: {got:?} {status}", vector.case);
    }
}
