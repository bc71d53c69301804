//! The lock for changing a log. Readers don't use it. A recorder has it from the beginning to the end of its log, except on
//! Windows.

#[cfg(not(windows))]
use std::fs::{File, TryLockError};
use std::io;
use std::path::Path;
use std::time::{Duration, Instant};

/// Held while marks are appended to a log, or while it is repaired. The system releases it when the process ends.
#[derive(Debug)]
pub(super) struct LogLock {
    #[cfg(not(windows))]
    _log: File,
    #[cfg(windows)]
    _beside: std::fs::File,
}

/// Who adds marks or repairs a log is soon done.
pub(super) const SOON: Duration = Duration::from_secs(30);

impl LogLock {
    /// Waits until it is free, or until a time has passed.
    pub(super) fn acquire(log: &Path, within: Duration) -> io::Result<LogLock> {
        const BETWEEN_ATTEMPTS: Duration = Duration::from_millis(5);

        let began = Instant::now();
        loop {
            if let Some(lock) = LogLock::try_acquire(log)? {
                return Ok(lock);
            }
            if began.elapsed() > within {
                return Err(io::Error::new(io::ErrorKind::TimedOut, "another process is changing it"));
            }
            std::thread::sleep(BETWEEN_ATTEMPTS);
        }
    }
}

/// Whether a recorder, or another process that changes it, has a log. Always false on Windows.
pub fn is_locked(log: &Path) -> bool {
    #[cfg(not(windows))]
    return File::open(log).is_ok_and(|file| matches!(file.try_lock_shared(), Err(TryLockError::WouldBlock)));
    #[cfg(windows)]
    return {
        let _ = log;
        false
    };
}

#[cfg(not(windows))]
impl LogLock {
    /// As [`LogLock::acquire`], without waiting. `None`: it is taken.
    pub(super) fn try_acquire(log: &Path) -> io::Result<Option<LogLock>> {
        // The lock is advisory.
        let file = File::open(log)?;
        match file.try_lock() {
            Ok(()) => Ok(is_still(&file, log)?.then_some(LogLock { _log: file })),
            Err(TryLockError::WouldBlock) => Ok(None),
            Err(TryLockError::Error(error)) => Err(error),
        }
    }
}

/// Whether the file still has its name: a repair puts another one in its place.
#[cfg(unix)]
fn is_still(file: &File, path: &Path) -> io::Result<bool> {
    use std::os::unix::fs::MetadataExt;
    let (one, other) = (file.metadata()?, path.metadata()?);
    Ok((one.dev(), one.ino()) == (other.dev(), other.ino()))
}

#[cfg(not(any(unix, windows)))]
fn is_still(_file: &File, _path: &Path) -> io::Result<bool> {
    Ok(true)
}

/// On Windows locks would affect readers too. So the lock is a file next to the log, which only one process can have open,
/// and which the system deletes when it is closed.
#[cfg(windows)]
impl LogLock {
    /// As [`LogLock::acquire`], without waiting. `None`: it is taken.
    pub(super) fn try_acquire(log: &Path) -> io::Result<Option<LogLock>> {
        use std::os::windows::fs::OpenOptionsExt;

        const ERROR_SHARING_VIOLATION: i32 = 32;
        const FILE_FLAG_DELETE_ON_CLOSE: u32 = 0x0400_0000;
        /// `DELETE`, which that flag needs.
        const ACCESS: u32 = 0x0001_0000;

        let mut name = log.file_name().unwrap_or_default().to_owned();
        name.push(".lock");
        let mut options = std::fs::File::options();
        options.write(true).create(true).access_mode(ACCESS).share_mode(0);
        options.custom_flags(FILE_FLAG_DELETE_ON_CLOSE);
        match options.open(log.with_file_name(name)) {
            Ok(file) => Ok(Some(LogLock { _beside: file })),
            Err(error) if error.raw_os_error() == Some(ERROR_SHARING_VIOLATION) => Ok(None),
            // It is being deleted this moment.
            Err(error) if error.kind() == io::ErrorKind::PermissionDenied && log.exists() => Ok(None),
            Err(error) => Err(error),
        }
    }
}

#[cfg(test)]
mod tests {
    use std::sync::atomic::{AtomicU32, Ordering};

    use super::*;

    /// Also if the file is replaced meanwhile.
    #[test]
    fn one_at_a_time() {
        let directory = tempfile::tempdir().expect("a directory");
        let path = directory.path().join("a.rcap");
        std::fs::write(&path, "0").expect("written");
        let num_within = AtomicU32::new(0);
        std::thread::scope(|scope| {
            for _ in 0..4 {
                scope.spawn(|| {
                    for number in 0..50 {
                        let lock = LogLock::acquire(&path, SOON).expect("locked");
                        assert_eq!(num_within.fetch_add(1, Ordering::SeqCst), 0);
                        let count: u32 =
                            std::fs::read_to_string(&path).expect("read").parse().expect("a number");
                        // Whoever replaces the file is done with that.
                        num_within.fetch_sub(1, Ordering::SeqCst);
                        if number % 3 == 0 {
                            let other = directory.path().join("other");
                            std::fs::write(&other, (count + 1).to_string()).expect("written");
                            std::fs::rename(other, &path).expect("renamed");
                        } else {
                            std::fs::write(&path, (count + 1).to_string()).expect("written");
                        }
                        drop(lock);
                    }
                });
            }
        });
        assert_eq!(std::fs::read_to_string(&path).expect("read"), "200");
    }
}
