//! Raw `PERF_DATA_BLOCK`s, one after the other. The dumps of one machine are one capture, unless they overlap.

use std::collections::BTreeMap;
use std::fmt;
use std::path::{Path, PathBuf};
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
    is_head: None,
    open,
    dump: Dump::Structure(dump),
    structure: |_| Structure::Blocks,
    hint: |_| "the first block is damaged or cut off: save the whole value that the registry gives",
};

fn host_of(bytes: &[u8]) -> Result<String, BoxError> {
    Ok(DataBlock::parse(bytes, 0)?.system_name().to_lowercase())
}

/// Sorts dumps of one machine into captures. Files that follow each other are one, however many there are; if some overlap, those of
/// one folder. A file that overlaps another of its folder is a capture of its own: copies, contradictions and gaps that one fills are
/// found as for any other captures.
fn one_after_the_other(files: Vec<NamedContent>) -> Vec<Vec<NamedContent>> {
    let captures = without_overlaps(files);
    if captures.len() < 2 {
        return captures;
    }
    let mut folders: BTreeMap<Option<PathBuf>, Vec<NamedContent>> = BTreeMap::new();
    for file in captures.into_iter().flatten() {
        let folder = Path::new(&file.0).parent().map(Path::to_path_buf);
        folders.entry(folder).or_default().push(file);
    }
    folders.into_values().flat_map(without_overlaps).collect()
}

/// Files that follow each other together, and each of the others alone.
fn without_overlaps(files: Vec<NamedContent>) -> Vec<Vec<NamedContent>> {
    if files.len() < 2 {
        return vec![files];
    }
    let mut timed: Vec<(Option<(Timestamp, Timestamp)>, NamedContent)> =
        files.into_iter().map(|file| (DumpSource::span_of(file.1.bytes()), file)).collect();
    // By name, too, so that the order in which they are given changes nothing.
    timed.sort_by(|(one, of_one), (other, of_other)| (one, &of_one.0).cmp(&(other, &of_other.0)));
    let begins: Vec<_> = timed.iter().map(|(span, _)| span.map(|(begin, _)| begin)).collect();
    let mut captures: Vec<Vec<NamedContent>> = Vec::new();
    // The last time in the files before, and whether another may follow the last of them.
    let (mut end, mut is_open) = (None, false);
    for (at, (span, file)) in timed.into_iter().enumerate() {
        let overlaps_next = begins.get(at + 1).is_some_and(|next| *next <= span.map(|(_, end)| end));
        let is_alone = span.is_some_and(|(begin, _)| end < Some(begin)) && !overlaps_next;
        match captures.last_mut().filter(|_| is_alone && is_open) {
            Some(capture) => capture.push(file),
            None => captures.push(vec![file]),
        }
        is_open = is_alone;
        end = end.max(span.map(|(_, end)| end));
    }
    captures
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
