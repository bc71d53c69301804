//! File systems of which more is free than there is, as some report it: then nothing is known about how much of them is
//! used (`formats/sa.md`, as in `formats/pcp-archive.md#meaning`).

use recount_model::CounterDef;

use super::row::InstanceValues;
use crate::layout::{Field, Layout};
use crate::structure::number::Numbers;

/// Fields that describe one space.
struct SpaceFields {
    activity: &'static str,
    whole: &'static str,
    /// Not more than the whole.
    parts: &'static [&'static str],
    /// Counters without a value otherwise, under either name.
    counters: &'static [&'static str],
}

const SPACES: [SpaceFields; 3] = [
    SpaceFields {
        activity: "A_FS",
        whole: "blocks",
        parts: &["free", "avail"],
        counters: &["MBfsused", "%fsused", "%ufsused", "% Free Space"],
    },
    SpaceFields {
        activity: "A_FS",
        whole: "blocks",
        parts: &["avail"],
        counters: &["Free Megabytes", "Free Bytes"],
    },
    SpaceFields {
        activity: "A_FS",
        whole: "files",
        parts: &["ffree"],
        counters: &["Iused", "%Iused", "% Free Inodes"],
    },
];

/// A space in an activity.
pub(crate) struct Space {
    whole: Field,
    parts: Vec<Field>,
    /// Columns without a value if a part is larger than the whole.
    columns: Vec<usize>,
}

impl Space {
    /// The spaces of an activity with these counters.
    pub(crate) fn all(layout: &Layout, counters: &[CounterDef]) -> Vec<Space> {
        let of = |known: &SpaceFields| {
            let is_about = |at: &usize| known.counters.contains(&&*counters[*at].name);
            let columns: Vec<usize> = (0..counters.len()).filter(is_about).collect();
            let parts: Vec<Field> = known.parts.iter().filter_map(|part| layout.field(part)).collect();
            let whole = layout.field(known.whole)?;
            (!columns.is_empty() && !parts.is_empty()).then_some(Space { whole, parts, columns })
        };
        SPACES.iter().filter(|known| known.activity == layout.activity).filter_map(of).collect()
    }

    /// Whether a column has no value in a row.
    pub(crate) fn is_impossible(&self, column: usize, numbers: Numbers, row: &InstanceValues<'_>) -> bool {
        let InstanceValues::Item(item) = row else { return false };
        let number = |field: &Field| field.number(numbers, item);
        self.columns.contains(&column)
            && number(&self.whole)
                .is_some_and(|whole| self.parts.iter().filter_map(number).any(|part| part > whole))
    }
}
