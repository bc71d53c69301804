//! File systems with canonical names: by mount point, which is a text in the same record.

use crate::support;

use std::collections::BTreeMap;
use std::sync::Arc;

use recount_model::{Content, Selection, Source, Status};
use recount_pcp::Archive;

use recount_samples::other_logs::pcp::{ArchiveBytes, INSTANT, Set};
use support::{cells, cook};

const START: u64 = 1_700_000_000;
const DEVICES: u32 = 60 << 22 | 5;
const INTERFACES: u32 = 60 << 22 | 3;
const KBYTES: u32 = 0x1001_0000;
const BYTES_PER_SECOND: u32 = 0x1F00_3000;
const TEXT: u8 = 6;
const U64: u8 = 3;
const MOUNTED: u32 = 9;
const BAUD_RATE: u32 = 20;

fn text(text: &str) -> Vec<u8> {
    [text.as_bytes(), &[0]].concat()
}

/// One record per second. In the last, a disk is mounted elsewhere; a third disk isn't mounted.
fn archive() -> Archive {
    let mut archive = ArchiveBytes::new(2, "web1", "UTC0");
    for (id, name) in (0..).zip(["capacity", "used", "avail"]) {
        archive.metric(id, &format!("filesys.{name}"), 1, DEVICES, INSTANT, KBYTES);
    }
    for (id, name) in (3..).zip(["maxfiles", "freefiles"]) {
        archive.metric(id, &format!("filesys.{name}"), 1, DEVICES, INSTANT, 0);
    }
    archive.metric(MOUNTED, "filesys.mountdir", 6, DEVICES, INSTANT, 0);
    archive.metric(BAUD_RATE, "network.interface.baudrate", 3, INTERFACES, INSTANT, BYTES_PER_SECOND);
    archive.domain(START, DEVICES, &[(0, "/dev/sda1"), (1, "/dev/sdb1"), (2, "/dev/sdc1")]);
    archive.domain(START, INTERFACES, &[(0, "eth0"), (1, "tun0")]);
    for second in 0..3 {
        let elsewhere = if second == 2 { "/mnt" } else { "/home" };
        let mounted = [(0, text("/")), (1, text(elsewhere)), (2, text(""))];
        // -1 Mbit/s as the agent reports it.
        let rates = [125_000_000_u64, 536_870_911_875_000].map(|rate| rate.to_be_bytes().to_vec());
        let [known, unknown] = rates;
        archive.record(
            START + second,
            0,
            &[
                Set::Place(0, &[(0, 5_000), (1, 3_000), (2, 1)]),
                Set::Place(1, &[(0, 1_000), (1, 2_500), (2, 1)]),
                Set::Place(2, &[(0, 3_000), (1, 500), (2, 1)]),
                Set::Place(3, &[(0, 200), (1, 0), (2, 1)]),
                Set::Place(4, &[(0, 50), (1, 0), (2, 1)]),
                Set::Block(MOUNTED, TEXT, &mounted),
                Set::Block(BAUD_RATE, U64, &[(0, known), (1, unknown)]),
            ],
        );
    }
    let files: [(&str, &Vec<u8>); 2] = [("a.meta", &archive.meta), ("a.0", &archive.volumes[0])];
    let plain =
        |(name, bytes): (&str, &Vec<u8>)| (name.to_owned(), Arc::new(bytes.clone()) as Arc<dyn Content>);
    Archive::open(files.map(plain).into()).expect("sound")
}

#[test]
fn file_systems_are_named_by_their_place() {
    let source = archive().canonical().expect("names");
    let all = cells(&cook(&source, 1 << 20, &Selection::all()));
    let row = |object: &str, counter: &str| -> BTreeMap<(i64, &str), Result<f64, Status>> {
        let is_it =
            |key: &&(i64, String, String, String)| (key.1.as_str(), key.2.as_str()) == (object, counter);
        let second = |nanos: i64| nanos / 1_000_000_000 - START as i64;
        all.keys().filter(is_it).map(|key| ((second(key.0), key.3.as_str()), all[key])).collect()
    };
    let places = [(0, "/"), (0, "/home"), (1, "/"), (1, "/home"), (2, "/"), (2, "/mnt")];
    let free = row("LogicalDisk", "% Free Space");
    assert_eq!(free.keys().copied().collect::<Vec<_>>(), places);
    assert_eq!((free[&(0, "/")], free[&(2, "/mnt")]), (Ok(75.0), Ok(500.0 / 3_000.0 * 100.0)));
    assert_eq!(row("LogicalDisk", "Free Megabytes")[&(0, "/")], Ok(2.0), "rounded down");
    assert_eq!(row("LogicalDisk", "Size Bytes")[&(0, "/")], Ok(5_120_000.0));
    let inodes = row("LogicalDisk", "% Free Inodes");
    assert_eq!(inodes[&(0, "/")], Ok(25.0));
    assert!(inodes[&(0, "/home")].is_err(), "of a file system without a limit");
    assert_eq!(row("Network Adapter", "Current Bandwidth")[&(0, "eth0")], Ok(1e9));
    assert!(row("Network Adapter", "Current Bandwidth")[&(0, "tun0")].is_err());
}
