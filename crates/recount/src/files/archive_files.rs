//! Files as found on disk: possibly compressed, and several per PCP archive.

use std::io::{self, Write};
use std::path::{Path, PathBuf};
use std::sync::Arc;

use recount_model::{Content, FindingKind, Health};
use recount_pcp::{ArchiveFiles, Compression, Decompressed, PcpError, find_archive, lone_volume};

use crate::files::content::open_content;
use crate::files::spool::Spool;
use crate::formats::{NamedContent, PCP_ARCHIVE};
use crate::{Format, OpenError};

/// Opens a file by its path: its bytes, decompressed if necessary.
pub(crate) type OpenPlain<'a> = &'a dyn Fn(&Path, &mut Health) -> io::Result<Arc<dyn Content>>;

/// What files with the names of an archive's are, by their contents.
pub(crate) enum Opened {
    /// An archive: its files, as far as they can be decompressed.
    Archive(Vec<NamedContent>),
    /// The volumes are those of an archive, but `.meta` can't be read.
    NoMeta(OpenError),
    /// No archive.
    Other,
}

/// Opens the files of an archive. `.meta` comes first; its name alone proves nothing.
pub(crate) fn open_archive(
    archive: &ArchiveFiles,
    plain: OpenPlain<'_>,
    notes: &mut Health,
) -> Result<Opened, OpenError> {
    let mut found = Health::default();
    let mut open = |path: &PathBuf| {
        let name = path.display().to_string();
        match plain(path, &mut found) {
            Ok(content) => Ok((name, content)),
            Err(source) => Err(OpenError::Io { name, source }),
        }
    };
    let Some((meta, volumes)) = archive.files.split_first() else { return Ok(Opened::Other) };
    let meta = open(meta)?;
    if !PCP_ARCHIVE.recognises(meta.1.bytes()) {
        let error = bad_meta(&meta, volumes, plain);
        return Ok(error.map_or(Opened::Other, Opened::NoMeta));
    }
    let files: Result<Vec<NamedContent>, OpenError> =
        std::iter::once(Ok(meta)).chain(volumes.iter().map(open)).collect();
    notes.absorb(found);
    files.map(Opened::Archive)
}

/// What is wrong with a `.meta` that isn't recognised; `None` if it is something else.
fn bad_meta((name, content): &NamedContent, volumes: &[PathBuf], plain: OpenPlain<'_>) -> Option<OpenError> {
    let bytes = content.bytes();
    if Format::recognise(bytes).is_some() || !volumes.iter().any(|volume| is_part(volume, plain)) {
        return None;
    }
    let label = recount_pcp::label_error(bytes).filter(|_| !bytes.is_empty());
    let unknown = || OpenError::unknown(name, bytes);
    Some(label.map_or_else(unknown, |error| OpenError::format(name, &PCP_ARCHIVE, error.into())))
}

/// Whether the content of a file is that of an archive's file.
fn is_part(path: &Path, plain: OpenPlain<'_>) -> bool {
    plain(path, &mut Health::default()).is_ok_and(|content| PCP_ARCHIVE.recognises(content.bytes()))
}

/// The error for the base name of an archive that has volumes, but no `.meta`.
pub(crate) fn without_meta(path: &Path) -> io::Result<Option<OpenError>> {
    let error = no_meta(path)?;
    Ok(error.map(|error| OpenError::format(&path.display().to_string(), &PCP_ARCHIVE, error.into())))
}

/// The same without the path.
pub(crate) fn no_meta(path: &Path) -> io::Result<Option<PcpError>> {
    let volume = lone_volume(path)?.filter(|volume| is_part(volume, &open_plain));
    Ok(volume.map(|_| PcpError::NoMeta { base: path.display().to_string() }))
}

/// Whether a path is the base name of an archive or one of its files, and the content is an archive's, even if its
/// `.meta` can't be read.
pub(crate) fn is_archive(path: &Path) -> io::Result<bool> {
    let Some(archive) = find_archive(path)? else { return Ok(false) };
    let Some((meta, volumes)) = archive.files.split_first() else { return Ok(false) };
    let meta = (String::new(), open_plain(meta, &mut Health::default())?);
    Ok(PCP_ARCHIVE.recognises(meta.1.bytes()) || bad_meta(&meta, volumes, &open_plain).is_some())
}

/// The bytes of a file, decompressed if necessary.
pub(crate) fn open_plain(path: &Path, notes: &mut Health) -> io::Result<Arc<dyn Content>> {
    plain_content(path, open_content(path)?, notes)
}

/// Content, decompressed if its first bytes or its name say that it is compressed.
pub(crate) fn plain_content(
    path: &Path,
    content: Arc<dyn Content>,
    notes: &mut Health,
) -> io::Result<Arc<dyn Content>> {
    let Some(compression) = compression(path, content.head()) else { return Ok(content) };
    if compression == Compression::Compress {
        let file = path.display();
        let what =
            format!("{file} is compressed by `compress`, which isn't read: `gunzip {file}` decompresses it");
        return Err(io::Error::new(io::ErrorKind::Unsupported, what));
    }
    let mut out = Spool::new()?;
    let decompressed = compression.decompress(content.bytes(), &mut out)?;
    out.flush()?;
    let plain = out.into_content()?;
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
    notes.note_of(&path.display().to_string(), FindingKind::Damaged, what);
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
