//! Writing a log.

use std::fs::File;
use std::io::{BufWriter, Seek, Write};
use std::path::Path;

use anyhow::{Context, Result};
use recount_blg::{BlgWriter, RecordBuf};
use recount_model::{NameTable, Timestamp};

use crate::log_header::{BIAS_MIN, header};
use crate::machine::Machine;
use crate::record_list;
use crate::record_objects::ObjectRecords;

/// Counts up when the same parameters no longer give the same bytes.
pub const GENERATOR_VERSION: u32 = 1;

/// Name of the machine in the log.
const HOST: &str = "WEB1";

/// How samples are stored.
#[derive(Clone, Copy, Debug, PartialEq, Eq, clap::ValueEnum)]
pub enum Flavour {
    /// Whole objects.
    Objects,
    /// A counter list.
    List,
}

/// Which log.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Parameters {
    /// How samples are stored.
    pub flavour: Flavour,
    /// Minimum bytes of the file; it ends with the first sample beyond them.
    pub len_file: u64,
    /// Start of the random numbers.
    pub seed: u64,
}

/// What was written.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Generated {
    /// Samples.
    pub num_samples: u64,
    /// Bytes of the file.
    pub len_file: u64,
}

/// Writes a log of one sample per second to `path`. Memory doesn't depend on its length.
pub fn generate(path: &Path, parameters: Parameters) -> Result<Generated> {
    let file = File::create(path).with_context(|| format!("create {}", path.display()))?;
    let out = BufWriter::with_capacity(1 << 20, file);
    generate_to(out, parameters).with_context(|| format!("write {}", path.display()))
}

/// Writes a log to anything.
pub fn generate_to<W: Write + Seek>(out: W, parameters: Parameters) -> Result<Generated> {
    let mut machine = Machine::new(parameters.seed);
    let start = Timestamp(machine.time_100ns);
    let mut writer = BlgWriter::new(out, header(start), parameters.seed_as_guid())?;
    writer.name_table(local(start), &format!(r"\\{HOST}"), &machine.names())?;
    let mut objects = ObjectRecords::new(&machine, HOST);
    let entries = match parameters.flavour {
        Flavour::Objects => ObjectRecords::entries(&machine, HOST),
        Flavour::List => record_list::entries(&machine, HOST),
    };
    writer.counter_list(local(start), &entries)?;
    let (mut num_samples, mut len_records) = (0, 0);
    while len_records < parameters.len_file {
        machine.step();
        let records = match parameters.flavour {
            Flavour::Objects => objects.records(&machine)?,
            Flavour::List => record_list::records(&machine),
        };
        len_records += records.iter().map(len_of).sum::<u64>();
        writer.data_block(local(Timestamp(machine.time_100ns)), &records)?;
        num_samples += 1;
    }
    let mut out = writer.finish(Timestamp(machine.time_100ns))?;
    Ok(Generated { num_samples, len_file: out.stream_position()? })
}

/// The blocks of a log of whole objects, sample by sample without end, and the names in them: the contents of
/// the log with this seed, without the container.
pub fn sample_blocks(seed: u64) -> (NameTable, impl Iterator<Item = Result<SampleBlocks>>) {
    let mut machine = Machine::new(seed);
    let mut objects = ObjectRecords::new(&machine, HOST);
    let mut names = NameTable::new();
    for (index, name) in machine.names() {
        names.insert(index, &name);
    }
    let samples = std::iter::from_fn(move || {
        machine.step();
        let blocks = objects.records(&machine).map(|records| {
            let blocks = records.into_iter().filter_map(|record| match record {
                RecordBuf::Object(block) => Some(block),
                _ => None,
            });
            SampleBlocks { time: Timestamp(machine.time_100ns), blocks: blocks.collect() }
        });
        Some(blocks)
    });
    (names, samples)
}

/// One sample: a `PERF_DATA_BLOCK` per object.
#[derive(Clone, Debug)]
pub struct SampleBlocks {
    /// When it was taken.
    pub time: Timestamp,
    /// The blocks, always in the same order of objects.
    pub blocks: Vec<Vec<u8>>,
}

/// Event stamps are local, in whole milliseconds.
fn local(time: Timestamp) -> Timestamp {
    let local = time.plus_minutes(-i64::from(BIAS_MIN));
    Timestamp(local.0 - local.0.rem_euclid(10_000))
}

/// Bytes of a record, its head included; as good as exact.
fn len_of(record: &RecordBuf) -> u64 {
    match record {
        RecordBuf::Single { .. } => 48,
        RecordBuf::Object(block) => 8 + block.len() as u64,
        RecordBuf::Instances { values, .. } => {
            let names = values.iter().map(|value| (2 * value.name.len() + 2).next_multiple_of(8));
            (32 + 24 * values.len() + names.sum::<usize>()) as u64
        }
    }
}

impl Parameters {
    fn seed_as_guid(self) -> [u8; 16] {
        let mut guid = *b"recount's log id";
        guid[8..].copy_from_slice(&self.seed.to_le_bytes());
        guid
    }
}
