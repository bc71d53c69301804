//! A sample, decoded.

use std::collections::BTreeMap;

use recount_model::{NameTable, Timestamp, Width};
use recount_perf_data::{CounterBlock, DataBlock, Object};

use crate::LiveSource;
use crate::linux::LinuxSource;

/// Raw values by object, instance (empty if the object has none) and counter.
#[derive(Debug)]
pub(super) struct Sample {
    pub(super) time: Timestamp,
    pub(super) bytes: Vec<u8>,
    pub(super) names: NameTable,
    values: BTreeMap<(String, String, String), u64>,
}

/// A source of the named objects.
pub(super) fn source_of(objects: &[&str]) -> LinuxSource {
    LinuxSource::new(&|name, _| objects.contains(&name))
}

/// Takes a sample. No reading may fail: every user can read the objects of these tests.
pub(super) fn take(source: &mut LinuxSource) -> Sample {
    take_of(source, &[])
}

/// The same, but for the objects to leave out only the number of instances is kept, as a counter without a
/// name. Not every user can read their values.
pub(super) fn take_of(source: &mut LinuxSource, left_out: &[&str]) -> Sample {
    let taken = source.take().expect("a sample").expect("it doesn't end");
    if left_out.is_empty() {
        assert_eq!((taken.num_unreadable, taken.first_unreadable), (0, None));
    }
    let mut names = NameTable::new();
    source.texts().iter().for_each(|(_, table)| names.merge(table));
    let bytes = source.sample().to_vec();
    let block = DataBlock::parse(&bytes, 0).expect("sound");
    let mut sample = Sample { time: taken.time, bytes: bytes.clone(), names, values: BTreeMap::new() };
    for object in block.objects() {
        let object = object.expect("sound");
        let name = sample.names.get(object.header().name_index).expect("named").to_owned();
        if left_out.contains(&&*name) {
            let num_instances = object.header().num_instances as u64;
            sample.values.insert((name, String::new(), String::new()), num_instances);
        } else {
            sample.add(&object);
        }
    }
    sample
}

impl Sample {
    fn add(&mut self, object: &Object<'_>) {
        if let Some(block) = object.counter_block() {
            self.add_block(object, "", block.expect("sound"));
        }
        for instance in object.instances() {
            let instance = instance.expect("sound");
            let name = object.encoding().decode(instance.name);
            self.add_block(object, &name, instance.counter_block);
        }
    }

    fn add_block(&mut self, object: &Object<'_>, instance: &str, block: CounterBlock<'_>) {
        let object_name = self.names.get(object.header().name_index).expect("named").to_owned();
        for counter in object.counters() {
            let counter = counter.expect("sound");
            let ofs = counter.ofs_value as usize;
            let value = match counter.counter_type.width(counter.len_value) {
                Width::Dword => block.u32_at(ofs),
                Width::Large => block.u64_at(ofs),
            };
            let name = self.names.get(counter.name_index).expect("named").to_owned();
            let key = (object_name.clone(), instance.to_owned(), name);
            assert_eq!(self.values.insert(key, value.expect("inside the block")), None, "told twice");
        }
    }

    /// A raw value.
    pub(super) fn get(&self, object: &str, instance: &str, counter: &str) -> u64 {
        self.find(object, instance, counter).unwrap_or_else(|| {
            panic!("no {object}({instance})\\{counter}; instances: {:?}", self.instances(object))
        })
    }

    /// A raw value, if there is one.
    pub(super) fn find(&self, object: &str, instance: &str, counter: &str) -> Option<u64> {
        self.values.get(&(object.to_owned(), instance.to_owned(), counter.to_owned())).copied()
    }

    /// The instances of an object.
    pub(super) fn instances(&self, object: &str) -> Vec<&str> {
        let mut names: Vec<&str> =
            self.values.keys().filter(|key| key.0 == object).map(|key| &*key.1).collect();
        names.dedup();
        names
    }

    /// The objects.
    pub(super) fn objects(&self) -> Vec<&str> {
        let mut names: Vec<&str> = self.values.keys().map(|key| &*key.0).collect();
        names.dedup();
        names
    }
}

/// By how much a counter increased.
pub(super) fn growth(
    before: &Sample,
    after: &Sample,
    (object, instance, counter): (&str, &str, &str),
) -> u64 {
    let (old, new) = (before.get(object, instance, counter), after.get(object, instance, counter));
    new.checked_sub(old).unwrap_or_else(|| panic!("{object}({instance})\\{counter} fell from {old} to {new}"))
}
