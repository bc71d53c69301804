//! Objects and their counters in one version.

mod table;
pub(crate) mod value;

use std::sync::Arc;

use recount_model::{CounterDef, ObjectDef};

use crate::structure::layout::Layout;
use crate::structure::{FileHeader, Layouts, Version};
use table::TABLE;
use value::{Counter, Resolved, Value};

/// Where the instances of an object come from.
#[derive(Clone, Copy, Debug)]
pub(crate) enum Listing {
    /// The header of the sample: one unnamed instance.
    Record,
    /// The system structure: one unnamed instance.
    System,
    /// The same, if the pressure is known.
    Pressure,
    /// The processors, and their sum as `_Total`.
    Processors,
    /// An array of the system structure: the entries up to a count, or up to the first with an empty name.
    Array { array: &'static str, count: &'static str, name: Name },
    /// Processes, or threads.
    Tasks { processes: bool },
    /// Cgroups, by path.
    Cgroups,
}

/// How the instances of an array are named.
#[derive(Clone, Copy, Debug)]
pub(crate) enum Name {
    /// By a field of text. The first empty one ends the list.
    Text(&'static str),
    /// By a number, or by their index if the version has no such field.
    Number(&'static str),
    /// By two fields, each a number or a text.
    Pair(&'static str, &'static str),
}

impl Listing {
    /// The blocks of fields to which rows belong.
    fn prefixes(self) -> Vec<String> {
        match self {
            Listing::Processors => vec!["cpu.cpus.".into(), "cpu.all.".into()],
            Listing::Array { array, .. } => vec![format!("{array}.")],
            _ => vec![String::new()],
        }
    }

    fn layout(self, layouts: &Layouts) -> &Layout {
        match self {
            Listing::Record => &layouts.record,
            Listing::Tasks { .. } => &layouts.task,
            Listing::Cgroups => &layouts.cgroup,
            _ => &layouts.system,
        }
    }

    fn has_instances(self) -> bool {
        !matches!(self, Listing::Record | Listing::System | Listing::Pressure)
    }
}

/// An object of the table.
pub(crate) struct ObjectRow {
    name: &'static str,
    help: &'static str,
    listing: Listing,
    counters: &'static [&'static [Counter]],
}

/// An object of an opened log.
pub(crate) struct Object {
    pub(crate) def: Arc<ObjectDef>,
    pub(crate) listing: Listing,
    /// Per block of fields and counter; `None`: the block lacks it.
    pub(crate) blocks: Vec<Vec<Option<Resolved>>>,
}

/// All objects that a version can have.
pub(crate) struct Objects(pub(crate) Vec<Object>);

impl Objects {
    /// Those of a log with the layouts of a version.
    pub(crate) fn of(header: &FileHeader, version: Version, layouts: &Layouts) -> Objects {
        let is_there = |row: &&ObjectRow| !matches!(row.listing, Listing::Cgroups) || version.minor >= 11;
        let objects = TABLE.iter().filter(is_there).map(|row| object(row, header, layouts));
        Objects(objects.filter(|object| !object.def.counters.is_empty()).collect())
    }
}

fn object(row: &'static ObjectRow, header: &FileHeader, layouts: &Layouts) -> Object {
    let layout = row.listing.layout(layouts);
    let prefixes = row.listing.prefixes();
    let mut blocks: Vec<Vec<Option<Resolved>>> = prefixes.iter().map(|_| Vec::new()).collect();
    let mut counters = Vec::new();
    for counter in row.counters.iter().copied().flatten() {
        let in_block = |prefix: &String| {
            // Frequencies of all processors together are always 0.
            let is_frequency = matches!(counter.value, Value::Frequency(..) | Value::FrequencyShare(..));
            if is_frequency && prefix == "cpu.all." {
                return None;
            }
            let slot = |name: &str| layout.slot(&format!("{prefix}{name}"));
            counter.resolve(slot, header.hertz, header.page_size)
        };
        let resolved: Vec<Option<Resolved>> = prefixes.iter().map(in_block).collect();
        if resolved.iter().all(Option::is_none) {
            continue;
        }
        blocks.iter_mut().zip(resolved).for_each(|(block, resolved)| block.push(resolved));
        counters.push(CounterDef {
            name: counter.name.into(),
            help: (!counter.help.is_empty()).then(|| counter.help.into()),
            counter_type: counter.counter_type(),
            len_value: 8,
            ..CounterDef::default()
        });
    }
    let def = ObjectDef {
        name: row.name.into(),
        help: Some(row.help.into()),
        instanced: row.listing.has_instances(),
        counters,
        ..ObjectDef::default()
    };
    Object { def: Arc::new(def), listing: row.listing, blocks }
}
