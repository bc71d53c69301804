//! The terminal from which this process was started.

use std::fs::File;

/// Whether there is one. `/dev/tty` is the controlling terminal, independent of the standard streams.
pub(super) fn is_there() -> bool {
    File::open("/dev/tty").is_ok()
}

/// Whether the signal for a closed terminal is ignored. Only on Linux can this be read without an unsafe
/// call.
#[cfg(unix)]
pub(super) fn is_hangup_ignored() -> bool {
    std::fs::read_to_string("/proc/self/status").is_ok_and(|status| ignores_hangup(&status))
}

/// `SigIgn:` of `proc_pid_status(5)`: a hexadecimal mask, with signal 1 (`SIGHUP`) as its lowest bit.
#[cfg(unix)]
fn ignores_hangup(status: &str) -> bool {
    let mask = status.lines().find_map(|line| line.strip_prefix("SigIgn:"));
    mask.and_then(|mask| u64::from_str_radix(mask.trim(), 16).ok()).is_some_and(|mask| mask & 1 != 0)
}

#[cfg(all(test, unix))]
mod tests {
    use super::*;

    #[test]
    fn ignored_signals_are_a_mask() {
        for (status, is_ignored) in [
            ("Name:\ta\nSigIgn:\t0000000000000001\nSigCgt:\t0", true),
            ("SigIgn:\t0000000000001003\n", true),
            ("SigBlk:\t0000000000000001\nSigIgn:\t0000000000001002\n", false),
            ("SigIgn:\tnone\n", false),
            ("", false),
        ] {
            assert_eq!(ignores_hangup(status), is_ignored, "{status}");
        }
    }
}
