//! The bytes of an input: a file mapped into memory, or data read from a pipe.

use std::fs::{File, Metadata};
use std::io::{self, Read};
use std::ops::Range;
use std::path::Path;
use std::sync::Arc;

use memmap2::Mmap;
use recount_capture::ReadAt;
use recount_model::Content;

#[cfg(unix)]
use crate::files::lost_pages::Watch;

/// The path that means standard input or output.
pub(crate) const STDIO: &str = "-";

/// Opens a file for reading: an ordinary file is mapped, a pipe is read to its end.
pub(crate) fn open_content(path: &Path) -> io::Result<Arc<dyn Content>> {
    if path.as_os_str() == STDIO {
        return read_whole(io::stdin().lock());
    }
    let file = File::open(path)?;
    let metadata = file.metadata()?;
    if metadata.is_file() {
        return map_file(&file);
    }
    if is_device(&metadata) {
        // Some of these never end.
        return Err(io::Error::new(io::ErrorKind::InvalidInput, "this is a device, not a file or a pipe"));
    }
    read_whole(file)
}

#[cfg(unix)]
fn is_device(metadata: &Metadata) -> bool {
    use std::os::unix::fs::FileTypeExt;

    let kind = metadata.file_type();
    kind.is_char_device() || kind.is_block_device()
}

#[cfg(not(unix))]
fn is_device(_metadata: &Metadata) -> bool {
    false
}

/// The bytes of an ordinary file, mapped.
pub(crate) fn map_file(file: &File) -> io::Result<Arc<dyn Content>> {
    if file.metadata()?.len() == 0 {
        // An empty file can't be mapped.
        return Ok(Arc::new(Vec::new()));
    }
    Mapped::of(file)
}

/// A content as an input that is read in pieces.
pub(crate) struct Pieces(pub(crate) Arc<dyn Content>);

impl ReadAt for Pieces {
    fn len(&self) -> io::Result<u64> {
        Ok(self.0.len() as u64)
    }

    fn read_at(&self, ofs: u64, out: &mut [u8]) -> io::Result<usize> {
        let len = self.0.len();
        let start = usize::try_from(ofs).map_or(len, |ofs| ofs.min(len));
        let part = self.0.part(start..len.min(start.saturating_add(out.len())));
        let Some(place) = out.get_mut(..part.len()).filter(|_| !self.0.is_lost()) else {
            return Err(io::Error::other("a part of the file can't be read"));
        };
        place.copy_from_slice(&part);
        Ok(part.len())
    }
}

fn read_whole(mut input: impl Read) -> io::Result<Arc<dyn Content>> {
    let mut bytes = Vec::new();
    input.read_to_end(&mut bytes)?;
    Ok(Arc::new(bytes))
}

struct Mapped {
    /// Dropped before the map is.
    #[cfg(unix)]
    watch: Watch,
    /// Not of the later of very many files: a process has few open ones.
    file: Option<File>,
    map: Mmap,
}

/// How many mapped files stay open.
#[cfg(unix)]
const MAX_OPEN: usize = 256;

impl Mapped {
    /// A file mapped and watched; read instead if that can't be.
    fn of(file: &File) -> io::Result<Arc<dyn Content>> {
        let map = map(file)?;
        #[cfg(unix)]
        let Some(watch) = Watch::of(&map) else {
            let mut input = file;
            io::Seek::rewind(&mut input)?;
            return read_whole(input);
        };
        #[cfg(unix)]
        let stays_open = watch.number() < MAX_OPEN;
        #[cfg(not(unix))]
        let stays_open = false;
        let file = if stays_open { file.try_clone().ok() } else { None };
        Ok(Arc::new(Mapped {
            #[cfg(unix)]
            watch,
            file,
            map,
        }))
    }

    /// Whether the file ends before the map does. What is behind the end of the last page has no fault, it is zeros.
    fn is_cut(&self) -> bool {
        let metadata = self.file.as_ref().and_then(|file| file.metadata().ok());
        metadata.is_some_and(|metadata| metadata.len() < self.map.len() as u64)
    }
}

impl Content for Mapped {
    fn bytes(&self) -> &[u8] {
        &self.map
    }

    fn is_lost(&self) -> bool {
        #[cfg(unix)]
        let has_fault = self.watch.is_lost();
        #[cfg(not(unix))]
        let has_fault = false;
        has_fault || self.is_cut()
    }

    fn may_be_lost(&self) -> bool {
        true
    }

    fn release(&self, range: Range<usize>) {
        drop_pages(&self.map, range);
    }
}

#[expect(unsafe_code, reason = "mapping a file is unsafe: another process may change it under us")]
fn map(file: &File) -> io::Result<Mmap> {
    // SAFETY: the map is only read. If the file is truncated by another process while it is mapped, its lost pages become
    // zeros (`lost_pages`), and what was read is not used (`guarded`).
    unsafe { Mmap::map(file) }
}

/// Releases the pages of a range, so that a capture larger than memory needn't be resident. They come back from the
/// file when they are next read.
#[cfg(unix)]
#[expect(unsafe_code, reason = "MADV_DONTNEED discards changes, of which a read-only map has none")]
fn drop_pages(map: &Mmap, range: Range<usize>) {
    use memmap2::UncheckedAdvice;

    // Rounded outwards, or the edges of all ranges would add up. A neighbouring page that is still in use is reread. 64
    // KiB covers every page size, and the pages that the system maps around a page that is touched.
    const PAGE: usize = 64 << 10;
    let start = range.start / PAGE * PAGE;
    let end = range.end.next_multiple_of(PAGE).min(map.len());
    if start < end {
        // SAFETY: the map is read-only and backed by a file, so discarded pages read the same afterwards. A failure
        // only means that the pages stay.
        let _ = unsafe { map.unchecked_advise_range(UncheckedAdvice::DontNeed, start, end - start) };
    }
}

#[cfg(not(unix))]
fn drop_pages(_map: &Mmap, _range: Range<usize>) {}
