//! The processes of one sample, for the objects that go by them.

use std::ops::Range;

/// What `Process` found in this sample, in the order of its instances, `_Total` not among them.
#[derive(Debug, Default)]
pub(crate) struct Roster {
    /// All names, one behind the other, so that a sample allocates nothing.
    names: String,
    listed: Vec<Listed>,
}

#[derive(Debug)]
struct Listed {
    pid: i32,
    start_100ns: i64,
    name: Range<usize>,
}

/// A process.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) struct Member<'a> {
    pub(crate) pid: i32,
    /// `FILETIME`.
    pub(crate) start_100ns: i64,
    /// Name of the instance.
    pub(crate) name: &'a str,
}

impl Roster {
    pub(crate) fn clear(&mut self) {
        self.names.clear();
        self.listed.clear();
    }

    pub(super) fn push(&mut self, member: Member<'_>) {
        let start = self.names.len();
        self.names.push_str(member.name);
        let name = start..self.names.len();
        self.listed.push(Listed { pid: member.pid, start_100ns: member.start_100ns, name });
    }

    /// The name of the process listed last; empty if there is none.
    pub(super) fn last_name(&self) -> &str {
        self.listed.last().map_or("", |listed| &self.names[listed.name.clone()])
    }

    pub(crate) fn is_empty(&self) -> bool {
        self.listed.is_empty()
    }

    pub(super) fn iter(&self) -> impl Iterator<Item = Member<'_>> {
        self.listed.iter().map(|listed| Member {
            pid: listed.pid,
            start_100ns: listed.start_100ns,
            name: &self.names[listed.name.clone()],
        })
    }
}
