//! The tables of a directory that `recount convert` wrote.

use std::path::{Path, PathBuf};

use polars::prelude::{
    Column, DataFrame, DataType, HiveOptions, IntoLazy, LazyFrame, PlRefPath, ScanArgsParquet, TimeUnit,
    TimeZone,
};

use super::QueryError;
use super::names::{Resolved, TableName, resolve};

const COUNTERS: &str = "_counters.parquet";
const NULLS: &str = "_nulls.parquet";

/// A directory in the layout by objects.
#[derive(Clone, Debug)]
pub struct TableDirectory {
    path: PathBuf,
    /// Objects, each with its file or, with partitions, its directory.
    objects: Vec<(String, PathBuf)>,
}

/// A table.
pub(super) struct Table {
    path: PathBuf,
    is_nulls: bool,
}

impl TableDirectory {
    /// Whether a directory looks like one.
    pub fn recognise(path: &Path) -> bool {
        path.join(COUNTERS).is_file()
    }

    /// Reads the catalogue of a directory.
    pub fn open(path: &Path) -> Result<TableDirectory, QueryError> {
        let failed = |what: String| QueryError::Directory { path: path.into(), what };
        let catalogue = scan(&path.join(COUNTERS)).and_then(LazyFrame::collect);
        let catalogue = catalogue.map_err(|error| failed(format!("{COUNTERS} can't be read: {error}")))?;
        let texts = |name: &str| -> Result<Vec<Option<String>>, QueryError> {
            let column = catalogue.column(name).and_then(|column| column.cast(&DataType::String));
            let column = column.map_err(|_| failed(format!("{COUNTERS} has no column {name:?}")))?;
            let texts = column.str().map_err(|error| failed(error.to_string()))?;
            Ok(texts.iter().map(|text| text.map(str::to_owned)).collect())
        };
        let mut objects: Vec<(String, PathBuf)> = Vec::new();
        for (object, file) in texts("object")?.into_iter().zip(texts("file")?) {
            let (Some(object), Some(file)) = (object, file) else { continue };
            if objects.iter().any(|(known, _)| *known == object) {
                continue;
            }
            // A catalogue is foreign input: what it names stays within the directory.
            let relative = Path::new(&file);
            if relative.components().count() != 1 || relative.is_absolute() || file.starts_with("..") {
                return Err(failed(format!("{COUNTERS} names the file {file:?} outside of the directory")));
            }
            objects.push((object, path.join(relative)));
        }
        Ok(TableDirectory { path: path.into(), objects })
    }

    /// The names of all tables.
    pub fn names(&self) -> Vec<String> {
        let objects = self.objects.iter().map(|(name, _)| name.clone());
        objects.chain(["counters".to_owned(), "nulls".to_owned()]).collect()
    }

    pub(super) fn table(&self, name: &str) -> Option<Table> {
        let objects = self.objects.iter().map(|(name, _)| name.as_str());
        let Resolved::Table(table) = resolve(name, objects) else { return None };
        let file = match &table {
            TableName::Counters => self.path.join(COUNTERS),
            TableName::Nulls => self.path.join(NULLS),
            TableName::Object(object) => self.objects.iter().find(|(name, _)| name == object)?.1.clone(),
        };
        Some(Table { path: file, is_nulls: table == TableName::Nulls })
    }
}

impl Table {
    pub(super) fn frame(&self) -> Result<LazyFrame, QueryError> {
        if self.is_nulls && !self.path.exists() {
            return Ok(no_nulls().lazy());
        }
        scan(&self.path).map_err(|error| QueryError::of_table(&self.path.display().to_string(), &error))
    }
}

fn scan(path: &Path) -> polars::prelude::PolarsResult<LazyFrame> {
    let is_partitioned = path.is_dir();
    let arguments = ScanArgsParquet {
        // Names of objects may hold what is a wildcard to others.
        glob: is_partitioned,
        hive_options: HiveOptions { enabled: Some(is_partitioned), ..HiveOptions::default() },
        ..ScanArgsParquet::default()
    };
    LazyFrame::scan_parquet(PlRefPath::try_from_path(path)?, arguments)
}

/// A capture without missing values has no such file, but the table is there.
fn no_nulls() -> DataFrame {
    let time =
        Column::new_empty("time".into(), &DataType::Datetime(TimeUnit::Nanoseconds, Some(TimeZone::UTC)));
    let texts = ["host", "object", "instance", "counter", "status"];
    let texts = texts.map(|name| Column::new_empty(name.into(), &DataType::String));
    DataFrame::new_infer_height([time].into_iter().chain(texts).collect()).unwrap_or_default()
}
