//! `/proc/PID/statm`: memory in pages (`proc_pid_statm(5)`).

use super::number::unsigned;

/// The fields used, in pages.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
#[expect(clippy::struct_field_names, reason = "counts are called `num_x`")]
pub(super) struct Memory {
    /// Field 2: in memory.
    pub(super) num_resident: u64,
    /// Field 3: of these, pages of files and of shared memory.
    pub(super) num_shared: u64,
    /// Field 6: private writable mappings, including the stack, whether in memory or not.
    pub(super) num_private: u64,
}

impl Memory {
    /// Reads the text of the file; `None` if a field is missing or isn't a number.
    pub(super) fn parse(text: &[u8]) -> Option<Memory> {
        let mut fields = text.trim_ascii_end().split(|byte| *byte == b' ').map(unsigned);
        let mut field = |number: usize| fields.nth(number)?;
        Some(Memory { num_resident: field(1)?, num_shared: field(0)?, num_private: field(2)? })
    }

    /// Pages in memory that can't belong to any other process.
    pub(super) fn num_resident_private(&self) -> u64 {
        // Both are read at the same time, but from per-CPU counters, so the difference could be negative; it
        // is limited to 0.
        self.num_resident.saturating_sub(self.num_shared)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn reads_the_fields_of_the_manual_page() {
        let memory = Memory { num_resident: 446, num_shared: 418, num_private: 123 };
        assert_eq!(Memory::parse(b"765 446 418 5 0 123 0\n"), Some(memory));
        assert_eq!(memory.num_resident_private(), 28);
        assert_eq!(Memory::parse(b"0 0 0 0 0 0 0\n"), Some(Memory::default()));
        assert_eq!(Memory::parse(b"765 446 418 5 0\n"), None);
        assert_eq!(Memory::parse(b"765 446 x 5 0 123 0\n"), None);
    }
}
