//! Times that don't ascend, events, and what a log says about its machine.

use recount_capture::{CaptureSource, LogWriter};
use recount_model::{Event, EventKind, Facts, FindingKind, SampleTime, Sink, Source, Timestamp};

use crate::disk::Disk;
use crate::reading::options;
use crate::series::{Machine, SECOND, START};

enum Step {
    /// A sample so many seconds after the start.
    Sample(i64),
    Event(EventKind),
}

use Step::{Event as Happens, Sample};

/// A source of these, sealed and unsealed: of the same samples.
fn sources(steps: &[Step], facts: &Facts) -> Vec<CaptureSource> {
    let source = |len_chunk| {
        let mut machine = Machine::new(1, 2);
        let disk = Disk::default();
        let mut writer = LogWriter::new(disk.clone(), options(len_chunk)).expect("new");
        writer.facts(facts).expect("written");
        let mut time = START;
        for step in steps {
            match step {
                Sample(seconds) => {
                    time = Timestamp(START.0 + seconds * SECOND);
                    writer.block(time, &machine.sample()).expect("written");
                }
                Happens(kind) => {
                    let event =
                        Event { time, kind: *kind, extent: -15_000_000, count: 3, text: "said so".into() };
                    writer.event(&event).expect("written");
                }
            }
        }
        CaptureSource::open(Box::new(disk)).expect("opens")
    };
    [1, 5_000, 1 << 30].into_iter().map(source).collect()
}

/// Seconds after the start and epoch of every sample, in the order of the source.
fn shown(source: &CaptureSource) -> Vec<(i64, u32)> {
    let times = source.times().iter().enumerate();
    times.map(|(at, time)| ((time.utc.0 - START.0) / SECOND, source.epoch(at))).collect()
}

#[test]
fn a_clock_set_back_begins_an_epoch() {
    let steps = [0, 1, 2, 3, 1, 2, 3, 4, 0].map(Sample);
    for source in sources(&steps, &Facts::new()) {
        // Ascending by time; of one time in the order taken. The epochs tell them apart.
        let expected = [(0, 0), (0, 2), (1, 0), (1, 1), (2, 0), (2, 1), (3, 0), (3, 1), (4, 1)];
        assert_eq!(shown(&source), expected);
        // What is decoded is what was taken then.
        let decoded = source.decode(&[1, 3], &recount_model::Selection::all());
        assert!(decoded.health.is_sound());
        assert!(!decoded.runs.is_empty());
    }
}

#[test]
fn samples_of_one_time_are_of_one_epoch() {
    for source in sources(&[0, 1, 1, 1, 2].map(Sample), &Facts::new()) {
        assert_eq!(shown(&source), [(0, 0), (1, 0), (1, 0), (1, 0), (2, 0)]);
    }
}

#[test]
fn a_clock_step_forward_begins_an_epoch() {
    let steps = [
        Sample(0),
        Happens(EventKind::Late),
        Sample(1),
        Happens(EventKind::ClockStep),
        Sample(5_000),
        Happens(EventKind::Missed),
        Happens(EventKind::ClockStep),
        Sample(5_001),
    ];
    for source in sources(&steps, &Facts::new()) {
        assert_eq!(shown(&source), [(0, 0), (1, 0), (5_000, 1), (5_001, 2)]);
    }
}

#[test]
fn events_are_reported() {
    let steps: Vec<Step> =
        EventKind::ALL.into_iter().flat_map(|kind| [Happens(kind), Sample(kind as i64)]).collect();
    for source in sources(&steps, &Facts::new()) {
        let told: Vec<(FindingKind, &str)> =
            source.health().findings().iter().map(|finding| (finding.kind, finding.what.as_str())).collect();
        let mentions = |kind, words: &str| {
            assert!(told.iter().any(|told| told.0 == kind && told.1.contains(words)), "{words}: {told:?}");
        };
        mentions(FindingKind::Odd, "-1.500 s late: said so");
        mentions(FindingKind::Odd, "3 samples not taken in -1.500 s: said so");
        mentions(FindingKind::Odd, "the clock was set by -1.500 s: said so");
        mentions(FindingKind::Odd, "the machine slept for -1.500 s");
        mentions(FindingKind::Expected, "readings start to fail here: ");
        mentions(FindingKind::Odd, "a new connection after -1.500 s: said so");
        mentions(FindingKind::Lost, "the source lost data: said so");
        // Beginning and end are as they should be, and a mark is no finding.
        assert_eq!(told.len(), EventKind::ALL.len() - 3);
        let marks: Vec<&str> = source.info().marks.iter().map(|mark| mark.text.as_str()).collect();
        assert_eq!(marks, ["said so"]);
        assert_eq!(source.times().len(), EventKind::ALL.len());
    }
}

/// Of several events of a kind, one finding has the number and the worst, and each is there for those who ask.
#[test]
fn many_events_of_a_kind_are_one_finding_and_details() {
    let steps: Vec<Step> =
        (0..7).flat_map(|at| [Sample(at), Happens(EventKind::Late), Happens(EventKind::Missed)]).collect();
    for source in sources(&steps, &Facts::new()) {
        let health = source.health();
        let odd: Vec<&str> = health
            .findings()
            .iter()
            .filter(|finding| finding.kind == FindingKind::Odd)
            .map(|finding| finding.what.as_str())
            .collect();
        let [late, missed] = &odd[..] else { panic!("{odd:?}") };
        assert!(late.starts_with("7 samples taken late, between "), "{late}");
        assert!(late.contains(", the worst -1.500 s at "), "{late}");
        assert!(missed.starts_with("21 samples not taken, at 7 times, between "), "{missed}");
        assert_eq!(health.count(FindingKind::Expected), 14);
        assert!(health.is_complete() && !health.is_sound());
    }
}

#[test]
fn losses_in_a_row_are_one_finding() {
    let lost = || Happens(EventKind::Lost);
    let steps = [
        Sample(0),
        lost(),
        lost(),
        lost(),
        Happens(EventKind::Reconnected),
        Sample(4),
        lost(),
        Sample(6),
        lost(),
    ];
    for source in sources(&steps, &Facts::new()) {
        let health = source.health();
        let of_kind = |kind| health.findings().iter().filter(move |finding| finding.kind == kind);
        let [all] = &of_kind(FindingKind::Lost).collect::<Vec<_>>()[..] else { panic!("{health:?}") };
        assert!(all.what.starts_with("the source lost data 3 times, between "), "{all}");
        let told: Vec<&str> = of_kind(FindingKind::Expected).map(|finding| finding.what.as_str()).collect();
        assert_eq!(told.len(), 3, "{told:?}");
        assert!(told[0].contains("said so (the first of 3 losses in a row, until "), "{told:?}");
        assert!(told[1..].iter().all(|told| told.ends_with("the source lost data: said so")), "{told:?}");
    }
}

#[test]
fn facts_and_local_time() {
    let facts = [
        ("host", "web1"),
        ("os", "Debian GNU/Linux 12"),
        ("boot-time", "2013-02-19T00:00:00Z"),
        ("time-zone", "Europe/Berlin"),
        ("time-zone-posix", "CET-1CEST,M3.5.0,M10.5.0/3"),
        ("kernel", "6.1"),
        ("empty", ""),
    ];
    let facts = facts.map(|(name, value)| (name.to_owned(), value.to_owned())).into();
    // Half a year apart: in February and in August.
    let half_year = 180 * 86_400;
    for source in sources(&[Sample(0), Sample(half_year)], &facts) {
        let info = source.info();
        assert_eq!(info.hosts, ["web1".into()]);
        assert_eq!(info.os.as_deref(), Some("Debian GNU/Linux 12"));
        assert_eq!(info.boot_time.map(|time| time.to_string()).as_deref(), Some("2013-02-19T00:00:00Z"));
        assert!(info.details.contains(&("kernel".to_owned(), "6.1".to_owned())));
        assert!(info.details.iter().all(|(name, _)| name != "empty" && name != "host"));
        let zone = info.zone.as_ref().expect("told");
        assert_eq!((zone.standard_name.as_str(), zone.bias_min), ("Europe/Berlin", -60));
        let offsets: Vec<i16> = source.times().iter().map(|time: &SampleTime| time.offset_min).collect();
        assert_eq!(offsets, [60, 120]);
    }
    let none = &sources(&[Sample(0)], &Facts::new())[0];
    assert_eq!((none.times()[0].offset_min, &none.info().zone, none.info().hosts.len()), (0, &None, 0));
    // Facts that can't be understood don't prevent reading the log.
    let odd =
        Facts::from(["time-zone-posix", "boot-time"].map(|name| (name.to_owned(), "nonsense".to_owned())));
    let odd = &sources(&[Sample(0)], &odd)[0];
    assert_eq!((&odd.info().zone, odd.info().boot_time), (&None, None));
}

/// Repeated facts replace earlier ones, even if the log wasn't closed.
#[test]
fn later_facts_count() {
    let disk = Disk::default();
    let mut writer = LogWriter::new(disk.clone(), options(1_000)).expect("new");
    let mut machine = Machine::new(1, 2);
    for host in ["a", "b", "c"] {
        writer.facts(&Facts::from([("host".to_owned(), host.to_owned())])).expect("written");
        writer.block(START, &machine.sample()).expect("written");
    }
    let source = CaptureSource::open(Box::new(disk)).expect("opens");
    assert_eq!(source.info().hosts, ["c".into()]);
}
