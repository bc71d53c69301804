//! Samples as whole objects: a `PERF_DATA_BLOCK` per object.

use anyhow::Result;
use recount_blg::{Entry, RecordBuf};
use recount_bytes::{ByteOrder, SystemTime};
use recount_model::{CounterType, Timestamp};
use recount_samples::blocks::{BlockBuf, InstanceBuf, InstancesBuf, ObjectBuf};

use crate::machine::{Machine, PERF_FREQ, SimulatedInstance, SimulatedObject};

const ORDER: ByteOrder = ByteOrder::Little;

/// Writes the machine's objects as blocks. What doesn't change from sample to sample is kept.
pub(crate) struct ObjectRecords {
    blocks: Vec<KeptBlock>,
}

struct KeptBlock {
    block: BlockBuf,
    generation: Option<u64>,
}

impl ObjectRecords {
    pub(crate) fn new(machine: &Machine, host: &str) -> ObjectRecords {
        let kept = |object: &SimulatedObject| {
            let mut block = BlockBuf::new(host, ORDER);
            block.header.default_object = object.spec.index as i32;
            let mut definitions = ObjectBuf::new(object.spec.index, !object.spec.instances.is_empty());
            for counter in object.spec.counters {
                definitions.add_counter(counter.index, CounterType(counter.word));
            }
            block.objects.push(definitions);
            KeptBlock { block, generation: None }
        };
        ObjectRecords { blocks: machine.objects.iter().map(kept).collect() }
    }

    /// What the counter list says of them: every counter of every instance.
    pub(crate) fn entries(machine: &Machine, host: &str) -> Vec<Entry> {
        let entry = |object: &SimulatedObject| Entry {
            kind: 0x10,
            counter_type: CounterType(0x10),
            time_base: 0,
            default_scale: 0,
            host: host.into(),
            object: object.spec.name.into(),
            instance: (!object.spec.instances.is_empty()).then(|| "*".to_owned()),
            parent: None,
            index: 0,
            counter: "*".into(),
        };
        machine.objects.iter().map(entry).collect()
    }

    /// The records of one sample.
    pub(crate) fn records(&mut self, machine: &Machine) -> Result<Vec<RecordBuf>> {
        let pairs = self.blocks.iter_mut().zip(&machine.objects);
        pairs.map(|(kept, object)| kept.record(machine, object)).collect()
    }
}

impl KeptBlock {
    fn record(&mut self, machine: &Machine, object: &SimulatedObject) -> Result<RecordBuf> {
        let block = &mut self.block;
        block.header.perf_time = machine.perf_time;
        block.header.perf_freq = PERF_FREQ;
        block.header.perf_time_100ns = machine.time_100ns;
        block.header.system_time = SystemTime::from_utc(Timestamp(machine.time_100ns)).unwrap_or_default();
        let definitions = &mut block.objects[0];
        if object.spec.own_clock {
            (definitions.header.perf_time, definitions.header.perf_freq) = (machine.time_100ns, PERF_FREQ);
        }
        let mut instances = std::mem::replace(&mut definitions.instances, InstancesBuf::Single(Vec::new()));
        let is_new = self.generation != Some(object.generation);
        self.generation = Some(object.generation);
        match &mut instances {
            InstancesBuf::Single(values) => {
                if is_new {
                    *values = definitions.zeroed_values();
                }
                set_values(definitions, &object.instances[0], values);
            }
            InstancesBuf::Many(all) => {
                if is_new {
                    let named = |instance: &SimulatedInstance| {
                        InstanceBuf::named(&instance.name, ORDER, definitions.zeroed_values())
                    };
                    *all = object.instances.iter().map(named).collect();
                }
                for (instance, buf) in object.instances.iter().zip(all) {
                    if is_new || instance.has_moved {
                        set_values(definitions, instance, &mut buf.values);
                    }
                }
            }
        }
        block.objects[0].instances = instances;
        Ok(RecordBuf::Object(block.write()?))
    }
}

fn set_values(definitions: &ObjectBuf, instance: &SimulatedInstance, bytes: &mut [u8]) {
    for (counter, &value) in instance.values.iter().enumerate() {
        definitions.set_value(bytes, ORDER, counter, value);
    }
}
