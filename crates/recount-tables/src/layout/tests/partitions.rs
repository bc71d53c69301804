//! Partitions by host and day.

use super::objects::options;
use super::*;
use crate::{Layout, PartitionKey};

#[test]
fn tables_are_cut_by_host_and_day() {
    let disk = object("Disk", true, &[("X", RATE)]);
    let slice = || vec![cooked("web/1", &disk, &["a"], &[0, 58, 61]), cooked("", &disk, &["a"], &[59, 60])];
    let directory = tempfile::tempdir().expect("directory");
    let partition_by = vec![PartitionKey::Host, PartitionKey::Date];
    let (tidy, objects) = (directory.path().join("tidy"), directory.path().join("objects"));
    let by_objects = TableOptions { partition_by, ..options() };
    let by_rows = TableOptions { layout: Layout::Tidy, ..by_objects.clone() };
    let later = vec![cooked("web/1", &disk, &["a"], &[62])];
    assert_eq!(write(&tidy, &by_rows, &[], vec![slice(), later.clone()]).num_rows, 6);
    assert_eq!(write(&objects, &by_objects, &[], vec![slice(), later]).num_rows, 6);

    let parts = [
        "host=__HIVE_DEFAULT_PARTITION__/date=2013-02-19/part-0.parquet",
        "host=__HIVE_DEFAULT_PARTITION__/date=2013-02-20/part-0.parquet",
        "host=web%2F1/date=2013-02-19/part-0.parquet",
        "host=web%2F1/date=2013-02-20/part-0.parquet",
    ];
    assert_eq!(files(&tidy), parts);
    assert_eq!(files(&objects.join("Disk")), parts);
    let read_all = |root: &Path| parts.map(|part| read(&root.join(part)));
    let [a, b, c, d] = read_all(&objects.join("Disk"));
    let columns = "time|interval_s|weight_s|instance|X";
    assert_eq!(a, [columns, "59|1|1|a|590"]);
    assert_eq!(b, [columns, "60|1|1|a|600"]);
    assert_eq!(c, [columns, "0|1|1|a|0", "58|1|1|a|580"]);
    assert_eq!(d, [columns, "61|1|1|a|610", "62|1|1|a|620"]);
    let [.., d] = read_all(&tidy);
    let columns = "time|interval_s|weight_s|object|instance|counter|value|status";
    assert_eq!(d, [columns, "61|1|1|Disk|a|X|610|ok", "62|1|1|Disk|a|X|620|ok"]);
}
