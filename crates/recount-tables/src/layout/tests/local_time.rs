//! The column of local times.

use super::*;
use crate::{FileFormat, Layout};

/// Two machines in different zones, one of which ends its summer time.
fn slice() -> Vec<Cooked> {
    let disk = object("Disk", true, &[("Reads/sec", RATE)]);
    let mut one = cooked("web1", &disk, &["C:"], &[0, 2]);
    (one.times[0].offset_min, one.times[1].offset_min) = (120, 60);
    let mut two = cooked("web2", &disk, &["C:"], &[0, 1]);
    two.times.iter_mut().for_each(|time| time.offset_min = -480);
    vec![one, two]
}

#[test]
fn each_row_has_the_time_of_its_machine() {
    let directory = tempfile::tempdir().expect("directory");
    for (format, extension) in [(FileFormat::Parquet, "parquet"), (FileFormat::ArrowIpc, "arrow")] {
        let options = TableOptions { format, local_time: true, ..TableOptions::default() };
        let path = directory.path().join(format!("tidy.{extension}"));
        write(&path, &options, &[], vec![slice()]);
        let expected = [
            "time|interval_s|weight_s|host|object|instance|counter|value|status|local_time",
            "0|1|1|web1|Disk|C:|Reads/sec|0|ok|7200",
            "0|1|1|web2|Disk|C:|Reads/sec|0|ok|-28800",
            "1|1|1|web2|Disk|C:|Reads/sec|10|ok|-28799",
            "2|1|1|web1|Disk|C:|Reads/sec|20|ok|3602",
        ];
        assert_eq!(read(&path), expected);
        let path = directory.path().join(extension);
        write(&path, &TableOptions { layout: Layout::Objects, ..options }, &[], vec![slice()]);
        let expected = [
            "time|interval_s|weight_s|host|local_time|instance|Reads/sec",
            "0|1|1|web1|7200|C:|0",
            "0|1|1|web2|-28800|C:|0",
            "1|1|1|web2|-28799|C:|10",
            "2|1|1|web1|3602|C:|20",
        ];
        assert_eq!(read(&path.join(format!("Disk.{extension}"))), expected);
    }
}
