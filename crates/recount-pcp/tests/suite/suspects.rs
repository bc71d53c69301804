//! What an archive says without damage, but can't mean: error codes in place of labels, counts that don't fit, reboots without
//! a mark, and more free space than there is.

use crate::support;

use std::sync::Arc;

use recount_model::{Content, FindingKind, Selection, Source, Status};
use recount_pcp::Archive;
use recount_samples::other_logs::pcp::{ArchiveBytes, COUNTER, INSTANT, NO_DOMAIN, Set};
use support::{Cells, cells, cook, counted};

const START: u64 = 1_700_000_000;
const DISKS: u32 = 60 << 22 | 1;
const U64: u8 = 3;
const KBYTES: u32 = 0x1001_0000;
const MILLISECONDS: u32 = 0x0100_2000;

fn open(archive: &ArchiveBytes) -> Archive {
    let file = |name: &str, bytes: &Vec<u8>| (name.to_owned(), Arc::new(bytes.clone()) as Arc<dyn Content>);
    let volumes = archive.volumes.iter().enumerate().map(|(at, volume)| file(&format!("a.{at}"), volume));
    Archive::open(std::iter::once(file("a.meta", &archive.meta)).chain(volumes).collect())
        .expect("an archive")
}

fn values(archive: &ArchiveBytes) -> Cells {
    let source: Arc<dyn Source> = Arc::new(open(archive));
    cells(&cook(&source, 1 << 20, &Selection::all()))
}

fn row(cells: &Cells, counter: &str, instance: &str) -> Vec<(i64, Result<f64, Status>)> {
    let of = |(key, value): (&(i64, String, String, String), &Result<f64, Status>)| {
        let second = key.0 / 1_000_000_000 - START as i64;
        ((key.2.as_str(), key.3.as_str()) == (counter, instance)).then_some((second, *value))
    };
    cells.iter().filter_map(of).collect()
}

/// A source that knows no labels of an instance has an error code where their number would be.
#[test]
fn labels_may_be_an_error() {
    for version in [2, 3] {
        let mut archive = ArchiveBytes::new(version, "web1", "UTC");
        archive.metric(1, "demo.value", 1, DISKS, INSTANT, 0);
        let sets = [(0, Ok(r#"{"unit":"x"}"#)), (1, Err(-22)), (2, Err(-12_386)), (3, Ok(r#"{"unit":"z"}"#))];
        archive.labels(START, DISKS, &sets);
        archive.domain(START, DISKS, &[(0, "a"), (1, "b"), (2, "c"), (3, "d")]);
        archive.record(START, 0, &[Set::Place(1, &[(0, 5), (1, 6), (2, 7), (3, 8)])]);
        let opened = open(&archive);
        assert!(opened.health().is_sound(), "{:?}", opened.health());
        assert_eq!(row(&values(&archive), "value", "d"), [(0, Ok(8.0))], "what follows the labels is read");
        let mut dump = String::new();
        recount_pcp::dump("a.meta", &archive.meta, 10, &mut dump).expect("a dump");
        for shown in [r#"{\"unit\":\"z\"}"#, "none, error -22", "none, error -12386"] {
            assert!(dump.contains(shown), "{shown} in {dump}");
        }
    }
}

/// Two kernel totals, and counters that don't fall over the reboot.
fn rebooted(totals: [&str; 2], before: [u64; 2], after: [u64; 2]) -> ArchiveBytes {
    let mut archive = ArchiveBytes::new(3, "web1", "UTC");
    let unit = |name: &str| if name.contains("cpu") { MILLISECONDS } else { 0x0010_0000 };
    for (id, name) in (1..).zip(totals) {
        archive.metric(id, name, 3, NO_DOMAIN, COUNTER, unit(name));
    }
    archive.metric(3, "disk.all.read", 3, NO_DOMAIN, COUNTER, 0x0010_0000);
    let block = |value: u64| [(-1, value.to_be_bytes().to_vec())];
    for at in 0..6_u64 {
        let from = if at < 3 { before } else { after };
        let [one, other] = from.map(|from| block(from + 10 * at));
        let reads = block(1_000 * at);
        archive.record(
            START + 10 * at,
            0,
            &[Set::Block(1, U64, &one), Set::Block(2, U64, &other), Set::Block(3, U64, &reads)],
        );
    }
    archive
}

#[test]
fn nothing_goes_across_a_reboot_without_a_mark() {
    use Status::FirstSample;
    let intr_falls = rebooted(["kernel.all.intr", "kernel.all.cpu.user"], [9_000, 0], [100, 500]);
    let both_fall = rebooted(["kernel.all.cpu.user", "kernel.all.cpu.idle"], [9_000, 9_000], [100, 500]);
    for archive in [intr_falls, both_fall] {
        let found = open(&archive).health().clone();
        assert_eq!(found.count(FindingKind::Odd), 1, "{found:?}");
        assert!(found.findings()[0].what.contains("the machine was rebooted"), "{found:?}");
        let reads = row(&values(&archive), "read", "");
        assert_eq!(reads[2], (20, Ok(100.0)));
        assert_eq!(reads[3], (30, Err(FirstSample)), "it grew, and is another count");
        assert_eq!(reads[4], (40, Ok(100.0)));
    }
}

/// The kernel occasionally takes back a little of one kind of time.
#[test]
fn a_single_time_that_falls_is_no_reboot() {
    let archive = rebooted(["kernel.all.intr", "kernel.all.cpu.idle"], [9_000, 9_000], [9_001, 8_900]);
    assert!(open(&archive).health().is_sound());
    let cells = values(&archive);
    assert_eq!(row(&cells, "read", "")[3], (30, Ok(100.0)));
    assert_eq!(row(&cells, "idle", "")[3], (30, Err(Status::CounterReset)));
}

/// Totals that are recorded less often don't say when the reboot was: the records between are compared with nothing.
#[test]
fn records_around_a_reboot_are_apart() {
    let mut archive = ArchiveBytes::new(2, "web1", "UTC");
    archive.metric(1, "kernel.all.uptime", 1, NO_DOMAIN, INSTANT, 0x0100_3000);
    archive.metric(2, "disk.all.read", 1, NO_DOMAIN, COUNTER, 0x0010_0000);
    for at in 0..10_u32 {
        let seconds = START + 10 * u64::from(at);
        if at % 4 == 0 {
            archive.record(seconds, 0, &[Set::Place(1, &[(-1, if at < 8 { 5_000 + at } else { 60 })])]);
        }
        archive.record(seconds, 1_000, &[Set::Place(2, &[(-1, 100 * at)])]);
    }
    let reads = row(&values(&archive), "read", "");
    let has_value: Vec<bool> = reads.iter().map(|(_, value)| value.is_ok()).collect();
    // The totals of second 40 are from before, those of second 80 from after it.
    assert_eq!(has_value, [false, true, true, true, false, false, false, false, false, true]);
}

#[test]
fn more_free_than_there_is_has_no_used_space() {
    let mut archive = ArchiveBytes::new(2, "web1", "UTC");
    for (id, name) in (1..).zip(["capacity", "free", "used", "avail"]) {
        archive.metric(id, &format!("filesys.{name}"), 3, DISKS, INSTANT, KBYTES);
    }
    archive.metric(5, "filesys.full", 5, DISKS, INSTANT, 0);
    archive.metric(6, "filesys.mountdir", 6, DISKS, INSTANT, 0);
    archive.domain(START, DISKS, &[(0, "/dev/sda1"), (1, "/dev/sdb1")]);
    let of = |values: [u64; 2]| [(0, values[0].to_be_bytes().into()), (1, values[1].to_be_bytes().into())];
    let sizes = [of([1_000, 1_000]), of([400, 1_500]), of([600, 500_u64.wrapping_neg()]), of([300, 1_400])];
    let full = of([50_f64.to_bits(), 100_f64.to_bits()]);
    let places = [(0, b"/\0".to_vec()), (1, b"/odd\0".to_vec())];
    let mut sets: Vec<Set<'_>> = (1..).zip(&sizes).map(|(id, cells)| Set::Block(id, U64, cells)).collect();
    sets.extend([Set::Block(5, 5, &full), Set::Block(6, 6, &places)]);
    archive.record(START, 0, &sets);
    let own = values(&archive);
    assert_eq!(row(&own, "used", "/dev/sda1"), [(0, Ok(600.0 * 1_024.0))]);
    assert_eq!(row(&own, "full", "/dev/sda1"), [(0, Ok(50.0))]);
    for counter in ["used", "full"] {
        assert_eq!(row(&own, counter, "/dev/sdb1"), [(0, Err(Status::InvalidData))], "{counter}");
    }
    assert_eq!(row(&own, "free", "/dev/sdb1"), [(0, Ok(1_500.0 * 1_024.0))]);
    let windows = open(&archive).canonical().expect("names");
    let windows = cells(&cook(&windows, 1 << 20, &Selection::all()));
    assert_eq!(row(&windows, "% Free Space", "/"), [(0, Ok(300.0 / 900.0 * 100.0))]);
    assert_eq!(row(&windows, "Free Bytes", "/"), [(0, Ok(300.0 * 1_024.0))]);
    for counter in ["% Free Space", "Free Bytes", "Free Megabytes"] {
        assert_eq!(row(&windows, counter, "/odd"), [(0, Err(Status::InvalidData))], "{counter}");
    }
}

/// A record whose counts don't fit its length may give its values to the wrong metrics.
#[test]
fn a_record_with_a_wrong_count_is_left_out() {
    let mut archive = ArchiveBytes::new(2, "web1", "UTC");
    archive.metric(1, "disk.dev.read", 1, DISKS, COUNTER, 0x0010_0000);
    archive.metric(2, "disk.dev.write", 1, DISKS, COUNTER, 0x0010_0000);
    archive.domain(START, DISKS, &[(0, "sda"), (1, "sdb")]);
    for at in 0..4_u32 {
        let reads = [(0, 10 * at), (1, 20 * at)];
        let writes = [(0, 30 * at), (1, 40 * at)];
        archive.record(START + u64::from(at), 0, &[Set::Place(1, &reads), Set::Place(2, &writes)]);
    }
    let sound = row(&values(&archive), "read", "sdb");
    assert_eq!(sound[3], (3, Ok(20.0)));
    let record = (archive.volumes[0].len() - 132) / 4;
    // The number of sets of the second record.
    archive.volumes[0][132 + record + 15] = 1;
    let opened = open(&archive);
    assert_eq!((opened.times().len(), opened.health().count(FindingKind::Damaged)), (3, 1));
    let told = &opened.health().findings()[0];
    assert!(told.what.contains("a count or a length is wrong"), "{told}");
    let reads = row(&values(&archive), "read", "sdb");
    assert_eq!(reads[1], (2, Err(Status::FirstSample)), "nothing is compared across it");
    assert_eq!(reads[2], sound[3]);
}

#[test]
fn wrong_counts_never_change_values_silently() {
    let samples = concat!(env!("CARGO_MANIFEST_DIR"), "/../../samples/pcp/web1");
    let file =
        |end: &str| (format!("web1.{end}"), std::fs::read(format!("{samples}.{end}")).expect("a sample"));
    counted::assert_wrong_counts_are_reported(&[file("meta"), file("0")], 1);
}

/// As 4 bytes, the first half of a value of 8 is 0.
#[test]
fn a_block_that_contradicts_its_metric_has_no_value() {
    const U32: u8 = 1;
    const DOUBLE: u8 = 5;
    for (metric, len) in [(U64, 8), (U32, 4)] {
        let mut archive = ArchiveBytes::new(3, "web1", "UTC");
        archive.metric(1, "disk.all.read", metric.into(), NO_DOMAIN, COUNTER, 0x0010_0000);
        let block = |value: u64, len: usize| value.to_be_bytes()[8 - len..].to_vec();
        let blocks = [
            (metric, block(1_000, len)),
            (metric, block(2_000, len)),
            (metric, block(3_000, 12 - len)),
            (DOUBLE, block(4_000, len)),
            (0, block(5_000, len)),
            (metric, block(6_000, len)),
        ];
        for (at, (value_type, value)) in (0..).zip(blocks) {
            archive.record(START + 10 * at, 0, &[Set::Block(1, value_type, &[(-1, value)])]);
        }
        let values: Vec<_> = row(&values(&archive), "read", "").into_iter().map(|(_, value)| value).collect();
        let (invalid, first) = (Err(Status::InvalidData), Err(Status::FirstSample));
        assert_eq!(values, [first, Ok(100.0), invalid, invalid, invalid, Ok(100.0)], "{metric}");
    }
}
