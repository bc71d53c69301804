//! `recount convert --new-only`

use std::collections::BTreeMap;
use std::fs::{self, File};
use std::path::{Path, PathBuf};
use std::time::{Duration, SystemTime};

use super::run::{Done, Outputs, recount, sample};

struct Fleet {
    outputs: Outputs,
    captures: PathBuf,
    out: PathBuf,
}

impl Fleet {
    fn new() -> Fleet {
        let outputs = Outputs::new();
        let (captures, out) = (PathBuf::from(outputs.path("captures")), PathBuf::from(outputs.path("out")));
        fs::create_dir_all(captures.join("web1")).expect("directories");
        let fleet = Fleet { outputs, captures, out };
        fleet.copy("objects.blg", "web1/monday.blg");
        fleet.copy("typeperf.tsv", "typeperf.tsv");
        fleet
    }

    fn copy(&self, name: &str, to: &str) {
        fs::copy(sample(name), self.captures.join(to)).expect("a copy");
    }

    fn convert(&self, more: &[&str]) -> Done {
        let (captures, out) = (self.captures.display().to_string(), self.out.display().to_string());
        recount(&[&["convert", captures.as_str(), "-o", out.as_str(), "--new-only"], more].concat())
    }

    /// The last line of a run that found nothing.
    fn converted(&self, more: &[&str]) -> String {
        let done = self.convert(more);
        assert_eq!(done.code, Some(0), "{}", done.stderr);
        let last = done.stdout.lines().last().expect("a summary");
        last.strip_prefix(&format!("{}: ", self.out.display())).expect("the directory").to_owned()
    }

    fn files(&self) -> BTreeMap<String, Vec<u8>> {
        let mut files = BTreeMap::new();
        let mut waiting = vec![self.out.clone()];
        while let Some(directory) = waiting.pop() {
            for entry in fs::read_dir(directory).expect("a directory") {
                let path = entry.expect("an entry").path();
                let name = path.strip_prefix(&self.out).expect("below").display().to_string();
                if path.is_dir() {
                    waiting.push(path);
                } else if !name.starts_with('.') {
                    files.insert(name, fs::read(&path).expect("a file"));
                }
            }
        }
        files
    }
}

#[test]
fn what_is_new_or_changed_is_converted() {
    let fleet = Fleet::new();
    assert_eq!(fleet.converted(&[]), "2 converted, 0 unchanged");
    let first = fleet.files();
    assert_eq!(first.keys().collect::<Vec<_>>(), ["typeperf.tsv.parquet", "web1/monday.blg.parquet"]);
    let alone = fleet.outputs.path("alone.parquet");
    let source = fleet.captures.join("web1/monday.blg");
    recount(&["convert", "-q", source.to_str().expect("UTF-8"), "-o", &alone]).fine();
    assert_eq!(first["web1/monday.blg.parquet"], fs::read(&alone).expect("a file"));
    assert_eq!(fleet.converted(&[]), "0 converted, 2 unchanged");

    fleet.copy("circular.blg", "new.blg");
    let newer = SystemTime::now() + Duration::from_secs(10);
    File::options().write(true).open(&source).and_then(|file| file.set_modified(newer)).expect("its time");
    assert_eq!(fleet.converted(&[]), "2 converted, 1 unchanged");
    assert_eq!(fleet.converted(&[]), "0 converted, 3 unchanged");
    // An output that is gone, and other options.
    fs::remove_file(fleet.out.join("new.blg.parquet")).expect("removed");
    assert_eq!(fleet.converted(&[]), "1 converted, 2 unchanged");
    assert_eq!(
        fleet.converted(&["-c", "Processor", "-c", "System", "-c", "Thing", "--every", "2"]),
        "3 converted, 0 unchanged"
    );
}

/// Killed at any point of the second capture, and run again: the same files.
#[test]
fn what_was_killed_is_made_good() {
    let fleet = Fleet::new();
    fleet.converted(&[]);
    let whole = fleet.files();
    let journal = fleet.out.join(".recount-converted");
    let text = fs::read_to_string(&journal).expect("the journal");
    let begun: usize = text.lines().take(4).map(|line| line.len() + 1).sum();
    // With the second output not there, in place, and noted by half.
    for (len, is_there) in [(begun, false), (begun, true), (begun + 9, true), (text.len() - 1, true)] {
        fs::write(&journal, &text[..len]).expect("written");
        fs::write(fleet.out.join("web1/.recount-1-abc.partial"), "half a file").expect("written");
        if !is_there {
            fs::remove_file(fleet.out.join("web1/monday.blg.parquet")).expect("removed");
        }
        assert_eq!(fleet.converted(&[]), "1 converted, 1 unchanged", "{len} {is_there}");
        fs::remove_file(fleet.out.join("web1/.recount-1-abc.partial")).expect("removed");
        assert_eq!(fleet.files(), whole);
        assert_eq!(fleet.converted(&[]), "0 converted, 2 unchanged");
    }
}

#[test]
fn one_that_fails_does_not_stop_the_others() {
    let fleet = Fleet::new();
    fs::write(fleet.captures.join("README.txt"), "Dear reader").expect("written");
    let log = fs::read(sample("rcap-1/closed.rcap")).expect("a sample");
    fs::write(fleet.captures.join("broken.rcap"), &log[..60]).expect("written");
    // A directory that recount didn't make.
    fs::create_dir_all(fleet.out.join("web1")).expect("directories");
    fs::write(fleet.out.join("web1/monday.blg.parquet"), "mine").expect("written");
    let done = fleet.convert(&[]);
    assert_eq!(done.code, Some(2), "{}", done.stdout);
    assert!(
        done.stdout.ends_with(": 1 converted, 0 unchanged, 2 failed, 1 not captures\n"),
        "{}",
        done.stdout
    );
    assert!(
        done.stderr.contains("broken.rcap: ") && done.stderr.contains("monday.blg.parquet already exists"),
        "{}",
        done.stderr
    );
    assert_eq!(fleet.files()["web1/monday.blg.parquet"], b"mine");
    let done = fleet.convert(&["--force"]);
    assert!(
        done.stdout.ends_with(": 1 converted, 1 unchanged, 1 failed, 1 not captures\n"),
        "{}",
        done.stdout
    );
}

#[test]
fn it_has_to_have_files() {
    let fleet = Fleet::new();
    let captures = fleet.captures.display().to_string();
    let said = recount(&["convert", "-", "-o", "out", "--new-only"]).failed();
    assert!(said.contains("--new-only needs files"), "{said}");
    let said = recount(&["convert", &captures, "-o", &captures, "--new-only"]).failed();
    assert!(said.contains("is also an input"), "{said}");
    let other = fleet.outputs.path("other");
    fs::create_dir_all(Path::new(&other).join("web1")).expect("directories");
    fs::copy(sample("objects.blg"), Path::new(&other).join("web1/monday.blg")).expect("a copy");
    let out = fleet.outputs.path("both");
    let said = recount(&["convert", &captures, &other, "-o", &out, "--new-only"]).failed();
    assert!(said.contains("monday.blg.parquet is also another output"), "{said}");
    // An output among the inputs isn't one.
    let inside = fleet.captures.join("out").display().to_string();
    for expected in ["2 converted, 0 unchanged", "0 converted, 2 unchanged"] {
        let done = recount(&["convert", &captures, "-o", &inside, "--new-only"]);
        assert!(done.stdout.ends_with(&format!("{expected}\n")), "{}", done.stdout);
    }
}
