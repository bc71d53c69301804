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
    // As if one had been converted after the other.
    let text = fs::read_to_string(&journal).expect("the journal");
    let of = |name: &'static str| text.split_inclusive('\n').filter(move |line| line.contains(name));
    let text: String = of("# Of").chain(of("typeperf")).chain(of("monday")).collect();
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
    assert!(said.contains("would both be converted into") && said.contains("monday.blg.parquet"), "{said}");
    // An output among the inputs isn't one.
    let inside = fleet.captures.join("out").display().to_string();
    for expected in ["2 converted, 0 unchanged", "0 converted, 2 unchanged"] {
        let done = recount(&["convert", &captures, "-o", &inside, "--new-only"]);
        assert!(done.stdout.ends_with(&format!("{expected}\n")), "{}", done.stdout);
    }
}

#[test]
fn a_record_that_cannot_be_read_is_reported() {
    let fleet = Fleet::new();
    assert_eq!(fleet.converted(&[]), "2 converted, 0 unchanged");
    for bytes in [&b"\xff\xfe\0\x01\n"[..], b"no record\n"] {
        fs::write(fleet.out.join(".recount-converted"), bytes).expect("written");
        let done = fleet.convert(&["--force"]);
        assert!(
            done.stderr.contains(".recount-converted: isn't a record of what was converted"),
            "{}",
            done.stderr
        );
        assert!(done.stdout.ends_with(": 2 converted, 0 unchanged\n"), "{}", done.stdout);
        let done = fleet.convert(&[]);
        assert!(!done.stderr.contains(".recount-converted"), "{}", done.stderr);
        assert!(done.stdout.ends_with(": 0 converted, 2 unchanged\n"), "{}", done.stdout);
    }
}

/// What is gone, fails, or has none of the counters now has no table that looks like its own.
#[test]
fn what_is_not_made_now_can_be_removed() {
    let fleet = Fleet::new();
    fleet.copy("counters-dst.blg", "web2.blg");
    assert_eq!(fleet.converted(&[]), "3 converted, 0 unchanged");
    let other = fleet.out.join("web1/notes.parquet");
    fs::write(&other, "mine").expect("written");

    // Gone: reported, and still there.
    fs::remove_file(fleet.captures.join("typeperf.tsv")).expect("removed");
    let done = fleet.convert(&[]);
    assert!(done.stdout.ends_with(": 0 converted, 2 unchanged\n"), "{}", done.stdout);
    assert!(
        done.stderr.contains("typeperf.tsv.parquet: of an earlier run") && done.stderr.contains("--prune"),
        "{}",
        done.stderr
    );
    assert_eq!(fleet.files().len(), 4);

    // Without the counters: no failure, and no output.
    let done = fleet.convert(&["-c", r"\Processor(*)\*"]);
    assert_eq!(done.code, Some(0), "{}", done.stderr);
    let expected = ": 1 converted, 0 unchanged, 1 without these counters\n";
    assert!(done.stdout.ends_with(expected), "{}", done.stdout);
    assert!(done.stderr.contains(" and 1 more: of an earlier run"), "{}", done.stderr);
    assert!(done.stderr.contains("--prune removes them"), "{}", done.stderr);
    let expected = "0 converted, 1 unchanged, 1 without these counters, 2 removed";
    assert_eq!(fleet.converted(&["-c", r"\Processor(*)\*", "--prune"]), expected);
    let files = fleet.files();
    assert_eq!(files.keys().collect::<Vec<_>>(), ["web1/monday.blg.parquet", "web1/notes.parquet"]);
    let known = fleet.converted(&["-c", r"\Processor(*)\*"]);
    assert_eq!(known, "0 converted, 1 unchanged, 1 without these counters");

    // What was a capture and isn't one now has failed, each time; so has what had none of the counters. A new file hasn't.
    for file in ["web1/monday.blg", "web2.blg", "new.txt"] {
        fs::write(fleet.captures.join(file), "Dear reader").expect("written");
    }
    for removed in [", 1 removed", ""] {
        let done = fleet.convert(&["-c", r"\Processor(*)\*", "--prune"]);
        let expected = format!("0 converted, 0 unchanged, 2 failed, 1 not captures{removed}\n");
        assert!(done.stdout.ends_with(&expected), "{}", done.stdout);
        assert_eq!(done.code, Some(2), "{}", done.stdout);
        for name in ["monday.blg", "web2.blg"] {
            assert!(done.stderr.contains(name), "{}", done.stderr);
        }
        assert_eq!(fleet.files().keys().collect::<Vec<_>>(), ["web1/notes.parquet"]);
    }
    recount(&["convert", "x", "-o", "y", "--prune"]).failed();
}

/// A run removes only what belongs to its own inputs.
#[test]
fn outputs_of_captures_that_were_not_asked_about_stay() {
    let fleet = Fleet::new();
    assert_eq!(fleet.converted(&[]), "2 converted, 0 unchanged");
    let all = fleet.files();
    let elsewhere = PathBuf::from(fleet.outputs.path("elsewhere"));
    fs::create_dir_all(&elsewhere).expect("a directory");
    fs::copy(sample("circular.blg"), elsewhere.join("c.blg")).expect("a copy");
    let out = fleet.out.display().to_string();
    let (folder, file) = (elsewhere.display().to_string(), elsewhere.join("c.blg").display().to_string());
    let web1 = fleet.captures.join("web1").display().to_string();
    for input in [&folder, &file, &web1] {
        for prune in [&[][..], &["--prune"]] {
            let done = recount(&[&["convert", input, "-o", &out, "--new-only"], prune].concat());
            assert_eq!(done.code, Some(0), "{}", done.stderr);
            assert!(
                !done.stderr.contains("earlier run") && !done.stdout.contains("removed"),
                "{}",
                done.stderr
            );
        }
    }
    let files = fleet.files();
    assert!(all.keys().all(|name| files.contains_key(name)), "{:?}", files.keys());
    // What is gone from one folder, when another is converted, and when its own is.
    fs::remove_file(elsewhere.join("c.blg")).expect("removed");
    assert_eq!(fleet.converted(&["--prune"]), "0 converted, 2 unchanged");
    assert!(fleet.files().contains_key("c.blg.parquet"));
    let done = recount(&["convert", &folder, "-o", &out, "--new-only"]);
    assert!(done.stderr.contains("c.blg.parquet: of an earlier run"), "{}", done.stderr);
    let done = recount(&["convert", &folder, "-o", &out, "--new-only", "--prune"]);
    assert!(done.stdout.ends_with("0 converted, 0 unchanged, 1 removed\n"), "{}", done.stdout);
    assert!(all.keys().all(|name| fleet.files().contains_key(name)));
}

#[test]
fn an_output_that_was_changed_is_made_again() {
    for more in [&[][..], &["--layout", "objects"]] {
        let fleet = Fleet::new();
        fleet.converted(more);
        let whole = fleet.files();
        let (name, bytes) = whole.iter().find(|(name, _)| name.contains("monday")).expect("an output");
        for other in [&b""[..], &bytes[..bytes.len() / 2]] {
            fs::write(fleet.out.join(name), other).expect("overwritten");
            assert_eq!(fleet.converted(more), "1 converted, 1 unchanged", "{more:?}");
            assert_eq!(fleet.files(), whole);
        }
        assert_eq!(fleet.converted(more), "0 converted, 2 unchanged");
    }
}

#[test]
fn two_captures_of_one_name_are_noted() {
    let fleet = Fleet::new();
    fleet.copy("circular.blg", "a.blg");
    let other = PathBuf::from(fleet.outputs.path("other"));
    fs::create_dir_all(&other).expect("a directory");
    fs::copy(sample("objects.blg"), other.join("a.blg")).expect("a copy");
    let (one, two) =
        (fleet.captures.join("a.blg").display().to_string(), other.join("a.blg").display().to_string());
    let out = fleet.out.display().to_string();
    let convert = |input: &str| recount(&["convert", input, "-o", &out, "--new-only"]);
    assert!(!convert(&one).stderr.contains("was made of"));
    let done = convert(&two);
    assert!(done.stderr.contains(&format!("was made of {one}")), "{}", done.stderr);
    assert!(done.stdout.contains("1 converted"), "{}", done.stdout);
    assert!(convert(&two).stdout.ends_with("0 converted, 1 unchanged\n"));
}

#[test]
fn patterns_that_match_nothing_are_named_as_without_it() {
    let fleet = Fleet::new();
    let done = fleet.convert(&["-c", r"\Processor(*)\*", "-c", r"\Procesor(*)\*"]);
    assert!(done.stderr.contains("Procesor"), "{}", done.stderr);
    let expected = r"no counter matches \Procesor(*)\*; there is an object Processor";
    assert!(done.stderr.contains(expected), "{}", done.stderr);
    // Where none has any of them.
    let fleet = Fleet::new();
    let done = fleet.convert(&["-c", r"\Procesor(*)\*", "-c", r"\Memry\*"]);
    let expected = r"no counter matches any of \Procesor(*)\* (there is an object Processor), \Memry\* (there is an object Memory)";
    assert!(done.stderr.contains(expected), "{}", done.stderr);
}

/// As with `-c`, a capture that has nothing of what is asked for is no failure.
#[test]
fn captures_without_samples_at_these_times_have_no_output() {
    let fleet = Fleet::new();
    let begin = "2014-01-01T00:00";
    let done = fleet.convert(&["--begin", begin]);
    assert_eq!(done.code, Some(0), "{}", done.stderr);
    let expected = ": 1 converted, 0 unchanged, 1 without samples at these times\n";
    assert!(done.stdout.ends_with(expected), "{}", done.stdout);
    let again = fleet.converted(&["--begin", begin]);
    assert_eq!(again, "0 converted, 1 unchanged, 1 without samples at these times");
    assert_eq!(fleet.files().len(), 1);
    // What an earlier run made of it isn't what is asked for.
    let fleet = Fleet::new();
    fleet.converted(&[]);
    let pruned = fleet.converted(&["--begin", begin, "--prune"]);
    assert_eq!(pruned, "1 converted, 0 unchanged, 1 without samples at these times, 1 removed");
    // A span that ends before it begins is a mistake.
    assert_eq!(fleet.convert(&["--begin", "+5m", "--end", "+1m"]).code, Some(2));
}

#[test]
fn two_captures_that_would_have_one_output_are_named() {
    let fleet = Fleet::new();
    let two = PathBuf::from(fleet.outputs.path("two"));
    fs::create_dir_all(&two).expect("a directory");
    fs::copy(sample("objects.blg"), two.join("typeperf.tsv")).expect("a copy");
    let (one, other) = (fleet.captures.display().to_string(), two.display().to_string());
    let out = fleet.out.display().to_string();
    let error = recount(&["convert", &one, &other, "-o", &out, "--new-only"]).failed();
    let expected = format!(
        "error: {one}/typeperf.tsv and {other}/typeperf.tsv would both be converted into {out}/typeperf.tsv.parquet\n\
         hint: name the directory above both"
    );
    assert!(error.starts_with(&expected), "{error}");
}

#[cfg(target_os = "linux")]
#[test]
fn what_killed_runs_left_is_removed_even_if_nothing_is_new() {
    let fleet = Fleet::new();
    fleet.converted(&[]);
    // Larger than any process number.
    let left = fleet.out.join("web1/.recount-4194311-abc.partial");
    fs::create_dir(&left).expect("a directory");
    assert_eq!(fleet.converted(&[]), "0 converted, 2 unchanged");
    assert!(!left.exists());
}

/// Other forms of the output, directories as well.
#[test]
fn outputs_of_another_form_are_removed_too() {
    let fleet = Fleet::new();
    assert_eq!(fleet.converted(&["--layout", "objects"]), "2 converted, 0 unchanged");
    assert_eq!(fleet.converted(&["--format", "csv", "--prune"]), "2 converted, 0 unchanged, 2 removed");
    assert_eq!(fleet.files().keys().collect::<Vec<_>>(), ["typeperf.tsv.csv", "web1/monday.blg.csv"]);
    // Nothing is removed that holds other files.
    fleet.converted(&["--layout", "objects", "--prune"]);
    fs::write(fleet.out.join("typeperf.tsv.parquet/mine.txt"), "mine").expect("written");
    let done = fleet.convert(&["--format", "csv", "--prune"]);
    assert_eq!(done.code, Some(2), "{}", done.stdout);
    assert!(fleet.out.join("typeperf.tsv.parquet/mine.txt").exists(), "{}", done.stderr);
}

#[test]
fn a_changed_table_of_names_converts_again() {
    let fleet = Fleet::new();
    let names = fleet.outputs.path("names.txt");
    fs::write(&names, "2\nSystem\n").expect("written");
    assert_eq!(fleet.converted(&["--names", &names]), "2 converted, 0 unchanged");
    assert_eq!(fleet.converted(&["--names", &names]), "0 converted, 2 unchanged");
    fs::write(&names, "2\nSystm3\n").expect("written");
    assert_eq!(fleet.converted(&["--names", &names]), "2 converted, 0 unchanged");
}

/// Small captures are converted together; the outputs are those of one at a time.
#[test]
fn many_small_captures_have_the_same_outputs() {
    let fleet = Fleet::new();
    for number in 0..40 {
        fleet.copy(["circular.blg", "counters-dst.blg"][number % 2], &format!("web1/{number:02}.blg"));
    }
    let done = fleet.convert(&[]);
    assert!(done.stdout.ends_with(": 42 converted, 0 unchanged\n"), "{}", done.stdout);
    let said: Vec<&str> = done.stdout.lines().filter(|line| line.contains("web1")).collect();
    assert!(said.is_sorted(), "{said:?}");
    let files = fleet.files();
    for (name, like) in
        [("web1/07.blg.parquet", "web1/39.blg.parquet"), ("web1/00.blg.parquet", "web1/38.blg.parquet")]
    {
        let (one, other) = (&files[name], &files[like]);
        assert_eq!(one.len(), other.len(), "{name}");
    }
    assert_eq!(fleet.converted(&[]), "0 converted, 42 unchanged");
}
