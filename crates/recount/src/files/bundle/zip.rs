//! zip files.

use std::io::{self, BufReader, Read};
use std::sync::Arc;

use recount_model::FindingKind;
use zip::read::ZipFile;
use zip::{CompressionMethod, ZipArchive};

use super::slice::{Walk, slice_of};
use super::{BundleReading, LEN_LOOKED_AT, TemporaryFile, is_wanted};

type Bytes = BufReader<Walk>;

pub(super) fn read(reading: &mut BundleReading<'_>) -> io::Result<()> {
    let content = Arc::clone(reading.content);
    let name = reading.name;
    let damaged = |reading: &mut BundleReading<'_>, what: String| {
        reading.members.notes.note_of(name, FindingKind::Damaged, what);
    };
    let mut archive = match ZipArchive::new(BufReader::new(Walk::of(&content))) {
        Ok(archive) => archive,
        Err(error) => {
            damaged(reading, format!("the directory of the zip file can't be read: {error}"));
            return Ok(());
        }
    };
    let mut len_compressed = 0_u64;
    for index in 0..archive.len() {
        let entry = match archive.by_index_raw(index) {
            Ok(entry) => entry,
            Err(error) => {
                damaged(reading, format!("member {index} of the zip file can't be read: {error}"));
                continue;
            }
        };
        let path = entry.name().map_or_else(
            |_| String::from_utf8_lossy(entry.name_raw()).into_owned(),
            std::borrow::Cow::into_owned,
        );
        len_compressed = len_compressed.saturating_add(entry.compressed_size());
        if len_compressed > content.len() as u64 {
            let what = "its members overlap, which no program writes: what follows isn't read";
            reading.note(FindingKind::Dropped, &path, what);
            return Ok(());
        }
        if !entry.is_file() || !reading.is_inside(&path) {
            continue;
        }
        if entry.encrypted() {
            reading.note(
                FindingKind::Dropped,
                &path,
                "left out: it is encrypted; unpack it with its password",
            );
            continue;
        }
        let stored = (entry.compression() == CompressionMethod::Stored).then(|| entry.data_start()).flatten();
        if let Some(ofs) = stored {
            let end = ofs.saturating_add(entry.compressed_size());
            drop(entry);
            reading.add(path, slice_of(&content, ofs..end)?)?;
            continue;
        }
        drop(entry);
        deflated(reading, &mut archive, index, path)?;
    }
    Ok(())
}

/// Adds a compressed member, if it is one that is wanted.
fn deflated(
    reading: &mut BundleReading<'_>,
    archive: &mut ZipArchive<Bytes>,
    index: usize,
    path: String,
) -> io::Result<()> {
    let mut start = Vec::new();
    let looked = |entry: ZipFile<'_, Bytes>| entry.take(LEN_LOOKED_AT as u64).read_to_end(&mut start);
    if let Err(error) = archive.by_index(index).map_err(io::Error::from).and_then(looked) {
        reading.note(FindingKind::Dropped, &path, &format!("left out: {error}"));
        return Ok(());
    }
    let is_compressed = recount_pcp::Compression::of_content(&start).is_some();
    if !is_compressed && !is_wanted(&start) {
        reading.members.num_others += 1;
        return Ok(());
    }
    let mut out = TemporaryFile::new(reading.left)?;
    let mut entry = archive.by_index(index).map_err(io::Error::from)?;
    if let Err(error) = copy(&mut entry, &mut out)? {
        reading.note(
            FindingKind::Damaged,
            &path,
            &format!("decompression stops before the end of the file: {error}"),
        );
    } else if out.is_full {
        reading.is_too_long(&path);
    }
    drop(entry);
    let plain = reading.finish(out)?;
    reading.add(path, plain)
}

/// Copies until the output is full. The inner error is one of reading, the outer one of writing.
fn copy(input: &mut impl Read, out: &mut TemporaryFile) -> io::Result<io::Result<()>> {
    use std::io::Write;

    let mut buffer = vec![0; 64 << 10];
    loop {
        let num = match input.read(&mut buffer) {
            Ok(0) => return Ok(Ok(())),
            Ok(num) => num,
            Err(error) if error.kind() == io::ErrorKind::Interrupted => continue,
            Err(error) => return Ok(Err(error)),
        };
        match out.write_all(&buffer[..num]) {
            Err(_) if out.is_full => return Ok(Ok(())),
            written => written?,
        }
    }
}
