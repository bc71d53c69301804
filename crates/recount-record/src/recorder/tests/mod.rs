//! The loop, driven by a simulated clock, into memory.

#[cfg(unix)]
mod command;
mod rig;

use std::time::Duration;

use recount_model::{Event, EventKind, Timestamp};

use super::*;
use crate::{EndedBy, Taken};
use rig::{Got, MS, Rig, failure};

fn counted(count: u64) -> RecordOptions {
    RecordOptions { count: Some(count), ..RecordOptions::every(Duration::from_secs(1)) }
}

#[test]
fn a_log_has_facts_texts_begin_samples_and_end() {
    let mut rig = Rig::new();
    let facts = [("recorder".to_owned(), "recount 1".to_owned()), ("settings".to_owned(), "all".to_owned())];
    let report = rig.record(RecordOptions { facts: facts.into(), ..counted(2) }).expect("a recording");
    let event = |ns, kind, text: &str| {
        let time = Timestamp::from_unix_nanos(ns);
        Got::Event(Event { time, kind, extent: 0, count: 0, text: text.to_owned() })
    };
    let facts = [("host", "web1"), ("recorder", "recount 1"), ("settings", "all")];
    let facts = facts.map(|(name, fact)| (name.to_owned(), fact.to_owned())).into();
    let expected = [
        Got::Began(Timestamp::UNIX_EPOCH),
        Got::Facts(facts),
        Got::Texts("009".to_owned(), vec![(2, "System".to_owned())]),
        event(0, EventKind::Begin, "all"),
        Got::Block(Timestamp(1), 1_u64.to_le_bytes().to_vec()),
        Got::Block(Timestamp(2), 2_u64.to_le_bytes().to_vec()),
        event(1_000 * MS, EventKind::End, "all requested samples were taken"),
        Got::Finished,
    ];
    assert_eq!(*rig.shelf.got.borrow(), expected);
    assert_eq!(
        (report.reason, report.progress.num_samples, report.progress.len_written),
        (EndReason::Count, 2, 16)
    );
}

#[test]
fn a_duration_ends_with_a_sample_at_its_end() {
    for (duration_ms, num_samples, end_ms) in [(10_000, 11, 10_000), (2_500, 4, 2_500), (0, 2, 0)] {
        let mut rig = Rig::new();
        let duration = Some(Duration::from_millis(duration_ms));
        let report = rig.record(RecordOptions { duration, ..RecordOptions::every(Duration::from_secs(1)) });
        let report = report.expect("a recording");
        assert_eq!((report.reason, report.progress.num_samples), (EndReason::Duration, num_samples));
        assert_eq!(rig.clock.now.monotonic_ns, end_ms * MS);
        assert_eq!(rig.shelf.kinds(), [EventKind::Begin, EventKind::End]);
    }
}

#[test]
fn late_and_missed_samples_are_reported_in_front_of_the_sample() {
    let mut rig = Rig::new();
    rig.clock.overshoot_ns = [0, 200 * MS, 0, 3_000 * MS, 0].into();
    let report = rig.record(counted(6)).expect("a recording");
    assert_eq!((report.progress.num_late, report.progress.num_missed), (1, 3));
    let kinds: Vec<Option<EventKind>> = rig.shelf.got.borrow()[3..]
        .iter()
        .map(|got| if let Got::Event(event) = got { Some(event.kind) } else { None })
        .collect();
    let expected = [
        Some(EventKind::Begin),
        None,
        None,
        Some(EventKind::Late),
        None,
        None,
        Some(EventKind::Missed),
        None,
        None,
        Some(EventKind::End),
        None,
    ];
    assert_eq!(kinds, expected);
    // Samples at 0, 1, 2.2, 3, 7 and 8 s: the schedule holds.
    assert_eq!(rig.clock.now.monotonic_ns, 8_000 * MS);
}

#[test]
fn the_end_asked_for_comes_with_a_last_sample() {
    let mut rig = Rig::new();
    rig.clock.on_wait = vec![(3, Interrupts::end)];
    let report = rig.record(RecordOptions::every(Duration::from_secs(1))).expect("a recording");
    assert_eq!(report.reason, EndReason::Asked(EndedBy::Handle));
    assert_eq!(report.progress.num_samples, 4);
    assert_eq!(rig.clock.now.monotonic_ns, 2_500 * MS);
    assert_eq!(rig.shelf.events()[1], (EventKind::End, "the end was requested".to_owned()));
}

#[test]
fn unreadable_is_reported_when_it_begins_and_when_it_ends() {
    let mut rig = Rig::new();
    let taken = |time, num_unreadable, first: Option<&str>| {
        let first_unreadable = first.map(str::to_owned);
        Ok(Some(Taken { time: Timestamp(time), num_unreadable, first_unreadable }))
    };
    rig.source.script = [
        taken(1, 0, None),
        taken(2, 7, Some("x: no")),
        taken(3, 7, Some("x: no")),
        taken(4, 9, Some("y: no")),
        taken(5, 0, None),
    ]
    .into();
    let report = rig.record(counted(6)).expect("a recording");
    let told: Vec<(u64, String)> = rig
        .shelf
        .got
        .borrow()
        .iter()
        .filter_map(|got| match got {
            Got::Event(Event { kind: EventKind::Unreadable, count, text, .. }) => {
                Some((*count, text.clone()))
            }
            _ => None,
        })
        .collect();
    assert_eq!(told, [(7, "x: no".to_owned()), (0, String::new())]);
    assert_eq!((report.progress.num_unreadable, report.first_unreadable), (0, None));
}

#[test]
fn failed_samples_are_reported_and_ten_in_a_row_end_it() {
    let mut rig = Rig::new();
    rig.source.script = (0..9).map(|_| failure()).collect();
    let report = rig.record(counted(2)).expect("nine are borne");
    assert_eq!((report.progress.num_lost, report.progress.num_samples), (9, 2));
    assert_eq!(report.first_lost.as_deref(), Some("take: not now"));
    assert_eq!(rig.shelf.events()[1], (EventKind::Lost, "take: not now".to_owned()));

    let mut rig = Rig::new();
    rig.source.script = (0..11).map(|_| failure()).collect();
    let error = rig.record(counted(2)).expect_err("ten aren't");
    assert_eq!(
        error.to_string(),
        "10 samples in a row could not be taken: take: not now; no sample was written"
    );
    assert_eq!(rig.shelf.kinds().iter().filter(|kind| **kind == EventKind::Lost).count(), 10);
    assert_eq!(rig.shelf.got.borrow().last(), Some(&Got::Finished));
    assert_eq!(rig.shelf.events()[11], (EventKind::End, "gave up: take: not now".to_owned()));
}

/// A remote machine whose answers are unsound from the beginning isn't asked for ever.
#[test]
fn a_source_that_keeps_trying_needs_one_good_sample() {
    let mut rig = Rig::new();
    rig.source.keeps_trying = true;
    rig.source.script = (0..50).map(|_| failure()).collect();
    let error = rig.record(counted(2)).expect_err("never a sample").to_string();
    assert!(error.starts_with("10 samples in a row could not be taken"), "{error}");

    let mut rig = Rig::new();
    rig.source.keeps_trying = true;
    let good = Ok(Some(Taken { time: Timestamp(1), ..Taken::default() }));
    rig.source.script = std::iter::once(good).chain((0..50).map(|_| failure())).collect();
    let report = rig.record(counted(2)).expect("it answers again");
    assert_eq!((report.progress.num_lost, report.progress.num_samples), (50, 2));
}

/// Samples before and after have different names for the same indexes.
#[test]
fn other_names_begin_a_log() {
    let mut rig = Rig::new();
    rig.source.renamed_at = Some(3);
    let report = rig.record(counted(5)).expect("a recording");
    assert_eq!((rig.shelf.blocks_per_log(), report.progress.num_logs), (vec![2, 3], 2));
    let got = rig.shelf.got.borrow();
    let names: Vec<&str> = got
        .iter()
        .filter_map(|got| match got {
            Got::Texts(_, texts) => texts.first().map(|(_, text)| text.as_str()),
            _ => None,
        })
        .collect();
    assert_eq!(names, ["System", "Sistema"]);
}

#[test]
fn a_full_disk_ends_it_and_says_what_is_safe() {
    let mut rig = Rig::new();
    rig.shelf.num_until_full = Some(3);
    let error = rig.record(counted(9)).expect_err("a full disk").to_string();
    assert!(
        error.starts_with("writing failed: ") && error.contains("; 3 samples are written, the last of "),
        "{error}"
    );
    assert!(error.ends_with("; the log is closed"), "{error}");
    assert_eq!(rig.shelf.got.borrow().last(), Some(&Got::Finished));
}

/// Recording goes on in another log, which says why it was begun, and the report says what was lost.
#[test]
fn a_log_that_is_gone_is_followed_by_another() {
    let mut rig = Rig::new();
    rig.shelf.gone_after = Some(3);
    let report = rig.record(counted(7)).expect("a recording");
    assert_eq!(rig.shelf.blocks_per_log(), [3, 4]);
    assert_eq!((report.progress.num_samples, report.progress.num_gone), (7, 3));
    let gone = "a.log was removed: 3 samples can no longer be read there";
    assert_eq!(report.first_gone.as_deref(), Some(gone));
    let [_, begin, ..] = &rig.shelf.events()[..] else { panic!("events") };
    assert_eq!(*begin, (EventKind::Begin, format!("continues the previous log, which {gone}")));
    // Nothing was written to the log that is gone, not even its end.
    assert_eq!(rig.shelf.got.borrow().iter().filter(|got| **got == Got::Finished).count(), 1);
}

/// Of a log that was cut short, what is left counts as written.
#[test]
fn samples_that_can_still_be_read_are_not_gone() {
    let mut rig = Rig::new();
    (rig.shelf.gone_after, rig.shelf.num_readable) = (Some(3), 2);
    let report = rig.record(counted(7)).expect("a recording");
    assert_eq!((report.progress.num_samples, report.progress.num_gone), (7, 1));
    let gone = "a.log was removed: 1 of 3 samples can no longer be read there";
    assert_eq!(report.first_gone.as_deref(), Some(gone));
}

#[test]
fn what_was_written_is_said_if_no_other_log_can_be_begun() {
    for (num_readable, said) in [
        (0, "; 3 samples were written, and can't be read anymore: another program took away their log"),
        (
            2,
            "; 3 samples were written, and 1 sample of them can't be read anymore: another program took away their log",
        ),
    ] {
        let mut rig = Rig::new();
        (rig.shelf.gone_after, rig.shelf.num_readable) = (Some(3), num_readable);
        rig.shelf.begins_once = true;
        let error = rig.record(counted(7)).expect_err("no other log").to_string();
        assert!(error.starts_with("can't begin a log: ") && error.ends_with(said), "{error}");
    }
}

#[test]
fn a_disk_that_fails_at_the_end_is_an_error_of_a_log_that_is_closed() {
    let mut rig = Rig::new();
    rig.shelf.fails_at_end = true;
    let error = rig.record(counted(2)).expect_err("a broken disk").to_string();
    assert!(error.starts_with("writing failed: ") && error.ends_with("; the log is closed"), "{error}");
}

#[test]
fn logs_rotate_by_size() {
    let mut rig = Rig::new();
    // Blocks have 8 bytes: three fit into 30.
    let rotation = Rotation { max_len: Some(30), max_age: None };
    let report = rig.record(RecordOptions { rotation, ..counted(8) }).expect("a recording");
    assert_eq!(rig.shelf.blocks_per_log(), [3, 3, 2]);
    assert_eq!((report.progress.num_logs, report.progress.len_written), (3, 64));
    // Each is complete by itself.
    let got = rig.shelf.got.borrow();
    assert_eq!(got.iter().filter(|got| matches!(got, Got::Facts(_))).count(), 3);
    assert_eq!(got.iter().filter(|got| matches!(got, Got::Texts(..))).count(), 3);
    assert_eq!(got.iter().filter(|got| **got == Got::Finished).count(), 3);
    drop(got);
    let [_, end, begin, ..] = &rig.shelf.events()[..] else { panic!("events") };
    assert_eq!(*end, (EventKind::End, "the log is full".to_owned()));
    assert_eq!(*begin, (EventKind::Begin, "continues the previous log: the log is full".to_owned()));
}

#[test]
fn a_size_that_cannot_hold_two_samples_is_refused() {
    for max_len in [1, 8, 15] {
        let mut rig = Rig::new();
        let rotation = Rotation { max_len: Some(max_len), max_age: None };
        let error = rig.record(RecordOptions { rotation, ..counted(3) }).expect_err("too small");
        let RecordError::TooSmall { len_needed, .. } = error else { panic!("{error}") };
        assert_eq!((len_needed, rig.shelf.blocks().len()), (16, 1));
    }
    let mut rig = Rig::new();
    let rotation = Rotation { max_len: Some(16), max_age: None };
    rig.record(RecordOptions { rotation, ..counted(3) }).expect("a recording");
    assert_eq!(rig.shelf.blocks_per_log(), [2, 1]);
}

#[test]
fn logs_rotate_by_age_in_spite_of_jitter() {
    let mut rig = Rig::new();
    rig.clock.overshoot_ns = (0..30).map(|k| if k % 4 == 3 { 10 * MS } else { 0 }).collect();
    let rotation = Rotation { max_len: None, max_age: Some(Duration::from_secs(4)) };
    rig.record(RecordOptions { rotation, ..counted(12) }).expect("a recording");
    assert_eq!(rig.shelf.blocks_per_log(), [4, 4, 4]);
}

#[test]
fn logs_rotate_at_once_when_asked() {
    let mut rig = Rig::new();
    rig.clock.on_wait = vec![(2, Interrupts::rotate)];
    rig.record(counted(4)).expect("a recording");
    assert_eq!(rig.shelf.blocks_per_log(), [2, 2]);
    let began: Vec<Got> =
        rig.shelf.got.borrow().iter().filter(|got| matches!(got, Got::Began(_))).cloned().collect();
    assert_eq!(began[1], Got::Began(Timestamp::from_unix_nanos(1_500 * MS)));
}

#[test]
fn a_replay_goes_by_the_time_of_its_samples() {
    let mut rig = Rig::new();
    rig.clock.now.realtime_ns = 1_900_000_000_000 * MS;
    rig.source.script = (1..=3)
        .map(|k| Ok(Some(Taken { time: Timestamp(k * 100), ..Taken::default() })))
        .chain([Ok(None)])
        .collect();
    let options = RecordOptions { interval: None, is_replay: true, ..RecordOptions::every(Duration::ZERO) };
    let report = rig.record(options).expect("a recording");
    assert_eq!((report.reason, rig.clock.num_waits), (EndReason::Source, 0));
    assert_eq!(rig.shelf.blocks().iter().map(|(time, _)| time.0).collect::<Vec<_>>(), [100, 200, 300]);
    let got = rig.shelf.got.borrow();
    let events: Vec<(EventKind, i64)> = got
        .iter()
        .filter_map(|got| if let Got::Event(event) = got { Some((event.kind, event.time.0)) } else { None })
        .collect();
    assert_eq!(events, [(EventKind::Begin, 100), (EventKind::End, 300)]);
}

/// Second tier: depends on the clock and the load of this machine.
#[cfg(feature = "live-tests")]
mod live {
    use std::io;

    use super::rig::Memory;
    use super::*;
    use crate::SystemClock;

    /// Real time: five samples at 100 ms take 400 ms and are on time.
    #[test]
    fn five_samples_of_the_real_clock() {
        let mut rig = Rig::new();
        let mut clock = SystemClock::new();
        let shelf = rig.shelf.clone();
        let mut begin =
            |_| -> io::Result<Box<dyn Log>> { Ok(Box::new(Memory { shelf: shelf.clone(), len: 0 })) };
        let mut times = Vec::new();
        let started = std::time::Instant::now();
        let recorder = Recorder {
            source: &mut rig.source,
            begin_log: &mut begin,
            clock: &mut clock,
            interrupts: &rig.interrupts,
            on_progress: &mut |_| times.push(started.elapsed()),
        };
        let options = RecordOptions { count: Some(5), ..RecordOptions::every(Duration::from_millis(100)) };
        let report = recorder.record(options).expect("a recording");
        assert_eq!(report.progress.num_samples, 5);
        // Never too early; how late depends on this machine.
        for (k, time) in times.iter().enumerate() {
            assert!(*time >= Duration::from_millis(100 * k as u64), "{times:?}");
        }
        assert!(times[4] < Duration::from_secs(30), "{times:?}");
    }
}
