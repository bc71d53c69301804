//! Archives of PCP: however they are named, and however they are compressed.

use std::path::PathBuf;

use recount::analysis::report::{ReportOptions, html};
use recount::analysis::rules::{RuleSet, SETS, parse_rules};
use recount::{Capture, NameTable, OpenError, Timeline, open, open_all, report};
use recount_testdata::shared_path;

use crate::windows;

fn path(name: &str) -> PathBuf {
    shared_path("pcp").join(name)
}

fn samples(capture: &Capture) -> usize {
    capture.source.times().len()
}

#[test]
#[ignore = "reads ../shared/data"]
fn an_archive_is_opened_by_its_name_and_by_any_file() {
    for name in ["good/ok-mv-bar", "good/ok-mv-bar.meta", "good/ok-mv-bar.index", "good/ok-mv-bar.2"] {
        let capture = open(path(name)).expect(name);
        assert_eq!((capture.names.len(), samples(&capture)), (5, 71), "{name}");
        assert_eq!(capture.format.name(), "Performance Co-Pilot archive");
    }
    // A name with dots, whose last part looks like a volume.
    assert_eq!(samples(&open(path("good/20150105.17.57")).expect("opens")), 2);
    // The files of one archive, all named, are one capture.
    let all = [path("good/ok-mv-bar.0"), path("good/ok-mv-bar.1"), path("good/ok-mv-bar.meta")];
    assert_eq!(open_all(&all, &NameTable::new()).expect("opens").len(), 1);
}

#[test]
#[ignore = "reads ../shared/data"]
fn a_directory_is_all_its_archives() {
    let captures = open_all(&[path("good/multi-xz")], &NameTable::new()).expect("opens");
    let counts: Vec<usize> = captures.iter().map(samples).collect();
    assert_eq!(counts, [4, 5, 9, 4]);
    assert!(captures.iter().all(|capture| capture.notes.is_sound()));
    let all = open_all(&[path("good")], &NameTable::new()).expect("opens");
    assert_eq!(all.len(), 42);
    assert!(all.iter().map(samples).sum::<usize>() > 6_000);
}

#[test]
#[ignore = "reads ../shared/data"]
fn compressed_files_are_read_as_the_plain_ones() {
    let directory = tempfile::tempdir().expect("a directory");
    let copy = |from: &str, to: &str| {
        std::fs::copy(path(from), directory.path().join(to)).expect("copies");
    };
    for (from, base) in [("own/ok-foo_v3-zst", "zst"), ("good/pcp-atop", "xz"), ("good/20130706-a", "bz2")] {
        for suffix in ["meta", "0"] {
            let plain = format!("{from}.{suffix}");
            let compressed = format!("{from}.{suffix}.{base}");
            let found = if path("").join(&plain).exists() { plain } else { compressed };
            let tail =
                found.rsplit('/').next().expect("a name").rsplit_once(suffix).expect("a part").1.to_owned();
            copy(&found, &format!("{base}.{suffix}{tail}"));
        }
        let capture = open(directory.path().join(base)).expect(base);
        assert!(samples(&capture) > 8 && capture.notes.is_sound(), "{base}");
    }
    // A stream that is cut off gives what comes before, and says so.
    let cut = directory.path().join("cut.0.bz2");
    copy("good/20130706-a.meta", "cut.meta");
    let bytes = std::fs::read(path("good/20130706-a.0.bz2")).expect("reads");
    std::fs::write(&cut, &bytes[..bytes.len() / 2]).expect("writes");
    let capture = open(&cut).expect("the first half");
    assert!((100..2_400).contains(&samples(&capture)), "{}", samples(&capture));
    assert!(capture.health().findings()[0].to_string().contains("cut.0.bz2: decompression stops"));
}

#[test]
#[ignore = "reads ../shared/data"]
fn what_is_missing_is_named() {
    let directory = tempfile::tempdir().expect("a directory");
    let volume = directory.path().join("lone.0");
    std::fs::copy(path("good/gap.0"), &volume).expect("copies");
    let error = open(&volume).err().expect("no .meta");
    assert!(matches!(error, OpenError::Format { .. }), "{error}");
    assert!(error.hint().contains("NAME.meta"), "{}", error.hint());
}

/// Titles of the charts that a report begins with.
fn charts(page: &str) -> Vec<&str> {
    const KNOWN: [&str; 6] =
        ["Processor", "Memory", "Disk throughput", "Disk queue", "Network", "Processes by processor time"];
    KNOWN.into_iter().filter(|title| page.contains(&format!("data-title=\"{title}\""))).collect()
}

#[test]
#[ignore = "reads ../shared/data"]
fn reports_evaluate_the_rules_that_come_with_recount() {
    let sets = SETS.iter().map(|(name, text)| parse_rules(text).unwrap_or_else(|_| panic!("{name}")));
    let sets: Vec<RuleSet> = sets.collect();
    let system = ["Processor", "Memory", "Disk throughput", "Disk queue", "Network"];
    for (name, expected, num_evaluated) in [
        ("own/live-v3", &system[..], 17),
        ("good/pmiostat_mark", &system[..], 32),
        ("good/pcp-mpstat3", &system[..1], 3),
    ] {
        let captures = [open(path(name)).expect(name).in_english()];
        let observed = report(
            &Timeline::whole(&captures).expect("one zone"),
            &sets,
            &ReportOptions::default(),
            &recount::unwatched,
        )
        .expect("not cancelled");
        let evaluated = observed.num_rules() - observed.unanswered.len();
        assert_eq!(
            (evaluated, observed.num_rules()),
            (num_evaluated, sets.iter().map(|set| set.rules.len()).sum()),
            "{name}: {:?}",
            observed.checked_in_words()
        );
        let page = html(&observed, name).expect("a page");
        assert_eq!(charts(&page), expected, "{name}");
        let own = [open(path(name)).expect(name)];
        let own = report(
            &Timeline::whole(&own).expect("one zone"),
            &sets,
            &ReportOptions::default(),
            &recount::unwatched,
        )
        .expect("not cancelled");
        assert_eq!(own.num_rules(), own.unanswered.len(), "{name}: none by the names of PCP");
    }
}

/// Metrics that are logged at their own times: a part has the values of the whole.
#[test]
#[ignore = "reads ../shared/data"]
fn windows_have_the_values_and_intervals_of_the_whole() {
    for name in ["good/omnibus_v2", "good/omnibus_v3"] {
        windows::check_windows(&open(path(name)).expect(name), name, 12);
    }
}
