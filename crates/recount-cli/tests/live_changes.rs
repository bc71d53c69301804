//! Statistics and change points, judged by other people's programs: scipy, ruptures and otava.

use std::path::{Path, PathBuf};

use recount::analysis::diff::{apart, kolmogorov};
use recount::analysis::moved::corrected;
use serde_json::{Value, json};

mod python;

fn sources() -> PathBuf {
    Path::new(env!("CARGO_MANIFEST_DIR")).join("tests/changes")
}

fn python() -> python::Python {
    python::Python::install(&sources().join("requirements.txt"))
}

/// Random values between 0 and 1, the same in each run.
fn random(seed: u64) -> impl FnMut() -> f64 {
    let mut state = seed;
    move || {
        state = state.wrapping_mul(6_364_136_223_846_793_005).wrapping_add(1_442_695_040_888_963_407);
        (state >> 11) as f64 / (1_u64 << 53) as f64
    }
}

/// Two samples, one of which is shifted; the values have ties if they are rounded.
fn samples(seed: u64, sizes: (usize, usize), shift: f64, is_rounded: bool) -> Vec<Value> {
    let mut random = random(seed);
    let mut sample = |size: usize, shift: f64| -> Vec<f64> {
        let mut value = || random() + random() + random() + shift;
        (0..size).map(|_| if is_rounded { (value() * 5.0).round() } else { value() }).collect()
    };
    let (base, new) = (sample(sizes.0, 0.0), sample(sizes.1, shift));
    let sorted = |values: &[f64]| {
        let mut sorted: Vec<(f64, u64)> = values.iter().map(|value| (*value, 1)).collect();
        sorted.sort_by(|a, b| a.0.total_cmp(&b.0));
        sorted
    };
    let found = apart(&sorted(&base), &sorted(&new)).expect("both have values");
    let probability = kolmogorov(found.distance, sizes.0 as f64, sizes.1 as f64);
    let delta = json!({ "kind": "delta", "base": base, "new": new, "ours": found.delta });
    let distance = json!({
        "kind": "kolmogorov", "base": base, "new": new, "distance": found.distance, "ours": probability,
    });
    // The exact test is for values without ties.
    if is_rounded { vec![delta] } else { vec![distance, delta] }
}

#[test]
fn scipy_has_the_same_probabilities() {
    let mut cases = Vec::new();
    for seed in 1..=120_u64 {
        let sizes = [(40, 60), (200, 30), (300, 300), (1_000, 80)][seed as usize % 4];
        cases.extend(samples(seed, sizes, (seed % 7) as f64 * 0.1, seed % 5 == 0));
        let mut random = random(seed * 77);
        let probabilities: Vec<f64> = (0..seed).map(|_| random().powi(4)).collect();
        let ours = corrected(&probabilities, probabilities.len());
        cases.push(json!({ "kind": "corrected", "probabilities": probabilities, "ours": ours }));
    }
    let file = tempfile::NamedTempFile::new().expect("a temporary file");
    let lines: Vec<String> = cases.iter().map(Value::to_string).collect();
    std::fs::write(file.path(), lines.join("\n")).expect("cases");
    python().run(&sources().join("statistics.py"), &[file.path()]);
}

/// F1 is at least that of ruptures and of otava with their best settings, and at most half as many changes are false.
#[test]
fn ruptures_and_otava_find_no_more_changes_and_twice_as_many_false_ones() {
    let recount = env!("CARGO_BIN_EXE_recount");
    python().run(&sources().join("judge.py"), &[recount, "12", "20261126"]);
}

#[test]
fn numpy_has_the_same_quantiles_and_scipy_the_same_days() {
    let recount = env!("CARGO_BIN_EXE_recount");
    python().run(&sources().join("baseline.py"), &[recount, "20261126"]);
}
