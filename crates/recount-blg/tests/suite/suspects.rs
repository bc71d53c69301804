//! Records whose counts or lengths are wrong: what differs afterwards is reported.

use std::sync::Arc;

use recount_blg::BlgSource;
use recount_model::{Health, Selection, Source};

/// All raw values as text, and what is wrong; nothing if the log is refused.
fn read(bytes: &[u8]) -> Option<(String, Health)> {
    let source = BlgSource::open(Arc::new(bytes.to_vec())).ok()?;
    let samples: Vec<u32> = (0..source.times().len() as u32).collect();
    let decoded = source.decode(&samples, &Selection::all());
    let mut health = source.health().clone();
    health.absorb(decoded.health);
    let mut text = String::new();
    for run in &decoded.runs {
        let instances: Vec<String> = run.instances.iter().map(ToString::to_string).collect();
        let columns: Vec<_> = run.columns.iter().map(|column| (&column.first, &column.second)).collect();
        text += &format!("{} {} {instances:?} {columns:?} {:?}\n", run.host, run.object.name, run.faults);
    }
    Some((text, health))
}

/// Where the lengths of records are, and the counts of those that list instances.
fn counts(bytes: &[u8]) -> Vec<usize> {
    const SIGNATURE: [u8; 3] = [0x42, 0x4C, 0x03];
    let records = (0..bytes.len() - 16).step_by(4).filter(|at| bytes[*at..at + 3] == SIGNATURE);
    let fields = |at: usize| match bytes[at + 3] {
        2 => vec![at + 4, at + 8, at + 12],
        _ => vec![at + 4],
    };
    records.flat_map(fields).collect()
}

fn assert_reported(bytes: &[u8], step: usize) {
    let (sound, _) = read(bytes).expect("sound");
    let counts = counts(bytes);
    assert!(counts.len() > 30, "{}", counts.len());
    for at in counts.into_iter().step_by(step) {
        let right = u32::from_le_bytes(bytes[at..at + 4].try_into().expect("a word"));
        for wrong in [
            right.wrapping_sub(1),
            right + 1,
            right + 8,
            right ^ 16,
            right + 48,
            right.wrapping_sub(8),
            0,
            u32::MAX,
        ] {
            let mut damaged = bytes.to_vec();
            damaged[at..at + 4].copy_from_slice(&wrong.to_le_bytes());
            let Some((values, health)) = read(&damaged) else { continue };
            assert!(values == sound || !health.is_sound(), "at {at:#x}: {right} becomes {wrong}");
        }
    }
}

fn sample(name: &str) -> Vec<u8> {
    let path = format!("{}/../../samples/{name}", env!("CARGO_MANIFEST_DIR"));
    std::fs::read(path).expect("a sample")
}

#[test]
fn wrong_counts_never_change_values_silently() {
    for name in ["counters-dst.blg", "objects.blg"] {
        assert_reported(&sample(name), 3);
    }
}

#[test]
#[ignore = "reads ../shared/data"]
fn stored_wrong_counts_never_change_values_silently() {
    assert_reported(&recount_testdata::shared("blg/tx-basic.blg"), 5);
}
