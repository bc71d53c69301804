//! Every real file opens, or is refused for the expected reason.

use crate::support;

use std::sync::Arc;

use recount_model::{FindingKind, Source};
use recount_sysstat::{SaSource, dump};
use recount_testdata::shared;
use support::cells;

/// File, samples, epochs, marks, and the findings.
const SOUND: &[(&str, usize, u32, usize, &[&str])] = &[
    ("recorded/rec-all.sa", 61, 1, 0, &[]),
    ("derived/be64.sa", 61, 1, 0, &[]),
    ("derived/future.sa", 61, 1, 0, &[]),
    ("derived/hotplug.sa", 14, 1, 0, &[]),
    ("sysstat/data-12.0.0", 2, 1, 1, &[]),
    ("sysstat/data-extra-12.1.7", 2, 1, 0, &[]),
    (
        "sysstat/data-ukwn",
        2,
        1,
        0,
        &["A_PCSW, number 2 in the unknown layout 0xff", "unknown activity, number 255"],
    ),
    ("sysstat/data-ukwn1", 3, 1, 0, &["A_QUEUE, number 9 in the unknown layout 0x8d"]),
    ("sysstat/data-12.5.6-A_QUEUE_modified", 2, 1, 0, &["A_QUEUE"]),
    ("sysstat/data-non-printable", 0, 0, 1, &[]),
    ("sysstat/data-trunc", 0, 0, 0, &["truncated"]),
    ("sysstat/data-11.6.5", 2, 1, 1, &[]),
    ("pcp/sa-sysstat-10.1.5", 36, 1, 0, &[]),
    ("pcp/sa-sysstat-10.0.5", 36, 1, 0, &[]),
    ("pcp/sa-sysstat-11.1.5", 36, 1, 0, &[]),
    ("pcp/sa-sysstat-9.0.6", 37, 1, 0, &[]),
    ("sysstat/data-9.1.5", 2, 1, 0, &[]),
    ("rhel6/garany-sa01", 39, 1, 0, &[]),
    ("rhel6/garany-sa03", 143, 2, 0, &[]),
    ("rhel6/garany-sa28", 1, 1, 0, &[]),
    ("rhel6/knewhow-sa26", 30, 3, 0, &["the uptime fell", "the uptime fell"]),
    ("rhel6/knewhow-sa30", 41, 4, 0, &[]),
    ("rhel6/csb6-rhel6.bin", 144, 1, 0, &[]),
];

#[test]
#[ignore = "reads ../shared/data"]
fn sound_files_open() {
    let mut num_cells = 0;
    for &(file, num_samples, num_epochs, num_marks, findings) in SOUND {
        let bytes = shared(&format!("sa/{file}"));
        assert!(SaSource::recognise(&bytes), "{file}");
        let source = Arc::new(SaSource::open(Arc::new(bytes.clone())).expect(file));
        let found: Vec<String> = source.health().findings().iter().map(ToString::to_string).collect();
        let epochs = (0..source.times().len()).map(|sample| source.epoch(sample) + 1).max().unwrap_or(0);
        let counts = (source.times().len(), epochs, source.info().marks.len());
        assert_eq!(counts, (num_samples, num_epochs, num_marks), "{file}");
        assert_eq!(found.len(), findings.len(), "{file}: {found:?}");
        assert!(found.iter().zip(findings).all(|(found, part)| found.contains(part)), "{file}: {found:?}");
        num_cells += cells(&source, 4 << 20).0.values().map(std::collections::BTreeMap::len).sum::<usize>();
        let mut text = String::new();
        dump(&bytes, 1, &mut text).expect(file);
        let is_cut = source.health().count(FindingKind::Truncated) > 0;
        assert_eq!(text.lines().filter(|line| line.starts_with("! truncated")).count(), 0, "{file}");
        assert_eq!(text.lines().any(|line| line.starts_with("! record_header")), is_cut, "{file}");
    }
    assert!(num_cells > 150_000, "{num_cells}");
}

#[test]
#[ignore = "reads ../shared/data"]
fn impossible_headers_are_refused_by_the_field() {
    for (file, expected) in [
        ("12.6.0-file_act-MAP_SIZE_types_nr-err", "file_activity.types at byte 0x"),
        ("12.6.0-file_act-nr-0-err", "file_activity.nr at byte 0x"),
        ("12.6.0-file_act-size-err", "file_activity.size at byte 0x"),
        ("12.6.0-file_act-types_nr-SARerr", "file_activity.types at byte 0x"),
        ("12.6.0-file_hdr-MAP_SIZE_rec_types_nr-err", "file_header.rec_types at byte 0x"),
        ("12.6.0-file_hdr-act_size-err", "file_header.act_size at byte 0x"),
        ("12.6.0-file_hdr-sa_act_nr-err", "file_header.act_nr at byte 0x"),
    ] {
        refused(&format!("sa/sysstat/data-{file}"), expected);
    }
    assert!(!SaSource::recognise(&shared("sa/pcp/rhel5-sa20.bin")));
}

fn refused(file: &str, expected: &str) {
    let bytes = shared(file);
    assert!(SaSource::recognise(&bytes), "{file}");
    let error = SaSource::open(Arc::new(bytes)).map(|_| ()).expect_err(file).to_string();
    assert!(error.contains(expected), "{file}: {error}");
}
