//! The activities: the layout of their items, and the counters made from them. All of this is tables; no activity
//! has its own code.

mod activities;
mod canonical;
mod counters;
#[cfg(test)]
mod document;

use activities::ACTIVITIES;
pub(crate) use canonical::{CANONICAL, Only};
pub(crate) use counters::{Counter, Reading, base_type};

/// A group of statistics.
pub(crate) struct Activity {
    pub(crate) id: u32,
    /// sysstat's name: `A_CPU`.
    pub(crate) name: &'static str,
    pub(crate) list: List,
    /// Fields and texts without which items mean nothing.
    pub(crate) needs: &'static str,
    /// Layouts of 0x2175, and those of 0x2171 and 0x2173.
    pub(crate) current: &'static [(u32, Groups)],
    pub(crate) old: &'static [(u32, &'static [Span])],
    pub(crate) counters: &'static [Counter],
}

impl Activity {
    /// The activity of that number and layout; `None` if either isn't known.
    pub(crate) fn find(id: u32, magic: u32, is_current: bool) -> Option<(&'static Activity, Shape)> {
        ACTIVITIES.iter().filter(|activity| activity.id == id).find_map(|activity| {
            let current = || activity.current.iter().find(|(of, _)| *of == magic);
            let old = || activity.old.iter().find(|(of, _)| *of == magic);
            let shape = if is_current {
                current().map(|(_, groups)| Shape::Groups(groups))
            } else {
                old().map(|(_, spans)| Shape::Spans(spans))
            };
            Some((activity, shape?))
        })
    }

    /// sysstat's name of an activity, whatever its layout.
    pub(crate) fn name_of(id: u32) -> &'static str {
        ACTIVITIES
            .iter()
            .find(|activity| activity.id == id)
            .map_or("unknown activity", |activity| activity.name)
    }

    /// The object's name: `sar.cpu`.
    pub(crate) fn object(&self) -> String {
        format!("sar.{}", self.name.trim_start_matches("A_").to_lowercase())
    }
}

/// A layout in the table.
#[derive(Clone, Copy)]
pub(crate) enum Shape {
    Groups(&'static Groups),
    Spans(&'static [Span]),
}

/// What the items are.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum List {
    /// One item, without a name.
    Single,
    /// One item without a name, whose fields are sums over devices: they don't wrap around, but decrease when
    /// a device is removed.
    Sums,
    /// CPUs by position, the first being all of them. Their counters need a ledger.
    Cpu,
    /// CPUs by position; "all" is computed from the others.
    SoftNet,
    /// CPUs by position; those without a value are offline.
    Frequency,
    /// CPUs by position, and the states of each.
    FrequencyStates,
    /// CPUs by position, and the interrupts of each; only the first CPU has the names.
    InterruptMatrix,
    /// Interrupts by position, the first being their sum.
    Interrupts,
    /// Block devices, by major and minor number.
    Disk,
    /// By number: a serial line, from 0 (0x2175) or from 1.
    Line,
    /// By a text.
    Named(&'static str),
    /// By position, from this number on, and the text `device`.
    Sensor(u32),
    /// By bus, vendor, product and name.
    Usb,
    /// By the number `id`.
    Numbered,
}

/// A layout in groups (formats/sa.md#types): names of the fields of 8 bytes, the longs, the fields of 4 bytes, and
/// the texts after them with their lengths (a text of 1 byte is a number).
pub(crate) struct Groups {
    pub(crate) quads: &'static str,
    pub(crate) longs: &'static str,
    pub(crate) words: &'static str,
    pub(crate) tail: &'static [(&'static str, usize)],
}

/// Fields of one kind, a fixed distance apart.
pub(crate) struct Span {
    pub(crate) kind: Kind,
    pub(crate) at: usize,
    pub(crate) step: usize,
    pub(crate) names: &'static str,
}

/// How a field is stored.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Kind {
    Quad,
    Long,
    Word,
    Byte,
    /// Text of at most this number of bytes.
    Text(usize),
}
