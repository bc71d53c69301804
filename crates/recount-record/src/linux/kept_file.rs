//! A file of `/proc` or `/sys` that is read repeatedly.

use std::fs::File;
use std::io;
use std::os::unix::fs::FileExt;
use std::path::Path;

/// Initial buffer size: most files then need one read, plus one that finds the end.
const LEN_FIRST: usize = 4 << 10;
/// No file of `/proc` that is read here comes near this size.
const MAX_LEN: usize = 64 << 20;

/// An open file and the text from its last reading.
///
/// It stays open, and each reading starts at offset 0: the kernel then generates the text again, without
/// resolving the path.
#[derive(Debug)]
pub(super) struct KeptFile {
    file: File,
    buffer: Vec<u8>,
    len_text: usize,
}

impl KeptFile {
    /// Opens it, without reading.
    pub(super) fn open(path: &Path) -> io::Result<KeptFile> {
        Ok(KeptFile { file: File::open(path)?, buffer: Vec::new(), len_text: 0 })
    }

    /// Reads the file from its start to its end.
    pub(super) fn read(&mut self) -> io::Result<&str> {
        self.len_text = 0;
        let mut len = 0;
        loop {
            if len == self.buffer.len() {
                self.grow()?;
            }
            match self.file.read_at(&mut self.buffer[len..], len as u64) {
                Ok(0) => break,
                Ok(read) => len += read,
                Err(error) if error.kind() == io::ErrorKind::Interrupted => {}
                Err(error) => return Err(error),
            }
        }
        self.len_text = valid_text(&mut self.buffer, len);
        Ok(self.text())
    }

    /// The text of the last reading; empty after a failure.
    pub(super) fn text(&self) -> &str {
        std::str::from_utf8(&self.buffer[..self.len_text]).unwrap_or_default()
    }

    fn grow(&mut self) -> io::Result<()> {
        if self.buffer.len() >= MAX_LEN {
            return Err(io::Error::new(
                io::ErrorKind::FileTooLarge,
                format!("expected at most {MAX_LEN} bytes, found more"),
            ));
        }
        let len = (self.buffer.len() * 2).max(LEN_FIRST);
        self.buffer.resize(len, 0);
        Ok(())
    }
}

/// Converts `len` bytes to text. Names in it (of interfaces, of swap files) may have any encoding. Invalid
/// UTF-8 is replaced, so that one odd name doesn't cost the numbers next to it.
fn valid_text(buffer: &mut Vec<u8>, len: usize) -> usize {
    if std::str::from_utf8(&buffer[..len]).is_ok() {
        return len;
    }
    let text = String::from_utf8_lossy(&buffer[..len]).into_owned();
    *buffer = text.into_bytes();
    buffer.len()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn reads_what_the_file_holds_now() {
        let folder = tempfile::tempdir().expect("a folder");
        let path = folder.path().join("text");
        std::fs::write(&path, "one").expect("written");
        let mut file = KeptFile::open(&path).expect("there");
        assert_eq!(file.read().expect("readable"), "one");
        // Longer than the buffer, then shorter than before, then not valid text.
        let long = "x".repeat(3 * LEN_FIRST + 7);
        std::fs::write(&path, &long).expect("written");
        assert_eq!(file.read().expect("readable"), long);
        std::fs::write(&path, b"a\xFFb").expect("written");
        assert_eq!(file.read().expect("readable"), "a\u{fffd}b");
        std::fs::write(&path, "").expect("written");
        assert_eq!(file.read().expect("readable"), "");
        assert!(KeptFile::open(&folder.path().join("none")).is_err());
    }
}
