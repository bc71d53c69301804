//! The fields of an entry, in order: one list for reading, writing and dumps.

use recount_bytes::fields::Fields;
use recount_model::Timestamp;

/// A number that isn't known: of a text, a user, a session, an exit status.
pub(crate) const NOT_KNOWN: u32 = u32::MAX;

/// The fixed fields of a description. Those named `text_` are numbers of texts.
#[derive(Clone, Copy, Debug, Default)]
pub(crate) struct DescribedFields {
    pub(crate) pid: u32,
    pub(crate) parent: u32,
    pub(crate) start: Timestamp,
    pub(crate) text_name: u32,
    pub(crate) text_executable: u32,
    pub(crate) user_id: u32,
    pub(crate) text_user: u32,
    pub(crate) text_cgroup: u32,
    pub(crate) text_container_name: u32,
    pub(crate) session: u32,
    pub(crate) text_scheduling_class: u32,
    pub(crate) flags: u32,
    pub(crate) num_words: u32,
}

impl DescribedFields {
    /// The end of the command line is missing.
    pub(crate) const IS_CUT: u32 = 1;

    pub(crate) fn fields<F: Fields>(
        &mut self,
        f: &mut F,
        text: &impl Fn(u32) -> String,
    ) -> Result<(), F::Error> {
        f.field("pid", &mut self.pid)?;
        f.field("parent", &mut self.parent)?;
        f.shown("start", &mut self.start, |time| format!("{} ({time})", time.0))?;
        f.shown("name", &mut self.text_name, text)?;
        f.shown("executable", &mut self.text_executable, text)?;
        f.shown("user_id", &mut self.user_id, number)?;
        f.shown("user", &mut self.text_user, text)?;
        f.shown("cgroup", &mut self.text_cgroup, text)?;
        f.shown("container_name", &mut self.text_container_name, text)?;
        f.shown("session", &mut self.session, number)?;
        f.shown("scheduling_class", &mut self.text_scheduling_class, text)?;
        f.shown("flags", &mut self.flags, |flags| format!("{flags:#x}"))?;
        f.field("num_words", &mut self.num_words)
    }
}

/// The fields of a process that ended.
#[derive(Clone, Copy, Debug, Default)]
pub(crate) struct EndedFields {
    pub(crate) pid: u32,
    pub(crate) parent: u32,
    pub(crate) start: Timestamp,
    pub(crate) end: Timestamp,
    pub(crate) text_name: u32,
    pub(crate) user_id: u32,
    pub(crate) text_user: u32,
    pub(crate) text_cgroup: u32,
    pub(crate) user_time: u64,
    pub(crate) privileged_time: u64,
    pub(crate) len_read: u64,
    pub(crate) len_written: u64,
    pub(crate) len_storage_read: u64,
    pub(crate) len_storage_written: u64,
    pub(crate) peak_memory: u64,
    pub(crate) count: u64,
    pub(crate) exit_status: u32,
    pub(crate) reserved: u32,
}

impl EndedFields {
    pub(crate) fn fields<F: Fields>(
        &mut self,
        f: &mut F,
        text: &impl Fn(u32) -> String,
    ) -> Result<(), F::Error> {
        f.field("pid", &mut self.pid)?;
        f.field("parent", &mut self.parent)?;
        f.shown("start", &mut self.start, |time| format!("{} ({time})", time.0))?;
        f.shown("end", &mut self.end, |time| format!("{} ({time})", time.0))?;
        f.shown("name", &mut self.text_name, text)?;
        f.shown("user_id", &mut self.user_id, number)?;
        f.shown("user", &mut self.text_user, text)?;
        f.shown("cgroup", &mut self.text_cgroup, text)?;
        f.field("user_time", &mut self.user_time)?;
        f.field("privileged_time", &mut self.privileged_time)?;
        f.field("len_read", &mut self.len_read)?;
        f.field("len_written", &mut self.len_written)?;
        f.field("len_storage_read", &mut self.len_storage_read)?;
        f.field("len_storage_written", &mut self.len_storage_written)?;
        f.field("peak_memory", &mut self.peak_memory)?;
        f.field("count", &mut self.count)?;
        f.shown("exit_status", &mut self.exit_status, number)?;
        f.hidden("reserved", &mut self.reserved)
    }
}

/// A number that may not be known.
fn number(number: u32) -> String {
    if number == NOT_KNOWN { "-".to_owned() } else { number.to_string() }
}
