//! Raw `PERF_DATA_BLOCK`s, one after the other. The dumps of one machine are one capture, unless they overlap.

use std::fmt;
use std::sync::Arc;

use recount_model::{Content, Source, Timestamp};
use recount_perf_data::{BlockItem, DataBlock, DumpSource, blocks};

use super::{BoxError, Dump, Format, NamedContent, Series};
use crate::OpenOptions;
use crate::pack::Structure;

pub(crate) static FORMAT: Format = Format {
    name: "PERF_DATA_BLOCK dump",
    plural: "PERF_DATA_BLOCK dumps",
    recognise: DumpSource::recognise,
    series: Some(Series { of: host_of, captures: one_after_the_other }),
    open,
    dump: Dump::Structure(dump),
    structure: |_| Structure::Blocks,
    hint: |_| "the first block is damaged or cut off: save the whole value that the registry gives",
};

fn host_of(bytes: &[u8]) -> Result<String, BoxError> {
    Ok(DataBlock::parse(bytes, 0)?.system_name().to_lowercase())
}

/// Sorts dumps of one machine into captures. A file goes on with the one that ended last before it begins, if no file has a block in
/// between: a restart in such a block would go unseen. What files that overlap have in common is found as for any other captures:
/// copies count once, and contradictions are kept apart.
fn one_after_the_other(files: Vec<NamedContent>) -> Vec<Vec<NamedContent>> {
    if files.len() < 2 {
        return vec![files];
    }
    let mut timed: Vec<_> =
        files.into_iter().map(|file| (DumpSource::times_of(file.1.bytes()), file)).collect();
    let mut all: Vec<Timestamp> = timed.iter().flat_map(|(times, _)| times).copied().collect();
    all.sort_unstable();
    // By name, too, so that the order in which they are given changes nothing.
    timed.sort_by(|(one, of_one), (other, of_other)| {
        (one.first(), one.last(), &of_one.0).cmp(&(other.first(), other.last(), &of_other.0))
    });
    let mut captures: Vec<(Option<Timestamp>, Vec<NamedContent>)> = Vec::new();
    for (times, file) in timed {
        let begin = times.first().copied();
        let before = captures.iter_mut().filter(|(end, _)| *end < begin).max_by_key(|(end, _)| *end);
        let next = |end: Timestamp| all.get(all.partition_point(|time| *time <= end)).copied();
        match before {
            Some((end, files)) if end.is_none_or(|end| next(end) == begin) => {
                *end = times.last().copied();
                files.push(file);
            }
            _ => captures.push((times.last().copied(), vec![file])),
        }
    }
    captures.into_iter().map(|(_, files)| files).collect()
}

fn open(files: Vec<NamedContent>, options: &OpenOptions) -> Result<Arc<dyn Source>, BoxError> {
    Ok(Arc::new(DumpSource::open(files, options.names.clone())?))
}

/// Bytes that aren't part of a block are skipped, up to the next readable block.
fn dump(content: &dyn Content, max_samples: usize, text: &mut dyn fmt::Write) -> Result<(), BoxError> {
    let mut num_shown = 0;
    for item in blocks(content.bytes()) {
        if num_shown >= max_samples {
            break;
        }
        match item {
            BlockItem::Block(block) => {
                recount_perf_data::dump(&block, text)?;
                num_shown += 1;
            }
            BlockItem::Unreadable(error) if num_shown == 0 => return Err(error.into()),
            BlockItem::Unreadable(error) => writeln!(text, "! {error}")?,
            BlockItem::Skipped { ofs, len } => {
                writeln!(text, "! {len} bytes at byte {ofs:#x} skipped to the next block")?;
            }
        }
    }
    Ok(())
}
