//! The catalogue of captures: what its rows say, and that only what changed is opened.

use std::fs::{self, File};
use std::path::{Path, PathBuf};
use std::time::{Duration, SystemTime};

use recount::{CaptureRow, Catalogue, CatalogueError};

fn sample(name: &str) -> PathBuf {
    PathBuf::from(concat!(env!("CARGO_MANIFEST_DIR"), "/../../samples")).join(name)
}

/// A directory of captures beside a catalogue.
struct Fleet(tempfile::TempDir);

impl Fleet {
    fn new() -> Fleet {
        let fleet = Fleet(tempfile::tempdir().expect("a directory"));
        fs::create_dir(fleet.path("captures")).expect("a directory");
        fleet
    }

    fn path(&self, name: &str) -> PathBuf {
        self.0.path().join(name)
    }

    fn put(&self, name: &str, bytes: &[u8]) -> PathBuf {
        let path = self.path("captures").join(name);
        fs::create_dir_all(path.parent().expect("a directory")).expect("directories");
        fs::write(&path, bytes).expect("written");
        path
    }

    fn copy(&self, name: &str, of: &str) -> PathBuf {
        self.put(name, &fs::read(sample(of)).expect(of))
    }

    fn update(&self) -> Catalogue {
        self.try_update(false).expect("a catalogue")
    }

    fn try_update(&self, force: bool) -> Result<Catalogue, CatalogueError> {
        recount::catalogue(
            &[self.path("captures")],
            &self.path("catalogue.parquet"),
            force,
            &recount::unwatched,
        )
    }
}

fn row<'c>(catalogue: &'c Catalogue, name: &str) -> &'c CaptureRow {
    let found = catalogue.rows.iter().find(|row| Path::new(&row.path).ends_with(name));
    found.unwrap_or_else(|| panic!("no row of {name}"))
}

/// The names of the files that were read.
fn read(catalogue: &Catalogue) -> Vec<&str> {
    let name = |at: &usize| Path::new(&catalogue.rows[*at].path).file_name()?.to_str();
    catalogue.read.iter().filter_map(name).collect()
}

/// Writes other bytes of the same length, and gives the file its old time.
fn tamper(path: &Path) {
    let modified = path.metadata().and_then(|metadata| metadata.modified()).expect("a time");
    let len = usize::try_from(path.metadata().expect("a length").len()).expect("short");
    fs::write(path, vec![b'x'; len]).expect("written");
    File::options().write(true).open(path).and_then(|file| file.set_modified(modified)).expect("its time");
}

#[test]
fn rows_say_what_captures_are() {
    let fleet = Fleet::new();
    for name in [
        "objects.blg",
        "damaged.blg",
        "relog-german.csv",
        "typeperf.tsv",
        "session.pcq",
        "rcap-1/closed.rcap",
    ] {
        fleet.copy(name, name);
    }
    fleet.copy("web1/copy.blg", "objects.blg");
    fleet.put("README.txt", b"Dear reader");
    fleet.put(".hidden.blg", b"nothing");
    fleet.put("rcap-1/closed.rcap.marks/1.mark", b"a mark that waits");
    let bytes = fs::read(sample("rcap-1/closed.rcap")).expect("a sample");
    let later: Vec<u8> = bytes.iter().copied().take(24).chain([0xff; 64]).collect();
    fleet.put("broken.rcap", &later);

    let catalogue = fleet.update();
    let names: Vec<&str> =
        catalogue.rows.iter().filter_map(|row| Path::new(&row.path).file_name()?.to_str()).collect();
    let expected = [
        "README.txt",
        "broken.rcap",
        "damaged.blg",
        "objects.blg",
        "closed.rcap",
        "relog-german.csv",
        "session.pcq",
        "typeperf.tsv",
        "copy.blg",
    ];
    assert_eq!(names, expected);
    assert_eq!(catalogue.read.len(), names.len());

    let objects = row(&catalogue, "objects.blg");
    let capture = recount::open(sample("objects.blg")).expect("a sample");
    let times = capture.source.times();
    assert_eq!(objects.hosts.as_ref(), ["PACIFIC"]);
    assert_eq!(objects.objects.as_ref(), ["Memory", "PhysicalDisk", "Process", "Processor"]);
    assert_eq!((objects.samples, objects.size), (Some(8), 65_536));
    assert_eq!((objects.is_complete, objects.findings, &objects.health), (true, 0, &None));
    let nanos = |micros: Option<i64>| micros.expect("a time") * 1_000;
    let (first, last) =
        (times[0].utc.unix_nanos().expect("in range"), times[7].utc.unix_nanos().expect("in range"));
    assert!((0..1_000).contains(&(first - nanos(objects.begin))), "rounded down");
    assert!((0..1_000).contains(&(nanos(objects.end) - last)), "rounded up");

    // A copy is the same capture, a damaged one too: its first sample is whole.
    let id = objects.capture_id.as_deref().expect("an id");
    assert_eq!(row(&catalogue, "copy.blg").capture_id.as_deref(), Some(id));
    let damaged = row(&catalogue, "damaged.blg");
    assert_eq!(damaged.capture_id.as_deref(), Some(id));
    assert!(!damaged.is_complete && damaged.findings > 0);
    assert!(
        damaged.health.as_deref().is_some_and(|text| text.starts_with("truncated: ")),
        "{:?}",
        damaged.health
    );

    // A log has an id of its own.
    let closed = row(&catalogue, "closed.rcap");
    let in_header = u128::from_be_bytes(bytes[20..36].try_into().expect("16 bytes"));
    let in_header = format!("{in_header:032x}");
    assert_eq!(closed.capture_id.as_deref().map(|id| id.replace('-', "")), Some(in_header));

    let broken = row(&catalogue, "broken.rcap");
    assert_eq!(broken.format.as_deref(), Some("recount capture log (.rcap)"));
    assert_eq!((broken.samples, broken.is_complete), (None, false));
    let why = broken.health.as_deref().expect("a reason");
    assert!(!why.starts_with('/') && !why.is_empty(), "{why}");
    let letter = row(&catalogue, "README.txt");
    assert_eq!((letter.format.as_deref(), letter.samples), (None, None));
    assert!(
        letter.health.as_deref().is_some_and(|text| text.starts_with("not a capture that recount reads"))
    );

    assert!(row(&catalogue, "typeperf.tsv").is_zone_unknown && !objects.is_zone_unknown);
}

#[test]
fn what_did_not_change_is_not_opened() {
    let fleet = Fleet::new();
    let objects = fleet.copy("objects.blg", "objects.blg");
    fleet.copy("session.pcq", "session.pcq");
    let first = fleet.update();
    // With the same size and time these would be no captures any more.
    tamper(&objects);
    let file = fs::read(fleet.path("catalogue.parquet")).expect("the catalogue");
    let second = fleet.update();
    assert_eq!((&second.rows, read(&second)), (&first.rows, Vec::new()));
    assert_eq!(fs::read(fleet.path("catalogue.parquet")).expect("the catalogue"), file);
    // Asked for, it is.
    let forced = fleet.try_update(true).expect("a catalogue");
    assert_eq!(row(&forced, "objects.blg").samples, None);
    assert_eq!(read(&forced).len(), 2);
    // And a newer time is a change.
    fleet.copy("objects.blg", "objects.blg");
    let newer = SystemTime::now() + Duration::from_secs(10);
    File::options().write(true).open(&objects).and_then(|file| file.set_modified(newer)).expect("its time");
    let third = fleet.update();
    assert_eq!(read(&third), ["objects.blg"]);
    assert_eq!(row(&third, "objects.blg").samples, Some(8));
}

#[test]
fn logs_grow_and_files_go() {
    let fleet = Fleet::new();
    let whole = fs::read(sample("rcap-1/closed.rcap")).expect("a sample");
    let blg = fs::read(sample("circular.blg")).expect("a sample");
    let table = fs::read(sample("relog-german.csv")).expect("a sample");
    let half = table.split_inclusive(|byte| *byte == b'\n').take(3).collect::<Vec<_>>().concat();
    fleet.put("log.rcap", &whole[..whole.len() / 2]);
    fleet.put("table.csv", &half);
    let gone = fleet.put("gone.blg", &blg);
    let first = fleet.update();
    fleet.put("log.rcap", &whole);
    fleet.put("table.csv", &table);
    fs::remove_file(gone).expect("removed");
    let second = fleet.update();
    assert_eq!(second.num_gone, 1);
    assert_eq!(read(&second), ["log.rcap", "table.csv"]);
    for name in ["log.rcap", "table.csv"] {
        let (before, after) = (row(&first, name), row(&second, name));
        assert!(before.samples < after.samples && before.end < after.end, "{before:?} {after:?}");
        assert!(before.capture_id.is_some());
        assert_eq!((&before.capture_id, before.begin), (&after.capture_id, after.begin));
    }
    // What was packed is the capture that it was.
    let packed = fleet.path("captures/packed.rcap");
    recount::pack(&sample("circular.blg"), Some(&packed), false, &recount::unwatched).expect("packed");
    assert_eq!(row(&fleet.update(), "packed.rcap").capture_id, row(&first, "gone.blg").capture_id);
}

#[test]
fn what_a_killed_run_left_does_no_harm() {
    let fleet = Fleet::new();
    fleet.copy("objects.blg", "objects.blg");
    fleet.put(".recount-1-abc.partial", b"half a file");
    fs::write(fleet.path(".recount-1-abc.partial"), b"half a catalogue").expect("written");
    let first = fleet.update();
    assert_eq!(first.rows.len(), 1);
    assert_eq!(fleet.update().rows, first.rows);
    // The catalogue may be among the captures.
    let inside = fleet.path("captures/catalogue.parquet");
    for num_read in [1, 0] {
        let made = recount::catalogue(&[fleet.path("captures")], &inside, false, &recount::unwatched)
            .expect("a catalogue");
        assert_eq!((&made.rows, made.read.len()), (&first.rows, num_read));
    }
}

#[test]
fn files_that_are_one_capture_are_one_row() {
    let fleet = Fleet::new();
    let capture = recount::open(sample("objects.blg")).expect("a sample");
    let mut options = recount::ConvertOptions::default();
    options.layout = recount::Layout::Objects;
    let tables = fleet.path("captures/monday");
    let target = recount::Target::Path(tables.clone());
    recount::convert(&capture.timeline(), &target, &options, &recount::unwatched).expect("tables");
    // Called as an archive of PCP, and none.
    fleet.put("notes.meta", b"no archive");
    fleet.put("notes.0", b"no volume");
    let catalogue = fleet.update();
    let names: Vec<&str> =
        catalogue.rows.iter().filter_map(|row| Path::new(&row.path).file_name()?.to_str()).collect();
    assert_eq!(names, ["monday", "notes.0", "notes.meta"]);
    let monday = row(&catalogue, "monday");
    let files = fs::read_dir(&tables)
        .expect("tables")
        .map(|entry| entry.expect("a file").metadata().expect("its length"));
    assert_eq!(monday.size, files.map(|file| file.len() as i64).sum::<i64>());
    assert_eq!((monday.samples, monday.objects.len()), (Some(8), 4));
    assert_eq!(read(&fleet.update()), Vec::<&str>::new());
}

#[test]
fn paths_and_outputs_have_to_be_right() {
    let fleet = Fleet::new();
    let output = fleet.path("catalogue.parquet");
    let nowhere = fleet.path("nowhere");
    let error = recount::catalogue(std::slice::from_ref(&nowhere), &output, false, &recount::unwatched)
        .expect_err("no such path");
    assert!(error.to_string().starts_with(&format!("{}: ", nowhere.display())), "{error}");
    assert!(!output.exists());

    let objects = fleet.copy("objects.blg", "objects.blg");
    let update = |output: &Path, force| {
        recount::catalogue(&[fleet.path("captures")], output, force, &recount::unwatched)
    };
    for (name, bytes) in
        [("letter.parquet", b"Dear reader".to_vec()), ("log.parquet", fs::read(&objects).expect("read"))]
    {
        let other = fleet.path(name);
        fs::write(&other, &bytes).expect("written");
        let error = update(&other, false).expect_err("no catalogue");
        assert!(matches!(error, CatalogueError::Known { .. }), "{error}");
        assert_eq!(fs::read(&other).expect("read"), bytes, "it isn't touched");
        assert_eq!(update(&other, true).expect("forced").rows.len(), 1);
        assert_eq!(update(&other, false).expect("a catalogue").read, Vec::<usize>::new());
    }
    // Tables of values are no catalogue either, and no damage makes it panic.
    let table = fleet.path("table.parquet");
    let capture = recount::open(&objects).expect("a sample");
    let target = recount::Target::Path(table.clone());
    recount::convert(&capture.timeline(), &target, &recount::ConvertOptions::default(), &recount::unwatched)
        .expect("a table");
    let error = update(&table, false).expect_err("a table of values");
    assert!(error.to_string().ends_with("found a Parquet file of something else"), "{error}");
    update(&output, false).expect("a catalogue");
    let whole = fs::read(&output).expect("the catalogue");
    for at in (0..whole.len()).step_by(37) {
        let mut damaged = whole.clone();
        damaged[at] ^= 0x55;
        fs::write(&output, &damaged).expect("written");
        let _ = update(&output, false);
        fs::write(&output, &whole[..at]).expect("written");
        assert!(update(&output, false).is_err(), "cut at {at}");
    }
}

/// Relative paths, a file named twice, and links that make a circle.
#[cfg(unix)]
#[test]
fn a_file_is_one_row_however_it_is_named() {
    let fleet = Fleet::new();
    let objects = fleet.copy("a/objects.blg", "objects.blg");
    std::os::unix::fs::symlink(fleet.path("captures"), fleet.path("captures/a/circle")).expect("a link");
    std::os::unix::fs::symlink("nowhere", fleet.path("captures/a/dangling")).expect("a link");
    let paths = [fleet.path("captures"), objects.clone(), fleet.path("captures/a")];
    let made = recount::catalogue(&paths, &fleet.path("catalogue.parquet"), false, &recount::unwatched)
        .expect("a catalogue");
    let paths: Vec<&str> = made.rows.iter().map(|row| row.path.as_str()).collect();
    assert_eq!(paths, [objects.to_str().expect("UTF-8")]);
}

/// The columns are written once, in `schema.rs`; `formats/catalogue.md` says the same.
#[test]
fn the_specification_has_the_columns() {
    let page = fs::read_to_string(concat!(env!("CARGO_MANIFEST_DIR"), "/../../formats/catalogue.md"))
        .expect("the page");
    let listed: Vec<(String, String, bool)> = page
        .lines()
        .filter_map(|line| line.strip_prefix("| `"))
        .filter_map(|line| {
            let mut cells = line.split('|').map(str::trim);
            let (name, kind, null) = (cells.next()?, cells.next()?, cells.next()?);
            Some((name.trim_end_matches('`').to_owned(), kind.to_owned(), null != "never"))
        })
        .collect();
    let schema = recount::captures_schema();
    let columns = schema.fields().iter().map(|field| {
        let kind = match field.data_type().to_string().as_str() {
            "Utf8" => "text",
            "Int64" => "int64",
            "Boolean" => "bool",
            "Timestamp(µs, \"UTC\")" | "Timestamp(Microsecond, Some(\"UTC\"))" => "time",
            list if list.starts_with("List(") => "list of text",
            other => panic!("{other}"),
        };
        (field.name().clone(), kind.to_owned(), field.is_nullable())
    });
    assert_eq!(listed, columns.collect::<Vec<_>>());
}
