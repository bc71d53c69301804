//! The rows as a batch.

use std::sync::Arc;

use arrow_array::{
    ArrayRef, Float64Array, RecordBatch, StringArray, TimestampNanosecondArray, UInt32Array, UInt64Array,
};
use recount_model::Timestamp;

use super::read::Processes;
use super::row::ProcessRow;
use crate::TableError;
use crate::schema::{PROCESSES, schema};

/// The rows as a table ([`PROCESSES`]): the processes, and what has no name.
pub fn processes_batch(found: &Processes) -> Result<RecordBatch, TableError> {
    let rows = || found.rows.iter().chain(&found.not_attributed);
    let text = |of: &dyn Fn(&ProcessRow) -> Option<String>| -> ArrayRef {
        Arc::new(rows().map(of).collect::<StringArray>())
    };
    let real = |of: &dyn Fn(&ProcessRow) -> Option<f64>| -> ArrayRef {
        Arc::new(rows().map(of).collect::<Float64Array>())
    };
    let large = |of: &dyn Fn(&ProcessRow) -> Option<u64>| -> ArrayRef {
        Arc::new(rows().map(of).collect::<UInt64Array>())
    };
    let number = |of: &dyn Fn(&ProcessRow) -> Option<u32>| -> ArrayRef {
        Arc::new(rows().map(of).collect::<UInt32Array>())
    };
    let time = |of: &dyn Fn(&ProcessRow) -> Option<Timestamp>| -> ArrayRef {
        let nanos = rows().map(|row| of(row).and_then(Timestamp::unix_nanos));
        Arc::new(nanos.collect::<TimestampNanosecondArray>().with_timezone("UTC"))
    };
    let described = |of: &dyn Fn(&recount_model::ProcessDescription) -> Option<Arc<str>>| {
        text(&|row| row.description.as_ref().and_then(of).map(|text| text.to_string()))
    };
    let columns = vec![
        text(&|row| (!row.host.is_empty()).then(|| row.host.to_string())),
        large(&|row| row.pid),
        time(&|row| row.start),
        time(&|row| row.end),
        time(&|row| Some(row.seen.0)),
        time(&|row| Some(row.seen.1)),
        text(&|row| Some(row.name.to_string())),
        text(&|row| Some(row.shown())),
        large(&|row| row.parent),
        described(&|one| one.executable.clone()),
        text(&|row| row.description.as_ref().and_then(|one| command(&one.command, one.is_command_cut))),
        number(&ProcessRow::user_id),
        text(&ProcessRow::user),
        text(&|row| row.unit().map(str::to_owned)),
        text(&ProcessRow::container),
        text(&|row| row.container_name().map(str::to_owned)),
        text(&|row| row.cgroup().map(str::to_owned)),
        number(&|row| row.description.as_ref().and_then(|one| one.session)),
        described(&|one| one.scheduling_class.clone()),
        real(&|row| row.cpu_s[0]),
        real(&|row| row.cpu_s[1]),
        real(&|row| row.cpu_s[2]),
        real(&|row| row.bytes[0]),
        real(&|row| row.bytes[1]),
        real(&|row| row.bytes[2]),
        real(&|row| row.bytes[3]),
        real(&|row| row.peak_memory),
        number(&|row| row.exit_status),
        large(&|row| Some(row.count)),
    ];
    RecordBatch::try_new(schema(&PROCESSES), columns).map_err(TableError::arrow("processes"))
}

/// The words of a command line, as a shell would take them.
fn command(words: &[Arc<str>], is_cut: bool) -> Option<String> {
    let is_plain = |word: &str| {
        !word.is_empty() && word.chars().all(|c| c.is_alphanumeric() || "-_./:=,+@%^".contains(c))
    };
    let quoted = |word: &Arc<str>| {
        if is_plain(word) { word.to_string() } else { format!("'{}'", word.replace('\'', r"'\''")) }
    };
    let text = words.iter().map(quoted).collect::<Vec<_>>().join(" ");
    let end = if is_cut { " …" } else { "" };
    (!words.is_empty()).then(|| text + end)
}
