//! Captures as a time line: what has no meaning in them is an error, and never an empty answer.

use std::path::{Path, PathBuf};

use recount::{BatchError, Capture, Span, SpanError, Timeline};

fn sample(name: &str) -> PathBuf {
    Path::new(env!("CARGO_MANIFEST_DIR")).join("../../samples").join(name)
}

fn open(name: &str) -> Capture {
    recount::open(sample(name)).expect("a sample")
}

fn span(begin: Option<&str>, end: Option<&str>) -> Span {
    let bound = |text: &str| text.parse().expect("a time");
    Span { begin: begin.map(bound), end: end.map(bound), ..Span::default() }
}

/// PDH text without a zone, in which one machine has one counter.
fn without_zone(name: &str) -> Capture {
    let mut text = String::from("\"(PDH-CSV 4.0)\",\"\\\\web1\\Memory\\Available MBytes\"\n");
    for second in 0..5 {
        text += &format!("\"11/24/2026 10:00:0{second}.000\",\"{}\"\n", 100 + second);
    }
    recount::open_bytes(name, text.into_bytes()).expect("a capture")
}

#[test]
fn a_mistyped_mark_is_an_error() {
    let capture = open("objects.blg");
    for (begin, end) in [(Some("mark:nope"), None), (None, Some("mark:nope")), (None, Some("mark-5m:nope"))] {
        let failed = Timeline::of(std::slice::from_ref(&capture), &span(begin, end));
        let Err(SpanError::Mark(error)) = failed else { panic!("{begin:?} to {end:?} have a meaning") };
        assert_eq!(error.text, "nope");
    }
    let failed = capture.batches().between("mark:nope", "+5m").map(|_| ());
    assert!(matches!(failed, Err(BatchError::Span(SpanError::Mark(_)))));
    assert!(capture.timeline().moment(&"mark:nope".parse().expect("a mark")).is_err());
}

#[test]
fn a_moment_is_an_error_if_the_zone_is_unknown() {
    let capture = without_zone("local.csv");
    assert!(capture.timeline().is_zone_unknown());
    let utc = "2026-11-24T10:00:02Z";
    for (begin, end) in [(Some(utc), None), (None, Some(utc)), (Some("+1s"), Some(utc))] {
        let failed = Timeline::of(std::slice::from_ref(&capture), &span(begin, end));
        let Err(SpanError::ZoneUnknown { name }) = failed else { panic!("{begin:?} to {end:?} is meant") };
        assert_eq!(name, "local.csv");
    }
    assert!(matches!(capture.batches().between(utc, "+5m").map(|_| ()), Err(BatchError::Span(_))));
    assert!(capture.timeline().moment(&utc.parse().expect("a time")).is_err());
    // Local times have a meaning.
    let timeline = Timeline::of(&[capture], &span(Some("10:00:02"), None)).expect("a time line");
    assert_eq!(timeline.times().len(), 3);
    assert_eq!(timeline.stated(timeline.times()[0].utc), "2026-11-24T10:00:02");
}

#[test]
fn captures_of_unknown_zones_are_not_mixed_with_others() {
    let both = [open("objects.blg"), without_zone("local.csv")];
    let failed = Timeline::whole(&both);
    assert!(matches!(failed, Err(SpanError::MixedZones { unknown, .. }) if unknown == "local.csv"));
    // What they hold can be listed.
    let (entries, _) = recount::list(&both, &recount::Selection::all());
    assert!(entries.iter().any(|entry| entry.path == r"\\web1\Memory\Available MBytes"));
    assert!(entries.len() > 100);
}

#[test]
fn an_empty_span_says_why() {
    let capture = open("objects.blg");
    assert!(capture.timeline().no_samples().is_none());
    let of = |begin, end| {
        let timeline = Timeline::of(std::slice::from_ref(&capture), &span(begin, end)).expect("a time line");
        timeline.no_samples().expect("no samples").to_string()
    };
    assert_eq!(of(Some("+5m"), Some("+1m")), "the requested time range ends before it begins");
    assert!(of(Some("2030-01-01T00:00:00Z"), None).contains("in the requested time range"));
}

#[test]
fn machines_of_captures_that_were_opened_one_by_one_are_spelled_alike() {
    let text = |host: &str, first: u32| {
        let mut text = format!("\"(PDH-CSV 4.0) (UTC)(0)\",\"\\\\{host}\\Memory\\Available MBytes\"\n");
        for second in first..first + 3 {
            text += &format!("\"11/24/2026 10:00:{second:02}.000\",\"{second}\"\n");
        }
        recount::open_bytes(host, text.into_bytes()).expect("a capture")
    };
    let timeline = Timeline::whole(&[text("WEB1", 10), text("web1", 12)]).expect("one time line");
    assert_eq!(timeline.hosts().len(), 1);
    let rows: usize =
        timeline.batches().reader().expect("a reader").map(|batch| batch.expect("a batch").num_rows()).sum();
    assert_eq!(rows, 5, "the sample that both have counts once");
}

#[cfg(feature = "analysis")]
mod answers {
    use recount::{Follower, Selection};

    use super::*;

    /// What can be followed is a log; one that is closed gets no more marks.
    #[test]
    fn a_mistyped_mark_ends_the_following_of_a_closed_log() {
        let log = sample("rcap-1/closed.rcap");
        let follow =
            |begin| Follower::new(&log, span(Some(begin), None), Selection::all()).expect("a log").refresh();
        let error = follow("mark:nope").expect_err("no such mark");
        assert!(error.to_string().starts_with("no time is marked \"nope\""), "{error}");
        assert!(follow("+0s").expect("read").is_some_and(|values| !values.is_empty()));
    }
}
