//! Aggregates over instances, from the pipeline into every kind of table and back.

use std::convert::Infallible;

use recount_compute::{CookOptions, Input, PipelineOptions, run};
use recount_model::{
    AggregateFunction, Aggregation, Clocks, Column, Decoded, Opened, Run, Second, Selection, Source, Timer,
};
use recount_pdh_text::{Columns, Dialect, PdhText, PdhTextOptions, PdhTextWriter};

use super::*;
use crate::Layout;

/// A counterset with history: a raw count whose total is wanted, a rate whose maximum is. Three samples: `a` and `_Total`,
/// the same, then `a` alone.
struct Capture {
    object: Arc<ObjectDef>,
    opened: Opened,
}

const VALUES: [(&[&str], [&[u64]; 2]); 3] = [
    (&["a", "_Total"], [&[1, 10], &[100, 200]]),
    (&["a", "_Total"], [&[2, 20], &[103, 207]]),
    (&["a"], [&[3], &[104]]),
];

impl Capture {
    fn new() -> Capture {
        let mut definition =
            (*object("Thing", true, &[("Things", 0x0001_0000), ("Things/sec", RATE)])).clone();
        definition.aggregation = Aggregation::GlobalHistory;
        definition.counters[0].aggregate = AggregateFunction::Total;
        definition.counters[1].aggregate = AggregateFunction::Maximum;
        Capture {
            object: Arc::new(definition),
            opened: Opened { times: (0..3).map(time).collect(), ..Opened::default() },
        }
    }

    fn run(&self, sample: u32) -> Run {
        let at = sample as usize;
        let (names, values) = VALUES[at];
        let second = [Second::None, Second::Clock(Timer::Tick)];
        let columns = values.iter().zip(second);
        Run {
            host: "web1".into(),
            object: Arc::clone(&self.object),
            instances: names.iter().map(|name| Instance::named(*name)).collect(),
            clocks: Clocks {
                time: vec![self.times()[at]],
                perf_time: vec![u64::from(sample) * 100],
                perf_freq: vec![100],
                ..Clocks::default()
            },
            columns: columns
                .map(|(first, second)| Column { first: first.to_vec(), second, ..Column::default() })
                .collect(),
            faults: Vec::new(),
        }
    }

    fn cook(self, cook: CookOptions) -> Vec<Vec<Cooked>> {
        let input = Input::new(Arc::new(self), vec![0, 1, 2]);
        let mut slices = Vec::new();
        let options = PipelineOptions { cook, len_slice: 1 };
        let done = run(&[input], &options, |batch, _| {
            slices.push(batch);
            Ok::<(), Infallible>(())
        });
        assert!(done.is_ok_and(|health| health.is_sound()));
        slices
    }
}

impl Source for Capture {
    fn opened(&self) -> &Opened {
        &self.opened
    }

    fn len_sample(&self, _sample: usize) -> usize {
        1
    }

    fn decode(&self, samples: &[u32], _selection: &Selection) -> Decoded {
        Decoded { runs: samples.iter().map(|sample| self.run(*sample)).collect(), ..Decoded::default() }
    }
}

const TIDY: [&str; 16] = [
    "time|interval_s|weight_s|host|object|instance|counter|value|status",
    "0|-|1|web1|Thing|a|Things|1|ok",
    "0|-|1|web1|Thing|a|Things/sec|-|first-sample",
    "0|-|1|web1|Thing|_Total|Things|10|ok",
    "0|-|1|web1|Thing|_Total|Things/sec|-|first-sample",
    "0|-|1|web1|Thing|_Total#1|Things|11|ok",
    "0|-|1|web1|Thing|_Maximum|Things/sec|-|first-sample",
    "1|1|1|web1|Thing|a|Things|2|ok",
    "1|1|1|web1|Thing|a|Things/sec|3|ok",
    "1|1|1|web1|Thing|_Total|Things|20|ok",
    "1|1|1|web1|Thing|_Total|Things/sec|7|ok",
    "1|1|1|web1|Thing|_Total#1|Things|22|ok",
    "1|1|1|web1|Thing|_Maximum|Things/sec|7|ok",
    "2|1|1|web1|Thing|a|Things|3|ok",
    "2|1|1|web1|Thing|a|Things/sec|1|ok",
    // The instance with that name is gone, but its values still count.
    "2|1|1|web1|Thing|_Total|Things|23|ok",
];

#[test]
fn stand_in_the_tidy_table() {
    let directory = tempfile::tempdir().expect("directory");
    let path = directory.path().join("t.parquet");
    write(&path, &TableOptions::default(), &[], Capture::new().cook(CookOptions::default()));
    let rows = read(&path);
    assert_eq!(rows[..16], TIDY);
    assert_eq!(rows[16..], ["2|1|1|web1|Thing|_Maximum|Things/sec|7|ok"]);
}

#[test]
fn stand_in_the_tables_of_objects_with_why_they_have_no_value() {
    let directory = tempfile::tempdir().expect("directory");
    let path = directory.path().join("out");
    let options = TableOptions { layout: Layout::Objects, ..TableOptions::default() };
    write(&path, &options, &[], Capture::new().cook(CookOptions::default()));
    let expected = [
        "time|interval_s|weight_s|host|instance|Things|Things/sec",
        "0|-|1|web1|a|1|-",
        "0|-|1|web1|_Total|10|-",
        "0|-|1|web1|_Total#1|11|-",
        "0|-|1|web1|_Maximum|-|-",
        "1|1|1|web1|a|2|3",
        "1|1|1|web1|_Total|20|7",
        "1|1|1|web1|_Total#1|22|-",
        "1|1|1|web1|_Maximum|-|7",
        "2|1|1|web1|a|3|1",
        "2|1|1|web1|_Total|23|-",
        "2|1|1|web1|_Maximum|-|7",
    ];
    assert_eq!(read(&path.join("Thing.parquet")), expected);
    // Values that an aggregate doesn't have aren't missing.
    let nulls = [
        "time|host|object|instance|counter|status",
        "0|web1|Thing|a|Things/sec|first-sample",
        "0|web1|Thing|_Total|Things/sec|first-sample",
        "0|web1|Thing|_Maximum|Things/sec|first-sample",
    ];
    assert_eq!(read(&path.join("_nulls.parquet")), nulls);
}

#[test]
fn have_no_raw_values() {
    let directory = tempfile::tempdir().expect("directory");
    let raw = || Capture::new().cook(CookOptions { keep_raw: true, ..CookOptions::default() });
    let options = TableOptions { raw: true, ..TableOptions::default() };
    let path = directory.path().join("t.parquet");
    write(&path, &options, &[], raw());
    // Instance, counter, first and second value of the second sample.
    let fields = |line: &String| {
        let fields: Vec<&str> = line.split('|').collect();
        [fields[5], fields[6], fields[9], fields[10]].join("|")
    };
    let rows: Vec<String> = read(&path).iter().filter(|line| line.starts_with("1|")).map(fields).collect();
    let expected = [
        "a|Things|2|-",
        "a|Things/sec|103|100",
        "_Total|Things|20|-",
        "_Total|Things/sec|207|100",
        "_Total#1|Things|-|-",
        "_Maximum|Things/sec|-|-",
    ];
    assert_eq!(rows, expected);

    let path = directory.path().join("out");
    write(&path, &TableOptions { layout: Layout::Objects, ..options }, &[], raw());
    let lines = read(&path.join("Thing.parquet"));
    let columns = "Things|Things (first)|Things (second)|Things/sec|Things/sec (first)|Things/sec (second)";
    assert_eq!(lines[0], format!("time|interval_s|weight_s|host|instance|{columns}"));
    assert_eq!(lines[6], "1|1|1|web1|_Total|20|20|-|7|207|100");
    assert_eq!(lines[7], "1|1|1|web1|_Total#1|22|-|-|-|-|-");
    assert_eq!(lines[8], "1|1|1|web1|_Maximum|-|-|-|7|-|-");
}

#[test]
fn stand_in_pdh_text_and_are_read_from_it() {
    let slices = Capture::new().cook(CookOptions::default());
    let mut columns = Columns::new();
    slices.iter().flatten().for_each(|cooked| columns.add(cooked));
    let columns = columns.into_vec();
    let mut writer =
        PdhTextWriter::new(Vec::new(), Dialect::Csv, Some(("PST", 480)), &columns).expect("a Vec");
    for slice in &slices {
        writer.write(slice).expect("in order");
    }
    let text = PdhText::open(Arc::new(writer.finish().expect("a Vec")), &PdhTextOptions::default())
        .expect("PDH text");
    let rows = text.decode(&[0, 1, 2], &Selection::all());
    assert!(rows.health.is_sound());
    let value = |name: &str, counter: &str| {
        let cooked = &rows.cooked[0];
        let at = cooked.instances.iter().position(|i| i.shown() == name).expect(name);
        let counter = cooked.object.counter_named(counter).expect(counter);
        let column = cooked.columns.iter().find(|column| column.counter == counter).expect("a column");
        (0..3).map(|sample| column.value_at(sample * cooked.instances.len() + at)).collect::<Vec<_>>()
    };
    assert_eq!(value("a", "Things"), [Some(1.0), Some(2.0), Some(3.0)]);
    assert_eq!(value("_Total#1", "Things"), [Some(11.0), Some(22.0), None]);
    assert_eq!(value("_Total", "Things"), [Some(10.0), Some(20.0), Some(23.0)]);
    assert_eq!(value("_Maximum", "Things/sec"), [None, Some(7.0), Some(7.0)]);
}

#[test]
fn a_selection_may_name_them() {
    let selection = Selection::from_iter([r"\Thing(_Maximum)\*".parse().expect("a path")]);
    let directory = tempfile::tempdir().expect("directory");
    let path = directory.path().join("t.parquet");
    let cook = CookOptions { selection, ..CookOptions::default() };
    write(&path, &TableOptions::default(), &[], Capture::new().cook(cook));
    let expected = [
        TIDY[0],
        "0|-|1|web1|Thing|_Maximum|Things/sec|-|first-sample",
        "1|1|1|web1|Thing|_Maximum|Things/sec|7|ok",
        "2|1|1|web1|Thing|_Maximum|Things/sec|7|ok",
    ];
    assert_eq!(read(&path), expected);
}
