//! The items of a sample that are shown, each with what tells it from the others.

use recount_model::{Instance, Timestamp, number_namesakes};

use super::interface_load::Fields;
use super::ledgers::Ledgers;
use super::plan::Plan;
use super::{cpu, soft_net};
use crate::layout::Field;
use crate::names::{Kind, List, Only};
use crate::structure::number::{Numbers, text};

/// Values of an instance.
pub(crate) enum Row<'a> {
    /// As they stand in the file, and how long an interface was busy.
    Item(&'a [u8], u64),
    /// Made of several items, or of one over time.
    Made([u64; cpu::NUM_VALUES]),
}

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
    /// Of all CPUs, or of one.
    Interrupt(Option<u32>, &'a [u8]),
    /// By position.
    NumberedInterrupt(u32),
}

/// A label, and what tells it from an earlier thing of the same name.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) struct Identity<'a> {
    pub(crate) label: Label<'a>,
    pub(crate) start: Option<Timestamp>,
    pub(crate) id: Option<u64>,
    /// Whether it is known how long it was busy.
    pub(crate) has_load: bool,
}

/// What rows are made from, besides the items.
#[derive(Clone, Copy)]
pub(crate) struct Context<'s> {
    pub(crate) numbers: Numbers,
    pub(crate) ledgers: &'s Ledgers,
    /// Place of the sample in the file.
    pub(crate) sample: u32,
    /// What tells the file from others: when it was made.
    pub(crate) file: u64,
}

/// Rows of one sample, in the order of the file.
#[derive(Default)]
pub(crate) struct Rows<'a> {
    pub(crate) identities: Vec<Identity<'a>>,
    pub(crate) rows: Vec<Row<'a>>,
}

impl<'a> Rows<'a> {
    pub(crate) fn clear(&mut self) {
        self.identities.clear();
        self.rows.clear();
    }

    fn push(&mut self, label: Label<'a>, row: Row<'a>) {
        self.identities.push(Identity { label, start: None, id: None, has_load: false });
        self.rows.push(row);
    }

    /// Takes the rows of a sample from its items.
    pub(crate) fn fill(&mut self, plan: &Plan, items: &'a [u8], context: Context<'_>) {
        self.clear();
        match plan.layout.list {
            List::Cpu => self.fill_cpu(plan, items, context),
            List::SoftNet => self.fill_soft_net(plan, items, context),
            List::FrequencyStates => self.fill_frequency_states(plan, items, context.numbers),
            List::InterruptMatrix => self.fill_interrupts(plan, items, context.numbers),
            _ => {
                let loads = context.ledgers.loads().zip(Fields::of(plan, context.numbers));
                for (label, item) in labelled(plan, items, context.numbers) {
                    let speed = loads.map(|(_, fields)| fields.speed(item)).filter(|speed| *speed > 0);
                    let load = loads
                        .filter(|_| speed.is_some())
                        .map(|(loads, _)| loads.up_to(&label, context.sample));
                    self.push(label, Row::Item(item, load.unwrap_or(0)));
                    if let Some(identity) = self.identities.last_mut() {
                        identity.has_load = load.is_some();
                    }
                }
            }
        }
        if let Some(renewals) = context.ledgers.renewals(plan) {
            for identity in &mut self.identities {
                identity.start = renewals.latest(&identity.label, context.sample);
            }
        }
    }

    fn fill_cpu(&mut self, plan: &Plan, items: &'a [u8], context: Context<'_>) {
        let ledger = context.ledgers.cpu();
        let reader = cpu::Reader::of(&plan.layout, context.numbers);
        let count = items.len() / plan.len_item;
        let item = |index: usize| reader.values(&items[index * plan.len_item..][..plan.len_item]);
        let mut push = |number: usize, label, values: [u64; cpu::NUM_VALUES]| {
            let Some(ledger) = ledger else { return };
            self.push(label, Row::Made(ledger.corrected(number, values, context.sample)));
            if let Some(identity) = self.identities.last_mut() {
                identity.id = ledger.id(number, context.sample, context.file);
            }
        };
        if count == 1 {
            return push(0, Label::All, item(0));
        }
        let mut all = [0_u64; cpu::NUM_VALUES];
        for values in (1..count).map(item).filter(cpu::is_online) {
            all.iter_mut().zip(values).for_each(|(sum, value)| *sum = sum.wrapping_add(value));
        }
        if count > 1 {
            push(0, Label::All, all);
        }
        for number in 1..count {
            let values = item(number);
            if cpu::is_online(&values) {
                push(number, Label::Number(number as u32 - 1), values);
            }
        }
    }

    fn fill_soft_net(&mut self, plan: &Plan, items: &'a [u8], context: Context<'_>) {
        let Some(ledger) = context.ledgers.soft_net() else { return };
        let reader = soft_net::Reader::of(&plan.layout, context.numbers);
        let made = |values: [u64; soft_net::NUM_VALUES]| {
            let mut made = [0; cpu::NUM_VALUES];
            made[..soft_net::NUM_VALUES].copy_from_slice(&values);
            Row::Made(made)
        };
        if items.len() == plan.len_item {
            // A kernel for one CPU has no other.
            return self.push(Label::All, made(reader.values(items)));
        }
        let cpus = items.chunks_exact(plan.len_item).skip(1).map(|item| reader.values(item));
        let mut all = [0_u64; soft_net::NUM_VALUES];
        for values in cpus.clone() {
            all.iter_mut().zip(values).for_each(|(sum, value)| *sum = sum.wrapping_add(value));
        }
        if !items.is_empty() {
            self.push(Label::All, made(ledger.corrected(all, context.sample)));
            if let Some(identity) = self.identities.last_mut() {
                identity.id = ledger.id(context.sample, context.file);
                identity.start = None;
            }
        }
        for (number, values) in cpus.enumerate() {
            if soft_net::is_online(&values) {
                self.push(Label::Number(number as u32), made(values));
            }
        }
    }

    /// The time that each CPU spent at its frequencies, up to the first that is 0.
    fn fill_frequency_states(&mut self, plan: &Plan, items: &'a [u8], numbers: Numbers) {
        let (Some(time), Some(frequency)) = (plan.layout.field("time_in_state"), plan.layout.field("freq"))
        else {
            return;
        };
        for (cpu, states) in items.chunks_exact(plan.len_item * plan.num_sub_items as usize).enumerate() {
            let (mut weighted, mut total) = (0_u64, 0_u64);
            for state in states.chunks_exact(plan.len_item) {
                let kilohertz = frequency.number(numbers, state).unwrap_or(0);
                if kilohertz == 0 {
                    break;
                }
                let ticks = time.number(numbers, state).unwrap_or(0);
                weighted = weighted.wrapping_add((kilohertz / 1000).wrapping_mul(ticks));
                total = total.wrapping_add(ticks);
            }
            let mut made = [0; cpu::NUM_VALUES];
            made[..2].copy_from_slice(&[weighted, total]);
            self.push(cpu_label(cpu), Row::Made(made));
        }
    }

    /// The interrupts of each CPU; of those that are off, none.
    fn fill_interrupts(&mut self, plan: &Plan, items: &'a [u8], numbers: Numbers) {
        let (Some(count), Some(name)) = (plan.layout.field("irq_nr"), plan.layout.field("irq_name")) else {
            return;
        };
        let len_cpu = plan.len_item * plan.num_sub_items as usize;
        let Some(names) = items.get(..len_cpu) else { return };
        for (cpu, of_cpu) in items.chunks_exact(len_cpu).enumerate() {
            let is_off = cpu > 0 && count.number(numbers, of_cpu) == Some(0);
            if is_off {
                continue;
            }
            let number = cpu.checked_sub(1).map(|number| number as u32);
            let pairs = of_cpu.chunks_exact(plan.len_item).zip(names.chunks_exact(plan.len_item));
            for (item, named) in pairs {
                self.push(Label::Interrupt(number, name.text(named)), Row::Item(item, 0));
            }
        }
    }
}

fn cpu_label<'a>(position: usize) -> Label<'a> {
    position.checked_sub(1).map_or(Label::All, |number| Label::Number(number as u32))
}

/// Items with their labels, up to the unused slots of a fixed list.
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

/// What an item of a list is.
enum Slot<T> {
    Shown(T),
    Hidden,
    /// Neither it nor any after it is in use.
    Unused,
}

/// The fields that name items.
struct Labeller {
    list: List,
    numbers: Numbers,
    is_fixed_list: bool,
    only: Only,
    fields: [Option<Field>; 4],
}

impl Labeller {
    fn of(plan: &Plan, numbers: Numbers) -> Labeller {
        let names: [&str; 4] = match plan.layout.list {
            List::Frequency => ["cpufreq", "", "", ""],
            List::Disk => ["major", "minor", "part_nr", ""],
            List::Line => ["line", "", "", ""],
            List::Named(_) if plan.only == Only::Mounted => ["mount_point", "blocks", "", ""],
            List::Named(name) => [name, "blocks", "speed", ""],
            List::Sensor(_) => ["device", "", "", ""],
            List::Usb => ["product_name", "bus", "vendor", "product"],
            List::Numbered => ["id", "", "", ""],
            _ => [""; 4],
        };
        let fields = names.map(|name| plan.layout.field(name));
        Labeller { list: plan.layout.list, numbers, is_fixed_list: !plan.is_current, only: plan.only, fields }
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
        let unless = |is_unused: bool, label| {
            if self.is_fixed_list && is_unused { Slot::Unused } else { Slot::Shown(label) }
        };
        match self.list {
            List::Single | List::Sums if position == 0 && self.only == Only::Total => Slot::Shown(Label::All),
            List::Single | List::Sums if position == 0 => Slot::Shown(Label::Single),
            List::Interrupts => Slot::Shown(Label::NumberedInterrupt(position as u32)),
            List::Frequency if number(0) != 0 => Slot::Shown(cpu_label(position)),
            List::Frequency => Slot::Hidden,
            List::Disk => {
                let (major, minor) = (number(0), number(1));
                if self.only == Only::WholeDisks && (number(2) != 0 || is_part_or_virtual(major, minor)) {
                    return Slot::Hidden;
                }
                unless(major.wrapping_add(minor) == 0, Label::Disk(major, minor))
            }
            List::Line => {
                let line = number(0);
                let from_0 = if self.is_fixed_list { line.wrapping_sub(1) } else { line };
                unless(line == 0, Label::Number(from_0))
            }
            // A file system is there if it has blocks.
            List::Named("device") => {
                let blocks = self.fields[1].and_then(|field| field.number(self.numbers, item));
                unless(blocks == Some(0), Label::Named(text()))
            }
            List::Named(_) if self.only == Only::WithSpeed && number(2) == 0 => Slot::Hidden,
            List::Named(_) => unless(text().is_empty(), Label::Named(text())),
            List::Sensor(first) => Slot::Shown(Label::Sensor(position as u32 + first, text())),
            List::Usb => unless(number(1) == 0, Label::Usb([number(1), number(2), number(3)], text())),
            List::Numbered => Slot::Shown(Label::Number(number(0))),
            _ => Slot::Unused,
        }
    }
}

/// Whether a disk is a partition of one, or stands on others, as far as its number says.
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

impl Label<'_> {
    /// The interrupt, of one that is told by CPU.
    pub(crate) fn parent(&self) -> Option<String> {
        match self {
            Label::Interrupt(Some(_), name) => Some(text(name)),
            _ => None,
        }
    }

    /// The instance, as `sar` calls it.
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
}

/// The instances of a sample. Namesakes are numbered.
pub(crate) fn instances(plan: &Plan, identities: &[Identity<'_>]) -> Vec<Instance> {
    let instance = |identity: &Identity<'_>| Instance {
        parent: identity.label.parent().map(Into::into),
        id: identity.id,
        start: identity.start,
        ..Instance::named(match identity.label {
            Label::All if plan.is_canonical => "_Total".to_owned(),
            label => label.name(),
        })
    };
    let mut instances: Vec<Instance> = identities.iter().map(instance).collect();
    number_namesakes(&mut instances);
    instances
}
