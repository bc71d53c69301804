//! What of this machine is recorded, and whether all of it has a name.

use std::collections::BTreeSet;

use recount_perf_data::DataBlock;

use super::live_sample::{source_of, take};
use crate::LiveSource as _;
use crate::linux::{LinuxSource, object_names};

#[test]
fn only_what_is_wanted_is_recorded() {
    let sample = take(&mut source_of(&["Memory", "System"]));
    assert_eq!(sample.objects(), ["Memory", "System"]);
}

#[test]
fn threads_bring_their_processes() {
    let source = source_of(&["Thread"]);
    assert_eq!(source.recorded().collect::<Vec<_>>(), ["Process", "Thread"]);
}

#[test]
fn defaults_are_those_of_the_list() {
    let source = LinuxSource::new(&|_, is_default| is_default);
    let defaults: BTreeSet<&str> =
        object_names().into_iter().filter(|(_, is_default)| *is_default).map(|(name, _)| name).collect();
    let recorded: BTreeSet<&str> = source.recorded().collect();
    assert!(recorded.is_subset(&defaults), "{recorded:?}");
    let everywhere = ["LogicalDisk", "Memory", "Network Interface", "Process", "Processor", "System", "TCP"];
    assert!(everywhere.iter().all(|name| recorded.contains(name)), "{recorded:?}");
    assert!(!defaults.contains("Thread"));
}

/// A block of everything is valid; each object has a name, and each counter a name and a help text.
#[test]
fn everything_is_named() {
    let mut source = LinuxSource::new(&|_, _| true);
    source.take().expect("a sample").expect("one");
    let (language, texts) = source.texts().remove(0);
    assert_eq!(language, "009");
    let block = DataBlock::parse(source.sample(), 0).expect("sound");
    for object in block.objects() {
        let object = object.expect("sound");
        let header = *object.header();
        assert!(texts.get(header.name_index).is_some() && texts.get(header.help_index).is_some());
        for counter in object.counters() {
            let counter = counter.expect("sound");
            assert!(texts.get(counter.name_index).is_some() && texts.get(counter.help_index).is_some());
        }
        for instance in object.instances() {
            instance.expect("sound");
        }
    }
}
