//! Objects without instances: numbers about the machine as a whole, each from a named field of a file.

use recount_perf_data::ObjectStream;

use super::collector::{Collector, Tick};
use super::counter_slots::CounterSlots;
use super::fields::Fields;
use super::object_spec::{CounterSpec, ObjectSpec};
use super::system_files::SystemFile;

/// A counter and the origin of its value.
pub(super) struct Row {
    /// Its definition.
    pub(super) spec: CounterSpec,
    /// Where it is read.
    pub(super) reading: Reading,
}

/// A counter, in one line.
pub(super) const fn row(
    name: &'static str,
    word: u32,
    scale: i32,
    reading: Reading,
    help: &'static str,
) -> Row {
    Row { spec: CounterSpec { name, help, word, scale }, reading }
}

/// The counters of some rows.
pub(super) const fn counters<const N: usize>(rows: &[Row]) -> [CounterSpec; N] {
    let mut counters = [const { CounterSpec { name: "", help: "", word: 0, scale: 0 } }; N];
    let mut at = 0;
    while at < N {
        let CounterSpec { name, help, word, scale } = rows[at].spec;
        counters[at] = CounterSpec { name, help, word, scale };
        at += 1;
    }
    counters
}

/// A field and its factor to the counter's unit.
pub(super) type Term = (&'static str, u64);

/// Where a value comes from.
#[derive(Clone, Copy)]
pub(super) struct Reading {
    /// `None`: the object computes the value itself.
    file: Option<SystemFile>,
    terms: &'static [Term],
    how: How,
}

/// How the fields of a file make a value.
#[derive(Clone, Copy)]
pub(super) enum How {
    /// The sum of all terms, which must all be in the file.
    Sum,
    /// The sum of those terms that the file has, which depends on the kernel's configuration.
    SumOfAny,
    /// The only field divided by a number, rounded down.
    Quotient(u64),
    /// The first of a part and its whole, for a fraction of 32 bits: both are halved until they fit.
    Part,
    /// The whole of such a pair.
    Whole,
    /// A value that the object computes itself.
    Own(fn(&Tick) -> Option<u64>),
}

/// Reads an object defined by rows.
pub(super) struct Totals {
    spec: &'static ObjectSpec,
    files: Vec<(SystemFile, Fields)>,
    values: Vec<Option<Value>>,
    slots: CounterSlots,
    /// The counters and their values in this sample.
    computed: Vec<(usize, u64)>,
}

/// A reading, with positions instead of names.
struct Value {
    file: Option<usize>,
    terms: Vec<(usize, u64)>,
    how: How,
}

impl Reading {
    pub(super) const fn of(file: SystemFile, terms: &'static [Term], how: How) -> Reading {
        Reading { file: Some(file), terms, how }
    }

    pub(super) const fn sum(file: SystemFile, terms: &'static [Term]) -> Reading {
        Reading::of(file, terms, How::Sum)
    }

    pub(super) const fn own(compute: fn(&Tick) -> Option<u64>) -> Reading {
        Reading { file: None, terms: &[], how: How::Own(compute) }
    }

    fn names(&self) -> impl Iterator<Item = &'static str> {
        self.terms.iter().map(|term| term.0)
    }

    /// `None` if this machine doesn't have what the counter needs.
    fn resolve(&self, files: &[(SystemFile, Fields)]) -> Option<Value> {
        let (how, mut file) = (self.how, None);
        if let Some(wanted) = self.file {
            file = Some(files.iter().position(|(known, _)| *known == wanted)?);
        }
        let term = |(name, factor): &Term| Some((files[file?].1.position(name)?, *factor));
        let terms: Vec<_> = self.terms.iter().filter_map(term).collect();
        let is_there = match how {
            How::SumOfAny => !terms.is_empty(),
            _ => terms.len() == self.terms.len(),
        };
        is_there.then_some(Value { file, terms, how })
    }
}

impl Totals {
    /// An object with the counters of `rows`. A first reading shows which of them this machine has; `None`: not one.
    pub(super) fn new(spec: &'static ObjectSpec, rows: &'static [Row], tick: &mut Tick) -> Option<Totals> {
        let mut wanted: Vec<SystemFile> = Vec::new();
        for file in rows.iter().filter_map(|row| row.reading.file) {
            if !wanted.contains(&file) {
                wanted.push(file);
            }
        }
        let mut files = Vec::new();
        for file in wanted {
            let of_file = rows.iter().filter(|row| row.reading.file == Some(file));
            let names: Vec<&'static str> = of_file.flat_map(|row| row.reading.names()).collect();
            if let Some(text) = tick.file(file) {
                files.push((file, Fields::find(file.form(), text, &names)));
            }
        }
        let values: Vec<Option<Value>> = rows.iter().map(|row| row.reading.resolve(&files)).collect();
        let slots = CounterSlots::new(values.iter().map(Option::is_some));
        let is_there = values.iter().any(Option::is_some);
        is_there.then_some(Totals { spec, files, values, slots, computed: Vec::new() })
    }
}

impl Value {
    fn compute(&self, files: &[(SystemFile, Fields)], tick: &Tick) -> Option<u64> {
        let fields = self.file.map_or(&[][..], |file| files[file].1.values());
        let field = |term: usize| fields[self.terms[term].0];
        match self.how {
            How::Own(compute) => compute(tick),
            How::Sum | How::SumOfAny => {
                let values = self.terms.iter().map(|(at, factor)| fields[*at].wrapping_mul(*factor));
                // Counts may wrap, as in the kernel.
                Some(values.fold(0, u64::wrapping_add))
            }
            How::Quotient(divisor) => field(0).checked_div(divisor),
            How::Part => Some(in_32_bits(field(0), field(1)).0),
            How::Whole => Some(in_32_bits(field(0), field(1)).1),
        }
    }
}

/// A part and its whole, both halved until they fit into the 32 bits of the type's raw values. Only their
/// ratio matters.
pub(super) fn in_32_bits(part: u64, whole: u64) -> (u64, u64) {
    let surplus = 32_u32.saturating_sub(part.max(whole).leading_zeros());
    (part >> surplus, whole >> surplus)
}

impl Collector for Totals {
    fn spec(&self) -> &'static ObjectSpec {
        self.spec
    }

    fn has_counter(&self, counter: usize) -> bool {
        self.slots.has(counter)
    }

    fn prepare(&mut self, tick: &mut Tick) -> bool {
        for (file, fields) in &mut self.files {
            let Some(text) = tick.file(*file) else { return false };
            if let Err(name) = fields.read(text) {
                tick.unreadable(file.path(), format_args!("expected the field {name} in its place"));
                return false;
            }
        }
        // All or nothing: a counter block can't express an unknown value.
        self.computed.clear();
        for (at, value) in self.values.iter().enumerate() {
            let Some(value) = value else { continue };
            let Some(value) = value.compute(&self.files, tick) else {
                tick.unreadable(
                    self.spec.name,
                    self.spec.counters.get(at).map_or("", |counter| counter.name),
                );
                return false;
            };
            self.computed.push((at, value));
        }
        true
    }

    fn collect(&mut self, _tick: &mut Tick, object: &mut ObjectStream<'_>) {
        let mut block = object.values();
        for &(at, value) in &self.computed {
            self.slots.set(&mut block, at, value);
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn parts_keep_their_ratio_in_32_bits() {
        assert_eq!(in_32_bits(3, 10), (3, 10));
        assert_eq!(in_32_bits(0, u64::from(u32::MAX)), (0, u64::from(u32::MAX)));
        assert_eq!(in_32_bits(1 << 32, 1 << 33), (1 << 30, 1 << 31));
        // More than the limit may be committed.
        assert_eq!(in_32_bits(1 << 40, 1 << 30), (1 << 31, 1 << 21));
        assert_eq!(in_32_bits(0, 0), (0, 0));
    }

    #[test]
    fn what_a_file_lacks_is_left_out() {
        let text = "a 5\nb 7\nstall_dma 1\nstall_normal 2\n";
        let readings = [
            Reading::sum(SystemFile::Vmstat, &[("a", 2), ("b", 1)]),
            Reading::sum(SystemFile::Vmstat, &[("a", 1), ("c", 1)]),
            Reading::of(
                SystemFile::Vmstat,
                &[("stall_dma", 1), ("stall_normal", 1), ("stall_device", 1)],
                How::SumOfAny,
            ),
            Reading::of(SystemFile::Vmstat, &[("none", 1)], How::SumOfAny),
            Reading::of(SystemFile::Vmstat, &[("a", 1), ("b", 1)], How::Whole),
            Reading::sum(SystemFile::Meminfo, &[("a", 1)]),
        ];
        let names: Vec<&'static str> = readings.iter().flat_map(Reading::names).collect();
        let mut files =
            vec![(SystemFile::Vmstat, Fields::find(super::super::fields::Form::Named, text, &names))];
        files[0].1.read(text).expect("the same text");
        let values = readings
            .each_ref()
            .map(|reading| reading.resolve(&files).and_then(|value| value.compute(&files, &Tick::default())));
        assert_eq!(values, [Some(17), None, Some(3), None, Some(7), None]);
    }
}
