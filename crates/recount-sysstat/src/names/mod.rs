//! The activities: the layout of their items, and the counters made from them. All of this is tables; no activity
//! has its own code.

mod activities;
mod canonical;
mod counters;
#[cfg(test)]
mod document;
mod early;

use crate::structure::activity::FileActivity;
use crate::structure::header::{Format, Header};
use activities::ACTIVITIES;
pub(crate) use canonical::{CANONICAL, ItemFilter};
pub(crate) use counters::{Counter, RealRange};
pub(crate) use early::help as help_of_early;
use early::{Early, LAST_ID, ONLY_LENS};

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
    /// An entry's activity and its layout; `None` if either isn't known.
    pub(crate) fn find(file: &FileActivity, header: &Header) -> Option<(&'static Activity, Shape)> {
        ACTIVITIES.iter().filter(|activity| activity.id == file.id).find_map(|activity| {
            let current = || activity.current.iter().find(|(of, _)| *of == file.magic);
            let old = || activity.old.iter().find(|(of, _)| *of == file.magic);
            let shape = if header.format.is_current() {
                current().map(|(_, groups)| Shape::Groups(groups))
            } else if header.format.is_early() {
                early(file, header.is_vendors, old().map_or(&[], |(_, spans)| *spans))
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

/// The layout of an activity in 0x1170 and 0x2170, given that of 0x2171 with the first magic.
fn early(file: &FileActivity, is_vendors: bool, later: &'static [Span]) -> Option<Shape> {
    let only_len = ONLY_LENS.iter().find(|(id, _)| *id == file.id);
    let is_known = file.id <= LAST_ID && only_len.is_none_or(|(_, len)| *len == file.len_item);
    let Some(other) = Early::find(file.id) else {
        return (is_known && !later.is_empty()).then_some(Shape::Spans(later));
    };
    let spans = if is_vendors { other.vendors } else { other.plain };
    (other.lens[usize::from(is_vendors)] == file.len_item).then_some(Shape::Spans(spans))
}

/// Notes in a header of the formats before 0x2171 what the list of activities says about it.
pub(crate) fn settle_early(header: &mut Header, list: &[FileActivity]) {
    if !header.format.is_early() {
        return;
    }
    let is_release_of_vendor = header.format == Format::Rhel6 || header.release.contains(".el6");
    header.is_vendors = is_list_of_vendor(list).unwrap_or(is_release_of_vendor);
    // A kernel for one CPU counts the time of all CPUs only.
    if list.iter().any(|file| file.id == ID_CPU && file.num_items == 1) {
        header.ofs_uptime = 0;
    }
}

/// Whether a list has the sums over disks in the layout of RHEL 6; `None` if it has none, or of another length.
fn is_list_of_vendor(list: &[FileActivity]) -> Option<bool> {
    let sums = list.iter().find(|file| file.id == ID_SUMS)?;
    let [plain, vendors] = Early::find(ID_SUMS)?.lens;
    match sums.len_item {
        len if len == vendors => Some(true),
        len if len == plain => Some(false),
        _ => None,
    }
}

/// `A_CPU`.
const ID_CPU: u32 = 1;
/// `A_IO`.
const ID_SUMS: u32 = 6;

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
    /// A counter of 32 bits in a slot of 8 bytes: a long, or a number of 8 bytes.
    NarrowLong,
    NarrowQuad,
    Byte,
    /// Text of at most this number of bytes.
    Text(usize),
}
