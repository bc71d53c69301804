//! Several files of one recording, in any order and overlapping: every sample counts once.

use std::ops::Range;
use std::path::{Path, PathBuf};

use proptest::prelude::*;
use recount::{Batches, Capture, ConvertOptions, NameTable, OutputFormat, Span, Target, TimeBound, convert};
use recount_bytes::ByteOrder;
use recount_model::FindingKind;
use recount_samples::other_logs::sa::{Entry, Writer};

/// Context switches and new processes.
const PCSW: Entry = (2, 0x8b, 1, false, 16, [1, 1, 0]);
const NUM: usize = 12;

fn path_of(sample: &str) -> PathBuf {
    Path::new(env!("CARGO_MANIFEST_DIR")).join("../../samples").join(sample)
}

/// A recording that can be cut: a file of some of its samples.
trait Recording {
    fn cut(&self, samples: &[usize], at: &Path);
    const SUFFIX: &'static str;
}

/// PDH text: a rate whose first value is missing, and a number.
struct Text;

fn line(sample: usize) -> String {
    let rate = if sample == 0 { " ".to_owned() } else { format!("{}.5", sample * sample) };
    format!("\"03/02/2024 10:00:{sample:02}.250\",\"{rate}\",\"{}\"\r\n", sample % 3)
}

const HEADER: &str =
    "\"(PDH-CSV 4.0) (UTC)(0)\",\"\\\\WEB1\\System\\Context Switches/sec\",\"\\\\WEB1\\System\\Threads\"\r\n";

impl Recording for Text {
    const SUFFIX: &'static str = "csv";

    fn cut(&self, samples: &[usize], at: &Path) {
        let lines: String = samples.iter().map(|sample| line(*sample)).collect();
        std::fs::write(at, HEADER.to_owned() + &lines).expect("written");
    }
}

/// A log of sysstat, which says since when its counters count.
struct Sysstat;

impl Recording for Sysstat {
    const SUFFIX: &'static str = "sa";

    fn cut(&self, samples: &[usize], at: &Path) {
        let mut writer = Writer::new(0x2175, ByteOrder::Little, 8, &[PCSW]);
        for sample in samples {
            let step = *sample as u64;
            writer.record(1, 1_000 * step).quads(&[500 * step * step]).longs(&[20 + step]);
        }
        std::fs::write(at, &writer.bytes.all).expect("written");
    }
}

/// A `.blg`, which doesn't say so.
struct Blg(Capture);

impl Blg {
    fn new() -> Blg {
        Blg(recount::open(path_of("objects.blg")).expect("a sample"))
    }

    fn num(&self) -> usize {
        self.0.source.times().len()
    }
}

impl Recording for Blg {
    const SUFFIX: &'static str = "blg";

    fn cut(&self, samples: &[usize], at: &Path) {
        let time = |at: Option<&usize>| Some(TimeBound::Utc(self.0.source.times()[*at?].utc));
        let mut options = ConvertOptions::default();
        options.format = OutputFormat::Blg;
        options.span = Span { begin: time(samples.first()), end: time(samples.last()), ..Span::default() };
        convert(std::slice::from_ref(&self.0), &Target::Path(at.to_path_buf()), &options, &|_| ())
            .expect("cut");
    }
}

fn open(paths: &[PathBuf]) -> Vec<Capture> {
    recount::open_all(paths, &NameTable::new()).expect("captures")
}

/// All rows of the tidy table, sorted.
fn rows(captures: &[Capture]) -> Vec<String> {
    let mut rows = Vec::new();
    for batch in Batches::of(captures) {
        let batch = batch.expect("a batch");
        let columns: Vec<_> = batch
            .columns()
            .iter()
            .zip(batch.schema().fields())
            .filter(|(_, field)| field.name() != "capture")
            .map(|(column, _)| column.clone())
            .collect();
        for row in 0..batch.num_rows() {
            let cells: Vec<String> =
                columns.iter().map(|column| format!("{:?}", column.slice(row, 1))).collect();
            rows.push(cells.join("|"));
        }
    }
    rows.sort();
    rows
}

/// Writes the cuts, and reads them in this order.
fn rows_of<R: Recording>(recording: &R, cuts: &[Vec<usize>]) -> Vec<String> {
    let folder = tempfile::tempdir().expect("a directory");
    let paths: Vec<PathBuf> = (0..cuts.len())
        .map(|number| {
            let path = folder.path().join(format!("{number}.{}", R::SUFFIX));
            recording.cut(&cuts[number], &path);
            path
        })
        .collect();
    rows(&open(&paths))
}

fn range(range: Range<usize>) -> Vec<usize> {
    range.collect()
}

/// Cuts that cover everything, each beginning within the one before it; then more anywhere; in any order.
fn cuts(num: usize) -> impl Strategy<Value = Vec<Vec<usize>>> {
    let more = proptest::collection::vec((0..num, 1..=num), 0..3);
    (proptest::collection::vec(1..num, 0..3), more, any::<prop::sample::Index>()).prop_map(
        move |(mut ends, more, turn)| {
            ends.sort_unstable();
            ends.dedup();
            let mut cuts = Vec::new();
            let mut begin = 0;
            for end in ends {
                cuts.push(range(begin..end + 1));
                begin = end;
            }
            cuts.push(range(begin..num));
            cuts.extend(more.into_iter().map(|(begin, len)| range(begin..num.min(begin + len))));
            let turn = turn.index(cuts.len());
            cuts.rotate_left(turn);
            cuts
        },
    )
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(48))]

    #[test]
    fn parts_of_a_text_give_the_whole(cuts in cuts(NUM)) {
        prop_assert_eq!(rows_of(&Text, &cuts), rows_of(&Text, &[range(0..NUM)]));
    }

    #[test]
    fn parts_of_raw_samples_give_the_whole(cuts in cuts(NUM)) {
        prop_assert_eq!(rows_of(&Sysstat, &cuts), rows_of(&Sysstat, &[range(0..NUM)]));
    }

    #[test]
    fn any_samples_of_a_recording_are_put_together(
        of_one in proptest::collection::vec(any::<bool>(), NUM),
        both in 0..NUM,
    ) {
        // Two files share one sample; of the others, each has those that the other lacks.
        let of = |is_one: bool| (0..NUM).filter(|at| of_one[*at] == is_one || *at == both).collect::<Vec<usize>>();
        prop_assert_eq!(rows_of(&Sysstat, &[of(true), of(false)]), rows_of(&Sysstat, &[range(0..NUM)]));
    }
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(8))]

    #[test]
    fn parts_of_a_log_without_a_boot_time_give_the_whole(cuts in cuts(8)) {
        let blg = Blg::new();
        prop_assert_eq!(blg.num(), 8);
        prop_assert_eq!(rows_of(&blg, &cuts), rows_of(&blg, &[range(0..8)]));
    }
}

#[test]
fn a_copy_with_losses_adds_nothing() {
    let whole = rows_of(&Sysstat, &[range(0..NUM)]);
    let lossy = vec![0, 1, 2, 6, 7, 9];
    assert_eq!(rows_of(&Sysstat, &[range(0..NUM), lossy.clone()]), whole);
    assert_eq!(rows_of(&Sysstat, &[lossy, range(4..NUM), range(2..5)]), whole);
}

fn write(folder: &Path, name: &str, text: &str) -> PathBuf {
    let path = folder.join(name);
    std::fs::write(&path, text).expect("written");
    path
}

#[test]
fn a_first_row_without_rates_contradicts_nothing() {
    // relog leaves the rates of its first row out.
    let folder = tempfile::tempdir().expect("a directory");
    let all: String = (0..6).map(line).collect();
    let later: String = (4..8).map(line).collect();
    let later = later.replacen("16.5", " ", 1);
    let paths = [
        write(folder.path(), "b.csv", &(HEADER.to_owned() + &later)),
        write(folder.path(), "a.csv", &(HEADER.to_owned() + &all)),
    ];
    let captures = open(&paths);
    assert_eq!(rows(&captures), rows_of(&Text, &[range(0..8)]));
    let health = recount::health_of(&captures);
    assert_eq!(health.count(FindingKind::Odd), 1, "{health:?}");
    assert!(health.findings()[0].what.contains("2 of its samples are in "), "{health:?}");
}

#[test]
fn contradictions_are_kept_and_reported() {
    let folder = tempfile::tempdir().expect("a directory");
    let one: String = (0..6).map(line).collect();
    let other = one.replacen("9.5", "9.75", 1);
    let paths = [
        write(folder.path(), "a.csv", &(HEADER.to_owned() + &one)),
        write(folder.path(), "b.csv", &(HEADER.to_owned() + &other)),
    ];
    let captures = open(&paths);
    let found = rows(&captures);
    let values = |value: &str| found.iter().filter(|row| row.contains(&format!("  {value},"))).count();
    assert_eq!((values("9.5"), values("9.75"), values("16.5")), (1, 1, 1), "{found:#?}");
    assert_eq!(found.len(), 12 + 1, "the other counter of that time is the same");
    let health = recount::health_of(&captures);
    let texts: Vec<String> = health.findings().iter().map(|finding| finding.what.clone()).collect();
    let expected = r"first at 2024-03-02T10:00:03.25Z, \System\Context Switches/sec: both are kept";
    assert!(texts.iter().any(|text| text.contains(" at 1 time, ") && text.contains(expected)), "{texts:?}");
    assert!(texts.iter().any(|text| text.contains("5 of its samples are in ")), "{texts:?}");
}

#[test]
fn machines_and_other_counters_are_kept_apart() {
    let folder = tempfile::tempdir().expect("a directory");
    let lines: String = (0..4).map(line).collect();
    let paths = |other: &str| {
        [
            write(folder.path(), "a.csv", &(HEADER.to_owned() + &lines)),
            write(folder.path(), "b.csv", &(other.to_owned() + &lines)),
        ]
    };
    assert_eq!(rows(&open(&paths(&HEADER.replace("WEB1", "WEB2")))).len(), 16);
    // One counter is in both files, each has another besides.
    let shared = open(&paths(&HEADER.replace("Context Switches", "System Calls")));
    assert_eq!(rows(&shared).len(), 12);
}

/// The times of a text have milliseconds, so its samples aren't those of the log that it was made from.
#[test]
fn a_text_beside_its_log_is_reported() {
    let folder = tempfile::tempdir().expect("a directory");
    let log = recount::open(path_of("circular.blg")).expect("a sample");
    let text = folder.path().join("circular.csv");
    let mut options = ConvertOptions::default();
    options.format = OutputFormat::Csv;
    convert(&[log], &Target::Path(text.clone()), &options, &|_| ()).expect("converted");
    let captures = open(&[path_of("circular.blg"), text]);
    let health = recount::health_of(&captures);
    assert!(
        health.findings().iter().any(|finding| finding.what.contains("circular.csv: overlaps ")),
        "{health:?}"
    );
}
