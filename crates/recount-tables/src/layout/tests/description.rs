//! Descriptions of the columns of tables.

use crate::batches::{ObjectBatches, fixed_description};
use crate::schema;

use super::*;

#[test]
fn columns_are_described_before_there_are_values() {
    let disk = object(
        "Disk",
        true,
        &[("Time", AVERAGE), ("Time Base", AVERAGE_BASE), ("TIME", RATE), ("X", 0x1234_5678)],
    );
    let mut table = ObjectBatches::new(false).with_instances().keeping(|name| name == "time");
    table.learn(&disk, |counter| !counter.is_hidden());
    let expected = [
        "column|type|unit|counter_type",
        "time|time|-|-",
        "interval_s|float64|sec|-",
        "weight_s|float64|sec|-",
        "host|text|-|-",
        "instance|text|-|-",
        "instance_id|uint64|-|-",
        "Time (2)|float64|-|PERF_AVERAGE_BULK",
        "TIME (3)|float64|/sec|PERF_COUNTER_COUNTER",
        "X|float64|/sec|-",
    ];
    assert_eq!(shown(&[table.description().expect("description")]), expected);
    let nulls = shown(&[fixed_description(&schema::NULLS).expect("description")]);
    assert_eq!(nulls[1..3], ["time|time|-|-", "host|text|-|-"]);
}
