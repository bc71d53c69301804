//! Bundles: tar and zip files, such as sosreports and the folders of collectors, whose members are captures. Nothing is written
//! under a member's name: a member is a part of the bundle's bytes, or decompressed into a temporary file without a name.

mod slice;
mod tar;
mod zip;

use std::io::{self, Write};
use std::path::{Path, PathBuf};
use std::sync::Arc;

use recount_model::{Content, FindingKind, Health};
use recount_pcp::{Compression, Decompressed};

pub(crate) use self::slice::slice_of;
use crate::Format;
use crate::files::spool::Spool;

/// What kind of bundle some bytes are.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Bundle {
    Tar,
    Zip,
}

/// A member that may be a capture.
pub(crate) struct Member {
    /// Its path within the bundle, with slashes.
    pub(crate) path: String,
    pub(crate) content: Arc<dyn Content>,
}

/// What a bundle has.
#[derive(Default)]
pub(crate) struct Members {
    pub(crate) captures: Vec<Member>,
    /// Bundles within it.
    pub(crate) bundles: Vec<Member>,
    /// Files of other kinds.
    pub(crate) num_others: usize,
    /// Members that were left out, and damage.
    pub(crate) notes: Health,
}

/// Bytes of a member by which it is recognised.
const LEN_LOOKED_AT: usize = 64 << 10;

/// How many times as long as a bundle its members may be: real ones compress to a twentieth. More is no bundle but an attack.
const MAX_GROWTH: u64 = 200;
/// Bytes that are always allowed.
const MIN_GROWTH: u64 = 1 << 30;

impl Bundle {
    /// Recognises a bundle by its bytes.
    pub(crate) fn recognise(bytes: &[u8]) -> Option<Bundle> {
        const ZIP: [&[u8]; 2] = [b"PK\x03\x04", b"PK\x05\x06"];
        if ZIP.iter().any(|start| bytes.starts_with(start)) {
            return Some(Bundle::Zip);
        }
        let magic = bytes.get(tar::OFS_MAGIC..)?;
        magic.starts_with(tar::MAGIC).then_some(Bundle::Tar)
    }

    /// The members of a bundle. `name` is what messages call it.
    ///
    /// # Errors
    /// The temporary file of a member can't be written.
    pub(crate) fn members(self, name: &str, content: &Arc<dyn Content>) -> io::Result<Members> {
        let mut reading = BundleReading::of(name, content);
        match self {
            Bundle::Tar => tar::read(&mut reading)?,
            Bundle::Zip => zip::read(&mut reading)?,
        }
        Ok(reading.members)
    }
}

/// Whether a path within a bundle would lead out of it.
fn leads_out(path: &str) -> bool {
    let is_absolute = path.starts_with(['/', '\\']) || path.as_bytes().get(1) == Some(&b':');
    is_absolute || path.split(['/', '\\']).any(|part| part == "..")
}

/// A bundle that is being read.
struct BundleReading<'b> {
    name: &'b str,
    content: &'b Arc<dyn Content>,
    members: Members,
    /// Bytes that members may still have when they are decompressed.
    left: u64,
}

impl<'b> BundleReading<'b> {
    fn of(name: &'b str, content: &'b Arc<dyn Content>) -> BundleReading<'b> {
        let len = content.len() as u64;
        let left = len.saturating_mul(MAX_GROWTH).max(MIN_GROWTH);
        BundleReading { name, content, members: Members::default(), left }
    }

    fn note(&mut self, kind: FindingKind, path: &str, what: &str) {
        self.members.notes.note_of(&format!("{}/{path}", self.name), kind, what);
    }

    /// Whether a member may be opened by its path. If not, it says so.
    fn is_inside(&mut self, path: &str) -> bool {
        let leads_out = leads_out(path);
        if leads_out {
            self.note(FindingKind::Dropped, path, "left out: its name leads out of the bundle");
        }
        !leads_out
    }

    /// Adds a member by its content, which may be compressed.
    fn add(&mut self, path: String, content: Arc<dyn Content>) -> io::Result<()> {
        let Some(compression) = Compression::of_content(content.head()) else {
            self.sort(path, content);
            return Ok(());
        };
        let bytes = content.bytes();
        let mut start = Start::default();
        // It stops when it has enough.
        let _ = compression.decompress(bytes, &mut start);
        if !is_wanted(&start.bytes) {
            self.members.num_others += 1;
            return Ok(());
        }
        let mut out = TemporaryFile::new(self.left)?;
        match compression.decompress(bytes, &mut out) {
            Ok(Decompressed::Whole) => {}
            Ok(Decompressed::Broken(error)) => {
                let what = format!("decompression stops before the end of the file: {error}");
                self.note(FindingKind::Damaged, &path, &what);
            }
            Ok(Decompressed::TooLong(_)) => {
                self.note(
                    FindingKind::Damaged,
                    &path,
                    "decompresses to more bytes than any real capture: cut off there",
                );
            }
            Err(_) if out.is_full => self.is_too_long(&path),
            Err(error) => return Err(error),
        }
        let plain = self.finish(out)?;
        self.sort(path, plain);
        Ok(())
    }

    fn is_too_long(&mut self, path: &str) {
        let what = "the members of the bundle are more than 200 times as long as the bundle: cut off here";
        self.note(FindingKind::Damaged, path, what);
    }

    /// The content of a temporary file that was written.
    fn finish(&mut self, out: TemporaryFile) -> io::Result<Arc<dyn Content>> {
        self.left = out.left;
        out.file.into_content()
    }

    /// Sorts a member by what it is.
    fn sort(&mut self, path: String, content: Arc<dyn Content>) {
        let bytes = content.head();
        if Bundle::recognise(bytes).is_some() {
            self.members.bundles.push(Member { path, content });
        } else if Format::recognise(bytes).is_some() {
            self.members.captures.push(Member { path, content });
        } else {
            self.members.num_others += 1;
        }
    }
}

/// Whether a member with these first bytes is decompressed.
fn is_wanted(start: &[u8]) -> bool {
    Bundle::recognise(start).is_some() || Format::recognise(start).is_some()
}

/// The first bytes of what is written to it; then it refuses more.
#[derive(Default)]
struct Start {
    bytes: Vec<u8>,
}

impl Write for Start {
    fn write(&mut self, bytes: &[u8]) -> io::Result<usize> {
        let num = bytes.len().min(LEN_LOOKED_AT - self.bytes.len());
        self.bytes.extend_from_slice(&bytes[..num]);
        Ok(num)
    }

    fn flush(&mut self) -> io::Result<()> {
        Ok(())
    }
}

/// A temporary file without a name, of limited length.
struct TemporaryFile {
    file: Spool,
    left: u64,
    /// Whether more was to be written than it may have.
    is_full: bool,
}

impl TemporaryFile {
    fn new(left: u64) -> io::Result<TemporaryFile> {
        Ok(TemporaryFile { file: Spool::new()?, left, is_full: false })
    }
}

impl Write for TemporaryFile {
    fn write(&mut self, bytes: &[u8]) -> io::Result<usize> {
        let num = usize::try_from(self.left).map_or(bytes.len(), |left| left.min(bytes.len()));
        self.is_full |= num < bytes.len();
        let written = self.file.write(&bytes[..num])?;
        self.left -= written as u64;
        Ok(written)
    }

    fn flush(&mut self) -> io::Result<()> {
        self.file.flush()
    }
}

/// The file that a capture is in: itself, or the bundle of which it is a member.
pub(crate) fn file_of(name: &str) -> PathBuf {
    let path = Path::new(name);
    if path.symlink_metadata().is_ok() {
        return path.to_path_buf();
    }
    let bundle = path.ancestors().skip(1).find(|above| above.is_file());
    bundle.unwrap_or(path).to_path_buf()
}
