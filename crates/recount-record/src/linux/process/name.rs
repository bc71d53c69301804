//! The instance name of a process.

use std::borrow::Cow;

use super::stat::Stat;

/// The name of the instance that is the sum of the others.
pub(crate) const TOTAL: &str = "_Total";

/// The instance name of a process called `_Total`, so that it isn't taken for the sum.
const NOT_TOTAL: &str = "_Total_";

impl Stat<'_> {
    /// The name of the process or thread as an instance: `comm`, in which bytes that aren't UTF-8 become U+FFFD.
    ///
    /// A kernel worker appends the work queue that it served last, after a `-` or `+`. This changes all the
    /// time, so it is dropped to keep one instance per worker.
    pub(crate) fn instance_name(&self) -> Cow<'_, str> {
        let comm = if self.is_worker() { worker(self.comm) } else { self.comm };
        instance_name(comm)
    }
}

/// A name of a process as that of an instance.
pub(super) fn instance_name(comm: &[u8]) -> Cow<'_, str> {
    let name = String::from_utf8_lossy(comm);
    if name.eq_ignore_ascii_case(TOTAL) { Cow::Borrowed(NOT_TOTAL) } else { name }
}

/// `kworker/CPU:ID` and `kworker/uPOOL:ID`, without the suffix. `kworker/R-QUEUE` is the complete name of a
/// rescuer.
fn worker(comm: &[u8]) -> &[u8] {
    if !comm.starts_with(b"kworker/") || comm.starts_with(b"kworker/R-") {
        return comm;
    }
    let end = comm.iter().position(|byte| matches!(byte, b'-' | b'+'));
    end.map_or(comm, |end| &comm[..end])
}

#[cfg(test)]
mod tests {
    use super::*;

    fn name(comm: &[u8], flags: u32) -> String {
        let mut text = [b"1 (", comm, b") S 1 1 1 1 1 "].concat();
        text.extend_from_slice(flags.to_string().as_bytes());
        (10..=41).for_each(|_| text.extend_from_slice(b" 0"));
        Stat::parse(&text).expect("sound").instance_name().into_owned()
    }

    #[test]
    fn is_the_comm() {
        assert_eq!(name(b"Web Content", 0), "Web Content");
        assert_eq!(name(b"a)b(c", 0), "a)b(c");
        assert_eq!(name(b"", 0), "");
        assert_eq!(name(b"caf\xe9", 0), "caf\u{fffd}");
        // `status` escapes these, `stat` doesn't.
        assert_eq!(name(b"x\ny\\n", 0), "x\ny\\n");
    }

    #[test]
    fn a_worker_keeps_its_name() {
        const WORKER: u32 = 0x0420_8060;
        assert_eq!(name(b"kworker/0:1H-kblockd", WORKER), "kworker/0:1H");
        assert_eq!(name(b"kworker/u8:2+ext4-rsv-conversion", WORKER), "kworker/u8:2");
        assert_eq!(name(b"kworker/R-mm_percpu_wq", WORKER), "kworker/R-mm_percpu_wq");
        // A process with such a name isn't a kernel worker.
        assert_eq!(name(b"kworker/0:1-me", 0), "kworker/0:1-me");
    }

    #[test]
    fn no_process_passes_for_the_sum() {
        assert_eq!(name(b"_Total", 0), "_Total_");
        assert_eq!(name(b"_TOTAL", 0), "_Total_");
    }
}
