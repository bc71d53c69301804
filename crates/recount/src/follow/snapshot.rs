//! A log that is being written, as it was at one moment.

use std::fs::File;
use std::io;
use std::time::Duration;

use recount_capture::{CaptureError, Log, ReadAt};

/// More than what a writer may still change: the records that it hasn't sealed, and the chunk that they become.
const LEN_LIVE: u64 = 32 << 20;
/// How often a copy is made anew that a writer changed meanwhile.
const MAX_ATTEMPTS: u32 = 8;
/// How long sealing takes, about.
const BETWEEN_ATTEMPTS: Duration = Duration::from_millis(10);

/// Opens a log, so that it stays as it was found however its writer goes on: sealing moves records, and who looks for them
/// in the old place finds something else there.
pub(crate) fn open_log(file: &File) -> Result<Log, CaptureError> {
    let log = Log::open(Box::new(file.try_clone()?))?;
    if log.is_closed() {
        return Ok(log);
    }
    let mut attempt = 1;
    loop {
        let snapshot = Snapshot::take(file.try_clone()?)?;
        let log = Log::open(Box::new(snapshot))?;
        // What is amiss because it was just being written is not amiss for long.
        if log.health().is_sound() || attempt == MAX_ATTEMPTS {
            return Ok(log);
        }
        attempt += 1;
        std::thread::sleep(BETWEEN_ATTEMPTS);
    }
}

/// A file with a copy of its end.
struct Snapshot {
    file: File,
    /// Where the copy starts.
    start: u64,
    end: Vec<u8>,
}

impl Snapshot {
    fn take(file: File) -> io::Result<Snapshot> {
        let len = ReadAt::len(&file)?;
        let start = len.saturating_sub(LEN_LIVE);
        let mut end = vec![0; (len - start) as usize];
        let mut have = 0;
        while have < end.len() {
            match ReadAt::read_at(&file, start + have as u64, &mut end[have..]) {
                Ok(0) => break,
                Ok(num) => have += num,
                Err(error) if error.kind() == io::ErrorKind::Interrupted => {}
                Err(error) => return Err(error),
            }
        }
        end.truncate(have);
        Ok(Snapshot { file, start, end })
    }
}

impl ReadAt for Snapshot {
    fn len(&self) -> io::Result<u64> {
        Ok(self.start + self.end.len() as u64)
    }

    fn read_at(&self, ofs: u64, out: &mut [u8]) -> io::Result<usize> {
        if let Some(within) = ofs.checked_sub(self.start) {
            return ReadAt::read_at(&self.end, within, out);
        }
        let len = out.len().min((self.start - ofs) as usize);
        ReadAt::read_at(&self.file, ofs, &mut out[..len])
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_was_copied_stays() {
        let mut bytes: Vec<u8> = (0..LEN_LIVE as usize + 1_000).map(|at| (at % 251) as u8).collect();
        let file = tempfile::tempfile().expect("a file");
        let write = |bytes: &[u8]| {
            let mut file = &file;
            io::Seek::rewind(&mut file)
                .and_then(|()| io::Write::write_all(&mut file, bytes))
                .expect("written");
        };
        write(&bytes);
        let snapshot = Snapshot::take(file.try_clone().expect("a handle")).expect("taken");
        let before = bytes.clone();
        bytes[1_000..].fill(0xFF);
        bytes.extend([1; 5_000]);
        write(&bytes);
        assert_eq!(snapshot.len().expect("a length"), before.len() as u64);
        // Across the start of the copy, and to its end.
        for (ofs, len) in [(0, 100), (990, 20), (1_000, 64), (before.len() - 10, 100)] {
            let (mut read, mut have) = (vec![0; len], 0);
            while let num @ 1.. = snapshot.read_at((ofs + have) as u64, &mut read[have..]).expect("read") {
                have += num;
            }
            assert_eq!(read[..have], before[ofs..(ofs + len).min(before.len())], "{ofs}");
        }
    }
}
