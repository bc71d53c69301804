//! For tests: samples of some collectors, taken and decoded as by the recorder and the reader.

use recount_model::{NameTable, Timestamp};
use recount_perf_data::{
    BlockClocks, BlockStream, CounterDefinition, DataBlock, InstanceDefinition, ObjectTemplate,
};
use rustix::time::{ClockId, clock_gettime};

use crate::linux::collector::{Collector, Tick};

/// Takes samples.
pub(crate) struct Sampler<'c> {
    collectors: Vec<(&'c mut dyn Collector, ObjectTemplate)>,
    stream: BlockStream,
    pub(crate) tick: Tick,
}

/// A sample.
pub(crate) struct Sample {
    pub(crate) bytes: Vec<u8>,
    pub(crate) names: NameTable,
    pub(crate) time_100ns: i64,
}

/// Name and raw values of an instance, except those for which its counter block has no bytes.
#[derive(Clone, Debug, PartialEq)]
pub(crate) struct Decoded {
    pub(crate) name: String,
    pub(crate) parent: Option<(u32, u32)>,
    pub(crate) unique_id: i32,
    values: Vec<(String, u64)>,
}

impl<'c> Sampler<'c> {
    pub(crate) fn new(collectors: Vec<&'c mut dyn Collector>) -> Sampler<'c> {
        let template = |collector: &dyn Collector| {
            collector.spec().template_of(|counter| collector.has_counter(counter))
        };
        let collectors = collectors.into_iter().map(|collector| {
            let template = template(collector);
            (collector, template)
        });
        Sampler { collectors: collectors.collect(), stream: BlockStream::new("test"), tick: Tick::default() }
    }

    pub(crate) fn take(&mut self) -> Sample {
        let time_100ns = now();
        self.tick.begin(time_100ns);
        self.stream.begin(BlockClocks {
            perf_time: time_100ns,
            perf_freq: 10_000_000,
            perf_time_100ns: time_100ns,
        });
        let mut names = NameTable::default();
        for (collector, template) in &mut self.collectors {
            collector.spec().add_texts(&mut names);
            if collector.prepare(&mut self.tick) {
                let mut object = self.stream.object(template, time_100ns, 10_000_000);
                collector.collect(&mut self.tick, &mut object);
            }
        }
        Sample { bytes: self.stream.finish().expect("a block").to_vec(), names, time_100ns }
    }
}

/// Wall clock.
pub(crate) fn now() -> i64 {
    let time = clock_gettime(ClockId::Realtime);
    Timestamp::from_unix_nanos(time.tv_sec * 1_000_000_000 + time.tv_nsec).0
}

/// Id of the calling thread.
#[cfg(feature = "live-tests")]
pub(crate) fn own_tid() -> i32 {
    let link = std::fs::read_link("/proc/thread-self").expect("there");
    link.file_name().and_then(|tid| tid.to_str()?.parse().ok()).expect("a number")
}

impl Sample {
    /// The instances of an object; empty if the block doesn't have it.
    pub(crate) fn instances(&self, object: &str) -> Vec<Decoded> {
        let block = DataBlock::parse(&self.bytes, 0).expect("a block");
        let mut objects = block.objects().map(|object| object.expect("sound"));
        let found = objects.find(|found| self.names.get(found.header().name_index) == Some(object));
        let Some(found) = found else { return Vec::new() };
        let counters: Vec<_> = found.counters().map(|counter| counter.expect("sound")).collect();
        let instances = found.instances().map(|instance| instance.expect("sound"));
        let encoding = found.encoding();
        instances
            .map(|instance| Decoded {
                name: encoding.decode(instance.name),
                parent: match instance.parent_object_index {
                    0 => None,
                    object => Some((object, instance.parent_instance)),
                },
                unique_id: instance.unique_id,
                values: counters.iter().filter_map(|counter| self.value(counter, &instance)).collect(),
            })
            .collect()
    }

    /// The instance with this value of a counter that all instances have.
    pub(crate) fn find(&self, object: &str, counter: &str, value: u64) -> Option<Decoded> {
        self.instances(object).into_iter().find(|instance| instance.get(counter) == value)
    }

    fn value(
        &self,
        counter: &CounterDefinition<'_>,
        instance: &InstanceDefinition<'_>,
    ) -> Option<(String, u64)> {
        let name = self.names.get(counter.name_index).expect("named").to_owned();
        let ofs = counter.ofs_value as usize;
        let value = match counter.len_value {
            4 => instance.counter_block.u32_at(ofs),
            _ => instance.counter_block.u64_at(ofs),
        };
        Some((name, value?))
    }
}

impl Decoded {
    /// The raw value of a counter.
    pub(crate) fn get(&self, counter: &str) -> u64 {
        self.known(counter).expect("the counter is there")
    }

    /// The same, if the instance has it.
    pub(crate) fn known(&self, counter: &str) -> Option<u64> {
        self.values.iter().find(|(name, _)| name == counter).map(|(_, value)| *value)
    }
}
