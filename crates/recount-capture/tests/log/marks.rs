//! Marks: in a log like any event, appended to closed logs, and left next to those that are being written.

use recount_capture::{
    CaptureError, CaptureSource, Log, LogWriter, RecordKind, append_marks, mark_event, read_mark_request,
    repair, verify, write_mark_request,
};
use recount_model::{FindingKind, Mark, Sink, Source, Timestamp};

use crate::disk::{Disk, Operation, Outcome, after, killed_amid, power_cut};
use crate::frames::{INDEX, RECORD, frames};
use crate::reading::{Record, block_records, open, options, read, written};
use crate::series::{Machine, Random, START, time_of};

fn mark(seconds: i64, text: &str) -> Mark {
    Mark { time: Timestamp(START.0 + seconds * 10_000_000 + 3), text: text.to_owned() }
}

/// A closed log of chunks, and what is in it.
fn closed() -> (Vec<Record>, Vec<u8>) {
    let mut machine = Machine::new(5, 2);
    let records = block_records((0..30).map(|_| machine.sample()).collect());
    let file = written(&records, options(9_000), true);
    assert!(open(&file).num_chunks() > 2);
    (records, file)
}

/// Appends to a log in memory; returns the file.
fn marked(file: &[u8], marks: &[Mark]) -> Vec<u8> {
    let disk = disk_with(file);
    append_marks(Box::new(disk.clone()), &mut disk.clone(), marks).expect("appended");
    disk.bytes()
}

fn disk_with(file: &[u8]) -> Disk {
    use recount_capture::Storage;
    let mut disk = Disk::default();
    disk.write_at(0, file).expect("written");
    disk.sync().expect("synced");
    disk
}

/// Asserts that the blocks are unchanged and come first; returns the marks.
fn assert_blocks(log: &Log, records: &[Record], context: &str) -> Vec<Mark> {
    let found = read(log);
    assert!(found.len() >= records.len(), "{context}: {} records", found.len());
    for (at, record) in records.iter().enumerate() {
        let expected = (record.time, record.kind, Some(record.bytes.clone()));
        assert!(found[at] == expected, "{context}: record {at}");
    }
    let added = &found[records.len()..];
    assert!(added.iter().all(|(_, kind, _)| *kind == RecordKind::EVENT), "{context}");
    log.marks().expect("read")
}

#[test]
fn appended_marks_are_in_a_closed_log_that_is_as_sound_as_before() {
    let (records, file) = closed();
    let texts = ["deploy v42", "späť \u{1b}[31m\n\t", "deploy v42"];
    let marks = [mark(400, texts[0]), mark(3, texts[1]), mark(7, texts[2])];
    let mut now = file.clone();
    for one in &marks {
        now = marked(&now, std::slice::from_ref(one));
    }
    assert_eq!(now[..file.len()], file, "nothing that was there has changed");
    let kinds: Vec<u16> = frames(&now).iter().map(|frame| frame.kind).collect();
    assert_eq!(kinds[kinds.len() - 7..], [INDEX, RECORD, INDEX, RECORD, INDEX, RECORD, INDEX]);
    let mut expected = marks.to_vec();
    expected.sort();
    for log in [open(&now), Log::open_by_frames(Box::new(now.clone())).expect("opens")] {
        assert!(log.health().is_sound(), "{:?}", log.health());
        assert_eq!(assert_blocks(&log, &records, "marked"), expected);
    }
    assert!(open(&now).is_closed());
    let found = verify(Box::new(now.clone())).expect("a log");
    assert!(found.health.is_sound() && found.is_closed, "{:?}", found.health);
    let source = CaptureSource::open(Box::new(now)).expect("opens");
    assert_eq!(source.info().marks, expected);
    assert_eq!(source.times().len(), records.len());
    assert!((0..records.len()).all(|sample| source.epoch(sample) == 0), "marks are no steps of the clock");
    // Many at a time take one index.
    let at_once = marked(&file, &marks);
    assert_eq!(open(&at_once).marks().expect("read"), expected);
    assert_eq!(frames(&at_once).iter().filter(|frame| frame.kind == INDEX).count(), 2);
}

#[test]
fn a_mark_that_is_there_is_not_appended_again() {
    let (_, file) = closed();
    let one = mark(5, "once");
    let disk = disk_with(&file);
    let append = |marks: &[Mark]| append_marks(Box::new(disk.clone()), &mut disk.clone(), marks);
    let done = append(&[one.clone(), one.clone()]).expect("appended");
    assert_eq!((done.num_added, done.len_file), (1, disk.bytes().len() as u64));
    let before = disk.bytes();
    assert_eq!(append(std::slice::from_ref(&one)).expect("nothing to do").num_added, 0);
    assert_eq!(append(&[]).expect("nothing to do").num_added, 0);
    assert!(disk.bytes() == before);
    // Another time or another text is another mark.
    assert_eq!(append(&[mark(6, "once"), mark(5, "Once")]).expect("appended").num_added, 2);
}

#[test]
fn a_log_that_is_not_closed_is_left_alone() {
    let records = closed().0;
    for file in [written(&records, options(9_000), false), closed().1[..5_000].to_vec()] {
        let disk = disk_with(&file);
        let num_before = disk.num_operations();
        let error = append_marks(Box::new(disk.clone()), &mut disk.clone(), &[mark(1, "x")]);
        assert!(matches!(error, Err(CaptureError::NotClosed)), "{error:?}");
        assert_eq!(disk.num_operations(), num_before);
    }
}

/// Whatever is left of the append, all earlier records and marks are there; a repair makes the log whole.
#[test]
fn killed_or_without_power_while_a_mark_is_appended() {
    let (records, file) = closed();
    let before = mark(2, "before");
    let file = marked(&file, std::slice::from_ref(&before));
    let disk = disk_with(&file);
    let new = mark(9, "new");
    append_marks(Box::new(disk.clone()), &mut disk.clone(), std::slice::from_ref(&new)).expect("appended");
    let operations = disk.operations();
    let len_all = after(&operations).len();
    let mut random = Random(11);
    let (mut num_torn, mut num_with) = (0, 0);
    for num in 3..=operations.len() {
        for attempt in 0..300 {
            let context = format!("{num} operations, {attempt}");
            let cut = if attempt % 2 == 0 {
                killed_amid(&operations[..num], &mut random)
            } else {
                power_cut(&operations[..num], &mut random)
            };
            assert!(cut.len() <= len_all && cut[..file.len()] == file, "{context}");
            let log = open(&cut);
            let marks = assert_blocks(&log, &records, &context);
            let has_new = marks == [before.clone(), new.clone()];
            assert!(has_new || marks == std::slice::from_ref(&before), "{context}: {marks:?}");
            num_with += usize::from(has_new && !log.is_closed());
            num_torn += usize::from(!log.is_closed());
            let may_be = [FindingKind::Truncated, FindingKind::Damaged];
            let findings = log.health().findings();
            assert!(findings.iter().all(|found| may_be.contains(&found.kind)), "{context}: {findings:?}");
            if attempt % 30 < 2 {
                assert_repaired(cut, &records, &marks, &context);
            }
        }
    }
    // Or nothing was tested.
    assert!(num_torn > 100 && num_with > 5, "{num_torn}, {num_with}");
}

fn assert_repaired(cut: Vec<u8>, records: &[Record], marks: &[Mark], context: &str) {
    let out = tempfile::tempfile().expect("temporary file");
    repair(Box::new(cut), out.try_clone().expect("cloned")).expect("repaired");
    let log = Log::open(Box::new(out)).expect("opens");
    assert!(log.is_closed() && log.health().is_sound(), "{context}: {:?}", log.health());
    assert_eq!(assert_blocks(&log, records, context), marks);
}

#[test]
fn a_full_disk_leaves_the_log_as_it_was() {
    let (_, file) = closed();
    for (fails, len) in [("write", 0), ("write", 60), ("write", usize::MAX), ("sync", 0)] {
        let disk = Disk::new(move |number, operation| match operation {
            Operation::Write { .. } if number > 1 && fails == "write" => Outcome::Fails { len },
            Operation::Sync if number > 1 && fails == "sync" => Outcome::Fails { len: 0 },
            _ => Outcome::Done,
        });
        {
            use recount_capture::Storage;
            let mut disk = disk.clone();
            disk.write_at(0, &file).expect("written");
            disk.sync().expect("synced");
        }
        let error = append_marks(Box::new(disk.clone()), &mut disk.clone(), &[mark(1, "x")]);
        assert!(matches!(error, Err(CaptureError::Io(_))), "{error:?}");
        assert!(disk.bytes() == file, "{fails} {len}");
    }
}

/// What comes in as an event of the recorder is the same.
#[test]
fn marks_that_a_recorder_writes() {
    let mut machine = Machine::new(3, 2);
    for len_chunk in [1, 4_000, 1 << 20] {
        let disk = Disk::default();
        let mut writer = LogWriter::new(disk.clone(), options(len_chunk)).expect("new");
        let mut expected = Vec::new();
        for at in 0..12 {
            writer.block(time_of(at), &machine.sample()).expect("written");
            if at % 5 == 1 {
                let mark = Mark { time: time_of(at), text: format!("mark {at}") };
                writer.event(&mark_event(&mark)).expect("written");
                expected.push(mark);
            }
        }
        let source = CaptureSource::open(Box::new(disk)).expect("opens");
        assert_eq!(source.info().marks, expected, "{len_chunk}");
    }
}

#[test]
fn requests_are_for_one_log_and_whole() {
    let one = mark(4, "deploy \u{7} v42");
    let request = write_mark_request(0x1234_5678, &one);
    assert_eq!(read_mark_request(0x1234_5678, &request), Some(one));
    assert_eq!(read_mark_request(0x1234_5679, &request), None);
    for len in 0..request.len() {
        assert_eq!(read_mark_request(0x1234_5678, &request[..len]), None, "{len}");
    }
    for bit in 0..request.len() * 8 {
        let mut flipped = request.clone();
        flipped[bit / 8] ^= 1 << (bit % 8);
        assert_eq!(read_mark_request(0x1234_5678, &flipped), None, "bit {bit}");
    }
    // A frame of the log itself isn't one.
    let file = closed().1;
    let tag = open(&file).tag();
    for frame in frames(&file) {
        assert_eq!(read_mark_request(tag, &file[frame.place]), None);
    }
}

/// Marks next to the log count like its own; those in both places count once.
#[test]
fn marks_beside_the_log() {
    let (_, file) = closed();
    let (within, beside) = (mark(5, "within"), mark(1, "beside"));
    let file = marked(&file, std::slice::from_ref(&within));
    let mut log = open(&file);
    log.add_marks(vec![within.clone(), beside.clone()]);
    let source = CaptureSource::new(log).expect("a source");
    assert_eq!(source.info().marks, [beside, within]);
}
