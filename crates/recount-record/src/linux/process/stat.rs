//! `/proc/PID/stat`, and `/proc/PID/task/TID/stat`, which has the same fields (`proc_pid_stat(5)`).
//!
//! Parsed by hand, because this is the hottest text of the whole source. `procfs::process::Stat` parses all
//! 52 fields and allocates the name, which takes three times as long (0.65 µs against 0.22 µs, measured): a
//! quarter of the cost of rereading the text from an open file.

use super::number::{signed, unsigned};

/// `PF_KTHREAD`: a kernel thread.
const FLAG_KERNEL_THREAD: u64 = 0x0020_0000;
/// `PF_WQ_WORKER`: a kernel thread that works for work queues.
const FLAG_WORKER: u64 = 0x0000_0020;

/// `SCHED_FIFO` and `SCHED_RR`.
const POLICIES_REAL_TIME: [u64; 2] = [1, 2];
const POLICY_DEADLINE: u64 = 6;

/// The fields used. Times are in clock ticks.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) struct Stat<'a> {
    /// Field 2 without its parentheses: the name, any bytes except 0.
    pub(crate) comm: &'a [u8],
    /// Field 3: a letter.
    pub(crate) state: u8,
    /// Field 4.
    pub(crate) parent: u64,
    /// Field 6.
    pub(crate) session: u32,
    flags: u64,
    /// Field 10: page faults that didn't need a read.
    pub(crate) num_minor_faults: u64,
    /// Field 12: page faults that needed a read.
    pub(crate) num_major_faults: u64,
    /// Field 14, including the time of virtual CPUs.
    pub(crate) user_ticks: u64,
    /// Field 15.
    pub(crate) system_ticks: u64,
    priority: i64,
    nice: i64,
    /// Field 20.
    pub(crate) num_threads: u64,
    /// Field 22: since boot.
    pub(crate) start_ticks: u64,
    /// Field 23, bytes.
    pub(crate) len_virtual: u64,
    /// Fields 28 and 48: where the stack and the arguments begin. Every program that a process executes has others. 0 for those who may
    /// not know.
    pub(crate) start_of_stack: u64,
    pub(crate) start_of_arguments: u64,
    real_time_priority: u64,
    /// Field 41.
    pub(crate) policy: u64,
}

/// What is wrong with a `stat` file.
#[derive(Clone, Copy, Debug, PartialEq, Eq, thiserror::Error)]
pub(crate) enum StatError {
    /// It has no name in parentheses.
    #[error("field 2: expected a name in parentheses, found none")]
    NoName,
    /// A field is missing or isn't a number.
    #[error("field {0}: expected a number, found none")]
    NoNumber(u8),
}

impl<'a> Stat<'a> {
    /// Reads the text of the file.
    pub(crate) fn parse(text: &'a [u8]) -> Result<Stat<'a>, StatError> {
        let open = text.iter().position(|byte| *byte == b'(').ok_or(StatError::NoName)?;
        // The name may contain parentheses and spaces; the fields after it can't.
        let close = text.iter().rposition(|byte| *byte == b')').ok_or(StatError::NoName)?;
        let comm = text.get(open + 1..close).ok_or(StatError::NoName)?;
        let mut fields = Fields { rest: &text[close + 1..], number: 2 };
        let state = fields.at(3).first().copied().ok_or(StatError::NoNumber(3))?;
        Ok(Stat {
            comm,
            state,
            parent: fields.unsigned(4)?,
            session: u32::try_from(fields.signed(6)?).unwrap_or(0),
            flags: fields.unsigned(9)?,
            num_minor_faults: fields.unsigned(10)?,
            num_major_faults: fields.unsigned(12)?,
            user_ticks: fields.unsigned(14)?,
            system_ticks: fields.unsigned(15)?,
            priority: fields.signed(18)?,
            nice: fields.signed(19)?,
            num_threads: fields.unsigned(20)?,
            start_ticks: fields.unsigned(22)?,
            len_virtual: fields.unsigned(23)?,
            start_of_stack: fields.unsigned(28)?,
            real_time_priority: fields.unsigned(40)?,
            policy: fields.unsigned(41)?,
            // Older kernels don't have it.
            start_of_arguments: fields.unsigned(48).unwrap_or(0),
        })
    }

    /// Whether it is a kernel thread, without memory and files of its own.
    pub(crate) fn is_kernel_thread(&self) -> bool {
        self.flags & FLAG_KERNEL_THREAD != 0
    }

    /// Whether it is a kernel thread that serves work queues, and shows the last one in its name.
    pub(crate) fn is_worker(&self) -> bool {
        self.flags & FLAG_WORKER != 0
    }

    /// The effective priority, including inheritance, on the scale of `ps -o pri`: higher is more urgent. 0
    /// to 39 for nice 19 to −20, 41 to 139 for real-time priorities 1 to 99, 140 for a deadline. Unlike on
    /// the kernel's own scale, it is never negative.
    pub(crate) fn priority_current(&self) -> u64 {
        u64::try_from(39_i64.saturating_sub(self.priority)).unwrap_or(0)
    }

    /// The priority it was given, on the scale of [`Stat::priority_current`].
    pub(crate) fn priority_base(&self) -> u64 {
        match self.policy {
            POLICY_DEADLINE => 140,
            policy if POLICIES_REAL_TIME.contains(&policy) => 40 + self.real_time_priority,
            _ => u64::try_from(19_i64.saturating_sub(self.nice)).unwrap_or(0),
        }
    }
}

/// The fields after the name, by their number in the manual page.
struct Fields<'a> {
    rest: &'a [u8],
    number: u8,
}

impl<'a> Fields<'a> {
    /// The field with this number, which must be after the one read last; empty if there is none.
    fn at(&mut self, number: u8) -> &'a [u8] {
        let mut field = &[][..];
        while self.number < number {
            let rest = self.rest.strip_prefix(b" ").unwrap_or(self.rest);
            let end = rest.iter().position(|byte| matches!(byte, b' ' | b'\n')).unwrap_or(rest.len());
            (field, self.rest) = rest.split_at(end);
            self.number += 1;
        }
        field
    }

    fn unsigned(&mut self, number: u8) -> Result<u64, StatError> {
        unsigned(self.at(number)).ok_or(StatError::NoNumber(number))
    }

    fn signed(&mut self, number: u8) -> Result<i64, StatError> {
        signed(self.at(number)).ok_or(StatError::NoNumber(number))
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// Every field contains its own number, so that mix-ups show.
    fn text(name: &str, priority: &str, nice: &str, real_time: &str, policy: &str) -> String {
        format!(
            "77 ({name}) S 4 5 6 7 -1 4194560 10 11 12 13 14 15 16 17 {priority} {nice} 20 0 22 23 24 \
             18446744073709551615 26 27 28 29 30 31 32 33 34 35 36 37 17 39 {real_time} {policy} 42 43 44\n"
        )
    }

    #[test]
    fn reads_the_fields_of_the_manual_page() {
        let text = text("bash", "20", "0", "0", "0");
        let stat = Stat::parse(text.as_bytes()).expect("sound");
        assert_eq!((stat.comm, stat.state, stat.parent), (&b"bash"[..], b'S', 4));
        assert_eq!((stat.num_minor_faults, stat.num_major_faults), (10, 12));
        assert_eq!((stat.user_ticks, stat.system_ticks), (14, 15));
        assert_eq!((stat.num_threads, stat.start_ticks, stat.len_virtual), (20, 22, 23));
        assert!(!stat.is_kernel_thread() && !stat.is_worker());
    }

    #[test]
    fn a_name_may_hold_anything() {
        for name in [") R 1 1 1 (", "a b) (c", "", "((", "))", " ", "x\\n1 (y) S 1"] {
            let text = text(name, "20", "0", "0", "0");
            let stat = Stat::parse(text.as_bytes()).expect("sound");
            assert_eq!((stat.comm, stat.parent, stat.len_virtual), (name.as_bytes(), 4, 23));
        }
    }

    #[test]
    fn priorities_are_those_of_ps() {
        let priorities = |priority, nice, real_time, policy| {
            let text = text("x", priority, nice, real_time, policy);
            let stat = Stat::parse(text.as_bytes()).expect("sound");
            (stat.priority_base(), stat.priority_current())
        };
        assert_eq!(priorities("20", "0", "0", "0"), (19, 19));
        assert_eq!(priorities("39", "19", "0", "3"), (0, 0));
        assert_eq!(priorities("0", "-20", "0", "0"), (39, 39));
        assert_eq!(priorities("-100", "0", "99", "1"), (139, 139));
        assert_eq!(priorities("-101", "0", "0", "6"), (140, 140));
        // Nice 0, running with the priority of a real-time thread that waits for it.
        assert_eq!(priorities("-51", "0", "0", "0"), (19, 90));
    }

    #[test]
    fn a_torn_text_is_an_error_and_says_where() {
        let whole = text("a b", "20", "0", "0", "0");
        assert_eq!(Stat::parse(b""), Err(StatError::NoName));
        assert_eq!(Stat::parse(b"1 )x("), Err(StatError::NoName));
        assert_eq!(Stat::parse(b"1 (x) S 4 5 6 7 -1 9 ten"), Err(StatError::NoNumber(10)));
        let policy = whole.find(" 0 0 42").expect("there") + 2;
        for len in 0..policy {
            assert!(Stat::parse(&whole.as_bytes()[..len]).is_err(), "{len}");
        }
    }
}
