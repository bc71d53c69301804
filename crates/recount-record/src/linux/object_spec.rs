//! What the objects and counters are: the one table per object from which definitions, names and help texts come.

use recount_bytes::FormatError;
use recount_model::{CounterType, NameTable};
use recount_perf_data::{CounterBuf, ObjectBuf, ObjectTemplate};

/// A performance object of the Linux source.
pub(crate) struct ObjectSpec {
    /// Name index; its help text has the next one, its counters those behind: `formats/linux-objects.md`. A multiple
    /// of 1,000.
    pub(crate) index: u32,
    /// Name: that of Windows, where Windows has the object.
    pub(crate) name: &'static str,
    /// Help text.
    pub(crate) help: &'static str,
    /// Whether it has instances.
    pub(crate) instanced: bool,
    /// Counters, bases right behind the counters they serve. Only ever appended to: the position is the name index.
    pub(crate) counters: &'static [CounterSpec],
}

/// A counter of an object.
pub(crate) struct CounterSpec {
    /// Name: that of Windows, where Windows has the counter.
    pub(crate) name: &'static str,
    /// Help text, with the file and field that it is read from.
    pub(crate) help: &'static str,
    /// Type word: that of Windows, where Windows has the counter.
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
    pub(crate) fn template_of(
        &self,
        has_counter: impl Fn(usize) -> bool,
    ) -> Result<ObjectTemplate, FormatError> {
        let mut object = ObjectBuf::new(self.index, self.instanced);
        object.help_index = self.index + 1;
        object.default_counter = 0;
        for (at, counter) in self.counters.iter().enumerate().filter(|(at, _)| has_counter(*at)) {
            let index = self.counter_index(at);
            let added = object.add_counter(index, CounterType(counter.word));
            let definition: &mut CounterBuf = &mut object.counters[added];
            definition.help_index = index + 1;
            definition.default_scale = counter.scale;
        }
        ObjectTemplate::new(&object)
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
