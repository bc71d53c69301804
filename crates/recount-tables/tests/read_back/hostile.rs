//! Damaged files: an error or findings, never a panic, and no memory usage caused only by the damage.

use proptest::prelude::*;
use proptest::test_runner::{Config, TestRng, TestRunner};
use recount_model::{Cooked, CookedColumn, Decoded, Selection, Source, Status};
use recount_tables::{Layout, PartitionKey, TableOptions};

use super::files::{counter, named, object, open, time, write};

fn small() -> Vec<Vec<Cooked>> {
    let object = object("Disk", true, vec![counter("A", 0x1041_0500), counter("B", 0x10000)]);
    let column = |counter| CookedColumn {
        counter,
        values: (0..60).map(f64::from).collect(),
        status: None,
        covers: None,
        texts: None,
    };
    let mut cooked = Cooked {
        host: "WEB1".into(),
        object,
        columns: vec![column(0), column(1)],
        gaps: Vec::new(),
        first_s: Vec::new(),
        interval_s: vec![Some(1.0); 20],
        times: (0..20).map(time).collect(),
        continued: vec![false; 3],
        instances: named(&["0 C:", "1 D:", "_Total"]).into(),
        raw: None,
    };
    let status = cooked.columns[0].status.insert(vec![Status::Ok; 60]);
    status[..3].fill(Status::FirstSample);
    cooked.columns[0].values[..3].fill(0.0);
    vec![vec![cooked]]
}

/// Opens and reads everything, ignoring the result.
fn try_all(files: Vec<(String, Vec<u8>)>) {
    let Ok(tables) = open(files) else { return };
    let all: Vec<u32> = (0..tables.times().len().min(100_000) as u32).collect();
    let Decoded { cooked, .. } = tables.decode(&all, &Selection::all());
    for cooked in cooked {
        for column in &cooked.columns {
            assert_eq!(column.values.len(), cooked.num_cells());
        }
    }
}

#[test]
fn damage_never_panics() {
    let num: u32 = std::env::var("RECOUNT_MUTATIONS").ok().and_then(|num| num.parse().ok()).unwrap_or(3_000);
    let objects = TableOptions { layout: Layout::Objects, ..TableOptions::default() };
    let parted = TableOptions { partition_by: vec![PartitionKey::Host], ..objects.clone() };
    let all = [objects, parted, TableOptions::default()].map(|options| write(small(), &options).files());
    let config = Config { cases: num, failure_persistence: None, ..Config::default() };
    let rng = TestRng::deterministic_rng(config.rng_algorithm);
    let mut runner = TestRunner::new_with_rng(config, rng);
    let damage =
        (0..all.len(), any::<prop::sample::Index>(), any::<prop::sample::Index>(), any::<u8>(), 0..4_u8);
    let run = runner.run(&damage, |(at, file, place, byte, kind)| {
        let mut files = all[at].clone();
        let file = file.index(files.len());
        let bytes = &mut files[file].1;
        let place = place.index(bytes.len());
        match kind {
            0 => bytes.truncate(place),
            1 => bytes[place] ^= 1 << (byte % 8),
            2 => bytes[place] = byte,
            _ => {
                let end = (place + usize::from(byte)).min(bytes.len());
                bytes.drain(place..end);
            }
        }
        try_all(files);
        Ok(())
    });
    run.expect("no panic");
}

/// A byte changed anywhere between the magic number and the footer changes no value: it is an error, with its place.
#[test]
fn a_flipped_byte_of_a_page_is_no_value() {
    let files = write(small(), &TableOptions::default()).files();
    let [(name, whole)] = files.as_slice() else { panic!("one file") };
    let all: Vec<u32> = (0..20).collect();
    let values = |bytes: Vec<u8>| {
        let tables = open(vec![(name.clone(), bytes)])?;
        let Decoded { cooked, health, .. } = tables.decode(&all, &Selection::all());
        Ok::<_, recount_tables::TableInputError>((format!("{cooked:?}"), health))
    };
    let (expected, health) = values(whole.clone()).expect("a sound file");
    assert!(health.is_sound(), "{health:?}");
    let len_footer = u32::from_le_bytes(whole[whole.len() - 8..whole.len() - 4].try_into().expect("4 bytes"));
    let (mut num_placed, mut num_silent) = (0, Vec::new());
    for at in 4..whole.len() - 8 - len_footer as usize {
        let mut bytes = whole.clone();
        bytes[at] ^= 0x10;
        let said = match values(bytes) {
            Err(error) => error.to_string(),
            Ok((found, health)) => {
                if health.is_sound() && found != expected {
                    num_silent.push(at);
                }
                format!("{:?}", health.findings().iter().map(ToString::to_string).collect::<Vec<_>>())
            }
        };
        num_placed +=
            usize::from(said.contains("checksum of the page at byte 0x") && said.contains("column `"));
    }
    assert_eq!(num_silent, [0_usize; 0], "changed values without an error");
    assert!(num_placed > 100, "{num_placed} errors with a page's place");
}

#[test]
fn files_that_are_missing_or_too_many_are_reported() {
    let options = TableOptions { layout: Layout::Objects, ..TableOptions::default() };
    let mut files = write(small(), &options).files();
    files.retain(|(path, _)| path != "Disk.parquet");
    let tables = open(files).expect("tables");
    let told = |tables: &recount_tables::ParquetTables| tables.health().findings()[0].to_string();
    assert_eq!(told(&tables), "lost: Disk.parquet: _counters.parquet lists it, but it is missing");
    assert!(tables.times().is_empty());
    let mut files = write(small(), &options).files();
    let copy = files.iter().find(|(path, _)| path == "Disk.parquet").expect("a table").1.clone();
    files.push(("Disk (copy).parquet".into(), copy.clone()));
    let tables = open(files).expect("tables");
    assert_eq!(told(&tables), "odd: skipped: Disk (copy).parquet: _counters.parquet doesn't name it");
    assert_eq!(tables.times().len(), 20);
    let alone = open(vec![("Disk.parquet".into(), copy)]).map(|_| ()).expect_err("a table of its own");
    assert_eq!(
        alone.to_string(),
        "Disk.parquet: this is a table of one object or a catalogue, not a tidy table"
    );
}

#[test]
fn nulls_without_reasons_are_no_values_of_any_sort() {
    let options = TableOptions { layout: Layout::Objects, ..TableOptions::default() };
    let mut files = write(small(), &options).files();
    files.retain(|(path, _)| path != "_nulls.parquet");
    let tables = open(files).expect("tables");
    let Decoded { cooked: read, health, .. } = tables.decode(&(0..20).collect::<Vec<_>>(), &Selection::all());
    assert!(health.is_sound(), "{health:?}");
    assert_eq!(
        read.iter().map(|c| (c.num_samples(), c.columns.len())).collect::<Vec<_>>(),
        [(1, 1), (19, 2)]
    );
}
