//! `struct taskstats` (`include/uapi/linux/taskstats.h`): what the kernel says of a task that ended.

use recount_bytes::fields::Fields;
use recount_bytes::parse::by_fields;

use super::netlink::NATIVE;

/// The first version that says to which process a thread belongs.
const MIN_VERSION: u16 = 12;

/// `AGROUP`: no other thread of the process is left.
const IS_LAST: u8 = 0x20;

/// A task that ended.
#[derive(Clone, Copy, Debug, Default)]
pub(super) struct Taskstats {
    version: u16,
    pub(super) exit_status: u32,
    flags: u8,
    nice: i8,
    comm: [u8; 32],
    /// Scheduling policy.
    policy: u8,
    /// What the scheduler measured of it, ns, up to its last tick; 0 if the kernel doesn't say.
    run_ns: u64,
    pub(super) user_id: u32,
    pub(super) tid: u32,
    pub(super) parent: u32,
    user_us: u64,
    system_us: u64,
    pub(super) num_minor_faults: u64,
    pub(super) num_major_faults: u64,
    /// The most memory of the process, KiB.
    pub(super) peak_kib: u64,
    pub(super) io: ExitIo,
    pub(super) pid: u32,
    /// Since the process began, µs.
    pub(super) elapsed_us: u64,
}

impl Taskstats {
    /// Reads a record; `None` if it is damaged, or of a kernel whose records say too little.
    pub(super) fn read(bytes: &[u8]) -> Option<Taskstats> {
        let (_, read) = by_fields("taskstats", NATIVE, Taskstats::fields)(bytes).ok()?;
        Some(read).filter(|read: &Taskstats| read.version >= MIN_VERSION && read.pid != 0)
    }

    /// Whether records of this version say enough.
    pub(super) fn is_recent(bytes: &[u8]) -> bool {
        let version = |version: &mut u16, f: &mut _| Fields::field(f, "version", version);
        by_fields("taskstats", NATIVE, version)(bytes)
            .is_ok_and(|(_, version): (_, u16)| version >= MIN_VERSION)
    }

    /// The fields in order, up to the last that is used.
    fn fields<F: Fields>(&mut self, f: &mut F) -> Result<(), F::Error> {
        let mut nice = 0_u8;
        f.field("version", &mut self.version)?;
        f.hidden("padding", &mut [0_u8; 2])?;
        f.field("ac_exitcode", &mut self.exit_status)?;
        f.field("ac_flag", &mut self.flags)?;
        f.field("ac_nice", &mut nice)?;
        self.nice = nice.cast_signed();
        f.hidden("padding", &mut [0_u8; 6])?;
        f.hidden("delays", &mut [0_u8; 56])?;
        f.field("cpu_run_virtual_total", &mut self.run_ns)?;
        f.hidden("ac_comm", &mut self.comm)?;
        f.field("ac_sched", &mut self.policy)?;
        f.hidden("padding", &mut [0_u8; 7])?;
        f.field("ac_uid", &mut self.user_id)?;
        f.hidden("ac_gid", &mut 0_u32)?;
        f.field("ac_pid", &mut self.tid)?;
        f.field("ac_ppid", &mut self.parent)?;
        f.hidden("ac_btime", &mut [0_u8; 8])?;
        f.hidden("ac_etime", &mut 0_u64)?;
        f.field("ac_utime", &mut self.user_us)?;
        f.field("ac_stime", &mut self.system_us)?;
        f.field("ac_minflt", &mut self.num_minor_faults)?;
        f.field("ac_majflt", &mut self.num_major_faults)?;
        f.hidden("coremem, virtmem", &mut [0_u8; 16])?;
        f.field("hiwater_rss", &mut self.peak_kib)?;
        f.hidden("hiwater_vm", &mut 0_u64)?;
        f.field("read_char", &mut self.io.rchar)?;
        f.field("write_char", &mut self.io.wchar)?;
        // The kernel rounds numbers of calls down to multiples of 1,024: they say nothing.
        f.hidden("read_syscalls, write_syscalls", &mut [0_u8; 16])?;
        f.field("read_bytes", &mut self.io.read_bytes)?;
        f.field("write_bytes", &mut self.io.write_bytes)?;
        f.field("cancelled_write_bytes", &mut self.io.cancelled_write_bytes)?;
        f.hidden("switches to ac_btime64", &mut [0_u8; 80])?;
        f.hidden("compact", &mut [0_u8; 16])?;
        f.field("ac_tgid", &mut self.pid)?;
        f.hidden("padding", &mut [0_u8; 4])?;
        f.field("ac_tgetime", &mut self.elapsed_us)
    }

    /// Whether the process ended with this task.
    pub(super) fn is_last(&self) -> bool {
        self.flags & IS_LAST != 0
    }

    /// Whether it is the task that the process is named by.
    pub(super) fn is_leader(&self) -> bool {
        self.tid == self.pid
    }

    /// Its name, up to the first NUL.
    pub(super) fn comm(&self) -> &[u8] {
        self.comm.split(|byte| *byte == 0).next().unwrap_or_default()
    }

    /// Processor time outside the kernel and in it, 100 ns, in ticks of the kernel's clock, as the machine's own.
    pub(super) fn times_100ns(&self) -> (u64, u64) {
        (self.user_us.saturating_mul(10), self.system_us.saturating_mul(10))
    }

    /// Processor time as the scheduler measured it, 100 ns: what the task ran since its last tick is missing.
    pub(super) fn run_100ns(&self) -> u64 {
        self.run_ns / 100
    }

    /// Its priority on the scale of `Priority Base`; `None` for a real-time task, whose priority isn't in the record.
    pub(super) fn priority(&self) -> Option<u64> {
        const IS_REAL_TIME: [u8; 3] = [1, 2, 6];
        let priority = u64::try_from(19 - i64::from(self.nice)).unwrap_or(0);
        (!IS_REAL_TIME.contains(&self.policy)).then_some(priority)
    }
}

/// Bytes that a process has read and written, as in `/proc/PID/io`; those of calls are rounded down to whole KiB.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub(crate) struct ExitIo {
    pub(crate) rchar: u64,
    pub(crate) wchar: u64,
    pub(crate) read_bytes: u64,
    pub(crate) write_bytes: u64,
    pub(crate) cancelled_write_bytes: u64,
}

impl ExitIo {
    pub(crate) fn plus(&self, other: &ExitIo) -> ExitIo {
        self.by_field(other, u64::saturating_add)
    }

    /// Each field by a function of both.
    pub(crate) fn by_field(&self, other: &ExitIo, of: impl Fn(u64, u64) -> u64) -> ExitIo {
        ExitIo {
            rchar: of(self.rchar, other.rchar),
            wchar: of(self.wchar, other.wchar),
            read_bytes: of(self.read_bytes, other.read_bytes),
            write_bytes: of(self.write_bytes, other.write_bytes),
            cancelled_write_bytes: of(self.cancelled_write_bytes, other.cancelled_write_bytes),
        }
    }
}

#[cfg(test)]
pub(super) mod tests {
    use proptest::prelude::*;
    use recount_bytes::fields::Writer;

    use super::*;

    /// A record as the kernel writes it.
    pub(in super::super) fn bytes(mut task: Taskstats) -> Vec<u8> {
        let mut out = Vec::new();
        let Ok(()) = task.fields(&mut Writer::new(NATIVE, &mut out));
        out
    }

    pub(in super::super) fn task(pid: u32, tid: u32, name: &str) -> Taskstats {
        let mut task = Taskstats { version: MIN_VERSION, pid, tid, ..Taskstats::default() };
        task.comm[..name.len()].copy_from_slice(name.as_bytes());
        task.flags = if pid == tid { IS_LAST } else { 0 };
        task
    }

    #[test]
    fn a_record_reads_back() {
        let mut task = task(7, 7, "cc1plus");
        (task.user_us, task.system_us) = (8_000, 4_000);
        let read = Taskstats::read(&bytes(task)).expect("a record");
        assert_eq!((read.comm(), read.is_last(), read.is_leader()), (&b"cc1plus"[..], true, true));
        assert_eq!(read.times_100ns(), (80_000, 40_000));
    }

    #[test]
    fn fields_are_where_the_kernel_has_them() {
        let mut record = vec![0_u8; 560];
        record[..2].copy_from_slice(&16_u16.to_ne_bytes());
        for (ofs, value) in [(128, 5_u32), (132, 6), (368, 7)] {
            record[ofs..ofs + 4].copy_from_slice(&value.to_ne_bytes());
        }
        for (ofs, value) in [(72, 1_300_u64), (152, 8), (200, 9), (216, 10), (264, 11), (376, 12)] {
            record[ofs..ofs + 8].copy_from_slice(&value.to_ne_bytes());
        }
        let read = Taskstats::read(&record).expect("a record");
        assert_eq!((read.tid, read.parent, read.pid, read.user_us), (5, 6, 7, 8));
        assert_eq!((read.peak_kib, read.io.rchar, read.io.cancelled_write_bytes), (9, 10, 11));
        assert_eq!((read.elapsed_us, read.run_100ns()), (12, 13));
    }

    proptest! {
        #[test]
        fn any_bytes_are_read(bytes in proptest::collection::vec(any::<u8>(), 0..600)) {
            let _ = Taskstats::read(&bytes).map(|read| (read.times_100ns(), read.priority()));
        }
    }
}
