//! Which mounted file systems have space of their own worth watching.

use procfs::FromBufRead as _;
use procfs::process::{MountInfo, MountInfos};

use super::escapes::unescape;

/// File systems that keep files on a local disk. Querying other kinds may block on an unreachable machine
/// (NFS, CIFS, FUSE) or is meaningless (proc, tmpfs, squashfs).
const LOCAL: &[&str] = &[
    "apfs", "bcachefs", "btrfs", "exfat", "ext2", "ext3", "ext4", "f2fs", "hfs", "hfsplus", "jffs2", "jfs",
    "msdos", "nilfs2", "ntfs", "ntfs3", "ocfs2", "overlay", "reiserfs", "ubifs", "udf", "ufs", "vfat", "xfs",
    "zfs",
];

/// Other file systems that a path can lead through without blocking.
const PASSABLE: &[&str] = &[
    "cgroup",
    "cgroup2",
    "configfs",
    "debugfs",
    "devpts",
    "devtmpfs",
    "erofs",
    "hugetlbfs",
    "iso9660",
    "mqueue",
    "proc",
    "ramfs",
    "rootfs",
    "squashfs",
    "sysfs",
    "tmpfs",
    "tracefs",
];

/// The mount points, one per file system, from `/proc/self/mountinfo`.
///
/// Of several mounts of one file system (bind mounts), the first that shows its root counts, or otherwise the
/// first. A mount that is hidden by another, or whose path leads through a file system that may block, is
/// left out.
pub(super) fn local_mounts(text: &str) -> Result<Vec<String>, procfs::ProcError> {
    let MountInfos(mounts) = MountInfos::from_buf_read(text.as_bytes())?;
    let mut chosen: Vec<&MountInfo> = Vec::new();
    for mount in
        mounts.iter().filter(|mount| LOCAL.contains(&&*mount.fs_type) && is_reachable(mount, &mounts))
    {
        match chosen.iter_mut().find(|known| known.majmin == mount.majmin) {
            Some(known) if known.root != "/" && mount.root == "/" => *known = mount,
            Some(_) => {}
            None => chosen.push(mount),
        }
    }
    Ok(chosen.into_iter().map(|mount| unescape(&mount.mount_point.to_string_lossy())).collect())
}

/// Whether the path of a mount leads to it without crossing anything that may block.
fn is_reachable(mount: &MountInfo, mounts: &[MountInfo]) -> bool {
    let is_hidden = mounts.iter().rev().find(|other| other.mount_point == mount.mount_point);
    if is_hidden.is_some_and(|last| last.mnt_id != mount.mnt_id) {
        return false;
    }
    // Up to the root, whose parent is not in the list; the count protects against cycles.
    let mut at = mount;
    for _ in 0..mounts.len() {
        if !LOCAL.contains(&&*at.fs_type) && !PASSABLE.contains(&&*at.fs_type) {
            return false;
        }
        match mounts.iter().find(|other| other.mnt_id == at.pid && other.mnt_id != at.mnt_id) {
            Some(parent) => at = parent,
            None => return true,
        }
    }
    false
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn real_file_systems_are_chosen_once() {
        let text = "22 27 0:21 / /proc rw,relatime - proc proc rw\n\
                    27 1 254:0 / / rw,relatime - ext4 /dev/vda rw,discard\n\
                    28 27 0:25 / /tmp rw - tmpfs tmpfs rw\n\
                    30 27 254:1 /sub /bind rw - xfs /dev/vdb1 rw\n\
                    31 28 254:1 / /tmp/my\\040disk rw shared:1 - xfs /dev/vdb1 rw\n\
                    32 27 0:30 / /net rw - nfs4 server:/ rw\n\
                    33 32 254:2 / /net/below rw - ext4 /dev/vdc rw\n\
                    34 27 254:3 / /twice rw - ext4 /dev/vdd rw\n\
                    35 34 254:4 / /twice rw - vfat /dev/vde rw\n\
                    36 27 254:0 /home /home rw - ext4 /dev/vda rw\n";
        assert_eq!(local_mounts(text).expect("sound"), ["/", "/tmp/my disk", "/twice"]);
        assert!(local_mounts("22 27 nonsense\n").is_err());
    }
}
