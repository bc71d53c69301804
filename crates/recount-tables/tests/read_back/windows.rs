//! Many small slices of a small table next to a large one: each row is decoded about once, and correctly.

use recount_model::{Cooked, CookedColumn, Decoded, Instance, Selection, Source};
use recount_tables::{Layout, TableOptions};

use super::files::{counter, object, time, write};

const NUM_SAMPLES: usize = 30_000;

fn series(name: &str, from: usize, num_samples: usize) -> Cooked {
    let object = object(name, false, vec![counter("N", 0x10000), counter("M", 0x10000)]);
    let values = |factor: usize| (from..from + num_samples).map(|at| (at * factor) as f64).collect();
    let column = |counter, factor| CookedColumn {
        counter,
        values: values(factor),
        status: None,
        covers: None,
        texts: None,
    };
    Cooked {
        host: "WEB1".into(),
        object,
        columns: vec![column(0, 1), column(1, 3)],
        gaps: Vec::new(),
        first_s: Vec::new(),
        interval_s: vec![Some(1.0); num_samples],
        times: (from..from + num_samples).map(time).collect(),
        continued: vec![true],
        instances: [Instance::unnamed()].into(),
        raw: None,
    }
}

#[test]
fn slices_of_any_length_give_the_same_rows() {
    let slices = (0..NUM_SAMPLES / 1000).map(|at| vec![series("Small", 1000 * at, 1000)]).collect();
    let options = TableOptions { layout: Layout::Objects, row_group_rows: 7_777, ..TableOptions::default() };
    let tables = write(slices, &options).open();
    for num_at_once in [1, 17, 4_000, NUM_SAMPLES] {
        let starts = (0..NUM_SAMPLES).step_by(num_at_once.max(331));
        for start in starts {
            let samples: Vec<u32> =
                (start..(start + num_at_once).min(NUM_SAMPLES)).map(|at| at as u32).collect();
            let Decoded { cooked: read, health, .. } = tables.decode(&samples, &Selection::all());
            assert!(health.is_sound(), "{health:?}");
            assert_eq!(read.len(), 1);
            assert_eq!(read[0].times, samples.iter().map(|at| time(*at as usize)).collect::<Vec<_>>());
            let expected: Vec<f64> = samples.iter().map(|at| f64::from(*at * 3)).collect();
            assert_eq!(read[0].columns[1].values, expected);
        }
    }
}
