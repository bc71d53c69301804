//! The written bytes, and reading them back.

use proptest::prelude::*;
use recount_model::{
    CookedColumn, CounterDef, CounterType, Instance, ObjectDef, SampleTime, Status, Timestamp,
};

use super::*;
use crate::{Columns, CounterColumn, Dialect, PdhTextWriter, PdhWriteError};

/// 2007-11-04T05:59:38.6599999Z: the clocks of New York are put back in less than a minute.
const START: i64 = 128_386_295_786_599_999;
const PERF_AVERAGE_BULK: u32 = 0x4002_0500;

fn object(name: &str, instanced: bool, counters: &[(&str, u32)]) -> Arc<ObjectDef> {
    let counters = counters.iter().map(|&(name, word)| CounterDef {
        name: name.into(),
        index: None,
        help: None,
        counter_type: Some(CounterType(word)),
        default_scale: 0,
        detail_level: None,
        len_value: 8,
        time_base: None,
        ..CounterDef::default()
    });
    Arc::new(ObjectDef {
        name: name.into(),
        index: None,
        help: None,
        instanced,
        counters: counters.collect(),
        ..ObjectDef::default()
    })
}

fn at(seconds: i64, offset_min: i16) -> SampleTime {
    SampleTime { utc: Timestamp(START + seconds * Timestamp::TICKS_PER_SECOND), offset_min }
}

fn column(counter: usize, values: &[f64]) -> CookedColumn {
    CookedColumn { counter, values: values.to_vec(), status: None, covers: None, texts: None }
}

fn cooked(
    object: &Arc<ObjectDef>,
    instances: Vec<Instance>,
    times: Vec<SampleTime>,
    columns: Vec<CookedColumn>,
) -> Cooked {
    Cooked {
        host: "WEB1".into(),
        object: object.clone(),
        interval_s: vec![None; times.len()],
        gaps: Vec::new(),
        first_s: Vec::new(),
        continued: vec![false; instances.len()],
        instances: instances.into(),
        times,
        columns,
        raw: None,
    }
}

fn columns_of<'a>(all: impl IntoIterator<Item = &'a Cooked>) -> Vec<CounterColumn> {
    let mut columns = Columns::new();
    all.into_iter().for_each(|cooked| columns.add(cooked));
    columns.into_vec()
}

/// A disk with two instances, memory sampled in between, and an instance that appears later.
fn sample_slices() -> [Vec<Cooked>; 2] {
    let disk = object("Disk \"x\"", true, &[("Avg. Bytes", PERF_AVERAGE_BULK), ("Queue", 0x0001_0100)]);
    let memory = object("Memory", false, &[("Available Bytes", 0x0001_0100)]);
    let named = Instance::named;
    let second = Instance { ordinal: 1, id: Some(7), ..named("0 C:") };
    let child = Instance { parent: Some("0".into()), ..named("D:") };
    let status = vec![Status::NoOperations, Status::Ok, Status::FirstSample, Status::Ok];
    let average = CookedColumn {
        status: Some(status),
        covers: Some([true, true].into()),
        ..column(0, &[0.0, 0.1, 0.0, f64::NAN])
    };
    let queue = CookedColumn { covers: Some([false, true].into()), ..column(1, &[9.0, 1e-5, 9.0, -2.5]) };
    let first = vec![
        cooked(&disk, vec![named("0 C:"), second], vec![at(0, -240), at(2, -240)], vec![average, queue]),
        cooked(
            &memory,
            vec![Instance::unnamed()],
            vec![at(1, -240), at(2, -240)],
            vec![column(0, &[4096.0, 1e17])],
        ),
    ];
    let later = vec![cooked(&disk, vec![child], vec![at(60, -300)], vec![column(1, &[3.0])])];
    [first, later]
}

fn written(dialect: Dialect, slices: &[Vec<Cooked>]) -> String {
    let columns = columns_of(slices.iter().flatten());
    let mut writer = PdhTextWriter::new(Vec::new(), dialect, Some(("Eastern Daylight Time", 240)), &columns)
        .expect("a Vec");
    for slice in slices {
        writer.write(slice).expect("in order");
    }
    String::from_utf8(writer.finish().expect("a Vec")).expect("UTF-8")
}

#[test]
fn the_very_bytes() {
    let expected = [
        r#""(PDH-CSV 4.0) (Eastern Daylight Time)(240)","\\WEB1\Disk ""x""(0 C:)\Avg. Bytes","\\WEB1\Disk ""x""(0 C:#1)\Avg. Bytes","\\WEB1\Disk ""x""(0 C:#1)\Queue","\\WEB1\Disk ""x""(0/D:)\Queue","\\WEB1\Memory\Available Bytes""#,
        r#""11/04/2007 01:59:38.659","0","0.10000000000000001","1.0000000000000001e-05"," "," ""#,
        r#""11/04/2007 01:59:39.659"," "," "," "," ","4096""#,
        r#""11/04/2007 01:59:40.659"," "," ","-2.5"," ","1e+17""#,
        r#""11/04/2007 01:00:38.659"," "," "," ","3"," ""#,
        "",
    ];
    assert_eq!(written(Dialect::Csv, &sample_slices()), expected.join("\r\n"));
    let tabs = expected.join("\r\n").replace("PDH-CSV", "PDH-TSV").replace("\",\"", "\"\t\"");
    assert_eq!(written(Dialect::Tsv, &sample_slices()), tabs);
}

#[test]
fn what_is_written_reads_back() {
    for dialect in [Dialect::Csv, Dialect::Tsv] {
        let text = open(written(dialect, &sample_slices()));
        let seconds: Vec<i64> = text
            .times()
            .iter()
            .map(|time| (time.utc.0 - START).div_euclid(Timestamp::TICKS_PER_SECOND))
            .collect();
        // Truncated to milliseconds, times are just below the whole second.
        assert_eq!(seconds, [-1, 0, 1, 59]);
        assert_eq!(text.times()[3].offset_min, -300);
        let rows = decode(&text);
        assert!(rows.health.is_sound());
        assert_eq!(
            columns_of(&rows.cooked),
            columns_of(sample_slices().iter().flatten())
                .iter()
                .map(CounterColumn::as_shown)
                .collect::<Vec<_>>()
        );
        let disk = &rows.cooked[0];
        assert_eq!(disk.columns[0].values[1].to_bits(), 0.1_f64.to_bits());
        assert_eq!(disk.columns[1].value_at(1), Some(1e-5));
        assert_eq!(disk.columns[1].value_at(3 * 3 + 2), Some(3.0));
    }
}

#[test]
fn two_samples_of_one_time_are_two_rows() {
    let memory = object("Memory", false, &[("Pages", 0x0001_0100)]);
    let disk = object("Disk", false, &[("Queue", 0x0001_0100)]);
    let twice =
        cooked(&memory, vec![Instance::unnamed()], vec![at(0, 0), at(0, 0)], vec![column(0, &[1.0, 2.0])]);
    let once = cooked(&disk, vec![Instance::unnamed()], vec![at(0, 0)], vec![column(0, &[3.0])]);
    let text = written(Dialect::Csv, &[vec![twice, once]]);
    let rows: Vec<&str> = text.lines().skip(1).map(|line| &line[26..]).collect();
    assert_eq!(rows, ["\"1\",\"3\"", "\"2\",\" \""]);
}

#[test]
fn columns_and_order_are_demanded() {
    let none = PdhTextWriter::new(Vec::new(), Dialect::Csv, Some(("UTC", 0)), &[]);
    assert!(matches!(none, Err(PdhWriteError::NoCounters)));
    let [first, later] = sample_slices();
    let columns = columns_of(first.iter().chain(&later));
    let mut writer = PdhTextWriter::new(Vec::new(), Dialect::Csv, Some(("UTC", 0)), &columns).expect("a Vec");
    writer.write(&later).expect("the first slice");
    assert!(matches!(writer.write(&first), Err(PdhWriteError::OutOfOrder { .. })));
    let mut far = later;
    far[0].times[0].utc = Timestamp(i64::MAX);
    assert!(matches!(writer.write(&far), Err(PdhWriteError::TimeOutOfRange { .. })));
}

#[test]
fn names_cannot_break_lines() {
    let odd = object("O", true, &[("C", 0x0001_0100)]);
    let instances = vec![Instance::named("a\r\n\"b\",c\"")];
    let text =
        written(Dialect::Csv, &[vec![cooked(&odd, instances, vec![at(0, -240)], vec![column(0, &[1.0])])]]);
    let text = open(text);
    assert_eq!((text.times().len(), text.objects().len()), (1, 1));
    assert_eq!(&*decode(&text).cooked[0].instances[0].name, "a  \"b\",c\"");
}

proptest! {
    #[test]
    fn values_round_trip_to_the_bit(values in prop::collection::vec(any::<f64>(), 1..40), offset in -14_i16..=14) {
        let offset_min = offset * 60;
        let memory = object("Memory", false, &[("Pages", 0x0001_0100)]);
        let times = (0..values.len() as i64).map(|row| at(row * 3600 * 5, offset_min)).collect();
        let all = [cooked(&memory, vec![Instance::unnamed()], times, vec![column(0, &values)])];
        let bias_min = -i32::from(offset_min);
        let mut writer =
            PdhTextWriter::new(Vec::new(), Dialect::Tsv, Some(("Zone", bias_min)), &columns_of(&all)).expect("a Vec");
        writer.write(&all).expect("in order");
        let text = open(writer.finish().expect("a Vec"));
        for (read, written) in text.times().iter().zip(&all[0].times) {
            prop_assert_eq!(read.offset_min, written.offset_min);
            prop_assert_eq!(read.utc.0, written.utc.0.div_euclid(10_000) * 10_000);
        }
        let rows = decode(&text);
        for (row, &value) in values.iter().enumerate() {
            let expected = value.is_finite().then(|| value.to_bits());
            prop_assert_eq!(rows.cooked[0].columns[0].value_at(row).map(f64::to_bits), expected);
        }
    }
}
