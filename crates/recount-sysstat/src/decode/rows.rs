//! The rows of a sample, made from its items.

use recount_model::{Instance, number_namesakes};

use super::label::Label;
use super::labeller::labelled;
use super::ledgers::Ledgers;
use super::plan::Plan;
use super::row::{Identity, InstanceValues};
use super::{cpu, soft_net};
use crate::names::List;
use crate::structure::number::Numbers;

/// The inputs of rows, besides the items.
#[derive(Clone, Copy)]
pub(crate) struct Context<'s> {
    pub(crate) numbers: Numbers,
    pub(crate) ledgers: &'s Ledgers,
    /// Its place among the samples that the ledgers are about.
    pub(crate) sample: u32,
}

/// Rows of one sample, in the order of the file.
#[derive(Default)]
pub(crate) struct Rows<'a> {
    pub(crate) identities: Vec<Identity<'a>>,
    pub(crate) rows: Vec<InstanceValues<'a>>,
}

impl<'a> Rows<'a> {
    pub(crate) fn clear(&mut self) {
        self.identities.clear();
        self.rows.clear();
    }

    fn push(&mut self, label: Label<'a>, row: InstanceValues<'a>) {
        self.identities.push(Identity::of(label));
        self.rows.push(row);
    }

    /// Makes the rows of a sample from its items.
    pub(crate) fn fill(&mut self, plan: &Plan, items: &'a [u8], context: Context<'_>) {
        self.clear();
        match plan.layout.list {
            List::Cpu => self.fill_cpu(plan, items, context),
            List::SoftNet => self.fill_soft_net(plan, items, context),
            List::FrequencyStates => self.fill_frequency_states(plan, items, context.numbers),
            List::InterruptMatrix => self.fill_interrupts(plan, items, context.numbers),
            _ => {
                let speed = plan.layout.field("speed");
                for (label, item) in labelled(plan, items, context.numbers) {
                    self.push(label, InstanceValues::Item(item));
                    if let Some(identity) = self.identities.last_mut() {
                        let speed = speed.and_then(|speed| speed.number(context.numbers, item));
                        identity.has_speed = speed.is_some_and(|speed| speed > 0);
                    }
                }
            }
        }
        if let Some(renewals) = context.ledgers.renewals(plan).filter(|_| plan.object.renewal.is_some()) {
            for identity in &mut self.identities {
                identity.renewed_after = renewals.latest(&identity.label, context.sample);
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
            self.push(label, InstanceValues::Made(ledger.corrected(number, values, context.sample)));
            if let Some(identity) = self.identities.last_mut() {
                identity.basis = ledger.basis(number, context.sample);
                identity.start = ledger.start(number, context.sample);
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
            InstanceValues::Made(made)
        };
        if items.len() == plan.len_item {
            // A kernel for one CPU has no other items.
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
                identity.basis = ledger.basis(context.sample);
                identity.start = ledger.start(context.sample);
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
            let (mut weighted, mut total) = (0_u128, 0_u128);
            for state in states.chunks_exact(plan.len_item) {
                let kilohertz = frequency.number(numbers, state).unwrap_or(0);
                if kilohertz == 0 {
                    break;
                }
                let ticks = time.number(numbers, state).unwrap_or(0);
                weighted += u128::from(kilohertz / 1000) * u128::from(ticks);
                total += u128::from(ticks);
            }
            // Sums that don't fit have no value, nor has the CPU.
            let (Ok(weighted), Ok(total)) = (u64::try_from(weighted), u64::try_from(total)) else { continue };
            let mut made = [0; cpu::NUM_VALUES];
            made[..2].copy_from_slice(&[weighted, total]);
            self.push(Label::cpu(cpu), InstanceValues::Made(made));
        }
    }

    /// The interrupts of each CPU that is online.
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
                self.push(Label::Interrupt(number, name.text(named)), InstanceValues::Item(item));
            }
        }
    }
}

/// The instances of a sample. Instances of the same name are numbered.
pub(crate) fn instances(plan: &Plan, identities: &[Identity<'_>]) -> Vec<Instance> {
    let instance = |identity: &Identity<'_>| Instance {
        parent: identity.label.parent().map(Into::into),
        start: identity.start,
        basis: identity.basis,
        renewed_after: identity.renewed_after,
        ..Instance::named(match identity.label {
            Label::All if plan.is_canonical => "_Total".to_owned(),
            label => label.name(),
        })
    };
    let mut instances: Vec<Instance> = identities.iter().map(instance).collect();
    number_namesakes(&mut instances);
    instances
}
