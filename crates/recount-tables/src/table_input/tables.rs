//! Tables, opened: which files exist, and when their samples were taken.

use std::sync::Arc;

use rayon::prelude::*;
use recount_model::{
    Authority, CaptureInfo, Content, FindingKind, Health, ObjectDef, Opened, SampleTime, Timestamp,
};

use super::TableInputError;
use super::catalogue::{self, CatalogueObject};
use super::interned::Interned;
use super::nulls::NullsFile;
use super::object_table::ObjectTable;
use super::parquet_input::ParquetInput;
use super::row_index::RowIndex;
use super::sampled_file::{HostOf, SampledFile};
use super::tidy_file::TidyTable;
use super::times::{TimeRun, merged, read_times};
use super::windows::Windows;
use crate::Layout;
use crate::schema::{self, CATALOGUE_FILE, NULLS_FILE, UNKNOWN_ZONE, key};

/// Decoded bytes that count as one byte of a sample, so that a slice of the pipeline has about 16 MB of cells
/// and few pages are cut by slices.
const LEN_DECODED_PER_BYTE: u32 = 4;

/// A Parquet file of an input.
pub struct InputFile {
    /// Its path below the input, with `/` as the separator.
    pub path: String,
    /// Its name in messages.
    pub name: String,
    /// Its bytes.
    pub content: Arc<dyn Content>,
}

/// Tables that `recount convert` wrote, opened as an input (`formats/tables.md`).
///
/// Keeps the footers, the time of every sample, the positions of its rows (no memory per sample while their
/// number stays the same), and every name seen so far.
pub struct ParquetTables {
    pub(super) layout: LayoutTables,
    /// Decoded bytes of each sample, divided by [`LEN_DECODED_PER_BYTE`].
    pub(super) len_samples: Vec<u32>,
    pub(super) opened: Opened,
    pub(super) names: Interned,
    pub(super) windows: Windows,
}

pub(super) enum LayoutTables {
    Tidy(TidyTable),
    Objects(ObjectTables),
}

pub(super) struct ObjectTables {
    /// All objects of the catalogue, including those without rows.
    pub(super) known: Vec<Arc<ObjectDef>>,
    pub(super) tables: Vec<ObjectTable>,
    pub(super) nulls: Option<NullsFile>,
}

/// A file with its times.
struct TimedFile {
    path: String,
    file: ParquetInput,
    runs: Vec<TimeRun>,
}

impl ParquetTables {
    /// Whether a file that begins with these bytes is Parquet.
    pub fn recognise(bytes: &[u8]) -> bool {
        bytes.starts_with(b"PAR1")
    }

    /// Opens the files of one input: either a directory in the layout by objects, which has a catalogue, or
    /// one tidy table.
    pub fn open(mut files: Vec<InputFile>) -> Result<ParquetTables, TableInputError> {
        files.sort_by(|one, other| one.path.cmp(&other.path));
        let names = Interned::default();
        let opened = files
            .into_par_iter()
            .map(|InputFile { path, name, content }| Ok((path, ParquetInput::open(name, content)?)));
        let mut opened: Vec<(String, ParquetInput)> = opened.collect::<Result<_, TableInputError>>()?;
        let mut health = Health::default();
        let is_scaled = opened.iter().any(|(_, file)| file.metadata(key::SCALED) == Some("true"));
        let Some(mut info) = opened.first().map(|(_, file)| capture_info(file, is_scaled)) else {
            return Err(TableInputError::NoFiles);
        };
        let catalogue =
            opened.iter().position(|(path, _)| path == CATALOGUE_FILE).map(|at| opened.remove(at).1);
        let objects = catalogue.map(|file| catalogue::read(&file, &names)).transpose()?;
        // An object may have a counter of that name.
        info.has_texts &= objects.is_none();
        match &objects {
            Some(objects) => keep_named(&mut opened, objects, &mut health),
            None => opened.iter().try_for_each(|(_, file)| check_tidy(file))?,
        }
        let timed = opened.into_par_iter().map(|(path, file)| {
            let runs = read_times(&file)?;
            Ok(TimedFile { path, file, runs })
        });
        let timed: Vec<TimedFile> = timed.collect::<Result<_, TableInputError>>()?;
        // The entries of `_nulls` belong to rows of values.
        let with_values = timed.iter().filter(|file| objects.is_none() || file.path != NULLS_FILE);
        let times = merged(with_values.map(|file| file.runs.as_slice()));
        if u32::try_from(times.len()).is_err() {
            return Err(TableInputError::TooManySamples(times.len()));
        }
        let windows = Windows::new(timed.len());
        let layout = match objects {
            None => LayoutTables::Tidy(tidy(timed, &times, &names)?),
            Some(objects) => LayoutTables::Objects(object_tables(&objects, timed, &times, &names)?),
        };
        let mut len_samples = vec![0; times.len()];
        match &layout {
            LayoutTables::Tidy(table) => table.add_lengths(&mut len_samples),
            LayoutTables::Objects(objects) => {
                objects.tables.iter().for_each(|table| table.add_lengths(&mut len_samples));
            }
        }
        for len in &mut len_samples {
            *len = (*len / LEN_DECODED_PER_BYTE).max(1);
        }
        let times = times.into_iter().map(|utc| SampleTime { utc, offset_min: 0 }).collect();
        Ok(ParquetTables { layout, len_samples, opened: Opened { info, health, times }, names, windows })
    }
}

/// Fails for a file that can't be read without others.
fn check_tidy(file: &ParquetInput) -> Result<(), TableInputError> {
    if file.metadata(key::LAYOUT).is_some_and(|layout| layout != Layout::Tidy.name()) {
        return Err(TableInputError::OneOfSeveral { file: file.name.clone() });
    }
    Ok(())
}

/// Ignores files that aren't in the catalogue, and reports those in the catalogue that are missing.
fn keep_named(files: &mut Vec<(String, ParquetInput)>, objects: &[CatalogueObject], health: &mut Health) {
    let of_tables: Vec<&Arc<str>> = objects.iter().filter_map(|object| object.file.as_ref()).collect();
    files.retain(|(path, file)| {
        let is_named = path == NULLS_FILE || of_tables.iter().any(|named| is_of(path, named));
        if !is_named {
            let what = format!("skipped: {}: {CATALOGUE_FILE} doesn't name it", file.name);
            health.note(FindingKind::Odd, None, what);
        }
        is_named
    });
    for named in of_tables {
        if !files.iter().any(|(path, _)| is_of(path, named)) {
            let what = format!("{named}: {CATALOGUE_FILE} lists it, but it is missing");
            health.note(FindingKind::Lost, None, what);
        }
    }
}

/// Whether a file is a table's file, or in its directory.
fn is_of(path: &str, named: &str) -> bool {
    path == named || named.ends_with('/') && path.starts_with(named)
}

fn tidy(timed: Vec<TimedFile>, times: &[Timestamp], names: &Interned) -> Result<TidyTable, TableInputError> {
    let mut table = TidyTable::new();
    for (number, file) in timed.into_iter().enumerate() {
        table.add(sampled(file, number, times, names)?)?;
    }
    Ok(table)
}

fn object_tables(
    objects: &[CatalogueObject],
    timed: Vec<TimedFile>,
    times: &[Timestamp],
    names: &Interned,
) -> Result<ObjectTables, TableInputError> {
    let new = |object: &CatalogueObject| ObjectTable::new(object, names.id(&object.object.name));
    let mut tables: Vec<ObjectTable> = objects.iter().map(new).collect();
    let mut nulls = None;
    for (number, timed) in timed.into_iter().enumerate() {
        if timed.path == NULLS_FILE {
            let index = RowIndex::new(&timed.runs, times);
            nulls = Some(NullsFile::new(timed.file, index, number)?);
            continue;
        }
        let is_of =
            |object: &CatalogueObject| object.file.as_ref().is_some_and(|file| is_of(&timed.path, file));
        if let Some(at) = objects.iter().position(is_of) {
            tables[at].add(&objects[at], sampled(timed, number, times, names)?)?;
        }
    }
    Ok(ObjectTables {
        known: objects.iter().map(|object| Arc::clone(&object.object)).collect(),
        tables,
        nulls,
    })
}

fn sampled(
    timed: TimedFile,
    number: usize,
    times: &[Timestamp],
    names: &Interned,
) -> Result<SampledFile, TableInputError> {
    let TimedFile { path, file, runs } = timed;
    Ok(SampledFile {
        host: HostOf::find(&file, &path, names)?,
        index: RowIndex::new(&runs, times),
        number,
        file,
    })
}

/// The footer's facts about the capture from which the tables were made.
fn capture_info(file: &ParquetInput, is_scaled: bool) -> CaptureInfo {
    let text = |key: &str| file.metadata(key).filter(|text| !text.is_empty());
    let layout = text(key::LAYOUT).unwrap_or(Layout::Tidy.name());
    let hosts = text(key::HOST).map(|hosts| hosts.split("; ").map(Into::into).collect());
    let detail = |(name, key): (&str, &str)| Some((name.to_owned(), text(key)?.to_owned()));
    let details = [
        ("made of", key::SOURCE),
        ("format of that", key::FORMAT),
        ("zone of that", key::ZONE),
        ("made by recount", key::VERSION),
    ];
    let mut details: Vec<(String, String)> = details.into_iter().filter_map(detail).collect();
    if is_scaled {
        details.push(("values".into(), "multiplied by their default scales".into()));
    }
    CaptureInfo {
        format: format!("Parquet tables ({layout})"),
        hosts: hosts.unwrap_or_default(),
        os: text(key::OS).map(str::to_owned),
        is_zone_unknown: text(key::ZONE) == Some(UNKNOWN_ZONE),
        is_cooked: true,
        authority: Authority::Table,
        is_scaled,
        has_texts: file.has(schema::TEXT.name),
        details,
        ..CaptureInfo::default()
    }
}
