//! `/proc/PID/task/TID/schedstat`: how often a thread was scheduled (the kernel's sched-stats.rst).

use crate::linux::process::number::unsigned;

/// The third number: how many times the thread was scheduled on a processor, which Windows counts as its
/// context switches. `None` if it is missing.
pub(super) fn num_switches(text: &[u8]) -> Option<u64> {
    text.trim_ascii_end().split(|byte| *byte == b' ').nth(2).and_then(unsigned)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn is_the_third_number() {
        assert_eq!(num_switches(b"184100276 35373870 704\n"), Some(704));
        assert_eq!(num_switches(b"184100276 35373870\n"), None);
        assert_eq!(num_switches(b"184100276 35373870 x\n"), None);
        assert_eq!(num_switches(b""), None);
    }
}
