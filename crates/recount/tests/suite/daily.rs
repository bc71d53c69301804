//! A directory of other recorders' files, one a day: one time line.

use std::path::Path;

use recount::{Capture, ConvertOptions, NameTable, OutputFormat, Target, Timeline, convert, open_all};
use recount_bytes::ByteOrder;
use recount_model::{FindingKind, Health};
use recount_samples::other_logs::atop;
use recount_samples::other_logs::pcp::{ArchiveBytes, COUNTER, NO_DOMAIN, Set};
use recount_samples::other_logs::sa::{CREATED, Entry, Writer};
use tempfile::TempDir;

/// Context switches and new processes.
const PCSW: Entry = (2, 0x8b, 1, false, 16, [1, 1, 0]);

/// A file with samples of these steps, 10 s apart, of a machine that was up for a while at the first.
fn sa(steps: &[u64]) -> Writer {
    let mut writer = Writer::new(0x2175, ByteOrder::Little, 8, &[PCSW]);
    for step in steps {
        put(&mut writer, 1_000 * step, *step);
    }
    writer
}

fn put(writer: &mut Writer, after_cs: u64, switches: u64) {
    writer.record(1, after_cs).quads(&[500 * switches * switches]).longs(&[20]);
}

struct Folder(TempDir);

impl Folder {
    fn new(files: &[(&str, &[u8])]) -> Folder {
        let folder = Folder(tempfile::tempdir().expect("a directory"));
        for (name, bytes) in files {
            std::fs::write(folder.path().join(name), bytes).expect("written");
        }
        folder
    }

    fn path(&self) -> &Path {
        self.0.path()
    }

    fn open(&self) -> Vec<Capture> {
        open_all(&[self.path().to_path_buf()], &NameTable::new()).expect("captures")
    }

    /// All values as text, one line per sample.
    fn values(&self) -> Vec<String> {
        let captures = self.open();
        let out = tempfile::tempdir().expect("a directory");
        let path = out.path().join("values.csv");
        let mut options = ConvertOptions::default();
        options.format = OutputFormat::Csv;
        convert(&whole(&captures), &Target::Path(path.clone()), &options, &recount::unwatched)
            .expect("converts");
        std::fs::read_to_string(path).expect("values").lines().map(ToOwned::to_owned).collect()
    }
}

fn whole(captures: &[Capture]) -> Timeline {
    Timeline::whole(captures).expect("one time line")
}

fn health(captures: &[Capture]) -> Health {
    whole(captures).health()
}

/// The last cell of a line.
fn last(line: &str) -> &str {
    line.rsplit(',').next().unwrap_or_default().trim_matches('"')
}

#[test]
fn counters_go_on_over_midnight() {
    let whole = Folder::new(&[("sa01", &sa(&[0, 1, 2, 3, 4]).bytes.all)]);
    let days = Folder::new(&[("sa01", &sa(&[0, 1, 2]).bytes.all), ("sa02", &sa(&[3, 4]).bytes.all)]);
    assert_eq!(whole.values().len(), 6);
    assert_eq!(days.values(), whole.values());
    assert!(health(&days.open()).is_sound());
}

#[test]
fn a_sample_in_both_files_counts_once() {
    let whole = Folder::new(&[("sa01", &sa(&[0, 1, 2, 3, 4]).bytes.all)]);
    let first = sa(&[0, 1, 2]).bytes.all;
    // `sa1 --rotate` writes the last one of a day when the next has begun: at the same time, or a moment after.
    let days = Folder::new(&[("sa01", &first), ("sa02", &sa(&[2, 3, 4]).bytes.all)]);
    assert_eq!(days.values(), whole.values());
    let mut begun = sa(&[]);
    begun.record(1, 1_900).quads(&[1_700]).longs(&[20]);
    (3..5).for_each(|step| put(&mut begun, 1_000 * step, step));
    let days = Folder::new(&[("sa01", &first), ("sa02", &begun.bytes.all)]);
    assert_eq!(days.values(), whole.values());
    assert!(health(&days.open()).is_sound());
    // A copy beside the file itself is reported.
    let days = Folder::new(&[("sa01", &first), ("sa01.copy", &first), ("sa02", &sa(&[3, 4]).bytes.all)]);
    assert_eq!(days.values(), whole.values());
    let health = health(&days.open());
    assert_eq!(health.count(FindingKind::Odd), 1);
    assert!(health.findings()[0].what.contains("3 of its samples are also in"), "{health:?}");
}

#[test]
fn two_recorders_at_once_are_reported() {
    let mut between = sa(&[]);
    (0..3).for_each(|step| put(&mut between, 1_000 * step + 500, step));
    let folder = Folder::new(&[("a", &sa(&[0, 1, 2, 3]).bytes.all), ("b", &between.bytes.all)]);
    assert_eq!(folder.values().len(), 1 + 7);
    let health = health(&folder.open());
    assert_eq!(health.count(FindingKind::Odd), 1);
    assert!(health.findings()[0].to_string().contains("b: overlaps "), "{health:?}");
}

#[test]
fn no_value_spans_a_restart() {
    let first = sa(&[0, 1, 2]).bytes.all;
    // A restart is reported at the end of one file or at the beginning of the next.
    let mut ended = sa(&[0, 1, 2]);
    ended.restart(2_500);
    let mut begun = sa(&[]);
    begun.restart(2_900);
    (3..5).for_each(|step| put(&mut begun, 1_000 * step, step));
    // Or nobody tells it, and the uptime is another.
    let mut booted = sa(&[]);
    for step in 3..5 {
        booted.record_at(1, 1_000 * step, CREATED + 10 * step).quads(&[500_000 * step]).longs(&[20]);
    }
    let second = sa(&[3, 4]).bytes.all;
    for (one, other) in [(&ended.bytes.all, &second), (&first, &begun.bytes.all), (&first, &booted.bytes.all)]
    {
        let lines = Folder::new(&[("sa01", one), ("sa02", other)]).values();
        let known: Vec<bool> = lines[1..].iter().map(|line| last(line).parse::<f64>().is_ok()).collect();
        assert_eq!(known, [false, true, true, false, true], "{lines:?}");
    }
    // A restart within a day says nothing about the border.
    let mut restarted = sa(&[0, 1]);
    restarted.restart(1_500);
    for step in 2..4 {
        restarted.record_at(1, 1_000 * step, CREATED + 10 * step).quads(&[700 * step]).longs(&[20]);
    }
    let mut next = sa(&[]);
    for step in 4..6 {
        next.record_at(1, 1_000 * step, CREATED + 10 * step).quads(&[700 * step]).longs(&[20]);
    }
    let lines = Folder::new(&[("sa01", &restarted.bytes.all), ("sa02", &next.bytes.all)]).values();
    let known: Vec<bool> = lines[1..].iter().map(|line| last(line).parse::<f64>().is_ok()).collect();
    assert_eq!(known, [false, true, false, true, true, true], "{lines:?}");
}

#[test]
fn one_bad_file_is_a_finding() {
    let mut old = sa(&[0]).bytes.all;
    old[2..4].copy_from_slice(&0x216f_u16.to_le_bytes());
    let report = b"Linux 6.1.0 (web1) \t02/01/26 \t_x86_64_\t(2 CPU)\n\n02:00:01 CPU %user\n";
    let files: [(&str, &[u8]); 6] = [
        ("sa01", &sa(&[0, 1, 2]).bytes.all),
        ("sa02", &old),
        ("sa03", &sa(&[3, 4]).bytes.all),
        ("sa04", b""),
        ("sa05", &sa(&[5]).bytes.all[..300]),
        ("sar01", report),
    ];
    let folder = Folder::new(&files);
    let captures = folder.open();
    assert_eq!(captures.len(), 2);
    let health = health(&captures);
    assert_eq!((health.count(FindingKind::Dropped), health.count(FindingKind::Odd)), (2, 2), "{health:?}");
    let dropped = health.findings().iter().find(|finding| finding.kind == FindingKind::Dropped);
    let dropped = dropped.map_or_else(String::new, ToString::to_string);
    assert!(
        dropped.contains("sa02: left out: file_magic.format at byte 0x2") && dropped.contains("sar -A -f"),
        "{dropped}"
    );
    assert_eq!(folder.values().len(), 6);
    // Alone it is the error.
    let alone = Folder::new(&[("sa02", &old)]);
    let error = open_all(&[alone.path().to_path_buf()], &NameTable::new()).err().expect("nothing is left");
    assert!(error.to_string().contains("0x216f"), "{error}");
}

/// An archive of a host whose agent is the one of this number, with a counter that is 100 times the step.
fn archive(host: &str, agent: u32, steps: std::ops::Range<u32>) -> ArchiveBytes {
    let mut archive = ArchiveBytes::new(3, host, "UTC0");
    archive.metric(1, "pmcd.pid", 1, NO_DOMAIN, 4, 0);
    archive.metric(2, "pmcd.seqnum", 1, NO_DOMAIN, 4, 0);
    archive.metric(3, "some.count", 1, NO_DOMAIN, COUNTER, 0x0010_0000);
    for (number, step) in steps.clone().enumerate() {
        let seconds = 1_700_000_000 + 10 * u64::from(step);
        if number == 0 {
            archive.record(seconds, 0, &[Set::Place(1, &[(-1, agent)]), Set::Place(2, &[(-1, 5)])]);
        }
        archive.record(seconds, 1_000_000, &[Set::Place(3, &[(-1, 100 * step)])]);
    }
    archive
}

fn archives(all: &[(&str, &ArchiveBytes)]) -> Folder {
    let folder = Folder::new(&[]);
    for (name, archive) in all {
        std::fs::write(folder.path().join(format!("{name}.meta")), &archive.meta).expect("written");
        std::fs::write(folder.path().join(format!("{name}.0")), &archive.volumes[0]).expect("written");
    }
    folder
}

/// Rates of the counter, `None` where there is no value but a sample.
fn rates(folder: &Folder) -> Vec<Option<f64>> {
    let lines = folder.values();
    let column = lines[0].split(',').position(|name| name.contains("some\\count")).expect("the counter");
    let cell = |line: &String| line.split(',').nth(column).unwrap_or_default().trim_matches('"').parse().ok();
    lines[1..].iter().filter(|line| line.contains(".001")).map(cell).collect()
}

#[test]
fn archives_go_on_where_the_agent_does() {
    let day = |agent, steps| archive("web1", agent, steps);
    let on = Some(10.0);
    let same = archives(&[("20260101", &day(7, 0..3)), ("20260102", &day(7, 3..5))]);
    assert_eq!(rates(&same), [None, on, on, on, on]);
    let another = archives(&[("20260101", &day(7, 0..3)), ("20260102", &day(8, 3..5))]);
    assert_eq!(rates(&another), [None, on, on, None, on]);
    // A mark behind the agent's number: nothing is known of what follows.
    let mut marked = day(7, 0..2);
    marked.record(1_700_000_015, 0, &[]);
    marked.record(1_700_000_020, 1_000_000, &[Set::Place(3, &[(-1, 200)])]);
    let marked = archives(&[("20260101", &marked), ("20260102", &day(7, 3..5))]);
    assert_eq!(rates(&marked), [None, on, None, None, on]);
}

#[test]
fn hosts_are_kept_apart() {
    let (one, other) = (archive("web1", 7, 0..3), archive("web2", 7, 3..5));
    let folder = archives(&[("web1-20260101", &one), ("web2-20260102", &other)]);
    let captures = folder.open();
    let hosts: Vec<String> =
        captures.iter().map(|capture| capture.source.info().hosts[0].to_string()).collect();
    assert_eq!(hosts, ["web1", "web2"]);
    assert!(whole(&captures).inputs().iter().all(|input| input.continues.is_none()));
}

#[test]
fn an_archive_that_lacks_a_part_is_a_finding() {
    let folder =
        archives(&[("20260101", &archive("web1", 7, 0..3)), ("20260102", &archive("web1", 7, 3..5))]);
    std::fs::remove_file(folder.path().join("20260101.meta")).expect("removed");
    let captures = folder.open();
    assert_eq!(captures.len(), 1);
    let health = health(&captures);
    assert_eq!(health.count(FindingKind::Dropped), 1);
    assert!(health.findings()[0].what.contains("20260101.meta is missing"), "{health:?}");
}

#[test]
fn files_may_be_compressed() {
    use std::io::Write;
    let zip = |bytes: &[u8]| {
        let mut encoder = flate2::write::GzEncoder::new(Vec::new(), flate2::Compression::default());
        encoder.write_all(bytes).expect("memory");
        encoder.finish().expect("memory")
    };
    let plain = Folder::new(&[("sa01", &sa(&[0, 1, 2]).bytes.all), ("sa02", &sa(&[3, 4]).bytes.all)]);
    let zipped =
        Folder::new(&[("sa01.gz", &zip(&sa(&[0, 1, 2]).bytes.all)), ("sa02", &sa(&[3, 4]).bytes.all)]);
    assert_eq!(zipped.values(), plain.values());
    let log = zip(&atop::file(12, &atop::three(12)));
    let whole = Folder::new(&[("atop_20260101.gz", &log)]);
    assert_eq!(whole.open()[0].source.times().len(), 3);
    // One that is cut off gives what comes before, and says so.
    let cut = Folder::new(&[("atop_20260101.gz", &log[..log.len() - 30])]);
    let captures = cut.open();
    assert!(captures[0].source.times().len() < 3);
    let what = health(&captures).findings()[0].to_string();
    assert!(what.contains("atop_20260101.gz: decompression stops"), "{what}");
}

#[test]
fn an_archive_is_verified_and_dumped_by_its_base_name() {
    let folder = archives(&[("20260101", &archive("web1", 7, 0..3))]);
    let base = folder.path().join("20260101");
    let verified = recount::verify(&base, &recount::OpenOptions::default()).expect("verified");
    let len = ["meta", "0"].map(|part| base.with_extension(part).metadata().expect("a file").len());
    assert_eq!((verified.num_samples, verified.len_file), (4, len[0] + len[1]));
    assert!(verified.health.is_sound(), "{:?}", verified.health);
    let mut text = Vec::new();
    assert!(recount::dump(&base, usize::MAX, &mut text).expect("dumped"));
    let text = String::from_utf8(text).expect("text");
    for expected in ["20260101.meta\n0x00000000", "20260101.0\n0x00000000", "some.count"] {
        assert!(text.contains(expected), "{expected}: {text}");
    }
}

#[test]
fn a_zone_that_is_named_leaves_the_names_of_windows() {
    let mut archive = ArchiveBytes::new(2, "web1", "");
    archive.metric(1, "mem.util.available", 1, NO_DOMAIN, 3, 0x1001_0000);
    archive.record(1_700_000_000, 0, &[Set::Place(1, &[(-1, 1_000)])]);
    let folder = archives(&[("20260101", &archive)]);
    let mut options = recount::OpenOptions::default();
    options.zone = Some("+02:00".parse().expect("an offset"));
    let captures = recount::open_with(&[folder.path().to_path_buf()], &options).expect("a capture");
    let capture = captures.into_iter().next().expect("one").in_english();
    assert_eq!(capture.source.times()[0].offset_min, 120);
    assert!(capture.source.objects().iter().any(|(_, object)| &*object.name == "Memory"));
}
