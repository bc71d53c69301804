//! `/proc/PID/io`: what a process has read and written (`proc_pid_io(5)`). Only users who may trace the
//! process can read it: usually its owner and root.

use super::number::unsigned;
use super::spec::NUM_IO_COUNTERS;

/// The fields of the file, by name. All are in bytes, except the numbers of calls.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub(super) struct Io {
    pub(super) rchar: u64,
    pub(super) wchar: u64,
    pub(super) syscr: u64,
    pub(super) syscw: u64,
    pub(super) read_bytes: u64,
    pub(super) write_bytes: u64,
    pub(super) cancelled_write_bytes: u64,
}

impl Io {
    /// Reads the text of the file; `None` if one of its seven lines is missing or isn't a number. Additional
    /// lines are ignored.
    pub(super) fn parse(text: &[u8]) -> Option<Io> {
        let mut lines = text.split(|byte| *byte == b'\n');
        let mut field = |name: &[u8]| {
            // The lines have had this order since 2.6.20, so one pass is enough.
            let value = lines.find_map(|line| line.strip_prefix(name)?.strip_prefix(b": "))?;
            unsigned(value)
        };
        Some(Io {
            rchar: field(b"rchar")?,
            wchar: field(b"wchar")?,
            syscr: field(b"syscr")?,
            syscw: field(b"syscw")?,
            read_bytes: field(b"read_bytes")?,
            write_bytes: field(b"write_bytes")?,
            cancelled_write_bytes: field(b"cancelled_write_bytes")?,
        })
    }

    // Positions among the values.
    pub(super) const READ_BYTES: usize = 0;
    pub(super) const WRITE_BYTES: usize = 1;
    pub(super) const DATA_BYTES: usize = 2;
    pub(super) const STORAGE_READ: usize = 3;
    pub(super) const STORAGE_WRITTEN: usize = 4;

    /// The values of the IO counters, in their order.
    pub(super) fn values(&self) -> [u64; NUM_IO_COUNTERS] {
        [
            self.rchar,
            self.wchar,
            self.rchar.wrapping_add(self.wchar),
            self.read_bytes,
            self.write_bytes,
            self.cancelled_write_bytes,
            self.syscr,
            self.syscw,
            self.syscr.wrapping_add(self.syscw),
        ]
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn reads_the_lines_of_the_manual_page() {
        let text = "rchar: 1\nwchar: 2\nsyscr: 3\nsyscw: 4\nread_bytes: 5\nwrite_bytes: 6\n\
                    cancelled_write_bytes: 18446744073709551615\n";
        let expected = Io {
            rchar: 1,
            wchar: 2,
            syscr: 3,
            syscw: 4,
            read_bytes: 5,
            write_bytes: 6,
            cancelled_write_bytes: u64::MAX,
        };
        assert_eq!(Io::parse(text.as_bytes()), Some(expected));
        assert_eq!(expected.values(), [1, 2, 3, 5, 6, u64::MAX, 3, 4, 7]);
        for len in 0..text.len() - "18446744073709551615\n".len() {
            assert_eq!(Io::parse(&text.as_bytes()[..len]), None, "{len}");
        }
        assert_eq!(Io::parse(text.replace('5', "five").as_bytes()), None);
    }
}
