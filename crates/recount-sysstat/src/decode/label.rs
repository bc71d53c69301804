//! What tells an instance from the others of its sample.

use crate::structure::number::text;

/// What tells an instance from the others of its sample.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub(crate) enum Label<'a> {
    /// The one item of its object.
    Single,
    /// All CPUs together.
    All,
    Number(u32),
    Named(&'a [u8]),
    Disk(u32, u32),
    Sensor(u32, &'a [u8]),
    Usb([u32; 3], &'a [u8]),
    /// An interrupt of all CPUs, or of one.
    Interrupt(Option<u32>, &'a [u8]),
    /// By position.
    NumberedInterrupt(u32),
}

impl Label<'_> {
    /// The interrupt, if it is counted per CPU.
    pub(crate) fn parent(&self) -> Option<String> {
        match self {
            Label::Interrupt(Some(_), name) => Some(text(name)),
            _ => None,
        }
    }

    /// The instance's name in `sar`.
    pub(crate) fn name(&self) -> String {
        match *self {
            Label::Single => String::new(),
            Label::All => "all".to_owned(),
            Label::Number(number) => number.to_string(),
            Label::Named(name) | Label::Interrupt(None, name) => text(name),
            Label::Disk(major, minor) => format!("dev{major}-{minor}"),
            Label::Sensor(number, device) => format!("{number} {}", text(device)),
            Label::Usb([bus, vendor, product], name) => {
                format!("{bus}:{vendor:04x}:{product:04x} {}", text(name))
            }
            Label::Interrupt(Some(cpu), _) => format!("CPU{cpu}"),
            Label::NumberedInterrupt(0) => "sum".to_owned(),
            Label::NumberedInterrupt(position) => (position - 1).to_string(),
        }
    }

    /// The label of an entry in a list of CPUs, by position: the first is all CPUs together.
    pub(crate) fn cpu(position: usize) -> Label<'static> {
        position.checked_sub(1).map_or(Label::All, |number| Label::Number(number as u32))
    }
}
