//! Totals of the kernel that never fall while it runs. A boot that left no record, and whose uptime isn't lower than that of the
//! sample before, shows in them only (formats/sa.md#boots-without-a-record).

use std::collections::BTreeMap;

use super::Sample;
use super::record::items;
use crate::layout::{Field, Layout};
use crate::names::List;
use crate::structure::activity::FileActivity;
use crate::structure::header::Header;
use crate::structure::number::Numbers;

/// Fields that never fall, by activity.
const STEADY: &[(&str, &str)] = &[
    ("A_CPU", "user nice sys hardirq softirq"),
    ("A_PCSW", "context_switch processes"),
    ("A_IRQ", "irq_nr"),
    ("A_SWAP", "pswpin pswpout"),
    ("A_PAGE", "pgpgin pgpgout pgfault pgmajfault pgfree pgscan_kswapd pgscan_direct pgsteal"),
];

/// Sums over devices, which also fall when a device is removed: they bear out what one steady field says.
const WITNESS: (&str, &str) = ("A_IO", "drive rio wio rblk wblk");

/// Steady fields that must fall together.
const NUM_FALLEN: usize = 2;

/// Where the totals are in the samples of a file.
pub(super) struct Totals<'a> {
    file: &'a [u8],
    header: &'a Header,
    activities: &'a [FileActivity],
    /// Per activity of the list; `None`: it has none.
    parts: Vec<Option<ActivityTotals>>,
}

/// The totals of an activity.
struct ActivityTotals {
    list: List,
    is_witness: bool,
    fields: Vec<Field>,
}

/// A total.
#[derive(Clone, Copy)]
struct Total {
    /// The activity, and the field.
    at: (u16, u16),
    /// Which CPU; 0 for other things.
    cpu: u32,
    value: u64,
    is_narrow: bool,
    is_witness: bool,
}

/// The totals of one sample, in the order of the file. A CPU that is off has none.
pub(super) struct SampleTotals(Vec<Total>);

impl<'a> Totals<'a> {
    pub(super) fn of(
        file: &'a [u8],
        header: &'a Header,
        activities: &'a [FileActivity],
        layouts: &[Option<Layout>],
    ) -> Totals<'a> {
        let parts = layouts.iter().map(|layout| ActivityTotals::of(layout.as_ref()?)).collect();
        Totals { file, header, activities, parts }
    }

    /// Reads a sample; `counts` has the numbers of items, if records don't state them.
    pub(super) fn read(&self, sample: &Sample, counts: &[u32]) -> SampleTotals {
        let mut ofs = sample.ofs;
        let mut all = Vec::new();
        for (number, ((activity, part), &count)) in
            self.activities.iter().zip(&self.parts).zip(counts).enumerate()
        {
            // They were checked when the sample was found.
            let Ok((bytes, end)) = items(self.file, self.header, activity, count, ofs) else { break };
            ofs = end;
            if let Some(part) = part {
                part.read(
                    number as u16,
                    self.header.numbers,
                    bytes.chunks_exact(activity.len_item),
                    &mut all,
                );
            }
        }
        SampleTotals(all)
    }
}

impl ActivityTotals {
    /// `None` if the activity has no totals.
    fn of(layout: &Layout) -> Option<ActivityTotals> {
        let mut tables = STEADY.iter().chain([&WITNESS]);
        let (name, fields) = tables.find(|(name, _)| *name == layout.activity)?;
        let fields = fields.split_whitespace().filter_map(|field| layout.field(field)).collect();
        Some(ActivityTotals { list: layout.list, is_witness: *name == WITNESS.0, fields })
    }

    fn read<'b>(
        &self,
        activity: u16,
        numbers: Numbers,
        items: impl ExactSizeIterator<Item = &'b [u8]>,
        all: &mut Vec<Total>,
    ) {
        // Item 0 of several CPUs is their sum, which falls when one goes off.
        let cpus = if self.list != List::Cpu || items.len() == 1 { 0..1 } else { 1..items.len() };
        for (cpu, item) in items.enumerate().skip(cpus.start).take(cpus.len()) {
            let values = self.fields.iter().map(|field| (*field, field.number(numbers, item).unwrap_or(0)));
            if self.list == List::Cpu && values.clone().all(|(_, value)| value == 0) {
                continue;
            }
            all.extend(values.enumerate().map(|(index, (field, value))| Total {
                at: (activity, index as u16),
                cpu: cpu as u32,
                value,
                is_narrow: field.is_narrow(numbers),
                is_witness: self.is_witness,
            }));
        }
    }
}

impl SampleTotals {
    /// Whether these are totals of the boot before that of the next sample's.
    pub(super) fn are_of_an_earlier_boot(&self, next: &SampleTotals) -> bool {
        // A narrow number in the upper half may have wrapped around.
        let has_fallen = |total: &Total, [before, next]: [u128; 2]| {
            next < before && !(total.is_narrow && before >= 1 << 31)
        };
        // Sums over the CPUs that are in both samples, and which of several CPUs have a total that fell.
        let mut sums: Vec<(Total, [u128; 2])> = Vec::new();
        let mut cpus: BTreeMap<u32, bool> = BTreeMap::new();
        let mut nexts = next.0.iter().peekable();
        for before in &self.0 {
            let key = |total: &Total| (total.at.0, total.cpu, total.at.1);
            while nexts.next_if(|next| key(next) < key(before)).is_some() {}
            let Some(next) = nexts.next_if(|next| key(next) == key(before)) else { continue };
            let values = [u128::from(before.value), u128::from(next.value)];
            if before.cpu > 0 {
                *cpus.entry(before.cpu).or_default() |= has_fallen(before, values);
            }
            // Of several CPUs, a field's sum is one of the last few.
            let num_near = sums.iter().rev().take(8).position(|(sum, _)| sum.at == before.at);
            let len = sums.len();
            match num_near.and_then(|back| sums.get_mut(len - 1 - back)) {
                Some((_, sum)) => sum.iter_mut().zip(values).for_each(|(sum, value)| *sum += value),
                None => sums.push((*before, values)),
            }
        }
        let fallen = || sums.iter().filter(|(total, values)| has_fallen(total, *values));
        // At a boot all CPUs begin anew. If only some do, all their totals are as good as one.
        let is_of_few = 2 * cpus.values().filter(|has_fallen| **has_fallen).count() <= cpus.len();
        let (of_cpus, of_others): (Vec<&Total>, Vec<&Total>) = fallen()
            .map(|(total, _)| total)
            .filter(|total| !total.is_witness)
            .partition(|total| total.cpu > 0 && is_of_few);
        let num_steady = of_others.len() + of_cpus.len().min(1);
        num_steady >= NUM_FALLEN || num_steady > 0 && fallen().any(|(total, _)| total.is_witness)
    }
}
