//! Who may read an output that is another form of an input.

use std::io;
use std::path::Path;

/// Gives a file the mode and the group of another. If it may not have that group, the group gets no rights. A directory,
/// which holds several files, is closed to those who may not read the other.
#[cfg(unix)]
pub(crate) fn copy_access(from: &Path, to: &Path) -> io::Result<()> {
    use std::fs::{Permissions, set_permissions};
    use std::os::unix::fs::{MetadataExt, PermissionsExt, chown};

    let (wanted, own) = (from.metadata()?, to.metadata()?);
    let mode = if own.is_dir() {
        let read = wanted.mode() & 0o044;
        (own.mode() & 0o700) | (own.mode() & (read | read >> 2))
    } else {
        wanted.mode() & 0o666
    };
    // Nobody else may read it before its group is set.
    set_permissions(to, Permissions::from_mode(mode & 0o707))?;
    if wanted.gid() == own.gid() || chown(to, None, Some(wanted.gid())).is_ok() {
        set_permissions(to, Permissions::from_mode(mode))?;
    }
    Ok(())
}

/// Files take the access of their directory here.
#[cfg(not(unix))]
pub(crate) fn copy_access(_: &Path, _: &Path) -> io::Result<()> {
    Ok(())
}
