//! The source, which makes one query per sample.

use std::time::{Duration, SystemTime};

use recount_model::{Facts, NameTable, Timestamp};
use recount_perf_data::{DataBlock, Header};

use super::facts::read_facts;
use super::languages::read_tables;
use super::objects::{COSTLY, GLOBAL, Objects, Query, Wanted, indexes_in, may_want_costly};
use super::read::ValueReader;
use super::registry::{Key, Machine};
use crate::{TakeError, Taken};

/// Performance objects of the system `S`.
#[derive(Debug)]
pub struct QuerySource<S> {
    pub(super) system: S,
    tables: Vec<(String, NameTable)>,
    host: String,
    query: Query,
    reader: ValueReader,
    bytes: Vec<u8>,
    /// The length of the block, which begins `bytes`.
    len_block: usize,
}

impl<S: Machine> QuerySource<S> {
    /// Finds the available objects and decides what to query.
    ///
    /// `wanted` is called with an object's name, in English and in the system's language, and with whether it is on by
    /// default.
    pub fn new(mut system: S, wanted: Wanted<'_>) -> Result<QuerySource<S>, TakeError> {
        let tables = read_tables(&mut system);
        let mut reader = ValueReader::new();
        let mut bytes = Vec::new();
        let (host, global) = look_for(&mut system, &mut reader, GLOBAL, &mut bytes)?;
        let costly = if may_want_costly(&tables, &global, wanted) {
            // Samba has no such value.
            look_for(&mut system, &mut reader, COSTLY, &mut bytes).map(|(_, found)| found).unwrap_or_default()
        } else {
            Vec::new()
        };
        let objects = Objects { global, costly, tables: &tables };
        let query = objects.query(wanted).ok_or_else(|| nothing_wanted(&objects))?;
        Ok(QuerySource { system, tables, host, query, reader, bytes, len_block: 0 })
    }

    /// Facts about the machine, as far as they are available.
    pub fn facts(&mut self) -> Facts {
        read_facts(&mut self.system, &self.host, SystemTime::now())
    }

    /// Names and help texts, by language.
    pub fn texts(&self) -> Vec<(String, NameTable)> {
        self.tables.clone()
    }

    /// Makes the query; its answer is then in [`QuerySource::block`].
    pub fn take(&mut self) -> Result<Option<Taken>, TakeError> {
        self.len_block = 0;
        read_block(&mut self.system, &mut self.reader, &self.query.value, &mut self.bytes)?;
        let block = DataBlock::parse(&self.bytes, 0)?;
        let time = time_of(block.header()).ok_or_else(without_time)?;
        let (num_unreadable, first_unreadable) = self.unreadable(&block);
        self.len_block = block.bytes().len();
        Ok(Some(Taken { time, num_unreadable, first_unreadable }))
    }

    /// The block of the last sample.
    pub fn block(&self) -> &[u8] {
        self.bytes.get(..self.len_block).unwrap_or_default()
    }

    /// The system, for functions that its trait doesn't have.
    pub fn system_mut(&mut self) -> &mut S {
        &mut self.system
    }

    /// Problems in the block: requested objects that are missing, and mistakes by providers.
    fn unreadable(&self, block: &DataBlock<'_>) -> (u64, Option<String>) {
        let (found, error) = indexes_in(block);
        let missing: Vec<u32> =
            self.query.named.iter().copied().filter(|index| !found.contains(index)).collect();
        let first_missing = missing.first().map(|&index| match self.tables.first() {
            Some((_, table)) => format!("object {}: not in the block", table.name(index)),
            None => format!("object {index}: not in the block"),
        });
        let num_unreadable = missing.len() as u64 + u64::from(error.is_some());
        (num_unreadable, error.map(|error| error.to_string()).or(first_missing))
    }
}

/// Samba answers with nothing while its values are being written.
fn read_block(
    system: &mut impl Machine,
    reader: &mut ValueReader,
    query: &str,
    bytes: &mut Vec<u8>,
) -> Result<(), TakeError> {
    const NUM_ATTEMPTS: usize = 5;
    const WAIT: Duration = Duration::from_millis(20);
    for _ in 1..NUM_ATTEMPTS {
        reader.read(system, Key::PerformanceData, query, bytes)?;
        if !bytes.is_empty() {
            return Ok(());
        }
        std::thread::sleep(WAIT);
    }
    reader.read(system, Key::PerformanceData, query, bytes).map(drop)
}

/// When a block was made. `PerfTime100nSec` is 0 on systems that don't support it.
fn time_of(header: &Header) -> Option<Timestamp> {
    if header.perf_time_100ns == 0 {
        header.system_time.as_utc()
    } else {
        Some(Timestamp(header.perf_time_100ns))
    }
}

fn without_time() -> TakeError {
    let what = "the block has neither a PerfTime100nSec nor a valid SystemTime".to_owned();
    TakeError::System { function: "RegQueryValueExW", what }
}

/// The name of the machine, and the indexes of the objects that a query returns.
fn look_for(
    system: &mut impl Machine,
    reader: &mut ValueReader,
    query: &str,
    bytes: &mut Vec<u8>,
) -> Result<(String, Vec<u32>), TakeError> {
    read_block(system, reader, query, bytes)?;
    let block = DataBlock::parse(bytes, 0)?;
    // Problems in the block are reported with each sample.
    let (indexes, _) = indexes_in(&block);
    Ok((block.system_name().trim_start_matches('\\').to_owned(), indexes))
}

fn nothing_wanted(objects: &Objects<'_>) -> TakeError {
    let what = match objects.names() {
        names if names.is_empty() => "this machine has no performance objects".to_owned(),
        names => format!("no object of this machine is wanted; there are: {names}"),
    };
    TakeError::System { function: "HKEY_PERFORMANCE_DATA", what }
}
