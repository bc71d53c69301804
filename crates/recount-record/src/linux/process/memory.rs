//! `/proc/PID/statm`: memory in pages (`proc_pid_statm(5)`).

use super::number::unsigned;

/// What is used of the file, in pages.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
#[expect(clippy::struct_field_names, reason = "a number of things is called `num_x`")]
pub(super) struct Memory {
    /// Field 2: in memory.
    pub(super) num_resident: u64,
    /// Field 3: of these, pages of files and of shared memory.
    pub(super) num_shared: u64,
    /// Field 6: mapped to be written and shared with no other process, the stack included; in memory or not.
    pub(super) num_private: u64,
}

impl Memory {
    /// Reads the text of the file; `None` if a field is missing or no number.
    pub(super) fn parse(text: &[u8]) -> Option<Memory> {
        let mut fields = text.trim_ascii_end().split(|byte| *byte == b' ').map(unsigned);
        let mut field = |number: usize| fields.nth(number)?;
        Some(Memory { num_resident: field(1)?, num_shared: field(0)?, num_private: field(2)? })
    }

    /// Pages in memory that no other process can have.
    pub(super) fn num_resident_private(&self) -> u64 {
        // Both come from one moment, but from counters kept per CPU: the rest can't be less than nothing.
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
