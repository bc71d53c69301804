//! Spaces of which more is free than there is, as some file systems report it: then nothing is known about how much of them
//! is used (`formats/pcp-archive.md#meaning`).

use recount_model::CounterDef;

use crate::meta::Meta;
use crate::row::{InstanceRow, PlacedSet};
use crate::value::ValueType;

/// Metrics below a prefix that describe one space.
struct SpaceMetrics {
    prefixes: &'static [&'static str],
    whole: &'static str,
    /// Not more than the whole.
    parts: &'static [&'static str],
    /// Counters without a value otherwise, under either name.
    used: &'static [&'static str],
}

const SPACES: [SpaceMetrics; 4] = [
    SpaceMetrics {
        prefixes: &["filesys", "tmpfs"],
        whole: "capacity",
        parts: &["free", "avail", "used"],
        used: &["used", "full", "% Free Space"],
    },
    SpaceMetrics {
        prefixes: &["filesys", "tmpfs"],
        whole: "capacity",
        parts: &["avail"],
        used: &["Free Bytes", "Free Megabytes"],
    },
    SpaceMetrics {
        prefixes: &["filesys", "tmpfs"],
        whole: "maxfiles",
        parts: &["freefiles", "usedfiles"],
        used: &["usedfiles", "% Free Inodes"],
    },
    SpaceMetrics {
        prefixes: &["swap"],
        whole: "length",
        parts: &["free", "used"],
        used: &["used", "% Usage", "Used Bytes"],
    },
];

/// A space in a stream.
#[derive(Clone, Debug)]
pub(crate) struct Space {
    /// An input of the stream, and its type.
    whole: (usize, ValueType),
    parts: Vec<(usize, ValueType)>,
    /// Columns without a value if a part is larger than the whole.
    columns: Vec<usize>,
}

impl Space {
    /// The spaces of a stream with these metrics and counters.
    pub(crate) fn all(meta: &Meta, inputs: &[usize], counters: &[CounterDef]) -> Vec<Space> {
        let below = SPACES.iter().flat_map(|known| known.prefixes.iter().map(move |prefix| (known, *prefix)));
        below.filter_map(|(known, prefix)| Space::of(known, prefix, meta, inputs, counters)).collect()
    }

    fn of(
        known: &SpaceMetrics,
        prefix: &str,
        meta: &Meta,
        inputs: &[usize],
        counters: &[CounterDef],
    ) -> Option<Space> {
        let metric = |input: usize| &meta.metrics[inputs[input]];
        let input = |name: &&str| {
            let name = format!("{prefix}.{name}");
            (0..inputs.len()).find(|input| metric(*input).names.contains(&name))
        };
        let whole = input(&known.whole)?;
        let typed = |input: usize| (input, metric(input).value_type);
        let is_alike = |part: &usize| metric(*part).units == metric(whole).units;
        let is_used = |at: &usize| known.used.contains(&&*counters[*at].name);
        let parts: Vec<_> = known.parts.iter().filter_map(input).filter(is_alike).map(typed).collect();
        let columns: Vec<usize> = (0..counters.len()).filter(is_used).collect();
        let is_there = !parts.is_empty() && !columns.is_empty();
        is_there.then(|| Space { whole: typed(whole), parts, columns })
    }

    /// Passes the cells, column and instance, that have no value in a record.
    pub(crate) fn impossible(
        &self,
        row: &InstanceRow<'_>,
        sets: &[Option<PlacedSet<'_>>],
        mut take: impl FnMut(usize, usize),
    ) {
        let values = |(input, value_type): (usize, ValueType)| {
            let placed = sets[input].filter(|placed| placed.set.count >= 0);
            placed.map(|placed| row.integers(&placed, value_type)).unwrap_or_default()
        };
        let wholes = values(self.whole);
        let parts: Vec<Vec<Option<i128>>> = self.parts.iter().map(|part| values(*part)).collect();
        for (instance, whole) in wholes.iter().enumerate() {
            let part = |values: &Vec<Option<i128>>| values.get(instance).copied().flatten();
            if whole.is_some_and(|whole| parts.iter().filter_map(part).any(|part| part > whole)) {
                self.columns.iter().for_each(|column| take(*column, instance));
            }
        }
    }
}
