//! The cgroups of the version 2 hierarchy, found once per sample for all objects that use them.

use std::borrow::Cow;
use std::mem::MaybeUninit;
use std::ops::Range;
use std::os::fd::{AsFd, OwnedFd};
use std::os::unix::ffi::OsStrExt;
use std::path::{Path, PathBuf};

use procfs::process::Process;
use rustix::fs::{AtFlags, CWD, FileType, Mode, OFlags, RawDir, fstat, openat, statat};
use rustix::io::Errno;

/// Limits on depth and number of cgroups: far more than machines have, but a bound for hierarchies built to
/// exhaust the recorder.
const MAX_DEPTH: usize = 64;
const MAX_CGROUPS: usize = 65_536;

const LEN_ENTRIES: usize = 16 * 1024;

/// Where version 2 is mounted; `None` if it isn't.
pub(crate) fn mount_point() -> Option<PathBuf> {
    let mounts = Process::myself().and_then(|process| process.mountinfo()).ok()?;
    mounts.into_iter().find(|mount| mount.fs_type == "cgroup2").map(|mount| mount.mount_point)
}

/// The cgroups of one sample, parents before children, siblings by name.
#[derive(Debug, Default)]
pub(crate) struct Tree {
    /// Time of the sample for which it was walked, `FILETIME`.
    time_100ns: Option<i64>,
    /// All paths, concatenated.
    paths: Vec<u8>,
    cgroups: Vec<Listed>,
}

#[derive(Debug)]
struct Listed {
    path: Range<usize>,
    id: u64,
}

/// A cgroup.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) struct Cgroup<'a> {
    path: &'a [u8],
    /// Inode of the directory: a cgroup that was removed and created again has a different one.
    id: u64,
}

impl Cgroup<'_> {
    /// Name of the instance: the path as in `/proc/PID/cgroup`, `/` for the root.
    pub(super) fn name(&self) -> Cow<'_, str> {
        String::from_utf8_lossy(if self.path.is_empty() { b"/" } else { self.path })
    }

    /// Path below the mount point: empty for the root, otherwise with a slash before every name.
    pub(super) fn path(&self) -> &[u8] {
        self.path
    }

    /// Distinguishes it from another cgroup of the same name.
    pub(super) fn unique_id(&self) -> i32 {
        // The kernel numbers cgroups consecutively in the low half; −1 would mean that there is no id.
        let low = self.id as i32;
        if low == -1 { 0 } else { low }
    }
}

impl Tree {
    /// Walks the hierarchy at `mount`, unless that was already done for this sample. Cgroups that vanish
    /// meanwhile are left out. After an error nothing is listed.
    pub(super) fn walk_once(&mut self, mount: &Path, time_100ns: i64) -> Result<(), Errno> {
        if self.time_100ns == Some(time_100ns) {
            return Ok(());
        }
        self.time_100ns = None;
        self.paths.clear();
        self.cgroups.clear();
        let root = open_folder(CWD, mount.as_os_str().as_bytes())?;
        let mut entries = vec![MaybeUninit::uninit(); LEN_ENTRIES];
        let mut walk = Walk { tree: self, entries: &mut entries };
        if let Err(error) = walk.visit(&root, &mut Vec::new(), 0) {
            self.cgroups.clear();
            return Err(error);
        }
        self.time_100ns = Some(time_100ns);
        Ok(())
    }

    pub(super) fn iter(&self) -> impl Iterator<Item = Cgroup<'_>> {
        self.cgroups.iter().map(|listed| Cgroup { path: &self.paths[listed.path.clone()], id: listed.id })
    }
}

struct Walk<'w> {
    tree: &'w mut Tree,
    entries: &'w mut [MaybeUninit<u8>],
}

impl Walk<'_> {
    /// Lists an open directory and everything below it.
    fn visit(&mut self, folder: &OwnedFd, path: &mut Vec<u8>, depth: usize) -> Result<(), Errno> {
        self.list(path, fstat(folder)?.st_ino);
        let mut names = self.folders_in(folder)?;
        names.sort_unstable();
        for name in names {
            if self.tree.cgroups.len() >= MAX_CGROUPS {
                return Err(Errno::TOOBIG);
            }
            // A cgroup that no longer exists is left out, with everything below it.
            let Ok(stat) = statat(folder, &*name, AtFlags::SYMLINK_NOFOLLOW) else { continue };
            let len_before = path.len();
            path.push(b'/');
            path.extend_from_slice(&name);
            // A directory with two links has no subdirectories, so most cgroups needn't be opened.
            let below = if stat.st_nlink == 2 { None } else { open_folder(folder, &name).ok() };
            match below {
                Some(below) if depth < MAX_DEPTH => self.visit(&below, path, depth + 1)?,
                _ => self.list(path, stat.st_ino),
            }
            path.truncate(len_before);
        }
        Ok(())
    }

    fn list(&mut self, path: &[u8], id: u64) {
        let start = self.tree.paths.len();
        self.tree.paths.extend_from_slice(path);
        self.tree.cgroups.push(Listed { path: start..self.tree.paths.len(), id });
    }

    fn folders_in(&mut self, folder: &OwnedFd) -> Result<Vec<Vec<u8>>, Errno> {
        let mut names = Vec::new();
        let mut entries = RawDir::new(folder, self.entries);
        while let Some(entry) = entries.next() {
            let entry = match entry {
                Ok(entry) => entry,
                // Removed while being listed.
                Err(Errno::NOENT | Errno::NODEV) => break,
                Err(error) => return Err(error),
            };
            let name = entry.file_name().to_bytes();
            if entry.file_type() == FileType::Directory && name != b"." && name != b".." {
                names.push(name.to_vec());
            }
        }
        Ok(names)
    }
}

fn open_folder(parent: impl AsFd, name: &[u8]) -> Result<OwnedFd, Errno> {
    let flags = OFlags::RDONLY | OFlags::DIRECTORY | OFlags::CLOEXEC | OFlags::NOFOLLOW;
    openat(parent, name, flags, Mode::empty())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn walks_the_folders_by_name_and_once_per_sample() {
        let mount = tempfile::tempdir().expect("a folder");
        for path in ["b.slice/z.service", "b.slice/a.scope", "a.slice"] {
            std::fs::create_dir_all(mount.path().join(path)).expect("made");
        }
        std::fs::write(mount.path().join("cpu.stat"), "x").expect("written");
        let mut tree = Tree::default();
        tree.walk_once(mount.path(), 1).expect("readable");
        let names = |tree: &Tree| tree.iter().map(|cgroup| cgroup.name().into_owned()).collect::<Vec<_>>();
        let expected = ["/", "/a.slice", "/b.slice", "/b.slice/a.scope", "/b.slice/z.service"];
        assert_eq!(names(&tree), expected);
        std::fs::remove_dir(mount.path().join("a.slice")).expect("removed");
        tree.walk_once(mount.path(), 1).expect("readable");
        assert_eq!(names(&tree), expected);
        tree.walk_once(mount.path(), 2).expect("readable");
        assert_eq!(names(&tree).len(), 4);
        assert_eq!(tree.walk_once(&mount.path().join("none"), 3), Err(Errno::NOENT));
        assert_eq!(tree.iter().count(), 0);
    }

    #[test]
    fn every_cgroup_has_an_id() {
        let cgroup = |id| Cgroup { path: b"/x", id };
        assert_eq!(cgroup(0x7_0000_0009).unique_id(), 9);
        assert_eq!(cgroup(0xFFFF_FFFF).unique_id(), 0);
    }
}
