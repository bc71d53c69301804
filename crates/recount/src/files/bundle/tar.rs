//! tar files.

use std::cell::Cell;
use std::io::{self, Read, Seek, SeekFrom};
use std::rc::Rc;
use std::sync::Arc;

use recount_model::FindingKind;
use tar::EntryType;

use super::BundleReading;
use super::slice::{Walk, slice_of};

/// Where a header has the word by which tar files are recognised (POSIX.1-1988, `ustar`).
pub(super) const OFS_MAGIC: usize = 257;
pub(super) const MAGIC: &[u8] = b"ustar";

/// Bytes that may be read between two members: headers, and long names.
const MAX_LEN_HEADERS: u64 = 1 << 20;

/// The bytes of headers. Contents are skipped, not read.
struct Headers {
    bytes: Walk,
    /// Bytes that may still be read before the next member.
    left: Rc<Cell<u64>>,
}

impl Read for Headers {
    fn read(&mut self, buffer: &mut [u8]) -> io::Result<usize> {
        let num = self.bytes.read(buffer)?;
        let left = self.left.get().checked_sub(num as u64);
        self.left.set(left.ok_or_else(|| io::Error::other("a name of more than a megabyte"))?);
        Ok(num)
    }
}

impl Seek for Headers {
    fn seek(&mut self, to: SeekFrom) -> io::Result<u64> {
        self.bytes.seek(to)
    }
}

pub(super) fn read(reading: &mut BundleReading<'_>) -> io::Result<()> {
    let content = Arc::clone(reading.content);
    let left = Rc::new(Cell::new(MAX_LEN_HEADERS));
    let headers = Headers { bytes: Walk::of(&content), left: Rc::clone(&left) };
    let mut archive = tar::Archive::new(headers);
    let entries = archive.entries_with_seek()?;
    for entry in entries {
        left.set(MAX_LEN_HEADERS);
        let entry = match entry {
            Ok(entry) => entry,
            Err(error) => {
                let what = format!("the tar file is damaged, and what follows in it isn't read: {error}");
                reading.members.notes.note_of(reading.name, FindingKind::Damaged, what);
                return Ok(());
            }
        };
        let path = String::from_utf8_lossy(&entry.path_bytes()).into_owned();
        let path = path.strip_prefix("./").unwrap_or(&path).to_owned();
        match entry.header().entry_type() {
            EntryType::Regular | EntryType::Continuous => {}
            EntryType::GNUSparse => {
                reading.note(
                    FindingKind::Dropped,
                    &path,
                    "left out: a sparse file; unpack the bundle with tar",
                );
                continue;
            }
            _ => continue,
        }
        if !reading.is_inside(&path) {
            continue;
        }
        let ofs = entry.raw_file_position();
        let end = ofs.saturating_add(entry.size());
        if end > content.len() as u64 {
            reading.note(FindingKind::Damaged, &path, "the tar file ends within it");
        }
        reading.add(path, slice_of(&content, ofs..end)?)?;
    }
    Ok(())
}
