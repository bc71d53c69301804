//! Captures beside what was made of them.

use std::path::PathBuf;

use recount_compute::unwatched;

use super::{AgainstError, AgainstOptions, Agreement, against};
use crate::{Timeline, open};

fn sample(name: &str) -> Timeline {
    let path = PathBuf::from(env!("CARGO_MANIFEST_DIR")).join("../../samples").join(name);
    open(path).expect("a sample").timeline()
}

fn compared(first: &Timeline, other: &Timeline, options: &AgainstOptions) -> Agreement {
    against(first, other, options, &unwatched).expect("comparable")
}

#[test]
fn a_capture_agrees_with_itself() {
    for name in ["objects.blg", "session.pcq", "sysstat.sa"] {
        let log = sample(name);
        let found = compared(&log, &log, &AgainstOptions::default());
        assert!(found.agrees(), "{name}: {found:?}");
        assert_eq!((found.cells.different, found.cells.within_tolerance), (0, 0));
        assert!(found.cells.equal > 0 && found.samples.both > 0, "{name}");
    }
}

/// A text of PDH with one digit changed, and a sample less.
#[test]
fn what_differs_is_named() {
    let text = concat!(
        "\"(PDH-CSV 4.0) (UTC)(0)\",\"\\\\web1\\Processor(_Total)\\% Processor Time\",\"\\\\web1\\Memory\\Available MBytes\"\r\n",
        "\"11/26/2026 10:00:00.000\",\"1.5\",\"900\"\r\n",
        "\"11/26/2026 10:00:01.000\",\"2.5\",\"900\"\r\n",
        "\"11/26/2026 10:00:02.000\",\"3.5\",\" \"\r\n",
    );
    let folder = tempfile::tempdir().expect("a folder");
    let written = |name: &str, text: &str| {
        let path = folder.path().join(name);
        std::fs::write(&path, text).expect("written");
        open(path).expect("a text").timeline()
    };
    let first = written("a.csv", text);
    let changed =
        text.replace("\"2.5\"", "\"2.5000001\"").replace("\" \"", "\"900\"").replace("web1", "WEB2");
    let other = written("b.csv", &changed);
    let found = compared(&first, &other, &AgainstOptions::default());
    assert!(!found.agrees());
    assert_eq!((found.cells.equal, found.cells.different), (4, 1), "{found:?}");
    assert_eq!(found.cells.other_only.values().sum::<u64>(), 1);
    assert_eq!(found.counters.len(), 2);
    let processor =
        found.counters.iter().find(|one| one.counter.starts_with("Processor")).expect("it differs");
    assert_eq!((&*processor.example.first, &*processor.example.other), ("2.5", "2.5000001"));
    assert_eq!(processor.example.time, "2026-11-26T10:00:01Z");
    let tolerant = AgainstOptions { tolerance: 1e-6, ..AgainstOptions::default() };
    let found = compared(&first, &other, &tolerant);
    assert_eq!((found.cells.different, found.cells.within_tolerance), (0, 1));
    // A sample and a counter less.
    let shorter = text.lines().take(3).collect::<Vec<_>>().join("\r\n") + "\r\n";
    let other = written("c.csv", &shorter);
    let found = compared(&first, &other, &AgainstOptions::default());
    assert_eq!((found.samples.both, found.samples.first_only), (2, 1));
    assert!(!found.agrees());
    let common = AgainstOptions { common: true, ..AgainstOptions::default() };
    assert!(compared(&first, &other, &common).agrees());
}

#[test]
fn other_times_have_nothing_in_common() {
    let error =
        against(&sample("objects.blg"), &sample("sysstat.sa"), &AgainstOptions::default(), &unwatched);
    assert!(matches!(error, Err(AgainstError::NothingInCommon { .. })), "{error:?}");
}
