//! Files as found on disk: possibly compressed, and several per PCP archive.

use std::io::{self, BufWriter, Write};
use std::path::{Path, PathBuf};
use std::sync::Arc;

use recount_model::{Content, FindingKind, Health};
use recount_pcp::{ArchiveFiles, Compression, Decompressed, find_archive};

use crate::Format;
use crate::content::{map_file, open_content};
use crate::formats::{NamedContent, PCP_ARCHIVE};

/// Opens the files of an archive, as far as they can be decompressed; `None` if the content isn't that of an archive.
/// `.meta` comes first; its name alone proves nothing.
pub(crate) fn open_archive(
    archive: &ArchiveFiles,
    notes: &mut Health,
) -> io::Result<Option<Vec<NamedContent>>> {
    let mut found = Health::default();
    let mut open = |path: &PathBuf| Ok((path.display().to_string(), open_plain(path, &mut found)?));
    let Some((meta, volumes)) = archive.files.split_first() else { return Ok(None) };
    let meta: NamedContent = open(meta)?;
    if !PCP_ARCHIVE.recognises(meta.1.bytes()) {
        return Ok(None);
    }
    let files: io::Result<Vec<NamedContent>> =
        std::iter::once(Ok(meta)).chain(volumes.iter().map(open)).collect();
    notes.absorb(found);
    files.map(Some)
}

/// Whether a path is the base name of an archive or one of its files, and the content is an archive's.
pub(crate) fn is_archive(path: &Path) -> io::Result<bool> {
    let Some(archive) = find_archive(path)? else { return Ok(false) };
    let Some(meta) = archive.files.first() else { return Ok(false) };
    Ok(PCP_ARCHIVE.recognises(open_plain(meta, &mut Health::default())?.bytes()))
}

/// The bytes of a file, decompressed if necessary: then in a temporary file, since they may be larger than memory.
pub(crate) fn open_plain(path: &Path, notes: &mut Health) -> io::Result<Arc<dyn Content>> {
    let content = open_content(path)?;
    let Some(compression) = compression(path, content.bytes()) else { return Ok(content) };
    if compression == Compression::Compress {
        let file = path.display();
        let what =
            format!("{file} is compressed by `compress`, which isn't read: `gunzip {file}` decompresses it");
        return Err(io::Error::new(io::ErrorKind::Unsupported, what));
    }
    let mut out = BufWriter::with_capacity(1 << 20, tempfile::tempfile()?);
    let decompressed = compression.decompress(content.bytes(), &mut out)?;
    out.flush()?;
    let plain = map_file(&out.into_inner().map_err(io::IntoInnerError::into_error)?)?;
    let what = match decompressed {
        Decompressed::Whole => return Ok(plain),
        Decompressed::Broken(error) if plain.bytes().is_empty() => {
            let what = format!("nothing of the compressed file can be read: {error}");
            return Err(io::Error::new(io::ErrorKind::InvalidData, what));
        }
        Decompressed::Broken(error) => format!(
            "decompression stops before the end of the file, after {} bytes of content: {error}",
            plain.bytes().len()
        ),
        Decompressed::TooLong(max) => {
            format!("decompresses to more than {max} bytes, more than any real capture: cut off there")
        }
    };
    notes.note(FindingKind::Damaged, None, format!("{}: {what}", path.display()));
    Ok(plain)
}

/// How a file is compressed, judged by its content, or by its name if the first bytes aren't conclusive.
fn compression(path: &Path, bytes: &[u8]) -> Option<Compression> {
    let by_name = || {
        let name = path.file_name()?.to_str()?;
        Compression::of_name(name).filter(|_| Format::recognise(bytes).is_none())
    };
    Compression::of_content(bytes).or_else(by_name)
}
