//! Recordings that can be cut into files, shared by the tests of what overlaps.

use std::collections::BTreeMap;
use std::ops::Range;
use std::path::{Path, PathBuf};
use std::sync::Arc;

use arrow_array::cast::AsArray;
use arrow_array::types::{Float64Type, Int32Type, TimestampNanosecondType};
use arrow_array::{Array, ArrayRef, StringArray};
use arrow_schema::Field;
use proptest::prelude::*;
use recount::{Capture, ConvertOptions, OutputFormat, Span, Target, TimeBound, Timeline, Timestamp, convert};
use recount_bytes::ByteOrder;
use recount_model::CounterType;
use recount_perf_data::{BlockClocks, BlockStream, CounterDefinition, ObjectHeader, ObjectTemplate};
use recount_samples::other_logs::sa::{CREATED, Entry, Writer};

/// Context switches and new processes.
pub(crate) const PCSW: Entry = (2, 0x8b, 1, false, 16, [1, 1, 0]);
/// An interface.
const INTERFACES: Entry = (12, 0x8d, 1, true, 80, [7, 0, 1]);
pub(crate) const NUM: usize = 12;

pub(crate) fn path_of(sample: &str) -> PathBuf {
    Path::new(env!("CARGO_MANIFEST_DIR")).join("../../samples").join(sample)
}

/// A recording that can be cut: a file of some of its samples.
pub(crate) trait Recording {
    fn cut(&self, samples: &[usize], at: &Path);
    const SUFFIX: &'static str;
}

/// PDH text: a rate whose first value is missing, and a number.
pub(crate) struct Text;

pub(crate) fn line(sample: usize) -> String {
    let rate = if sample == 0 { " ".to_owned() } else { format!("{}.5", sample * sample) };
    format!("\"03/02/2024 10:00:{sample:02}.250\",\"{rate}\",\"{}\"\r\n", sample % 3)
}

pub(crate) const HEADER: &str =
    "\"(PDH-CSV 4.0) (UTC)(0)\",\"\\\\WEB1\\System\\Context Switches/sec\",\"\\\\WEB1\\System\\Threads\"\r\n";

impl Recording for Text {
    const SUFFIX: &'static str = "csv";

    fn cut(&self, samples: &[usize], at: &Path) {
        let lines: String = samples.iter().map(|sample| line(*sample)).collect();
        std::fs::write(at, HEADER.to_owned() + &lines).expect("written");
    }
}

/// A log of sysstat, which says since when its counters count.
pub(crate) struct Sysstat;

impl Recording for Sysstat {
    const SUFFIX: &'static str = "sa";

    fn cut(&self, samples: &[usize], at: &Path) {
        std::fs::write(at, sysstat(samples, false)).expect("written");
    }
}

/// The same with another interface, which is registered again: its packets fall, its bytes don't.
pub(crate) struct RegisteredAgain;

impl Recording for RegisteredAgain {
    const SUFFIX: &'static str = "sa";

    fn cut(&self, samples: &[usize], at: &Path) {
        std::fs::write(at, sysstat(samples, true)).expect("written");
    }
}

fn sysstat(samples: &[usize], has_other: bool) -> Vec<u8> {
    /// The first sample after the other interface was registered again.
    const REGISTERED_AGAIN: u64 = 7;
    let mut writer = Writer::new(0x2175, ByteOrder::Little, 8, &[PCSW, INTERFACES]);
    for sample in samples {
        let step = *sample as u64;
        let bytes = writer.record(1, 1_000 * step);
        bytes.quads(&[500 * step * step]).longs(&[20 + step]);
        // Which direction is busier, and whether both go at once, changes from sample to sample.
        let (received, sent) = (40_000 * step * step, 30_000 * (step / 3) * step);
        let duplex = 1 + (step % 2) as u8;
        bytes.put(1 + u32::from(has_other));
        bytes.quads(&[step, step, received, sent, 0, 0, 0]).put(100_u32).text("eth0", 16);
        bytes.put([duplex, 0, 0, 0]);
        if has_other {
            let packets = if step < REGISTERED_AGAIN { 900 + step } else { step };
            bytes.quads(&[packets, packets, 1_000 * step, 1_000 * step, 0, 0, 0]).put(10_u32);
            bytes.text("veth1", 16).put([2_u8, 0, 0, 0]);
        }
    }
    writer.bytes.all
}

/// A machine that is restarted before sample 6.
pub(crate) struct Restarted;

impl Recording for Restarted {
    const SUFFIX: &'static str = "sa";

    fn cut(&self, samples: &[usize], at: &Path) {
        let mut writer = Writer::new(0x2175, ByteOrder::Little, 8, &[PCSW]);
        for sample in samples {
            let step = *sample as u64;
            let (uptime, since) =
                if step < 6 { (100_000 + 1_000 * step, 50 + step) } else { (1_000 * (step - 5), step - 5) };
            writer
                .record_at(1, uptime, CREATED + 10 * step)
                .quads(&[500 * since * since])
                .longs(&[20 + since]);
        }
        std::fs::write(at, &writer.bytes.all).expect("written");
    }
}

/// Three CPUs: one goes off and comes back, one is plugged in, and one sleeps for a while. Of all, the time of waiting falls once.
pub(crate) struct Processors;

impl Recording for Processors {
    const SUFFIX: &'static str = "sa";

    fn cut(&self, samples: &[usize], at: &Path) {
        const CPU: Entry = (1, 0x8b, 4, true, 80, [10, 0, 0]);
        let mut writer = Writer::new(0x2175, ByteOrder::Little, 8, &[CPU]);
        for sample in samples {
            let step = *sample as u64;
            let is_on = [true, !matches!(step, 3..=5 | 8), step >= 4];
            let bytes = writer.record(1, 1_000 * step);
            bytes.put(4_u32).quads(&[0; 10]);
            for (cpu, is_on) in (1..).zip(is_on) {
                // What was counted up to the sleep, and since.
                let ticks = step - u64::from(cpu == 1 && step > 9);
                let waited = if step < 6 { 50 + 10 * step } else { 10 * ticks };
                let times =
                    [cpu * 100 * ticks * ticks, 0, 20 * ticks, 1_000 + 700 * ticks, waited, 0, 0, 0, 0, 0];
                bytes.quads(&if is_on { times } else { [0; 10] });
            }
        }
        std::fs::write(at, &writer.bytes.all).expect("written");
    }
}

/// Raw blocks, one after the other, of an object with a rate and a number.
pub(crate) struct Dump;

impl Recording for Dump {
    const SUFFIX: &'static str = "bin";

    fn cut(&self, samples: &[usize], at: &Path) {
        let blocks: Vec<u8> = samples.iter().flat_map(|sample| block(*sample, 0)).collect();
        std::fs::write(at, blocks).expect("written");
    }
}

/// When the first block was taken.
const BEGIN: Timestamp = Timestamp(133_000_000_000_000_000);

/// A block of a sample, whose count is this much larger than in the recording.
pub(crate) fn block(sample: usize, more: u64) -> Vec<u8> {
    block_of(sample, sample as i64 + 1, (500 * sample * sample) as u64 + more)
}

/// A block of a sample after a restart, since which the machine's clock and its counts have grown beyond those of the first samples.
pub(crate) fn block_after_restart(sample: usize, restart: usize) -> Vec<u8> {
    let since = sample - restart;
    block_of(sample, since as i64 + 5, 9_000 + 700 * since as u64)
}

/// A block of a sample, which is so many seconds after the begin, of a machine that has been up for some.
pub(crate) fn block_of(sample: usize, uptime: i64, count: u64) -> Vec<u8> {
    const RATE: CounterType = CounterType(0x1041_0500);
    const NUMBER: CounterType = CounterType(0x0001_0100);
    let mut template = ObjectTemplate::new(ObjectHeader::new(2, false));
    template.add_counter(CounterDefinition::new(146, RATE));
    template.add_counter(CounterDefinition::new(250, NUMBER));
    let time = BEGIN.0 + sample as i64 * Timestamp::TICKS_PER_SECOND;
    let mut stream = BlockStream::new("WEB1");
    stream.begin(BlockClocks { perf_time: 1_000 * uptime, perf_freq: 1_000, perf_time_100ns: time });
    stream.object(&template, 1_000 * uptime, 1_000).values().set(0, count).set(1, 20 + sample as u64);
    stream.finish().expect("fits").to_vec()
}

/// The begin of a row of a block's.
pub(crate) fn begin_of_rows(sample: usize) -> String {
    const NANOS_PER_TICK: i64 = 100;
    let second = sample as i64 * Timestamp::TICKS_PER_SECOND;
    format!("Some({})|", (BEGIN.0 - Timestamp::UNIX_EPOCH.0 + second) * NANOS_PER_TICK)
}

/// A `.blg`, which doesn't say so.
pub(crate) struct Blg(pub(crate) Capture);

impl Blg {
    pub(crate) fn new() -> Blg {
        Blg(recount::open(path_of("objects.blg")).expect("a sample"))
    }

    pub(crate) fn num(&self) -> usize {
        self.0.source.times().len()
    }
}

impl Recording for Blg {
    const SUFFIX: &'static str = "blg";

    fn cut(&self, samples: &[usize], at: &Path) {
        let time = |at: Option<&usize>| Some(TimeBound::Utc(self.0.source.times()[*at?].utc));
        let mut options = ConvertOptions::default();
        options.format = OutputFormat::Blg;
        let span = Span { begin: time(samples.first()), end: time(samples.last()), ..Span::default() };
        let timeline = Timeline::of(std::slice::from_ref(&self.0), &span).expect("a time line");
        convert(&timeline, &Target::Path(at.to_path_buf()), &options, &recount::unwatched).expect("cut");
    }
}

pub(crate) fn range(range: Range<usize>) -> Vec<usize> {
    range.collect()
}

/// Cuts that cover everything, each beginning within the one before it; then more anywhere; in any order.
pub(crate) fn cuts(num: usize) -> impl Strategy<Value = Vec<Vec<usize>>> {
    let more = proptest::collection::vec((0..num, 1..=num), 0..3);
    (proptest::collection::vec(1..num, 0..3), more, any::<prop::sample::Index>()).prop_map(
        move |(mut ends, more, turn)| {
            ends.sort_unstable();
            ends.dedup();
            let mut cuts = Vec::new();
            let mut begin = 0;
            for end in ends {
                cuts.push(range(begin..end + 1));
                begin = end;
            }
            cuts.push(range(begin..num));
            cuts.extend(more.into_iter().map(|(begin, len)| range(begin..num.min(begin + len))));
            let turn = turn.index(cuts.len());
            cuts.rotate_left(turn);
            cuts
        },
    )
}

/// All rows of the tidy table, without the columns that say which file a row is from, sorted.
pub(crate) fn rows(captures: &[Capture]) -> Vec<String> {
    rows_without(captures, &["capture"])
}

/// The rows of two recordings that contradict each other, of the rows of each: of a cell's equal values the one over the shorter
/// interval, no missing value beside one that is there, and all others of both.
pub(crate) fn of_two_recordings(one: Vec<String>, other: Vec<String>) -> Vec<String> {
    let mut cells: BTreeMap<Vec<String>, Vec<String>> = BTreeMap::new();
    for row in one.into_iter().chain(other) {
        let key = [0, 3, 4, 5, 6].map(|column| column_of(&row, column).to_owned());
        cells.entry(key.to_vec()).or_default().push(row);
    }
    let mut rows: Vec<String> = cells.into_values().flat_map(of_one_cell).collect();
    rows.sort();
    rows
}

fn of_one_cell(mut rows: Vec<String>) -> Vec<String> {
    let interval_s = |row: &String| {
        let text = column_of(row, 1);
        text.strip_prefix("Some(")
            .map_or(f64::INFINITY, |text| text.trim_end_matches(')').parse().expect("seconds"))
    };
    rows.sort_by(|one, two| interval_s(one).total_cmp(&interval_s(two)));
    rows.dedup_by(|one, two| column_of(one, 7) == column_of(two, 7));
    if rows.len() > 1 {
        rows.retain(|row| column_of(row, 7) != "None");
    }
    rows
}

fn column_of(row: &str, column: usize) -> &str {
    row.split('|').nth(column).expect("a column")
}

/// All rows of the tidy table, without some columns, sorted.
pub(crate) fn rows_without(captures: &[Capture], left_out: &[&str]) -> Vec<String> {
    rows_of(&Timeline::whole(captures).expect("one time line"), left_out)
}

/// The rows of a time line. What a value without an interval weighs isn't compared: it depends on how often its file is sampled.
pub(crate) fn rows_of(timeline: &Timeline, left_out: &[&str]) -> Vec<String> {
    let mut rows = Vec::new();
    for batch in timeline.batches().reader().expect("a reader") {
        let batch = batch.expect("a batch");
        let schema = batch.schema();
        let columns = batch.columns().iter().zip(schema.fields());
        let compared = columns.filter(|(_, field)| !left_out.contains(&field.name().as_str()));
        let intervals = batch.column_by_name("interval_s").expect("intervals");
        let cells = |(column, field): (&ArrayRef, &Arc<Field>)| {
            let mut cells = shown(column);
            if field.name() == "weight_s" {
                (0..cells.len()).filter(|row| intervals.is_null(*row)).for_each(|row| cells[row].clear());
            }
            cells
        };
        let shown: Vec<Vec<String>> = compared.map(cells).collect();
        let of_row =
            |row: usize| shown.iter().map(|column| column[row].as_str()).collect::<Vec<_>>().join("|");
        rows.extend((0..batch.num_rows()).map(of_row));
    }
    rows.sort();
    rows
}

/// The values of a column, whichever its dictionary is.
fn shown(column: &ArrayRef) -> Vec<String> {
    if let Some(texts) = column.as_dictionary_opt::<Int32Type>() {
        let texts = texts.downcast_dict::<StringArray>().expect("texts");
        return texts.into_iter().map(|text| text.unwrap_or_default().to_owned()).collect();
    }
    if let Some(times) = column.as_primitive_opt::<TimestampNanosecondType>() {
        return times.iter().map(|time| format!("{time:?}")).collect();
    }
    column.as_primitive::<Float64Type>().iter().map(|value| format!("{value:?}")).collect()
}
