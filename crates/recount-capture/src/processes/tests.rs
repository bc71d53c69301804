//! What is written of processes reads back, and what is missing is never replaced by something else.

use std::ops::ControlFlow;
use std::sync::Arc;

use proptest::prelude::*;
use recount_model::{EndedProcess, ProcessDescription, ProcessNote, Sink, Source, Timestamp};

use super::dictionary::Known;
use super::read::read_notes;
use super::write::NoteWriter;
use crate::{CaptureSource, LogWriter, RecordKind, WriterOptions};

fn text(text: &str) -> Arc<str> {
    text.into()
}

fn described(pid: u32, name: &str, since: i64) -> ProcessNote {
    ProcessNote::Described(ProcessDescription {
        since: Timestamp(since),
        pid,
        start: Timestamp(since - 5),
        parent: 1,
        name: text(name),
        executable: Some(text("/usr/bin/python3.11")),
        command: vec![text("python3"), text(""), text("tr\u{e4}in.py")],
        is_command_cut: pid.is_multiple_of(2),
        user_id: Some(33),
        user: Some(text("www-data")),
        cgroup: Some(text("/system.slice/ml.service")),
        unit: Some(text("ml.service")),
        container: None,
        container_name: None,
        session: Some(7),
        scheduling_class: Some(text("batch")),
    })
}

fn ended(pid: u32, name: &str, sample: i64) -> ProcessNote {
    ProcessNote::Ended(EndedProcess {
        sample: Timestamp(sample),
        pid,
        start: Timestamp(1),
        end: Timestamp(2),
        parent: 9,
        name: text(name),
        user_id: None,
        user: None,
        cgroup: None,
        user_time: 3,
        privileged_time: 4,
        len_read: 5,
        len_written: 6,
        len_storage_read: 7,
        len_storage_written: u64::MAX,
        peak_memory: Some(8),
        exit_status: Some(256),
        count: 12,
    })
}

fn read(records: &[(RecordKind, Vec<u8>)], time: i64) -> Vec<ProcessNote> {
    let (mut known, mut notes) = (Known::default(), Vec::new());
    for (kind, record) in records {
        let done = read_notes(Timestamp(time), *kind, record, &mut known, &mut |note| {
            notes.push(note);
            ControlFlow::Continue(())
        });
        assert_eq!(done, Ok(ControlFlow::Continue(())));
    }
    notes
}

#[test]
fn notes_come_back_and_texts_are_written_once() {
    let notes = [described(5, "python3", 9), described(6, "python3", 9), ended(7, "cc1plus", 9)];
    let mut writer = NoteWriter::default();
    let mut record = |kind, notes| (kind, writer.record(kind, notes).expect("a note").to_vec());
    let first = record(RecordKind::PROCESSES, &notes);
    let exits = record(RecordKind::ENDED_PROCESSES, &notes);
    let second = record(RecordKind::PROCESSES, &notes);
    let expected = [&notes[..], &notes[..2]].concat();
    assert_eq!(read(&[first.clone(), exits, second.clone()], 9), expected);
    assert!(second.1.len() < first.1.len());
    assert_eq!(NoteWriter::default().record(RecordKind::ENDED_PROCESSES, &notes[..2]), None);
}

#[test]
fn texts_of_a_lost_record_are_missing_and_not_others() {
    let mut writer = NoteWriter::default();
    let kind = RecordKind::PROCESSES;
    let lost = writer.record(kind, &[described(5, "python3", 9)]).expect("a note").to_vec();
    let next = writer.record(kind, &[described(6, "ruby", 9)]).expect("a note").to_vec();
    let [ProcessNote::Described(found)] = &read(&[(kind, next.clone())], 9)[..] else { panic!("one") };
    assert_eq!((&*found.name, found.executable.clone(), found.user_id), ("ruby", None, Some(33)));
    // The record was not written: its texts come again.
    let mut writer = NoteWriter::default();
    assert_eq!(writer.record(kind, &[described(5, "python3", 9)]), Some(&*lost));
    writer.note_failed();
    let again = writer.record(kind, &[described(5, "python3", 9)]).expect("a note").to_vec();
    assert_eq!(read(&[(kind, next), (kind, again)], 9)[1], described(5, "python3", 9));
}

#[test]
fn later_versions_may_append_to_an_entry() {
    let mut writer = NoteWriter::default();
    let kind = RecordKind::ENDED_PROCESSES;
    let mut record = writer.record(kind, &[ended(7, "a", 9)]).expect("a note").to_vec();
    // Head, one text of one byte, number of entries.
    let ofs_len = 12 + 5 + 4;
    let len = u32::from_le_bytes(*record[ofs_len..].first_chunk().expect("4 bytes"));
    record[ofs_len..ofs_len + 4].copy_from_slice(&(len + 3).to_le_bytes());
    record.extend_from_slice(b"new");
    assert_eq!(read(&[(kind, record)], 9), [ended(7, "a", 9)]);
}

#[test]
fn a_dictionary_stays_bounded() {
    let mut writer = NoteWriter::default();
    let kind = RecordKind::ENDED_PROCESSES;
    let mut known = Known::default();
    for number in 0..40 {
        let names: Vec<String> = (0..1000).map(|at| format!("process {number} {at}")).collect();
        let notes: Vec<ProcessNote> = names.iter().map(|name| ended(1, name, 9)).collect();
        let record = writer.record(kind, &notes).expect("notes").to_vec();
        let mut found = Vec::new();
        let _ = read_notes(Timestamp(9), kind, &record, &mut known, &mut |note| {
            found.push(note);
            ControlFlow::Continue(())
        })
        .expect("sound");
        assert_eq!(found, notes);
    }
}

/// A log as a source: descriptions until the end of the span, ends within it.
#[test]
fn a_log_gives_what_belongs_to_a_span() {
    let dir = tempfile::tempdir().expect("a directory");
    for len_chunk in [1, 8 << 20] {
        let path = dir.path().join(format!("{len_chunk}.rcap"));
        let options = WriterOptions { len_chunk, ..WriterOptions::default() };
        let mut writer = LogWriter::create(&path, options).expect("created");
        for time in 1..=4 {
            let notes = [described(time as u32, "python3", time), ended(time as u32, "sh", time)];
            writer.processes(Timestamp(time), &notes).expect("written");
        }
        writer.close().expect("closed");
        let source =
            CaptureSource::open(Box::new(std::fs::File::open(&path).expect("there"))).expect("a log");
        let mut found = Vec::new();
        let health = source.processes((Timestamp(2), Timestamp(3)), &mut |note| {
            found.push(note);
            ControlFlow::Continue(())
        });
        assert!(health.findings().is_empty());
        let expected = [
            described(1, "python3", 1),
            described(2, "python3", 2),
            ended(2, "sh", 2),
            described(3, "python3", 3),
            ended(3, "sh", 3),
        ];
        assert_eq!(found, expected);
        let mut num = 0;
        source.processes((Timestamp(1), Timestamp(9)), &mut |_| {
            num += 1;
            ControlFlow::Break(())
        });
        assert_eq!(num, 1);
    }
}

proptest! {
    /// Whatever the bytes: an error or notes, and no more memory than the record's length allows.
    #[test]
    fn any_bytes_are_read(mut record in proptest::collection::vec(any::<u8>(), 0..200), ended in any::<bool>(), at in 0_usize..200, byte in any::<u8>()) {
        let kind = if ended { RecordKind::ENDED_PROCESSES } else { RecordKind::PROCESSES };
        let _ = super::check_notes(Timestamp(1), kind, &record);
        let mut writer = NoteWriter::default();
        let notes = [described(5, "python3", 9), super::tests::ended(7, "cc1plus", 9)];
        record = writer.record(kind, &notes).expect("a note").to_vec();
        if let Some(place) = record.get_mut(at) {
            *place = byte;
        }
        let _ = super::check_notes(Timestamp(1), kind, &record);
    }
}
