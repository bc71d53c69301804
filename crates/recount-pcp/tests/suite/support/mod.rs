//! Opens archives for the tests.
#![allow(dead_code, unreachable_pub, reason = "each test binary uses its part")]

pub mod counted;

use std::collections::BTreeMap;
use std::convert::Infallible;
use std::path::{Path, PathBuf};
use std::sync::Arc;

use recount_compute::{Cooked, Input, PipelineOptions, run};
use recount_model::{Content, Selection, Source, Status};
use recount_pcp::{Archive, ArchiveFiles, PartName, PcpError, find_archive};
use recount_testdata::shared_path;

/// An archive of the shared data, by its path there.
pub fn open(name: &str) -> Archive {
    let directory = shared_path("pcp");
    let path = directory.join(name);
    try_open(&path).unwrap_or_else(|error| panic!("{name}: {error}"))
}

pub fn try_open(path: &Path) -> Result<Archive, PcpError> {
    let ArchiveFiles { files, .. } = find_archive(path).expect("a readable directory").expect("an archive");
    Archive::open(files.iter().map(plain).collect())
}

/// A file, decompressed.
pub fn plain(path: &PathBuf) -> (String, Arc<dyn Content>) {
    let name = path.file_name().expect("a name").to_string_lossy().into_owned();
    let mut bytes = std::fs::read(path).expect("a file");
    if let Some(compression) = PartName::of(&name).expect("a part").compression {
        let mut out = Vec::new();
        compression.decompress(&bytes, &mut out).expect("memory takes it");
        bytes = out;
    }
    (name, Arc::new(bytes))
}

/// All cooked values of an archive, epoch by epoch, in slices of a given length.
pub fn cook(source: &Arc<dyn Source>, len_slice: usize, selection: &Selection) -> Vec<Cooked> {
    let mut epochs: BTreeMap<u32, Vec<u32>> = BTreeMap::new();
    for sample in 0..source.times().len() {
        epochs.entry(source.epoch(sample)).or_default().push(sample as u32);
    }
    let input = |samples| Input::new(Arc::clone(source), samples);
    let inputs: Vec<Input> = epochs.into_values().map(input).collect();
    let mut options = PipelineOptions { len_slice, ..PipelineOptions::default() };
    options.cook.selection = selection.clone();
    let mut all = Vec::new();
    let done = run(&inputs, &options, |cooked, _| {
        all.extend(cooked);
        Ok::<(), Infallible>(())
    });
    done.expect("nothing refuses");
    all
}

/// A value, or why there is none: time in nanoseconds since 1970, object, counter, instance.
pub type Cells = BTreeMap<(i64, String, String, String), Result<f64, Status>>;

pub fn cells(cooked: &[Cooked]) -> Cells {
    let mut cells = Cells::new();
    for cooked in cooked {
        for column in &cooked.columns {
            let counter = &cooked.object.counters[column.counter];
            for cell in 0..cooked.num_cells() {
                let instance = &cooked.instances[cell % cooked.instances.len()];
                if !column.covers(cell % cooked.instances.len()) {
                    continue;
                }
                let time = cooked.times[cell / cooked.instances.len()].utc.unix_nanos().expect("a time");
                let key = (time, cooked.object.name.to_string(), counter.name.to_string(), instance.shown());
                cells.insert(key, column.value_at(cell).ok_or(column.status_at(cell)));
            }
        }
    }
    cells
}
