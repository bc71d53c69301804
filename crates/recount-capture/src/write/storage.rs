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

    fn set_len(&mut self, len: u64) -> io::Result<()> {
        File::set_len(self, len)
    }

    fn sync(&mut self) -> io::Result<()> {
        self.sync_data()
    }
}
