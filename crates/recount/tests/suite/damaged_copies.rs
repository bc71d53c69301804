//! Files of one recording of which some are damaged, alternate or contradict each other, in any order.

use std::path::{Path, PathBuf};

use proptest::prelude::*;
use proptest::test_runner::RngSeed;
use recount::{ConvertOptions, NameTable, OutputFormat, Span, Target, TimeBound, Timeline, convert};
use recount_bytes::ByteOrder;
use recount_samples::other_logs::sa::{Entry, Writer};

use crate::recordings;

use recordings::{NUM, PCSW, path_of};

fn rows(paths: &[PathBuf]) -> Vec<String> {
    recordings::rows(&recount::open_all(paths, &NameTable::new()).expect("captures"))
}

fn write(folder: &Path, name: &str, bytes: &[u8]) -> PathBuf {
    let path = folder.join(name);
    std::fs::write(&path, bytes).expect("written");
    path
}

/// What is noted of two files, whichever is first; both orders give the same rows.
fn notes_of_both_orders(one: &Path, other: &Path, expected: &[String]) -> [String; 2] {
    [[one, other], [other, one]].map(|paths| {
        let paths = paths.map(Path::to_path_buf);
        let captures = recount::open_all(&paths, &NameTable::new()).expect("captures");
        let notes = format!("{:?}", Timeline::whole(&captures).expect("one time line").notes());
        assert_eq!(rows(&paths), expected, "{notes}");
        notes
    })
}

/// A file of some samples. Of those in `changed`, the context switches are others.
fn log(folder: &Path, name: &str, samples: &[usize], changed: &[usize]) -> PathBuf {
    let mut writer = Writer::new(0x2175, ByteOrder::Little, 8, &[PCSW]);
    for sample in samples {
        let step = *sample as u64;
        let more = u64::from(changed.contains(sample)) * 7;
        writer.record(1, 1_000 * step).quads(&[500 * step * step + more]).longs(&[20 + step]);
    }
    write(folder, name, &writer.bytes.all)
}

/// Which of three files has each sample: every one is in a file, and each file shares a sample with another.
fn three() -> impl Strategy<Value = [Vec<usize>; 3]> {
    let shared = (0..NUM, 0..NUM);
    (proptest::collection::vec(1_usize..8, NUM), shared).prop_map(|(of, (one, two))| {
        [0_usize, 1, 2].map(|file| {
            let has = |sample: &usize| {
                let is_shared = (*sample == one && file < 2) || (*sample == two && file > 0);
                of[*sample] >> file & 1 == 1 || is_shared
            };
            (0..NUM).filter(has).collect()
        })
    })
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(200))]

    #[test]
    fn three_files_that_alternate_give_the_whole(files in three()) {
        let folder = tempfile::tempdir().expect("a directory");
        let all: Vec<usize> = (0..NUM).collect();
        let whole = rows(&[log(folder.path(), "whole.sa", &all, &[])]);
        let paths: Vec<PathBuf> =
            (0..3).map(|at| log(folder.path(), &format!("{at}.sa"), &files[at], &[])).collect();
        prop_assert_eq!(rows(&paths), whole);
    }

    #[test]
    fn recordings_that_contradict_each_other_keep_all_rows(
        changed in proptest::collection::vec(0..NUM, 1..4),
        begin in 0..NUM - 1,
        is_turned in any::<bool>(),
    ) {
        let folder = tempfile::tempdir().expect("a directory");
        let all: Vec<usize> = (0..NUM).collect();
        let later: Vec<usize> = (begin..NUM).collect();
        let mut paths = vec![
            log(folder.path(), "one.sa", &all, &[]),
            log(folder.path(), "other.sa", &later, &changed),
        ];
        if is_turned {
            paths.reverse();
        }
        let is_changed = changed.iter().any(|sample| later.contains(sample));
        let mut expected = rows(&paths[usize::from(is_turned)..=usize::from(is_turned)]);
        if is_changed {
            let other = rows(&paths[usize::from(!is_turned)..=usize::from(!is_turned)]);
            expected = recordings::of_two_recordings(expected, other);
        }
        prop_assert_eq!(rows(&paths), expected);
    }
}

proptest! {
    // The same damage each time.
    #![proptest_config(ProptestConfig {
        cases: 60,
        rng_seed: RngSeed::Fixed(1),
        failure_persistence: None,
        ..ProptestConfig::default()
    })]

    #[test]
    fn a_damaged_copy_takes_nothing_from_the_whole(
        flips in proptest::collection::vec((0.02_f64..1.0, 0_u32..8), 1..5),
        sample in prop::sample::select(vec!["circular.blg", "objects.blg"]),
        is_first in any::<bool>(),
    ) {
        let folder = tempfile::tempdir().expect("a directory");
        let mut bytes = std::fs::read(path_of(sample)).expect("a sample");
        let whole = write(folder.path(), "whole.blg", &bytes);
        for (place, bit) in flips {
            let at = ((bytes.len() - 1) as f64 * place) as usize;
            bytes[at] ^= 1 << bit;
        }
        let damaged = write(folder.path(), "damaged.blg", &bytes);
        let Ok(captures) = recount::open_all(&[damaged.clone(), whole.clone()], &NameTable::new()) else {
            return Ok(());
        };
        // A flipped time is another sample, between two of the whole.
        let of = |at: usize| captures[at].source.times().to_vec();
        prop_assume!(captures.len() == 2 && of(0).iter().all(|time| of(1).contains(time)));
        let mut paths = vec![damaged, whole.clone()];
        if !is_first {
            paths.reverse();
        }
        let found = rows(&paths);
        let missing: Vec<String> = rows(&[whole]).into_iter().filter(|row| !found.contains(row)).collect();
        prop_assert!(missing.is_empty(), "{} rows, first {}", missing.len(), missing[0]);
    }
}

/// A flipped bit in a definition, or in the id of an instance, reads as sound.
#[test]
fn a_copy_with_a_damaged_definition_takes_nothing_from_the_whole() {
    const INDEX_OF_DISKS: [u8; 4] = [234, 0, 0, 0];
    let folder = tempfile::tempdir().expect("a directory");
    let bytes = std::fs::read(path_of("objects.blg")).expect("a sample");
    let whole = path_of("objects.blg");
    let expected = rows(std::slice::from_ref(&whole));
    let block: Vec<u8> = "PERF".encode_utf16().flat_map(u16::to_le_bytes).collect();
    let of_disks =
        |at: &usize| bytes[*at..].starts_with(&block) && bytes[at + 104 + 12..].starts_with(&INDEX_OF_DISKS);
    let blocks: Vec<usize> = (0..bytes.len() - 800).filter(of_disks).collect();
    assert!(blocks.len() > 5, "{blocks:?}");
    let begin = blocks[3] + 104;
    // The object and its first counters, and the first instance.
    for at in (begin..begin + 144).chain(begin + 344..begin + 368) {
        let mut damaged = bytes.clone();
        damaged[at] ^= 1 << (at % 8);
        let damaged = write(folder.path(), "damaged.blg", &damaged);
        for paths in [[damaged.clone(), whole.clone()], [whole.clone(), damaged.clone()]] {
            let found = rows(&paths);
            let missing: Vec<&String> = expected.iter().filter(|row| !found.contains(row)).collect();
            assert!(missing.is_empty(), "byte {}: {missing:?}", at - begin);
        }
    }
}

/// In each of the two files, other instances of the same samples are lost.
#[test]
fn what_each_of_two_damaged_copies_has_is_put_together() {
    let folder = tempfile::tempdir().expect("a directory");
    let bytes = std::fs::read(path_of("circular.blg")).expect("a sample");
    let whole = rows(&[path_of("circular.blg")]);
    let name: Vec<u8> = "process 2".encode_utf16().flat_map(u16::to_le_bytes).collect();
    let places: Vec<usize> =
        bytes.windows(name.len()).enumerate().filter(|(_, found)| *found == name).map(|(at, _)| at).collect();
    assert!(places.len() > 20, "{}", places.len());
    let damaged = |file: &str, at: usize| {
        let mut bytes = bytes.clone();
        bytes[at] = b'b';
        write(folder.path(), file, &bytes)
    };
    let (one, two) = (damaged("one.blg", places[10]), damaged("two.blg", places[12]));
    for paths in [[one.clone(), two.clone()], [two, one]] {
        let found = rows(&paths);
        let missing: Vec<&String> = whole.iter().filter(|row| !found.contains(row)).collect();
        assert!(missing.is_empty(), "{missing:#?}");
    }
}

/// So many changes from one file to the other that they are read as one.
#[test]
fn files_that_alternate_often_give_the_whole() {
    let folder = tempfile::tempdir().expect("a directory");
    let file = |name: &str, is_of: &dyn Fn(u64) -> bool| {
        let mut writer = Writer::new(0x2175, ByteOrder::Little, 8, &[PCSW]);
        for step in (0..800).filter(|step| is_of(*step)) {
            writer.record(1, 1_000 * step).quads(&[500 * step * step]).longs(&[20 + step]);
        }
        write(folder.path(), name, &writer.bytes.all)
    };
    let whole = rows(&[file("whole.sa", &|_| true)]);
    let parts =
        [file("even.sa", &|step| step % 2 == 0), file("odd.sa", &|step| step % 2 == 1 || step == 400)];
    assert_eq!(whole.len(), 1_600);
    assert_eq!(rows(&parts), whole);
}

/// A byte of its frame of names is another, so that it knows objects and counters by numbers.
#[test]
fn a_copy_that_lost_its_names_adds_nothing() {
    const IN_NAMES: usize = 460;
    let folder = tempfile::tempdir().expect("a directory");
    let mut bytes = std::fs::read(path_of("rcap-1/closed.rcap")).expect("a sample");
    let log = write(folder.path(), "log.rcap", &bytes);
    let whole = rows(std::slice::from_ref(&log));
    bytes[IN_NAMES] ^= 4;
    let nameless = write(folder.path(), "nameless.rcap", &bytes);
    let alone = rows(std::slice::from_ref(&nameless));
    assert_eq!(alone.len(), whole.len());
    assert_ne!(alone, whole);
    notes_of_both_orders(&log, &nameless, &whole);
}

/// Its first pages are zeros: it lost its id, its facts and its names, by which it knows which process an instance is.
#[test]
fn a_copy_that_lost_its_first_pages_adds_nothing() {
    let folder = tempfile::tempdir().expect("a directory");
    let mut bytes = std::fs::read(path_of("moved/disk-writer.rcap")).expect("a sample");
    let log = write(folder.path(), "log.rcap", &bytes);
    let whole = rows(std::slice::from_ref(&log));
    bytes[..4096].fill(0);
    let damaged = write(folder.path(), "damaged.rcap", &bytes);
    let alone = rows(std::slice::from_ref(&damaged));
    assert!(alone.len() == whole.len() && alone.iter().all(|row| !row.contains("% Processor Time")));
    notes_of_both_orders(&log, &damaged, &whole);
}

/// Without its facts, it doesn't know its machine, when that was booted and its zone.
#[test]
fn a_copy_that_lost_its_facts_adds_nothing() {
    const IN_FACTS: usize = 0x100;
    let folder = tempfile::tempdir().expect("a directory");
    for (sample, is_id_kept) in [("sealing", true), ("sealing", false), ("killed", true)] {
        let mut bytes = std::fs::read(path_of(&format!("rcap-1/{sample}.rcap"))).expect("a sample");
        let log = write(folder.path(), "log.rcap", &bytes);
        let whole = rows(std::slice::from_ref(&log));
        bytes[IN_FACTS] ^= 4;
        if !is_id_kept {
            // In the header.
            bytes[30] ^= 4;
        }
        let hostless = write(folder.path(), "hostless.rcap", &bytes);
        let opened = recount::open(&hostless).expect("a log");
        assert!(opened.source.info().hosts.is_empty(), "{sample}");
        for paths in [[log.clone(), hostless.clone()], [hostless.clone(), log]] {
            assert_eq!(rows(&paths), whole, "{sample}, {is_id_kept}");
        }
    }
}

/// A chunk of the log is lost, and with it that the clock was set.
#[test]
fn a_copy_that_lost_when_its_clock_was_set_adds_nothing() {
    const IN_CHUNK: usize = 7_766;
    let folder = tempfile::tempdir().expect("a directory");
    let mut bytes = std::fs::read(path_of("rcap-1/closed.rcap")).expect("a sample");
    let log = write(folder.path(), "log.rcap", &bytes);
    let whole = rows(std::slice::from_ref(&log));
    bytes[IN_CHUNK] ^= 0x10;
    let damaged = write(folder.path(), "damaged.rcap", &bytes);
    let alone = rows(std::slice::from_ref(&damaged));
    let invented: Vec<&String> =
        alone.iter().filter(|row| !whole.contains(row) && row.contains("|ok")).collect();
    assert!(invented.iter().all(|row| row.contains("None")), "{invented:#?}");
    notes_of_both_orders(&log, &damaged, &whole);
}

/// A sample's head is zeros, and the time in it, or the time alone.
#[test]
fn a_stream_that_lost_a_sample_adds_nothing() {
    const HEAD: usize = 0xb08;
    let folder = tempfile::tempdir().expect("a directory");
    let whole_bytes = std::fs::read(path_of("session.pcq")).expect("a sample");
    let stream = write(folder.path(), "stream.pcq", &whole_bytes);
    let whole = rows(std::slice::from_ref(&stream));
    for damaged in [HEAD + 48..HEAD + 96, HEAD + 16..HEAD + 96, HEAD..HEAD + 8] {
        let mut bytes = whole_bytes.clone();
        bytes[damaged].fill(0);
        let damaged = write(folder.path(), "damaged.pcq", &bytes);
        notes_of_both_orders(&stream, &damaged, &whole);
    }
}

/// CPUs, whose values depend on earlier samples.
const CPU: Entry = (1, 0x8b, 3, true, 80, [10, 0, 0]);
const LEN_HEAD: usize = 24;

/// What is in a file made of records.
#[derive(Clone, Copy)]
struct Records {
    num: usize,
    /// The machine was restarted before this sample.
    restart: Option<usize>,
    /// Ticks that a CPU has counted; 0: it is off.
    ticks: fn(usize) -> u64,
}

impl Records {
    /// The bytes, and where the head of each record is.
    fn bytes(&self) -> (Vec<u8>, Vec<usize>) {
        let mut writer = Writer::new(0x2175, ByteOrder::Little, 8, &[CPU, PCSW]);
        let mut heads = Vec::new();
        for sample in 0..self.num {
            let step = sample as u64;
            if self.restart == Some(sample) {
                heads.push(writer.bytes.all.len());
                writer.restart(1_000 * step - 500);
            }
            heads.push(writer.bytes.all.len());
            let bytes = writer.record(1, 1_000 * step);
            bytes.put(3_u32).quads(&[0; 10]);
            for ticks in [1_000 + 10 * step, (self.ticks)(sample)] {
                bytes.quads(&[ticks, 0, 0, ticks, 0, 0, 0, 0, 0, 0]);
            }
            bytes.quads(&[500 * step * step]).longs(&[20 + step]);
        }
        (writer.bytes.all, heads)
    }

    /// A file without the heads of some records.
    fn write(&self, folder: &Path, name: &str, lost: &[usize]) -> PathBuf {
        let (mut bytes, heads) = self.bytes();
        for head in lost {
            bytes[heads[*head]..heads[*head] + LEN_HEAD].fill(0xff);
        }
        write(folder, name, &bytes)
    }
}

/// The second CPU goes off, comes back and goes off again.
fn coming_and_going(sample: usize) -> u64 {
    if [3, 4, 8, 15, 16].contains(&sample) { 0 } else { 5_000 + 70 * sample as u64 }
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(120))]

    #[test]
    fn a_copy_that_lost_records_adds_nothing(
        lost in proptest::collection::vec(0_usize..20, 1..4),
        restart in proptest::option::of(1_usize..20),
        is_steady in any::<bool>(),
        is_first in any::<bool>(),
    ) {
        let folder = tempfile::tempdir().expect("a directory");
        let ticks: fn(usize) -> u64 = if is_steady { |sample| 50 * sample as u64 + 1 } else { coming_and_going };
        let records = Records { num: 20, restart, ticks };
        let whole = records.write(folder.path(), "whole.sa", &[]);
        let damaged = records.write(folder.path(), "damaged.sa", &lost);
        let mut paths = [damaged, whole.clone()];
        if !is_first {
            paths.reverse();
        }
        prop_assert_eq!(rows(&paths), rows(&[whole]));
    }

    /// Each has what the other lost.
    #[test]
    fn copies_that_lost_different_records_give_the_whole(
        of_one in 1_usize..19,
        of_other in 1_usize..19,
    ) {
        // A sample that seems to be longer is left out, too.
        prop_assume!(of_one.abs_diff(of_other) > 2);
        let folder = tempfile::tempdir().expect("a directory");
        let records = Records { num: 20, restart: None, ticks: |sample| 50 * sample as u64 + 1 };
        let whole = rows(&[records.write(folder.path(), "whole.sa", &[])]);
        let one = records.write(folder.path(), "one.sa", &[of_one]);
        let other = records.write(folder.path(), "other.sa", &[of_other]);
        prop_assert_eq!(rows(&[one.clone(), other.clone()]), whole.clone());
        prop_assert_eq!(rows(&[other, one]), whole);
    }
}

/// In each of the files, another disk of a sample has another number, so that it is made of both. Sensors have computed values.
#[test]
fn computed_values_of_a_sample_that_is_put_together_are_there_once() {
    const DISKS: Entry = (11, 0x8c, 2, true, 80, [3, 3, 8]);
    const FANS: Entry = (31, 0x8a, 2, true, 40, [2, 0, 0]);
    let folder = tempfile::tempdir().expect("a directory");
    let file = |name: &str, changed: Option<usize>| {
        let mut writer = Writer::new(0x2175, ByteOrder::Little, 8, &[DISKS, FANS]);
        for step in 0..5 {
            let bytes = writer.record(1, 1_000 * step);
            bytes.put(2_u32);
            for disk in 0..2 {
                let is_changed = step == 2 && changed == Some(disk);
                let minor = 16 * disk as u32 + u32::from(is_changed);
                bytes.quads(&[50 * step, 0, 0]).longs(&[400 * step, 800 * step, 0]);
                bytes.words(&[100, 300, 250, 400].map(|ms| ms * step as u32)).words(&[8, minor, 0, 0]);
            }
            bytes.put(2_u32);
            for fan in ["front", "back"] {
                bytes.quads(&[1_200_f64, 600.0].map(f64::to_bits)).text(fan, 20).zeros(4);
            }
        }
        write(folder.path(), name, &writer.bytes.all)
    };
    let whole = rows(&[file("whole.sa", None)]);
    let fans = |rows: &[String]| -> Vec<String> {
        rows.iter().filter(|row| row.contains("sar.pwr_fan")).cloned().collect()
    };
    assert_eq!(fans(&whole).len(), 5 * 2 * 2);
    let (one, other) = (file("one.sa", Some(0)), file("other.sa", Some(1)));
    for paths in [[one.clone(), other.clone()], [other, one]] {
        let found = rows(&paths);
        assert_eq!(fans(&found), fans(&whole));
        assert!(found.len() > whole.len());
    }
}

/// Where the damaged file begins again after a loss, the table knows the interval of a number, and its rates.
#[test]
fn a_table_beside_a_copy_that_lost_records_gives_the_whole() {
    let folder = tempfile::tempdir().expect("a directory");
    let records = Records { num: 20, restart: Some(9), ticks: |sample| 50 * sample as u64 + 1 };
    let whole = records.write(folder.path(), "whole.sa", &[]);
    let expected = rows(std::slice::from_ref(&whole));
    let table = table_of(folder.path(), &whole);
    for lost in [&[6][..], &[0], &[8, 9], &[10], &[3, 13, 14]] {
        let damaged = records.write(folder.path(), "damaged.sa", lost);
        assert_eq!(rows(&[damaged.clone(), table.clone()]), expected, "{lost:?}");
        assert_eq!(rows(&[table.clone(), damaged]), expected, "{lost:?}");
    }
}

/// The table of a capture.
fn table_of(folder: &Path, capture: &Path) -> PathBuf {
    let table = folder.join("table.parquet");
    let timeline = recount::open(capture).expect("a capture").timeline();
    let options = ConvertOptions::default();
    convert(&timeline, &Target::Path(table.clone()), &options, &recount::unwatched).expect("a table");
    table
}

/// A machine slept, and the first sample after that is lost: the table has the interval of the next one.
#[test]
fn a_table_knows_the_interval_after_a_loss_behind_a_jump_of_the_clock() {
    let folder = tempfile::tempdir().expect("a directory");
    let whole = path_of("rcap-1/closed.rcap");
    let mut bytes = std::fs::read(&whole).expect("a sample");
    bytes[7_845..7_849].fill(b'S');
    let damaged = write(folder.path(), "damaged.rcap", &bytes);
    let table = table_of(folder.path(), &whole);
    let expected = rows(std::slice::from_ref(&table));
    notes_of_both_orders(&damaged, &table, &expected);
}

/// What happened in the loss isn't known: the counters of the second file rise, but it is of another boot.
#[test]
fn a_loss_joins_nothing_across_a_restart() {
    let folder = tempfile::tempdir().expect("a directory");
    let records = Records { num: 12, restart: Some(6), ticks: |sample| 50 * sample as u64 + 1 };
    let whole = rows(&[records.write(folder.path(), "whole.sa", &[])]);
    // The restart and the samples next to it.
    let lost = records.write(folder.path(), "lost.sa", &[5, 6, 7]);
    let copy = records.write(folder.path(), "copy.sa", &[5, 6, 7]);
    let alone = rows(std::slice::from_ref(&lost));
    assert_eq!(rows(&[lost.clone(), copy]), alone);
    assert_eq!(rows(&[lost, folder.path().join("whole.sa")]), whole);
}

/// Without the names of its counters, it doesn't know which processes began anew: the sound log's values count.
#[test]
fn a_copy_that_lost_its_names_takes_nobodys_place() {
    let folder = tempfile::tempdir().expect("a directory");
    let mut bytes = std::fs::read(path_of("moved/disk-writer.rcap")).expect("a sample");
    let log = write(folder.path(), "log.rcap", &bytes);
    let whole = rows(std::slice::from_ref(&log));
    bytes[700..1100].fill(0);
    let nameless = write(folder.path(), "nameless.rcap", &bytes);
    for paths in [[log.clone(), nameless.clone()], [nameless.clone(), log]] {
        assert!(rows(&paths) == whole);
    }
}

/// The header is lost, and with it more and more of the facts and names.
#[test]
fn a_copy_without_its_beginning_adds_nothing() {
    let folder = tempfile::tempdir().expect("a directory");
    let bytes = std::fs::read(path_of("rcap-1/closed.rcap")).expect("a sample");
    let log = write(folder.path(), "log.rcap", &bytes);
    let whole = rows(std::slice::from_ref(&log));
    for len in [64, 200, 450, 600, 1_000, 1_500] {
        let rest = write(folder.path(), "rest.rcap", &bytes[len..]);
        notes_of_both_orders(&log, &rest, &whole);
    }
}

/// A log was cut off while records were sealed, and the head of its facts is damaged: that isn't what sealing leaves.
#[test]
fn lost_facts_are_reported_beside_an_interrupted_sealing() {
    const FACTS: usize = 0x45;
    let folder = tempfile::tempdir().expect("a directory");
    let sound = std::fs::read(path_of("rcap-1/sealing.rcap")).expect("a sample");
    let log = write(folder.path(), "log.rcap", &sound);
    let whole = rows(std::slice::from_ref(&log));
    for at in 0..20 {
        let mut bytes = sound.clone();
        bytes[FACTS + at] ^= 8;
        let hostless = write(folder.path(), "hostless.rcap", &bytes);
        let opened = recount::open(&hostless).expect("a log");
        assert!(opened.source.info().hosts.is_empty() && !opened.health().is_complete(), "{at}");
        assert_eq!(rows(&[log.clone(), hostless]), whole, "{at}");
    }
}

/// Zeros that begin in a sample have taken the names of its instances.
#[test]
fn a_sample_whose_end_is_zeros_is_lost() {
    let folder = tempfile::tempdir().expect("a directory");
    let sound = std::fs::read(path_of("circular.blg")).expect("a sample");
    let log = write(folder.path(), "log.blg", &sound);
    let whole = rows(std::slice::from_ref(&log));
    for begin in (70_000..94_000).step_by(1_237) {
        let mut bytes = sound.clone();
        bytes[begin..begin + 4_000].fill(0);
        let damaged = write(folder.path(), "damaged.blg", &bytes);
        for paths in [[log.clone(), damaged.clone()], [damaged.clone(), log.clone()]] {
            assert_eq!(rows(&paths), whole, "{begin}");
        }
    }
}

/// The log that is made of a file has its corrections of the CPUs, which depend on earlier samples.
#[test]
fn a_log_made_of_a_file_with_corrections_is_a_copy_of_it() {
    let folder = tempfile::tempdir().expect("a directory");
    let records = Records { num: 20, restart: None, ticks: coming_and_going };
    let file = records.write(folder.path(), "file.sa", &[]);
    let whole = rows(std::slice::from_ref(&file));
    let capture = recount::open(&file).expect("a file");
    for first in [0, 2, 5, 10, 17] {
        let begin = Some(TimeBound::Utc(capture.source.times()[first].utc));
        let span = Span { begin, ..Span::default() };
        let timeline = Timeline::of(std::slice::from_ref(&capture), &span).expect("a span");
        let log = folder.path().join(format!("{first}.blg"));
        let mut options = ConvertOptions::default();
        options.format = OutputFormat::Blg;
        convert(&timeline, &Target::Path(log.clone()), &options, &recount::unwatched).expect("a log");
        for paths in [[file.clone(), log.clone()], [log.clone(), file.clone()]] {
            let captures = recount::open_all(&paths, &NameTable::new()).expect("captures");
            let notes = Timeline::whole(&captures).expect("one time line").notes().clone();
            assert!(!format!("{notes:?}").contains("other values"), "{first}: {notes:?}");
            assert_eq!(rows(&paths), whole, "{first}");
        }
    }
}

/// Bytes that are other ones change values or names of a sample. The file says that it is damaged, in another place, so the
/// sound one counts; and a note says it.
#[test]
fn a_sound_capture_counts_where_a_damaged_one_contradicts_it() {
    let folder = tempfile::tempdir().expect("a directory");
    let sound = std::fs::read(path_of("circular.blg")).expect("a sample");
    let log = write(folder.path(), "log.blg", &sound);
    let whole = rows(std::slice::from_ref(&log));
    let mut num_contradicting = 0;
    for begin in (40_000..90_000).step_by(3_001) {
        let mut bytes = sound.clone();
        for byte in &mut bytes[begin..begin + 300] {
            *byte = byte.wrapping_mul(7).wrapping_add(13);
        }
        // The marker of another event.
        bytes[0x160c8 + 3] = 0;
        let damaged = write(folder.path(), "damaged.blg", &bytes);
        for paths in [[log.clone(), damaged.clone()], [damaged.clone(), log.clone()]] {
            let captures = recount::open_all(&paths, &NameTable::new()).expect("captures");
            let is_damaged = captures.iter().any(|capture| !capture.source.health().is_complete());
            let notes = format!("{:?}", Timeline::whole(&captures).expect("one time line").notes());
            assert!(is_damaged && !notes.contains("both are kept"), "{begin}: {notes}");
            num_contradicting += usize::from(notes.contains("which is sound"));
            assert_eq!(rows(&paths), whole, "{begin}");
        }
    }
    assert!(num_contradicting > 4, "{num_contradicting}");
}

/// Without its text an object is known by its identifier only: its values are those of the object that has a name in the whole file.
#[test]
fn a_copy_that_lost_what_its_names_are_adds_nothing() {
    let folder = tempfile::tempdir().expect("a directory");
    let bytes = std::fs::read(path_of("session.pcq")).expect("a sample");
    let stream = write(folder.path(), "stream.pcq", &bytes);
    let whole = rows(std::slice::from_ref(&stream));
    let dropped = [&bytes[..1544], &bytes[1584..]].concat();
    notes_of_both_orders(&stream, &write(folder.path(), "dropped.pcq", &dropped), &whole);
    let mut zeros = bytes;
    zeros[393..793].fill(0);
    notes_of_both_orders(&stream, &write(folder.path(), "zeros.pcq", &zeros), &whole);
}

/// Nothing says which of the two has the false name.
#[test]
fn the_same_values_under_another_name_are_noted() {
    let folder = tempfile::tempdir().expect("a directory");
    let mut bytes = std::fs::read(path_of("session.pcq")).expect("a sample");
    let stream = write(folder.path(), "stream.pcq", &bytes);
    bytes[1228] ^= 8;
    let flipped = write(folder.path(), "flipped.pcq", &bytes);
    let mut both = [rows(std::slice::from_ref(&stream)), rows(std::slice::from_ref(&flipped))].concat();
    both.sort();
    both.dedup();
    for notes in notes_of_both_orders(&stream, &flipped, &both) {
        assert!(notes.contains("Itmms/sec") && notes.contains("a name is damaged"), "{notes}");
    }
}

#[test]
fn the_same_values_under_another_name_than_in_a_table_are_noted() {
    let folder = tempfile::tempdir().expect("a directory");
    let log = path_of("circular.blg");
    let mut bytes = std::fs::read(&log).expect("a sample");
    let name: Vec<u8> = "process 1".encode_utf16().flat_map(u16::to_le_bytes).collect();
    let place = bytes.windows(name.len()).rposition(|bytes| bytes == name).expect("the name of an instance");
    bytes[place] ^= 1;
    let renamed = write(folder.path(), "renamed.blg", &bytes);
    let table = table_of(folder.path(), &log);
    let both = rows(&[table.clone(), renamed.clone()]);
    let num_renamed = both.iter().filter(|row| row.contains("qrocess")).count();
    assert_eq!((both.len(), num_renamed), (rows(std::slice::from_ref(&table)).len() + 1, 1));
    for notes in notes_of_both_orders(&table, &renamed, &both) {
        assert!(notes.contains("qrocess 1") && notes.contains("a name is damaged"), "{notes}");
    }
}

/// A flipped bit of a time, which nothing else contradicts: its sample comes between others, or behind them.
#[test]
fn a_sample_with_a_false_time_is_left_out() {
    let folder = tempfile::tempdir().expect("a directory");
    let all: Vec<usize> = (0..NUM).collect();
    let whole_log = log(folder.path(), "log.sa", &all, &[]);
    let whole = rows(std::slice::from_ref(&whole_log));
    let bytes = std::fs::read(&whole_log).expect("a file");
    let time = 1_769_904_070_u64.to_le_bytes();
    let place = bytes.windows(8).position(|bytes| bytes == time).expect("the time of a sample");
    for bit in [0, 2, 5, 12] {
        let mut damaged = bytes.clone();
        damaged[place + bit / 8] ^= 1 << (bit % 8);
        let damaged = write(folder.path(), "damaged.sa", &damaged);
        for notes in notes_of_both_orders(&whole_log, &damaged, &whole) {
            assert!(notes.contains("its time is damaged"), "{bit}: {notes}");
        }
    }
}

/// A file of some samples, which have the same values.
fn constant_log(folder: &Path, name: &str, samples: &[usize]) -> PathBuf {
    let mut writer = Writer::new(0x2175, ByteOrder::Little, 8, &[PCSW]);
    for sample in samples {
        writer.record(1, 1_000 * *sample as u64).quads(&[500]).longs(&[20]);
    }
    write(folder, name, &writer.bytes.all)
}

/// All samples have the same values: the two are close in time, or one of them isn't where a sample is usually taken.
#[test]
fn a_sample_with_a_false_time_among_equal_ones_is_left_out() {
    let folder = tempfile::tempdir().expect("a directory");
    let all: Vec<usize> = (0..NUM).collect();
    let whole_log = constant_log(folder.path(), "log.sa", &all);
    let whole = rows(std::slice::from_ref(&whole_log));
    let bytes = std::fs::read(&whole_log).expect("a file");
    for (second, bit) in [(1_769_904_070_u64, 0), (1_769_904_070, 2), (1_769_904_110, 0)] {
        let time = second.to_le_bytes();
        let place = bytes.windows(8).position(|bytes| bytes == time).expect("the time of a sample");
        let mut damaged = bytes.clone();
        damaged[place] ^= 1 << bit;
        let damaged = write(folder.path(), "damaged.sa", &damaged);
        for notes in notes_of_both_orders(&whole_log, &damaged, &whole) {
            assert!(notes.contains("its time is damaged"), "{second}, {bit}: {notes}");
        }
    }
}

/// The time of a sample is the clock of its rates, too.
#[test]
fn an_archive_with_a_false_time_adds_nothing() {
    let folder = tempfile::tempdir().expect("a directory");
    let whole_archive = path_of("pcp/web1.meta");
    let whole = rows(std::slice::from_ref(&whole_archive));
    let archive = folder.path().join("flipped.meta");
    std::fs::copy(&whole_archive, &archive).expect("copied");
    let mut bytes = std::fs::read(path_of("pcp/web1.0")).expect("a sample");
    let time = 1_769_904_020_u32.to_be_bytes();
    let place = bytes.windows(4).position(|bytes| bytes == time).expect("the time of a sample");
    bytes[place + 3] ^= 1;
    write(folder.path(), "flipped.0", &bytes);
    for notes in notes_of_both_orders(&whole_archive, &archive, &whole) {
        assert!(notes.contains("its time is damaged"), "{notes}");
    }
}

#[test]
fn samples_that_each_of_two_files_has_alone_are_two_even_with_equal_values() {
    let folder = tempfile::tempdir().expect("a directory");
    let without = |name: &str, lost: &[usize]| {
        let samples: Vec<usize> = (0..NUM).filter(|sample| !lost.contains(sample)).collect();
        constant_log(folder.path(), name, &samples)
    };
    let whole = rows(&[without("log.sa", &[])]);
    for notes in notes_of_both_orders(&without("one.sa", &[5]), &without("other.sa", &[6]), &whole) {
        assert!(!notes.contains("damaged"), "{notes}");
    }
}

/// A byte of the machine's name: nothing is counted together, and a note says that every value is there twice.
#[test]
fn the_same_values_of_another_machine_are_noted() {
    let folder = tempfile::tempdir().expect("a directory");
    let mut bytes = std::fs::read(path_of("sysstat.sa")).expect("a sample");
    let log = write(folder.path(), "log.sa", &bytes);
    let place = bytes.windows(4).position(|bytes| bytes == b"web1").expect("the name of the machine");
    bytes[place + 3] = b'3';
    let renamed = write(folder.path(), "renamed.sa", &bytes);
    let mut both = [rows(std::slice::from_ref(&log)), rows(std::slice::from_ref(&renamed))].concat();
    both.sort();
    for notes in notes_of_both_orders(&log, &renamed, &both) {
        assert!(notes.contains("a machine's name is damaged"), "{notes}");
    }
}
