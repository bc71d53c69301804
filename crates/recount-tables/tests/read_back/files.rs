//! Writing tables and opening them again.

use std::path::{Path, PathBuf};
use std::sync::Arc;

use recount_model::{
    Cooked, CounterDef, CounterType, Decoded, Instance, ObjectDef, SampleTime, Selection, Source, Timestamp,
};
use recount_tables::{Footer, InputFile, Layout, ParquetTables, TableInputError, TableOptions, create};

/// 2013-02-19T23:59:58Z
pub(crate) const START: i64 = 130_057_919_980_000_000;

pub(crate) fn time(second: usize) -> SampleTime {
    SampleTime { utc: Timestamp(START + 10_000_000 * second as i64), offset_min: 0 }
}

/// A directory in which a test writes tables.
pub(crate) struct Written {
    directory: tempfile::TempDir,
    pub(crate) path: PathBuf,
}

/// Writes slices and returns the path.
pub(crate) fn write(slices: Vec<Vec<Cooked>>, options: &TableOptions) -> Written {
    let directory = tempfile::tempdir().expect("a directory");
    let is_file = options.layout == Layout::Tidy && options.partition_by.is_empty();
    let path = directory.path().join(if is_file { "out.parquet" } else { "out" });
    let mut sink = create(&path, options, &[]).expect("an output");
    for slice in slices {
        sink.write(slice).expect("written");
    }
    sink.finish(&Footer::default()).expect("finished");
    Written { directory, path }
}

impl Written {
    /// All files, by their paths below the output.
    pub(crate) fn files(&self) -> Vec<(String, Vec<u8>)> {
        if self.path.is_file() {
            return vec![("out.parquet".into(), std::fs::read(&self.path).expect("a file"))];
        }
        let mut files = Vec::new();
        collect(&self.path, &self.path, &mut files);
        files.sort();
        files
    }

    pub(crate) fn open(&self) -> ParquetTables {
        assert!(self.directory.path().exists());
        open(self.files()).expect("tables")
    }
}

/// Opens files given by path and content.
pub(crate) fn open(files: Vec<(String, Vec<u8>)>) -> Result<ParquetTables, TableInputError> {
    let file = |(path, content): (String, Vec<u8>)| InputFile {
        name: path.clone(),
        path,
        content: Arc::new(content),
    };
    ParquetTables::open(files.into_iter().map(file).collect())
}

fn collect(root: &Path, directory: &Path, files: &mut Vec<(String, Vec<u8>)>) {
    for entry in std::fs::read_dir(directory).expect("a directory") {
        let path = entry.expect("an entry").path();
        if path.is_dir() {
            collect(root, &path, files);
        } else {
            let below = path.strip_prefix(root).expect("below").display().to_string().replace('\\', "/");
            files.push((below, std::fs::read(&path).expect("a file")));
        }
    }
}

/// Reads everything, in pieces of this many samples, and checks that there are no findings.
pub(crate) fn read_all(tables: &ParquetTables, selection: &Selection, num_at_once: usize) -> Vec<Cooked> {
    assert!(tables.health().is_sound(), "{:?}", tables.health());
    let all: Vec<u32> = (0..tables.times().len() as u32).collect();
    let mut cooked = Vec::new();
    for samples in all.chunks(num_at_once) {
        let Decoded { cooked: read, health, .. } = tables.decode(samples, selection);
        assert!(health.is_sound(), "{health:?}");
        cooked.extend(read);
    }
    cooked
}

/// A counter with a type.
pub(crate) fn counter(name: &str, word: u32) -> CounterDef {
    CounterDef {
        name: name.into(),
        counter_type: Some(CounterType(word)),
        len_value: 8,
        ..CounterDef::default()
    }
}

pub(crate) fn object(name: &str, instanced: bool, counters: Vec<CounterDef>) -> Arc<ObjectDef> {
    Arc::new(ObjectDef { name: name.into(), instanced, counters, ..ObjectDef::default() })
}

pub(crate) fn named(names: &[&str]) -> Vec<Instance> {
    names.iter().map(|name| Instance::from_shown(name)).collect()
}
