//! Definitions of objects and counters: one table per object, which is the origin of definitions, names and
//! help texts.

use recount_model::{CounterType, NameTable};
use recount_perf_data::{CounterDefinition, ObjectHeader, ObjectTemplate};

/// A performance object of the Linux source.
pub(crate) struct ObjectSpec {
    /// Name index, a multiple of 1,000; the help text has the next index, and the counters the following
    /// ones: `formats/linux-objects.md`.
    pub(crate) index: u32,
    /// Name; the same as on Windows, if Windows has the object.
    pub(crate) name: &'static str,
    /// Help text.
    pub(crate) help: &'static str,
    /// Whether it has instances.
    pub(crate) instanced: bool,
    /// Counters, each base directly after its counter. New ones are only appended, since the position
    /// determines the name index.
    pub(crate) counters: &'static [CounterSpec],
}

/// A counter of an object.
pub(crate) struct CounterSpec {
    /// Name; the same as on Windows, if Windows has the counter.
    pub(crate) name: &'static str,
    /// Help text, with the file and field from which it is read.
    pub(crate) help: &'static str,
    /// Type word; the same as on Windows, if Windows has the counter.
    pub(crate) word: u32,
    /// Default scale, a power of ten.
    pub(crate) scale: i32,
}

impl ObjectSpec {
    /// Name index of a counter; the help text has the next one.
    pub(crate) fn counter_index(&self, counter: usize) -> u32 {
        self.index + 2 * (counter as u32 + 1)
    }

    /// The definitions of the counters that this machine has, ready to be written.
    pub(crate) fn template_of(&self, has_counter: impl Fn(usize) -> bool) -> ObjectTemplate {
        let mut template = ObjectTemplate::new(ObjectHeader {
            help_index: self.index + 1,
            default_counter: 0,
            ..ObjectHeader::new(self.index, self.instanced)
        });
        for (at, counter) in self.counters.iter().enumerate().filter(|(at, _)| has_counter(*at)) {
            let index = self.counter_index(at);
            template.add_counter(CounterDefinition {
                help_index: index + 1,
                default_scale: counter.scale,
                ..CounterDefinition::new(index, CounterType(counter.word))
            });
        }
        template
    }

    /// Adds names and help texts.
    pub(crate) fn add_texts(&self, texts: &mut NameTable) {
        texts.insert(self.index, self.name);
        texts.insert(self.index + 1, self.help);
        for (at, counter) in self.counters.iter().enumerate() {
            texts.insert(self.counter_index(at), counter.name);
            texts.insert(self.counter_index(at) + 1, counter.help);
        }
    }
}
