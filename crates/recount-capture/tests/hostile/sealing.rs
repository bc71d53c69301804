//! The memory that recording takes: a recorder runs next to what it measures.

use recount_capture::{LogWriter, Storage, Sync, WriterOptions};
use recount_model::{CounterType, Sink, Timestamp};
use recount_perf_data::{
    BlockClocks, BlockStream, CounterDefinition, InstanceName, ObjectHeader, ObjectTemplate,
};

use crate::memory::peak;

/// Accepts all data and discards it.
struct Nowhere;

impl Storage for Nowhere {
    fn write_at(&mut self, _: u64, _: &[u8]) -> std::io::Result<()> {
        Ok(())
    }

    fn set_len(&mut self, _: u64) -> std::io::Result<()> {
        Ok(())
    }

    fn sync(&mut self) -> std::io::Result<()> {
        Ok(())
    }
}

/// A block of 300 processes, of which some do something.
fn sample(stream: &mut BlockStream, process: &ObjectTemplate, sample: u64, busy: u64) -> Vec<u8> {
    stream.begin(BlockClocks { perf_time: sample as i64, perf_freq: 1, perf_time_100ns: sample as i64 });
    let mut object = stream.object(process, 0, 0);
    for pid in 0..300_u64 {
        let name = format!("process{pid}");
        let mut values = object.instance(InstanceName::new(&name));
        let ran = if pid % busy == 0 { sample } else { 0 };
        for counter in 0..28_u64 {
            let step = (pid * 31 + counter * 17 + sample * sample * 7) % 9_973;
            values.set(counter as usize, (pid << 20) + ran * (10_000 * counter + step));
        }
    }
    stream.finish().expect("fits").to_vec()
}

#[test]
fn sealing_takes_less_than_three_times_the_records() {
    let mut process = ObjectTemplate::new(ObjectHeader::new(230, true));
    (0..28).for_each(|counter| {
        process.add_counter(CounterDefinition::new(6 + 2 * counter, CounterType(0x1041_0500)));
    });
    // Hardly anything happens; as on most machines; everything changes all the time. The records themselves included, and
    // what zstd takes for itself not: that doesn't depend on the records.
    for (busy, times) in [(100, 1.6), (5, 1.6), (1, 2.4)] {
        let options = WriterOptions { sync: Sync::None, ..WriterOptions::default() };
        let mut stream = BlockStream::new("web1");
        let mut len_raw = 0;
        let (taken, ()) = peak(|| {
            let mut writer = LogWriter::new(Nowhere, options).expect("new");
            for number in 0..400 {
                let block = sample(&mut stream, &process, number, busy);
                len_raw += block.len();
                writer.block(Timestamp(number as i64), &block).expect("written");
            }
        });
        let len_chunk = options.len_chunk;
        assert!(len_raw > 3 * len_chunk, "nothing was sealed");
        let ratio = taken as f64 / len_chunk as f64;
        assert!(ratio < times, "every {busy}th busy: {taken} bytes, {ratio:.2} times the records");
    }
}
