//! Who may read an output: the one rule, for every output of every command.
//!
//! A new file has the mode that the umask leaves. It is never more readable, nor more writable, than a file that it replaces, or
//! than any file from which it was made. A copy in another form (a packed file, a repaired log) also keeps its owner's rights.

use std::collections::BTreeSet;
use std::ffi::OsString;
use std::fs::Metadata;
use std::io;
use std::path::Path;

/// The rights that an output must not exceed. By default there are no others than those of the umask.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Access {
    /// Each once, however many files have them.
    limits: BTreeSet<Limit>,
}

/// The rights of a file.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
struct Limit {
    group: u32,
    /// Permission bits.
    mode: u32,
    /// Whether the owner's rights count, too.
    is_copy: bool,
}

/// What an archive consists of, if its name isn't that of a file: what follows its name.
const PARTS: [&str; 3] = [".meta", ".index", ".0"];
/// How parts are compressed.
const COMPRESSED: [&str; 5] = ["", ".xz", ".gz", ".bz2", ".zst"];
/// Directories of tables are not deeper.
const MAX_DEPTH: usize = 4;

impl Access {
    /// For an output made from these files, directories of files, or archives. What doesn't exist, as standard input, sets no
    /// limit.
    pub fn of(inputs: impl IntoIterator<Item = impl AsRef<Path>>) -> Access {
        let mut access = Access::default();
        for input in inputs {
            access.add(input.as_ref());
        }
        access
    }

    /// For an output that is the same file in another form.
    pub fn of_copy(original: &Path) -> Access {
        let mut access = Access::default();
        access.add_found(original, true);
        access
    }

    /// Adds a file that the output replaces, or from which it is made.
    pub fn add(&mut self, path: &Path) {
        self.add_within(path, 0);
    }

    /// With the limits of what an output would replace.
    #[must_use]
    pub(crate) fn and_replaced(&self, target: &Path) -> Access {
        let mut access = self.clone();
        if target.symlink_metadata().is_ok() {
            access.add(target);
        }
        access
    }

    /// Adds the limits of another.
    #[must_use]
    pub fn and(mut self, other: &Access) -> Access {
        self.limits.extend(&other.limits);
        self
    }

    fn add_within(&mut self, path: &Path, depth: usize) {
        if !self.add_found(path, false) {
            for part in PARTS.iter().flat_map(|part| COMPRESSED.map(|suffix| format!("{part}{suffix}"))) {
                let mut name = OsString::from(path);
                name.push(part);
                self.add_found(Path::new(&name), false);
            }
        } else if path.is_dir()
            && depth < MAX_DEPTH
            && let Ok(entries) = std::fs::read_dir(path)
        {
            for entry in entries.flatten() {
                if !entry.file_name().as_encoded_bytes().starts_with(b".") {
                    self.add_within(&entry.path(), depth + 1);
                }
            }
        }
    }

    /// Whether it exists.
    fn add_found(&mut self, path: &Path, is_copy: bool) -> bool {
        let Ok(found) = path.metadata() else { return false };
        // A terminal, a pipe or a device is nobody's capture.
        if found.is_file() || found.is_dir() {
            let (group, mode) = rights_of(&found);
            self.limits.insert(Limit { group, mode, is_copy });
        }
        true
    }

    /// Takes from a file or a directory, which was made with the umask, the rights that others don't have. If all others have
    /// one group, it gets that group, where that is allowed.
    #[cfg(unix)]
    pub fn limit(&self, path: &Path) -> io::Result<()> {
        use std::os::unix::fs::{MetadataExt, chown};

        let own = path.metadata()?;
        let mode = |group| self.mode(own.mode() & 0o777, group, own.is_dir());
        let narrow = mode(own.gid());
        if narrow != own.mode() & 0o777 {
            set_mode(path, narrow)?;
        }
        let mut groups = self.limits.iter().map(|limit| limit.group);
        let group = groups.next().filter(|group| *group != own.gid() && groups.all(|other| other == *group));
        if let Some(group) = group
            && mode(group) != narrow
            && chown(path, None, Some(group)).is_ok()
        {
            set_mode(path, mode(group))?;
        }
        Ok(())
    }

    /// Files take the access of their directory here.
    #[cfg(not(unix))]
    pub fn limit(&self, _: &Path) -> io::Result<()> {
        Ok(())
    }

    /// As [`Access::limit`], for a directory and all in it.
    pub(crate) fn limit_all(&self, path: &Path) -> io::Result<()> {
        if self.limits.is_empty() {
            return Ok(());
        }
        self.limit(path)?;
        if path.is_dir() {
            for entry in std::fs::read_dir(path)? {
                self.limit_all(&entry?.path())?;
            }
        }
        Ok(())
    }

    /// The rights that are left of those that the umask leaves, for a file or a directory of this group.
    #[cfg(unix)]
    fn mode(&self, own: u32, group: u32, is_dir: bool) -> u32 {
        let fitting = |rights: u32| match (is_dir, rights & 4) {
            (true, 0) => 0,
            (true, _) => 7,
            (false, _) => (rights & 6) | 1,
        };
        self.limits.iter().fold(own, |mode, limit| {
            let [owner, of_group, others] = [(limit.mode >> 6) & 7, (limit.mode >> 3) & 7, limit.mode & 7];
            let owner = if limit.is_copy && !is_dir { fitting(owner) } else { 7 };
            // Members of our group have the rights of others there, if it isn't the same; our others may be members of it.
            let (of_group, others) =
                if limit.group == group { (of_group, others) } else { (others, of_group & others) };
            mode & ((owner << 6) | (fitting(of_group) << 3) | fitting(others))
        })
    }
}

/// The group and the permission bits of a file or a directory.
#[cfg(unix)]
fn rights_of(found: &Metadata) -> (u32, u32) {
    use std::os::unix::fs::MetadataExt;

    (found.gid(), found.mode() & 0o777)
}

/// Files take the access of their directory here.
#[cfg(not(unix))]
fn rights_of(_: &Metadata) -> (u32, u32) {
    (0, 0o777)
}

/// Some file systems have no modes; there, all files have the access of the whole.
#[cfg(unix)]
fn set_mode(path: &Path, mode: u32) -> io::Result<()> {
    let mode = std::os::unix::fs::PermissionsExt::from_mode(mode);
    match std::fs::set_permissions(path, mode) {
        Err(error) if error.kind() == io::ErrorKind::PermissionDenied => Ok(()),
        done => done,
    }
}

#[cfg(all(test, unix))]
mod tests {
    use super::*;

    fn limit(group: u32, mode: u32) -> Limit {
        Limit { group, mode, is_copy: false }
    }

    #[test]
    fn nobody_may_read_more_than_before() {
        for (limits, own, group, mode) in [
            (vec![], 0o644, 1, 0o644),
            (vec![limit(1, 0o644)], 0o664, 1, 0o644),
            (vec![limit(1, 0o644)], 0o600, 1, 0o600),
            (vec![limit(1, 0o400)], 0o644, 1, 0o600),
            (vec![limit(1, 0o640)], 0o644, 1, 0o640),
            (vec![limit(2, 0o640)], 0o644, 1, 0o600),
            (vec![limit(2, 0o644)], 0o644, 1, 0o644),
            (vec![limit(1, 0o644), limit(1, 0o600)], 0o644, 1, 0o600),
            (vec![limit(1, 0o755)], 0o644, 1, 0o644),
            (vec![limit(1, 0o700)], 0o644, 1, 0o600),
            (vec![Limit { group: 1, mode: 0o440, is_copy: true }], 0o644, 1, 0o440),
        ] {
            let access = Access { limits: limits.into_iter().collect() };
            assert_eq!(access.mode(own, group, false), mode, "{access:?} {own:o}");
        }
        let directory = |mode| Access { limits: [limit(1, mode)].into() }.mode(0o755, 1, true);
        assert_eq!([0o600, 0o640, 0o644, 0o755].map(directory), [0o700, 0o750, 0o755, 0o755]);
    }

    #[test]
    fn inputs_are_files_directories_and_archives() {
        use std::os::unix::fs::PermissionsExt;

        let directory = tempfile::tempdir().expect("a directory");
        let modes = |name: &str| -> Vec<u32> {
            Access::of([directory.path().join(name)]).limits.iter().map(|limit| limit.mode).collect()
        };
        let put = |name: &str, mode: u32| {
            let path = directory.path().join(name);
            std::fs::write(&path, "").expect("written");
            std::fs::set_permissions(&path, std::fs::Permissions::from_mode(mode)).expect("set");
        };
        put("a", 0o640);
        put("b.0.xz", 0o600);
        std::fs::create_dir(directory.path().join("d")).expect("made");
        put("d/x", 0o604);
        assert_eq!(modes("a"), [0o640]);
        assert_eq!(modes("b"), [0o600]);
        assert!(modes("d").contains(&0o604));
        assert!(modes("none").is_empty() && modes("/dev/null").is_empty());
    }
}
