//! The items of a list that are shown, each with its label.

use super::label::Label;
use super::plan::Plan;
use crate::layout::Field;
use crate::names::{ItemFilter, Kind, List};
use crate::structure::header::Format;
use crate::structure::number::Numbers;

/// Items with their labels, without the unused slots of a fixed list: those of 0x2171 and 0x2173 end at the first.
pub(crate) fn labelled<'a>(
    plan: &Plan,
    items: &'a [u8],
    numbers: Numbers,
) -> impl Iterator<Item = (Label<'a>, &'a [u8])> {
    let labeller = Labeller::of(plan, numbers);
    let slots = items
        .chunks_exact(plan.len_item)
        .enumerate()
        .map(move |(position, item)| (labeller.label(position, item), item));
    slots.take_while(|(slot, _)| !matches!(slot, Slot::Unused)).filter_map(|(slot, item)| match slot {
        Slot::Shown(label) => Some((label, item)),
        Slot::Hidden | Slot::Unused => None,
    })
}

/// Whether an item of a list is used.
enum Slot<T> {
    Shown(T),
    Hidden,
    /// Neither this item nor any after it is in use.
    Unused,
}

/// The fields that name items.
struct Labeller {
    list: List,
    numbers: Numbers,
    format: Format,
    only: ItemFilter,
    fields: [Option<Field>; 4],
}

impl Labeller {
    fn of(plan: &Plan, numbers: Numbers) -> Labeller {
        let names: [&str; 4] = match plan.layout.list {
            List::Frequency => ["cpufreq", "", "", ""],
            List::Disk => ["major", "minor", "part_nr", ""],
            List::Line => ["line", "", "", ""],
            List::Named(_) if plan.only == ItemFilter::Mounted => ["mount_point", "blocks", "", ""],
            List::Named(name) => [name, "blocks", "speed", ""],
            List::Sensor(_) => ["device", "", "", ""],
            List::Usb => ["product_name", "bus", "vendor", "product"],
            List::Numbered => ["id", "", "", ""],
            _ => [""; 4],
        };
        let fields = names.map(|name| plan.layout.field(name));
        Labeller { list: plan.layout.list, numbers, format: plan.format, only: plan.only, fields }
    }

    fn label<'a>(&self, position: usize, item: &'a [u8]) -> Slot<Label<'a>> {
        let number = |index: usize| {
            self.fields[index].and_then(|field| field.number(self.numbers, item)).unwrap_or(0) as u32
        };
        let text = || {
            self.fields[0]
                .filter(|field| matches!(field.kind, Kind::Text(_)))
                .map_or(&[][..], |f| f.text(item))
        };
        let unless = |is_unused: bool, label| match (is_unused, self.format) {
            (false, _) | (_, Format::Current) => Slot::Shown(label),
            (true, Format::Rhel6 | Format::Early) => Slot::Hidden,
            (true, Format::First | Format::Second) => Slot::Unused,
        };
        match self.list {
            List::Single | List::Sums if position == 0 && self.only == ItemFilter::Total => {
                Slot::Shown(Label::All)
            }
            List::Single | List::Sums if position == 0 => Slot::Shown(Label::Single),
            List::Interrupts => Slot::Shown(Label::NumberedInterrupt(position as u32)),
            List::Frequency if number(0) != 0 => Slot::Shown(Label::cpu(position)),
            List::Frequency => Slot::Hidden,
            List::Disk => {
                let (major, minor) = (number(0), number(1));
                if self.only == ItemFilter::WholeDisks && (number(2) != 0 || is_part_or_virtual(major, minor))
                {
                    return Slot::Hidden;
                }
                unless(major.wrapping_add(minor) == 0, Label::Disk(major, minor))
            }
            List::Line => {
                let line = number(0);
                let from_0 = if self.format.is_current() { line } else { line.wrapping_sub(1) };
                unless(line == 0, Label::Number(from_0))
            }
            // A file system exists if it has blocks.
            List::Named("device") => {
                let blocks = self.fields[1].and_then(|field| field.number(self.numbers, item));
                unless(blocks == Some(0), Label::Named(text()))
            }
            List::Named(_) if self.only == ItemFilter::WithSpeed && number(2) == 0 => Slot::Hidden,
            List::Named(_) => {
                let is_unused = text().is_empty() || (self.format.is_early() && text() == b"?");
                unless(is_unused, Label::Named(text()))
            }
            List::Sensor(first) => Slot::Shown(Label::Sensor(position as u32 + first, text())),
            List::Usb => unless(number(1) == 0, Label::Usb([number(1), number(2), number(3)], text())),
            List::Numbered => Slot::Shown(Label::Number(number(0))),
            _ => Slot::Unused,
        }
    }
}

/// Whether a disk is a partition, or is built on other disks, as far as its number shows.
fn is_part_or_virtual(major: u32, minor: u32) -> bool {
    match major {
        // Memory, loop devices, RAID.
        1 | 7 | 9 => true,
        // sd: 16 minors each; mmcblk: 8.
        8 | 65..=71 | 128..=135 => !minor.is_multiple_of(16),
        179 => !minor.is_multiple_of(8),
        _ => false,
    }
}
