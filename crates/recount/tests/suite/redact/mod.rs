//! `redact`: what is replaced is nowhere in the result, and all values are the same.

mod given;
mod search;

use std::path::{Path, PathBuf};

use recount::{
    ConvertOptions, Layout, OutputFormat, RedactError, RedactOptions, Redacted, Span, Target, Timeline,
    convert, hint_of, open, pack, redact, unwatched,
};

use given::{names_of, series_of};
use search::assert_gone;

const KEY: &[u8] = b"a key that is long enough";

fn sample(name: &str) -> PathBuf {
    PathBuf::from(concat!(env!("CARGO_MANIFEST_DIR"), "/../../samples")).join(name)
}

fn options() -> RedactOptions {
    let mut options = RedactOptions::default();
    options.key = Some(KEY.to_vec());
    options
}

/// Copies a capture to a file whose name says too much, and redacts it to one that says nothing.
struct Desk {
    directory: tempfile::TempDir,
}

impl Desk {
    fn new() -> Desk {
        Desk { directory: tempfile::tempdir().expect("a directory") }
    }

    fn path(&self, name: &str) -> PathBuf {
        self.directory.path().join(name)
    }

    fn input(&self, file: &Path) -> PathBuf {
        let extension = file.extension().expect("an extension").to_str().expect("UTF-8");
        let path = self.path(&format!("{}.{extension}", search::FILE_NAME));
        std::fs::copy(file, &path).expect("a copy");
        path
    }

    /// Redacts a capture, and checks that names are gone and values are there.
    fn check(&self, input: &Path, is_damaged: bool) -> Redacted {
        let output = self.path("out");
        let done =
            redact(input, &output, &options()).unwrap_or_else(|error| panic!("{}: {error}", input.display()));
        let (before, after) = (open(input).expect("the input"), open(&output).expect("the result"));
        if !is_damaged {
            let (expected, found) = (series_of(&before), series_of(&after));
            assert_eq!(expected.len(), found.len(), "{}", input.display());
            for (expected, found) in expected.iter().zip(&found) {
                assert!(expected == found, "{}: {:?} {:?}", input.display(), expected.first(), found.first());
            }
        }
        assert_eq!(after.marks().len(), before.marks().len(), "{}", input.display());
        assert_gone(&before, &after, &output);
        done
    }
}

fn check(file: &Path) -> Redacted {
    let desk = Desk::new();
    desk.check(&desk.input(file), file.ends_with("damaged.blg") || file.ends_with("damaged.rcap"))
}

fn converted(desk: &Desk, file: &Path, target: &str, format: OutputFormat, layout: Layout) -> PathBuf {
    let capture = open(file).expect("a capture");
    let timeline = Timeline::of(&[capture], &Span::default()).expect("samples");
    let target = desk.path(target);
    let mut options = ConvertOptions::default();
    (options.format, options.layout) = (format, layout);
    convert(&timeline, &Target::Path(target.clone()), &options, &unwatched).expect("converted");
    target
}

#[test]
fn performance_logs() {
    for name in ["objects.blg", "counters-dst.blg", "circular.blg"] {
        let done = check(&sample(name));
        assert!(done.health.is_complete(), "{name}: {:?}", done.health);
        assert!(done.replaced.iter().any(|(kind, num)| *kind == "host" && *num > 0), "{:?}", done.replaced);
    }
    assert!(!check(&sample("damaged.blg")).health.is_complete());
}

#[test]
fn blocks() {
    check(&sample("big-endian.bin"));
    check(&sample("series/1.bin"));
}

#[test]
fn capture_logs() {
    for name in ["closed", "killed", "sealing", "damaged", "foreign"] {
        check(&sample(&format!("rcap-1/{name}.rcap")));
    }
    let done = check(&sample("moved/disk-writer.rcap"));
    assert!(done.health.is_complete(), "{:?}", done.health);
    let desk = Desk::new();
    redact(&sample("moved/disk-writer.rcap"), &desk.path("out"), &options()).expect("redacted");
    let details = open(desk.path("out")).expect("a log").source.info().details.clone();
    assert!(details.contains(&("redacted".to_owned(), "yes".to_owned())), "{details:?}");
}

#[test]
fn packed_files() {
    for name in ["objects.blg", "big-endian.bin", "typeperf.tsv"] {
        let desk = Desk::new();
        let packed = desk.path("packed.rcap");
        pack(&desk.input(&sample(name)), Some(&packed), false, &|_| std::ops::ControlFlow::Continue(()))
            .expect(name);
        desk.check(&packed, false);
    }
}

#[test]
fn texts() {
    for name in ["relog-german.csv", "typeperf.tsv"] {
        check(&sample(name));
    }
    // A text among the values, and a comment behind them.
    let desk = Desk::new();
    let path = desk.path("text.csv");
    let text = "\"(PDH-CSV 4.0) (UTC)(0)\",\"\\\\WEBSHOP\\Process(payroll#1)\\ID Process\",\"\\\\WEBSHOP\\Process(payroll#1)\\Note\"\r\n\
                \"01/02/2024 03:04:05.678\",\"4711\",\"run by mallory\"\r\n\
                \"01/02/2024 03:04:06.678\",\"4711\",\"10.1.2.3\"\r\n";
    std::fs::write(&path, text).expect("written");
    redact(&path, &desk.path("out.csv"), &options()).expect("redacted");
    let text = std::fs::read_to_string(desk.path("out.csv")).expect("a text");
    for name in ["WEBSHOP", "payroll", "mallory", "10.1.2.3"] {
        assert!(!text.contains(name), "{name}: {text}");
    }
    assert!(text.contains("#1)\\ID Process") && text.contains("4711"), "{text}");
}

#[test]
fn tables() {
    let desk = Desk::new();
    for name in ["objects.blg", "rcap-1/closed.rcap", "moved/disk-writer.rcap"] {
        let tidy = format!("{}.parquet", search::FILE_NAME);
        let tidy = converted(&desk, &sample(name), &tidy, OutputFormat::Parquet, Layout::Tidy);
        desk.check(&tidy, false);
        std::fs::remove_file(desk.path("out")).expect("removed");
        std::fs::remove_file(tidy).expect("removed");
        let objects = converted(&desk, &sample(name), "tables", OutputFormat::Parquet, Layout::Objects);
        desk.check(&objects, false);
        std::fs::remove_dir_all(desk.path("out")).expect("removed");
        std::fs::remove_dir_all(objects).expect("removed");
    }
}

/// One key: whatever the format, a name has one pseudonym.
#[test]
fn captures_with_one_key_fit_together() {
    let desk = Desk::new();
    let text = converted(&desk, &sample("objects.blg"), "a.csv", OutputFormat::Csv, Layout::Tidy);
    let table = converted(&desk, &sample("objects.blg"), "a.parquet", OutputFormat::Parquet, Layout::Tidy);
    let names = |input: &Path, options: &RedactOptions| {
        let output = desk.path("out");
        redact(input, &output, options).expect("redacted");
        let names = names_of(&open(&output).expect("the result"));
        std::fs::remove_file(output).expect("removed");
        names
    };
    let of_log = names(&sample("objects.blg"), &options());
    assert!(of_log.iter().any(|name| name.starts_with("process-")), "{of_log:?}");
    assert_eq!(names(&text, &options()), of_log);
    assert_eq!(names(&table, &options()), of_log);
    // A random key is another one each time.
    let random = names(&sample("objects.blg"), &RedactOptions::default());
    assert_ne!(random, of_log);
    assert_ne!(names(&sample("objects.blg"), &RedactOptions::default()), random);
}

#[test]
fn names_that_are_asked_for_stay() {
    let desk = Desk::new();
    let mut options = options();
    options.keep = vec!["SVC*".to_owned()];
    redact(&sample("objects.blg"), &desk.path("out.blg"), &options).expect("redacted");
    let names = names_of(&open(desk.path("out.blg")).expect("the result"));
    assert!(names.contains("svchost") && names.contains("_Total"), "{names:?}");
    assert!(!names.contains("worker") && !names.contains("PACIFIC"), "{names:?}");
}

#[test]
fn what_cannot_be_redacted_is_refused() {
    let desk = Desk::new();
    for name in ["session.pcq", "sysstat.sa", "atop.raw", "pcp/web1.meta"] {
        let error = redact(&sample(name), &desk.path("out"), &options()).expect_err(name);
        assert!(matches!(error, RedactError::Format { .. }), "{name}: {error}");
        assert!(hint_of(&error).is_some_and(|hint| hint.contains("Parquet")), "{name}");
        assert!(!desk.path("out").exists());
    }
    let mut short = options();
    short.key = Some(b"short".to_vec());
    let error = redact(&sample("objects.blg"), &desk.path("out"), &short).expect_err("a short key");
    assert!(matches!(error, RedactError::ShortKey { len: 5 }), "{error}");
    // Neither the input nor another file is replaced.
    let input = desk.input(&sample("objects.blg"));
    for output in [&input, &input.with_extension("other")] {
        std::fs::write(input.with_extension("other"), "other").expect("written");
        redact(&input, output, &options()).expect_err("a file that exists");
    }
}

#[test]
#[ignore = "reads ../shared/data"]
fn stored_real_captures() {
    use recount_testdata::shared_path;

    let names = [
        "blg/tx-basic.blg",
        "perf-data-block/process-165-instances.bin",
        "perf-data-block/wine-no-objects.bin",
        "answers/es-cp1252-lab-b.tsv",
        "answers/srilanka-4counters-11k-rows.csv",
    ];
    for name in names {
        check(&shared_path(name));
    }
}
