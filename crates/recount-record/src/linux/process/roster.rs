//! What the processes of one sample are called.

/// The names of the processes that `Process` found in this sample, one behind the other: memory that is kept from sample
/// to sample, so that none is allocated.
#[derive(Debug, Default)]
pub(crate) struct Roster {
    names: String,
    ofs_last: usize,
}

impl Roster {
    pub(crate) fn clear(&mut self) {
        self.names.clear();
        self.ofs_last = 0;
    }

    pub(super) fn push(&mut self, name: &str) {
        self.ofs_last = self.names.len();
        self.names.push_str(name);
    }

    /// The name of the process listed last; empty if there is none.
    pub(super) fn last_name(&self) -> &str {
        &self.names[self.ofs_last..]
    }
}
