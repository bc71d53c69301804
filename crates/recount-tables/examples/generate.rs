//! Writes generated tables, to try them in other people's readers and to measure encoding.
//!
//! `cargo run --release -p recount-tables --example generate -- DIR SAMPLES`

use std::path::Path;
use std::sync::Arc;
use std::time::Instant;

use recount_compute::{Cooked, CookedColumn};
use recount_model::{CounterDef, CounterType, Instance, ObjectDef, SampleTime, Status, Timestamp};
use recount_tables::{FileFormat, Footer, Layout, PartitionKey, TableOptions, create};

const NUM_COUNTERS: usize = 20;
const NUM_INSTANCES: usize = 50;

fn object(name: &str) -> Arc<ObjectDef> {
    let counter = |at: usize| CounterDef {
        name: format!("Counter {at}/sec").into(),
        index: None,
        help: None,
        counter_type: Some(CounterType(0x1041_0400)),
        default_scale: 0,
        detail_level: None,
        len_value: 8,
        time_base: None,
        ..CounterDef::default()
    };
    let counters = (0..NUM_COUNTERS).map(counter).collect();
    Arc::new(ObjectDef {
        name: name.into(),
        index: None,
        help: None,
        instanced: true,
        counters,
        ..ObjectDef::default()
    })
}

/// A third of the counters stay constant, a third take few values, a third take any.
fn value(counter: usize, seed: u64) -> f64 {
    let random = seed.wrapping_mul(0x9E37_79B9_7F4A_7C15) >> 11;
    match counter % 3 {
        0 => 0.0,
        1 => (random % 50) as f64 / 0.999_871,
        _ => random as f64 / 1e9,
    }
}

fn stretch(host: &str, object: &Arc<ObjectDef>, from: usize, num_samples: usize) -> Cooked {
    let instances: Vec<Instance> = (0..NUM_INSTANCES).map(|at| Instance::named(format!("i{at}"))).collect();
    let num_cells = num_samples * NUM_INSTANCES;
    let columns = (0..NUM_COUNTERS).map(|counter| CookedColumn {
        counter,
        values: (0..num_cells)
            .map(|cell| value(counter, (from * NUM_INSTANCES + cell + counter * 7919) as u64))
            .collect(),
        status: (from == 0).then(|| {
            (0..num_cells)
                .map(|cell| if cell < NUM_INSTANCES { Status::FirstSample } else { Status::Ok })
                .collect()
        }),
        covers: None,
        texts: None,
    });
    let time = |sample: usize| SampleTime {
        utc: Timestamp(130_058_000_000_000_000 + (from + sample) as i64 * 10_000_000),
        offset_min: 0,
    };
    Cooked {
        host: host.into(),
        object: Arc::clone(object),
        columns: columns.collect(),
        times: (0..num_samples).map(time).collect(),
        gaps: Vec::new(),
        first_s: Vec::new(),
        interval_s: (0..num_samples).map(|sample| (from + sample > 0).then_some(1.0)).collect(),
        continued: vec![from > 0; NUM_INSTANCES],
        instances: instances.into(),
        raw: None,
    }
}

fn main() -> Result<(), Box<dyn std::error::Error>> {
    let mut arguments = std::env::args().skip(1);
    let directory = arguments.next().ok_or("name a directory")?;
    let num_samples: usize = arguments.next().ok_or("give a number of samples")?.parse()?;
    let objects: Vec<_> = ["Process", "Thread", ".NET CLR Memory"].map(object).into();
    let slice = |from: usize, num: usize| -> Vec<Cooked> {
        let hosts = ["web1", "web/2"];
        hosts.iter().flat_map(|host| objects.iter().map(|object| stretch(host, object, from, num))).collect()
    };
    let partition_by = vec![PartitionKey::Host, PartitionKey::Date];
    for (name, layout, format, partition_by, zstd_level) in [
        ("tidy.parquet", Layout::Tidy, FileFormat::Parquet, vec![], 1),
        ("tidy.arrow", Layout::Tidy, FileFormat::ArrowIpc, vec![], 1),
        ("tidy-parts", Layout::Tidy, FileFormat::Parquet, partition_by.clone(), 1),
        ("objects", Layout::Objects, FileFormat::Parquet, vec![], 1),
        ("objects-3", Layout::Objects, FileFormat::Parquet, vec![], 3),
        ("objects-arrow", Layout::Objects, FileFormat::ArrowIpc, vec![], 1),
        ("objects-parts", Layout::Objects, FileFormat::Parquet, partition_by, 1),
    ] {
        let options =
            TableOptions { layout, format, partition_by, zstd_level, force: true, ..TableOptions::default() };
        for num_threads in [1, 2] {
            let pool = rayon::ThreadPoolBuilder::new().num_threads(num_threads).build()?;
            let mut sink = create(&Path::new(&directory).join(name), &options, &[])?;
            let mut spent = std::time::Duration::ZERO;
            for from in (0..num_samples).step_by(500) {
                let slice = slice(from, 500.min(num_samples - from));
                let start = Instant::now();
                pool.install(|| sink.write(slice))?;
                spent += start.elapsed();
            }
            let start = Instant::now();
            let written = pool.install(|| sink.finish(&Footer::default()))?;
            spent += start.elapsed();
            let num_cells = num_samples * objects.len() * 2 * NUM_COUNTERS * NUM_INSTANCES;
            #[expect(clippy::print_stdout, reason = "what this is for")]
            {
                println!(
                    "{name}: {num_threads} threads, {} rows, {} bytes, {:.2} s, {:.1} million cells/s",
                    written.num_rows,
                    written.len_bytes,
                    spent.as_secs_f64(),
                    num_cells as f64 / spent.as_secs_f64() / 1e6,
                );
            }
        }
    }
    Ok(())
}
