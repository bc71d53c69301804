//! The requests of one query to one counterset.

use std::collections::HashSet;

use recount_bytes::{ByteOrder, Encoding};
use recount_model::{CounterDef, SubType};

use super::counterset::Counterset;
use super::identifiers::Asked;
use super::start::StartColumns;

/// The counters of a counterset that a query requests, and the corresponding identifiers.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(super) struct View {
    /// The counterset as registered.
    pub(super) registered: Counterset,
    /// The requested counters: the columns of runs.
    pub(super) set: Counterset,
    /// The identifiers, in order of position.
    pub(super) asked: Vec<Asked>,
    pub(super) start: Option<StartColumns>,
    /// Per counter, whether a number is expected (and not text).
    pub(super) is_number: Vec<bool>,
    /// Per counter, how its texts are encoded; `None` if it has none.
    pub(super) texts: Vec<Option<Encoding>>,
}

/// An identifier's instance: its id and name.
pub(super) type InstanceAsked<'v> = (u32, &'v str);

impl View {
    pub(super) fn new(registered: Counterset, asked: Vec<Asked>) -> View {
        let set = if asked.iter().any(Asked::any_counter) {
            registered.clone()
        } else {
            let wanted: HashSet<u32> = asked.iter().map(|asked| asked.counter_id).collect();
            registered.restricted_to(|id| wanted.contains(&id))
        };
        let is_number = set.object.counters.iter().map(|def| def.formula().reads_number());
        let texts = set.object.counters.iter().map(encoding);
        View {
            start: StartColumns::of(&set),
            is_number: is_number.collect(),
            texts: texts.collect(),
            registered,
            set,
            asked,
        }
    }

    pub(super) fn num_columns(&self) -> usize {
        self.set.links.len()
    }

    /// Whether a counter has texts.
    pub(super) fn has_texts(&self) -> bool {
        self.texts.iter().any(Option::is_some)
    }

    pub(super) fn is_instanced(&self) -> bool {
        self.set.object.instanced
    }

    /// The last position of an answer with data of the counterset.
    pub(super) fn last_position(&self) -> u32 {
        self.asked.last().map_or(0, |asked| asked.position)
    }

    /// The only counter requested at a position; `None` for any or several.
    pub(super) fn counter_at(&self, position: u32) -> Option<u32> {
        one(self.at(position).map(|asked| (!asked.any_counter()).then_some(asked.counter_id)))
    }

    /// The only instance requested at a position; `None` for any or several.
    pub(super) fn instance_at(&self, position: u32) -> Option<InstanceAsked<'_>> {
        one(self.at(position).map(Asked::instance))
    }

    fn at(&self, position: u32) -> impl Iterator<Item = &Asked> {
        let start = self.asked.partition_point(|asked| asked.position < position);
        self.asked.iter().skip(start).take_while(move |asked| asked.position == position)
    }
}

/// There is no code page: texts that aren't UTF-16 are taken as UTF-8.
fn encoding(counter: &CounterDef) -> Option<Encoding> {
    match counter.counter_type?.subtype() {
        SubType::Unicode => Some(Encoding::Utf16(ByteOrder::Little)),
        SubType::Ascii => Some(Encoding::CodePage(65001)),
        _ => None,
    }
}

impl Asked {
    /// The instance; `None` for any.
    pub(super) fn instance(&self) -> Option<InstanceAsked<'_>> {
        (!self.any_instance()).then_some((self.instance_id, &*self.name))
    }
}

/// The common value; `None` if they differ or there is none.
fn one<T: PartialEq>(mut all: impl Iterator<Item = Option<T>>) -> Option<T> {
    let first = all.next()??;
    all.all(|other| other.as_ref() == Some(&first)).then_some(first)
}
