//! A file of values with an index of each sample's rows.

use std::ops::Range;
use std::sync::Arc;

use parquet::errors::ParquetError;
use recount_model::{FindingKind, Health};

use super::TableInputError;
use super::interned::{Interned, NONE};
use super::parquet_input::{ColumnRequest, ParquetInput};
use super::row_index::{RowIndex, joined};
use super::rows::DecodedRows;
use super::windows::Windows;
use crate::error::said;
use crate::partition::host_in;
use crate::schema;

/// A file of values, opened.
pub(super) struct SampledFile {
    pub(super) file: ParquetInput,
    pub(super) index: RowIndex,
    /// Its number in the windows.
    pub(super) number: usize,
    pub(super) host: HostOf,
}

/// Where the host of a row is stored.
#[derive(Clone, Copy, Debug)]
pub(super) enum HostOf {
    /// In a column.
    Column(ColumnRequest),
    /// In the directory name, for all rows: the number of the name.
    Directory(u32),
}

/// Hosts of rows.
pub(super) enum Hosts {
    Same(u32),
    PerRow(Vec<u32>),
}

/// The rows of one sample among those read.
#[derive(Clone, Debug)]
pub(super) struct ReadSample {
    pub(super) sample: u32,
    pub(super) rows: Range<usize>,
}

impl HostOf {
    /// Opens a file, given its path below the input.
    pub(super) fn find(file: &ParquetInput, path: &str, names: &Interned) -> Result<HostOf, TableInputError> {
        if let Some(host) = file.optional(schema::HOST)? {
            return Ok(HostOf::Column(host));
        }
        match host_in(path) {
            Some(host) if host.is_empty() => Ok(HostOf::Directory(NONE)),
            Some(host) => Ok(HostOf::Directory(names.id(&host))),
            None => Err(file.no_column(schema::HOST.name, "text, or a directory host=NAME above the file")),
        }
    }

    /// The column to be read, if there is one.
    pub(super) fn wanted(self) -> Option<ColumnRequest> {
        match self {
            HostOf::Column(wanted) => Some(wanted),
            HostOf::Directory(_) => None,
        }
    }

    /// The hosts of the rows read; `at` is the position of the column among those read.
    pub(super) fn hosts(self, rows: &mut DecodedRows, at: usize) -> Hosts {
        match self {
            HostOf::Directory(host) => Hosts::Same(host),
            HostOf::Column(_) => {
                let hosts = rows.take_names(at);
                match hosts.first() {
                    Some(first) if hosts.iter().all(|host| host == first) => Hosts::Same(*first),
                    _ => Hosts::PerRow(hosts),
                }
            }
        }
    }
}

impl Hosts {
    pub(super) fn of(&self, row: usize) -> u32 {
        match self {
            Hosts::Same(host) => *host,
            Hosts::PerRow(hosts) => hosts[row],
        }
    }
}

/// Notes that samples of a file can't be read.
pub(super) fn leave_out(file: &str, error: &ParquetError, health: &mut Health) {
    health.note(FindingKind::Dropped, None, format!("{file}: {}: samples left out", said(error)));
}

impl SampledFile {
    /// Reads the rows of samples, in order. `None` if there are none.
    pub(super) fn read(
        &self,
        samples: &[u32],
        wanted: &Arc<[ColumnRequest]>,
        windows: &Windows,
        names: &Interned,
    ) -> Result<Option<(DecodedRows, Vec<ReadSample>)>, ParquetError> {
        let found = self.index.rows_of(samples);
        if found.is_empty() {
            return Ok(None);
        }
        let rows = windows.read(&self.file, self.number, &joined(&found), wanted, names)?;
        let mut end = 0;
        let place = |found: &super::row_index::SampleRows| {
            let start = end;
            end += (found.rows.end - found.rows.start) as usize;
            ReadSample { sample: found.sample, rows: start..end }
        };
        let places = found.iter().map(place).collect();
        Ok(Some((rows, places)))
    }
}
