//! The storage of a log.

use std::fs::File;
use std::io;

/// A file that can be written at any offset, truncated, and made durable.
pub trait Storage {
    /// Writes all bytes at `ofs`, beyond the end if need be. After an error any part of them may be there.
    fn write_at(&mut self, ofs: u64, bytes: &[u8]) -> io::Result<()>;

    /// Truncates the file, or extends it with zeros.
    fn set_len(&mut self, len: u64) -> io::Result<()>;

    /// Returns when everything written so far would outlive a power cut.
    fn sync(&mut self) -> io::Result<()>;

    /// Reserves space for `len` bytes at `ofs`, if the system can do that. It doesn't change the length of the file;
    /// truncating the file gives back what is reserved after the new end. An error (of a full disk) means that there isn't
    /// as much.
    fn reserve(&mut self, ofs: u64, len: u64) -> io::Result<()> {
        let _ = (ofs, len);
        Ok(())
    }
}

/// Whether an error means that there is no more room: on the disk, in a quota, or within the limit of a file's size.
pub(crate) fn is_full(error: &io::Error) -> bool {
    use io::ErrorKind::{FileTooLarge, QuotaExceeded, StorageFull};
    matches!(error.kind(), StorageFull | QuotaExceeded | FileTooLarge)
}

impl Storage for File {
    #[cfg(unix)]
    fn write_at(&mut self, ofs: u64, bytes: &[u8]) -> io::Result<()> {
        std::os::unix::fs::FileExt::write_all_at(self, bytes, ofs)
    }

    #[cfg(windows)]
    fn write_at(&mut self, mut ofs: u64, mut bytes: &[u8]) -> io::Result<()> {
        while !bytes.is_empty() {
            match std::os::windows::fs::FileExt::seek_write(self, bytes, ofs)? {
                0 => return Err(io::ErrorKind::WriteZero.into()),
                num => {
                    ofs += num as u64;
                    bytes = &bytes[num..];
                }
            }
        }
        Ok(())
    }

    #[cfg(not(any(unix, windows)))]
    fn write_at(&mut self, _ofs: u64, _bytes: &[u8]) -> io::Result<()> {
        Err(io::ErrorKind::Unsupported.into())
    }

    fn set_len(&mut self, len: u64) -> io::Result<()> {
        File::set_len(self, len)
    }

    fn sync(&mut self) -> io::Result<()> {
        self.sync_data()
    }
    #[cfg(target_os = "linux")]
    fn reserve(&mut self, ofs: u64, len: u64) -> io::Result<()> {
        use rustix::fs::{FallocateFlags, fallocate};
        match fallocate(&*self, FallocateFlags::KEEP_SIZE, ofs, len).map_err(io::Error::from) {
            // Many file systems can't.
            Err(error) if !is_full(&error) => Ok(()),
            done => done,
        }
    }
}
