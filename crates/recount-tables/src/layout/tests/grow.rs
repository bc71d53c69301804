//! Columns that are added while a table is being written.

use recount_model::Instance;

use super::objects::options;
use super::*;
use crate::{FileFormat, PartitionKey};

fn slices() -> Vec<Vec<Cooked>> {
    let first = object("Disk", true, &[("Reads/sec", RATE)]);
    let second = object("Disk", true, &[("Queue", RATE), ("Reads/sec", AVERAGE), ("Reads/sec", RATE)]);
    let mut with_ids = cooked("h", &first, &["C:"], &[120]);
    with_ids.instances = [Instance { id: Some(7), ..Instance::named("C:") }].into();
    vec![
        vec![cooked("h", &first, &["C:"], &[0])],
        vec![cooked("h", &second, &["C:"], &[1])],
        vec![cooked("h", &first, &["C:"], &[2, 119])],
        vec![with_ids],
    ]
}

#[test]
fn parts_become_one_file_with_all_columns() {
    for (format, extension) in [(FileFormat::Parquet, "parquet"), (FileFormat::ArrowIpc, "arrow")] {
        let directory = tempfile::tempdir().expect("directory");
        let path = directory.path().join("out");
        let written = write(&path, &TableOptions { format, ..options() }, &[], slices());
        let expected = [
            "time|interval_s|weight_s|host|instance|Reads/sec|Queue|Reads/sec (2)|instance_id",
            "0|1|1|h|C:|0|-|-|-",
            "1|1|1|h|C:|1010|10|2010|-",
            "2|1|1|h|C:|20|-|-|-",
            "119|1|1|h|C:|1190|-|-|-",
            "120|1|1|h|C:|1200|-|-|7",
        ];
        assert_eq!(read(&path.join(format!("Disk.{extension}"))), expected);
        assert_eq!(written.num_rows, 5);
        assert_eq!(files(&path).len(), 2, "no part stays behind");
    }
}

#[test]
fn every_partition_has_the_columns_of_the_table() {
    let directory = tempfile::tempdir().expect("directory");
    let path = directory.path().join("out");
    let options = TableOptions { partition_by: vec![PartitionKey::Date], ..options() };
    write(&path, &options, &[], slices());
    let columns = "time|interval_s|weight_s|host|instance|Reads/sec|Queue|Reads/sec (2)|instance_id";
    let before = read(&path.join("Disk/date=2013-02-19/part-0.parquet"));
    assert_eq!(before, [columns, "0|1|1|h|C:|0|-|-|-", "1|1|1|h|C:|1010|10|2010|-", "2|1|1|h|C:|20|-|-|-"]);
    let after = read(&path.join("Disk/date=2013-02-20/part-0.parquet"));
    assert_eq!(after, [columns, "119|1|1|h|C:|1190|-|-|-", "120|1|1|h|C:|1200|-|-|7"]);
}

#[test]
fn known_definitions_give_the_columns_at_once() {
    let directory = tempfile::tempdir().expect("directory");
    let path = directory.path().join("out");
    let known = object("Disk", true, &[("A", RATE), ("Reads/sec", RATE)]);
    write(&path, &options(), &[("h".into(), known)], slices().into_iter().take(1).collect());
    assert_eq!(
        read(&path.join("Disk.parquet")),
        ["time|interval_s|weight_s|host|instance|A|Reads/sec", "0|1|1|h|C:|-|0"]
    );
}
