//! The files of a PCP archive, decompressed where they are compressed.

use std::io::{self, BufWriter, Write};
use std::path::Path;
use std::sync::Arc;

use recount_model::{Content, FindingKind, Health};
use recount_pcp::{ArchiveFiles, Decompressed, PartName, find_archive};

use crate::content::{STDIO, map_file, open_content};
use crate::formats::{NamedContent, PCP_ARCHIVE};

/// The archive that a path names, by its base name or one of its files; `None` if it names none.
pub(crate) fn archive_at(path: &Path) -> io::Result<Option<ArchiveFiles>> {
    if path.as_os_str() == STDIO {
        return Ok(None);
    }
    let Some(archive) = find_archive(path)? else { return Ok(None) };
    // `.meta` stands first, and its name alone says nothing.
    let Some(meta) = archive.files.first() else { return Ok(None) };
    let content = open_plain(meta, &mut Health::default())?;
    Ok(PCP_ARCHIVE.recognises(content.bytes()).then_some(archive))
}

/// Opens the files of an archive, as far as they can be decompressed.
pub(crate) fn open_archive(archive: &ArchiveFiles, notes: &mut Health) -> io::Result<Vec<NamedContent>> {
    let open = |path: &std::path::PathBuf| Ok((path.display().to_string(), open_plain(path, notes)?));
    archive.files.iter().map(open).collect()
}

/// The bytes of a file, or what its compressed bytes stand for: in a temporary file, since they may be larger than
/// memory.
pub(crate) fn open_plain(path: &Path, notes: &mut Health) -> io::Result<Arc<dyn Content>> {
    let content = open_content(path)?;
    let name = path.file_name().and_then(|name| name.to_str()).unwrap_or_default();
    let Some(compression) = PartName::of(name).and_then(|part| part.compression) else { return Ok(content) };
    let mut out = BufWriter::with_capacity(1 << 20, tempfile::tempfile()?);
    let what = match compression.decompress(content.bytes(), &mut out)? {
        Decompressed::Whole => None,
        Decompressed::Broken(error) => {
            Some(format!("decompression stops before the end of the file: {error}"))
        }
        Decompressed::TooLong(max) => {
            Some(format!("decompresses to more than {max} bytes, more than any real archive: cut off there"))
        }
    };
    if let Some(what) = what {
        notes.note(FindingKind::Damaged, None, format!("{}: {what}", path.display()));
    }
    out.flush()?;
    map_file(&out.into_inner().map_err(io::IntoInnerError::into_error)?)
}
