//! Several files of one recording, in any order and overlapping: every sample counts once.

use std::collections::BTreeSet;
use std::ops::Range;
use std::path::{Path, PathBuf};

use proptest::prelude::*;
use recount::{Capture, ConvertOptions, NameTable, OutputFormat, Span, Target, Timeline, convert};
use recount_bytes::ByteOrder;
use recount_compute::{Landmarks, PipelineOptions, Stretch};
use recount_model::FindingKind;
use recount_samples::other_logs::sa::{CREATED, Entry, Writer};

use crate::recordings;

use recordings::{
    Blg, Dump, HEADER, NUM, PCSW, Processors, Recording, RegisteredAgain, Restarted, Sysstat, Text, cuts,
    line, path_of, range, rows,
};

pub(crate) fn open(paths: &[PathBuf]) -> Vec<Capture> {
    recount::open_all(paths, &NameTable::new()).expect("captures")
}

fn whole(captures: &[Capture]) -> Timeline {
    Timeline::whole(captures).expect("one time line")
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

proptest! {
    #![proptest_config(ProptestConfig::with_cases(48))]

    #[test]
    fn parts_of_a_text_give_the_whole(cuts in cuts(NUM)) {
        prop_assert_eq!(rows_of(&Text, &cuts), rows_of(&Text, &[range(0..NUM)]));
    }

    #[test]
    fn parts_of_raw_samples_give_the_whole(cuts in cuts(NUM)) {
        prop_assert_eq!(rows_of(&RegisteredAgain, &cuts), rows_of(&RegisteredAgain, &[range(0..NUM)]));
    }

    #[test]
    fn parts_that_were_joined_to_one_file_give_the_whole(cuts in cuts(NUM)) {
        let folder = tempfile::tempdir().expect("a directory");
        let mut joined = Vec::new();
        for cut in &cuts {
            let path = folder.path().join("part.sa");
            RegisteredAgain.cut(cut, &path);
            joined.extend(std::fs::read(&path).expect("a part"));
        }
        let path = folder.path().join("joined.sa");
        std::fs::write(&path, joined).expect("written");
        prop_assert_eq!(rows(&open(&[path])), rows_of(&RegisteredAgain, &[range(0..NUM)]));
    }

    #[test]
    fn parts_of_dumps_give_the_whole(cuts in cuts(NUM)) {
        prop_assert_eq!(rows_of(&Dump, &cuts), rows_of(&Dump, &[range(0..NUM)]));
    }

    #[test]
    fn any_samples_of_a_recording_are_put_together(
        of_one in proptest::collection::vec(any::<bool>(), NUM),
        both in 0..NUM,
    ) {
        // Two files share one sample; of the others, each has those that the other lacks.
        let of = |is_one: bool| (0..NUM).filter(|at| of_one[*at] == is_one || *at == both).collect::<Vec<usize>>();
        prop_assert_eq!(rows_of(&RegisteredAgain, &[of(true), of(false)]), rows_of(&RegisteredAgain, &[range(0..NUM)]));
        prop_assert_eq!(rows_of(&Processors, &[of(true), of(false)]), rows_of(&Processors, &[range(0..NUM)]));
    }
}

/// `top` has the values of the tables: each sample is compared with the one before in the recording, whichever file that is in.
#[cfg(feature = "analysis")]
#[test]
fn the_time_machine_puts_parts_together() {
    let folder = tempfile::tempdir().expect("a directory");
    let path = |name: &str, samples: &[usize]| {
        let path = folder.path().join(format!("{name}.sa"));
        Sysstat.cut(samples, &path);
        path
    };
    let parts = [path("one", &[0, 1, 2, 5, 6, 10]), path("two", &[2, 3, 4, 7, 8, 9, 11])];
    let all = path("all", &range(0..NUM));
    let shown = |paths: &[PathBuf]| {
        let timeline = whole(&open(paths));
        let object = recount::known_objects(&timeline)[0].name.clone();
        let machine = recount::TimeMachine::new(&timeline, &[&object]);
        let moments = machine.times().iter().map(|time| machine.at(time.utc, 0).expect("a moment"));
        moments.map(|moment| format!("{:?}", moment.objects)).collect::<Vec<_>>()
    };
    let expected = shown(&[all]);
    assert_eq!(expected.len(), NUM);
    assert_eq!(shown(&parts), expected);
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

/// Whatever one file has lost the other one has, and no sample is in both.
#[test]
fn files_that_fill_each_others_gaps_give_the_whole() {
    let whole = rows_of(&Sysstat, &[range(0..NUM)]);
    for gap in [3..4, 3..9, 8..10] {
        let lossy: Vec<usize> = (0..NUM).filter(|sample| !gap.contains(sample)).collect();
        assert_eq!(rows_of(&Sysstat, &[lossy.clone(), range(gap.clone())]), whole, "{gap:?}");
        assert_eq!(rows_of(&Sysstat, &[range(gap.clone()), lossy]), whole, "{gap:?}");
    }
    let [one, other] = [0, 1].map(|of: usize| (0..NUM).filter(|at| at / 3 % 2 == of).collect::<Vec<usize>>());
    assert_eq!(rows_of(&Sysstat, &[one, other]), whole);
    for gap in [3..4, 3..9, 8..10] {
        let lossy: Vec<usize> = (0..NUM).filter(|sample| !gap.contains(sample)).collect();
        assert_eq!(rows_of(&Dump, &[lossy, range(gap.clone())]), rows_of(&Dump, &[range(0..NUM)]), "{gap:?}");
    }
    // Two recorders that run at once have samples between each other's.
    let [one, other] = [0, 1].map(|of: usize| (0..NUM).filter(|at| at % 2 == of).collect::<Vec<usize>>());
    assert_ne!(rows_of(&Sysstat, &[one, other]), whole);
}

/// The rows of every second sample.
fn rows_of_every_second<R: Recording>(recording: &R, cuts: &[Vec<usize>]) -> Vec<String> {
    let folder = tempfile::tempdir().expect("a directory");
    let path = |number: usize| folder.path().join(format!("{number}.{}", R::SUFFIX));
    let paths: Vec<PathBuf> = (0..cuts.len()).map(path).collect();
    paths.iter().zip(cuts).for_each(|(path, cut)| recording.cut(cut, path));
    let every_second = Span { every: 2, ..Span::default() };
    recordings::rows_of(&Timeline::of(&open(&paths), &every_second).expect("a time line"), &["capture"])
}

#[test]
fn every_second_sample_is_counted_through_files() {
    for cuts in [
        vec![range(0..5), range(5..8), range(8..NUM)],
        vec![range(8..NUM), range(0..5), range(5..8)],
        vec![range(0..6), range(5..NUM)],
    ] {
        let whole = [range(0..NUM)];
        assert_eq!(rows_of_every_second(&Sysstat, &cuts), rows_of_every_second(&Sysstat, &whole), "{cuts:?}");
    }
}

/// A restart in one of the files ends no counting, as it doesn't in one file with all samples.
#[test]
fn every_second_sample_is_counted_through_a_restart() {
    let whole = rows_of_every_second(&Restarted, &[range(0..NUM)]);
    for cuts in [
        [range(0..4), range(3..NUM)],
        [range(0..8), range(7..NUM)],
        [vec![0, 1, 3], vec![1, 2, 4, 5, 6, 7, 8, 9, 10, 11]],
    ] {
        assert_eq!(rows_of_every_second(&Restarted, &cuts), whole, "{cuts:?}");
    }
}

/// Fans, whose values aren't counts, and a restart before sample 6.
struct Fans;

impl Recording for Fans {
    const SUFFIX: &'static str = "sa";

    fn cut(&self, samples: &[usize], at: &Path) {
        const FANS: Entry = (31, 0x8a, 1, true, 40, [2, 0, 0]);
        let mut writer = Writer::new(0x2175, ByteOrder::Little, 8, &[PCSW, FANS]);
        for step in samples.iter().map(|sample| *sample as u64) {
            if step == 6 {
                writer.restart(1_000 * step - 500);
            }
            let bytes = writer.record(1, 1_000 * step);
            bytes.quads(&[500 * step * step]).longs(&[20 + step]).put(1_u32);
            bytes.quads(&[1_200.0 + step as f64, 600.0].map(f64::to_bits)).text("front", 20).zeros(4);
        }
        std::fs::write(at, &writer.bytes.all).expect("written");
    }
}

/// Two files have stretches of a recording by turns, with a common sample at each turn.
#[test]
fn computed_values_have_the_intervals_of_the_whole() {
    let whole = rows_of(&Fans, &[range(0..NUM)]);
    for first in 1..NUM - 3 {
        for second in first + 1..NUM - 2 {
            for third in second + 1..NUM - 1 {
                let one: Vec<usize> = (0..=first).chain(second..=third).collect();
                let other: Vec<usize> = (first..=second).chain(third..NUM).collect();
                for cuts in [[one.clone(), other.clone()], [other, one]] {
                    assert_eq!(rows_of(&Fans, &cuts), whole, "{cuts:?}");
                }
            }
        }
    }
}

/// A file has everything twice, with other counts: all samples of the times that are taken count.
#[test]
fn every_second_sample_is_of_all_that_were_taken_at_once() {
    let folder = tempfile::tempdir().expect("a directory");
    let path = folder.path().join("two.bin");
    let blocks =
        [0, 7].into_iter().flat_map(|more| (0..NUM).flat_map(move |sample| recordings::block(sample, more)));
    std::fs::write(&path, blocks.collect::<Vec<u8>>()).expect("written");
    let every_second = Span { every: 2, ..Span::default() };
    let timeline = Timeline::of(&open(&[path]), &every_second).expect("a time line");
    assert_eq!(timeline.times().len(), NUM / 2);
    let rates = |row: &&String| row.contains("|146|");
    let rows = recordings::rows_of(&timeline, &["capture"]);
    assert_eq!(rows.iter().filter(rates).count(), NUM, "of both");
}

#[test]
fn each_of_joined_files_has_its_own_machine_and_damage() {
    let folder = tempfile::tempdir().expect("a directory");
    let path = |name: &str| folder.path().join(name);
    Sysstat.cut(&range(0..NUM), &path("one.sa"));
    let one = std::fs::read(path("one.sa")).expect("a file");
    let at = one.windows(4).position(|bytes| bytes == b"web1").expect("its machine");
    let mut other = one.clone();
    other[at] = b'x';
    // The first one is cut within a sample.
    std::fs::write(path("joined.sa"), [&one[..one.len() - 40], &other[..], &one[..]].concat())
        .expect("written");
    let captures = open(&[path("joined.sa")]);
    let joined = path("joined.sa").display().to_string();
    let begin = one.len() - 40;
    let names: Vec<String> = captures.iter().map(Capture::name).collect();
    assert_eq!(
        names,
        [joined.clone(), format!("{joined}/{begin:#x}"), format!("{joined}/{:#x}", begin + one.len())]
    );
    let timeline = whole(&captures);
    let hosts: Vec<String> = timeline.hosts().iter().map(ToString::to_string).collect();
    assert_eq!(hosts, ["web1", "xeb1"]);
    let of_host = |rows: &[String], host: &str| rows.iter().filter(|row| row.contains(host)).count();
    let (rows, alone) = (rows(&captures), rows(&open(&[path("one.sa")])));
    assert_eq!([of_host(&rows, "|web1|"), of_host(&rows, "|xeb1|")], [alone.len(); 2]);
    let notes = timeline.health();
    assert!(notes.findings().iter().any(|finding| finding.what.contains("3 files were joined")), "{notes:?}");
}

/// A clock is set back within the second of two files.
#[test]
fn a_clock_that_was_set_back_within_a_file_changes_nothing_between_files() {
    let folder = tempfile::tempdir().expect("a directory");
    for back in [1, 15, 35] {
        // Uptime and time of each sample.
        let clock = |at: u64| (1_000 * at, if at < 6 { 10 * at } else { (10 * at).saturating_sub(back) });
        let cut = |name: &str, samples: Range<u64>| {
            let mut writer = Writer::new(0x2175, ByteOrder::Little, 8, &[PCSW]);
            for at in samples {
                let (uptime, time) = clock(at);
                writer
                    .record_at(1, 100_000 + uptime, CREATED + time)
                    .quads(&[500 * at * at])
                    .longs(&[20 + at]);
            }
            let path = folder.path().join(format!("{name}.sa"));
            std::fs::write(&path, &writer.bytes.all).expect("written");
            path
        };
        let expected = rows(&open(&[cut("whole", 0..12)]));
        for seam in 2..11 {
            let parts = [cut("one", 0..seam), cut("two", seam..12)];
            assert_eq!(rows(&open(&parts)), expected, "{back} s back, seam {seam}");
        }
    }
}

/// A file of which another one has only the first of two samples at one time says nothing else of that time.
#[test]
fn two_samples_at_one_time_contradict_nothing() {
    let folder = tempfile::tempdir().expect("a directory");
    let cut = |name: &str, samples: Range<u64>| {
        let mut writer = Writer::new(0x2175, ByteOrder::Little, 8, &[PCSW]);
        for at in samples {
            let time = if at < 6 { 10 * at } else { 10 * at - 30 };
            writer
                .record_at(1, 100_000 + 1_000 * at, CREATED + time)
                .quads(&[500 * at * at])
                .longs(&[20 + at]);
        }
        let path = folder.path().join(format!("{name}.sa"));
        std::fs::write(&path, &writer.bytes.all).expect("written");
        path
    };
    let values = |paths: &[PathBuf]| {
        let of_row = |row: String| {
            let cells: Vec<&str> = row.split('|').collect();
            [cells[0], cells[6], cells[7]].map(str::to_owned)
        };
        let all: BTreeSet<[String; 3]> = rows(&open(paths)).into_iter().map(of_row).collect();
        all.into_iter().filter(|[.., value]| value != "None").collect::<Vec<_>>()
    };
    let expected = values(&[cut("whole", 0..10)]);
    let parts = [cut("one", 0..5), cut("two", 3..10)];
    let [one, two] = parts.clone();
    for paths in [parts, [two, one]] {
        assert_eq!(values(&paths), expected);
        let notes = format!("{:?}", whole(&open(&paths)).notes());
        assert!(!notes.contains("other values"), "{notes}");
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
    let health = whole(&captures).health();
    assert_eq!(health.count(FindingKind::Odd), 1, "{health:?}");
    assert!(health.findings()[0].what.contains("2 of its samples are also in "), "{health:?}");
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
    let values = |value: &str| found.iter().filter(|row| row.contains(&format!("|Some({value})|ok"))).count();
    assert_eq!((values("9.5"), values("9.75"), values("16.5")), (1, 1, 1), "{found:#?}");
    assert_eq!(found.len(), 12 + 1, "the other counter of that time is the same");
    let health = whole(&captures).health();
    let texts: Vec<String> = health.findings().iter().map(|finding| finding.what.clone()).collect();
    let expected = r"first at 2024-03-02T10:00:03.25Z, \System\Context Switches/sec: both are kept";
    assert!(texts.iter().any(|text| text.contains(" at 1 time, ") && text.contains(expected)), "{texts:?}");
    assert!(texts.iter().any(|text| text.contains("5 of its samples are also in ")), "{texts:?}");
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

/// The times of this log have no more digits than those of a text.
#[test]
fn a_text_beside_its_log_is_reported() {
    let folder = tempfile::tempdir().expect("a directory");
    let log = recount::open(path_of("circular.blg")).expect("a sample");
    let text = folder.path().join("circular.csv");
    let mut options = ConvertOptions::default();
    options.format = OutputFormat::Csv;
    convert(&log.timeline(), &Target::Path(text.clone()), &options, &recount::unwatched).expect("converted");
    let captures = open(&[path_of("circular.blg"), text]);
    let health = whole(&captures).health();
    assert!(
        health.findings().iter().any(|finding| {
            let text = finding.to_string();
            text.contains("circular.csv: 30 of its samples are also in ")
                && text.contains("circular.blg; each")
        }),
        "{health:?}"
    );
    assert_eq!(health.total(), 1, "{health:?}");
    assert_eq!(rows(&captures), rows(&open(&[path_of("circular.blg")])));
}

/// A PDH text with one number per minute, and its minute as the value; with another counter if asked.
fn minutes(
    folder: &Path,
    name: &str,
    host: &str,
    minutes: impl IntoIterator<Item = u32>,
    is_more: bool,
) -> PathBuf {
    let more = |text: String| if is_more { format!(",\"{text}\"") } else { String::new() };
    let other = more(format!("\\\\{host}\\Memory\\Pages/sec"));
    let mut text = format!("\"(PDH-CSV 4.0) (UTC)(0)\",\"\\\\{host}\\Memory\\Available MBytes\"{other}\r\n");
    for at in minutes {
        let other = more((2 * at).to_string());
        text += &format!("\"06/03/2026 08:{at:02}:00.000\",\"{at}\"{other}\r\n");
    }
    write(folder, name, &text)
}

/// The cells of one counter: value and interval, in order of time.
fn cells(paths: &[&PathBuf], counter: &str) -> Vec<(Option<f64>, Option<f64>)> {
    let paths: Vec<PathBuf> = paths.iter().map(|path| (*path).clone()).collect();
    let mut found: Vec<(i64, Option<f64>, Option<f64>)> = Vec::new();
    let timeline = whole(&open(&paths));
    let (landmarks, options) = (Landmarks::default(), PipelineOptions::default());
    let stretch = Stretch::all(timeline.inputs(), &landmarks);
    for cooked in stretch.batches(&options).flat_map(|(batch, _)| batch) {
        let name = |column: &recount_model::CookedColumn| &*cooked.object.counters[column.counter].name;
        for column in cooked.columns.iter().filter(|column| name(column) == counter) {
            let cell = |sample: usize| (column.value_at(sample), cooked.interval_of(sample, 0));
            let times = cooked.times.iter().enumerate();
            found.extend(times.map(|(sample, time)| (time.utc.0, cell(sample).0, cell(sample).1)));
        }
    }
    found.sort_by_key(|(time, ..)| *time);
    found.into_iter().map(|(_, value, interval)| (value, interval)).collect()
}

#[test]
fn of_an_overlap_the_shorter_interval_stays() {
    let folder = tempfile::tempdir().expect("a directory");
    let part = |name: &str, minute: Vec<u32>, is_more| minutes(folder.path(), name, "A", minute, is_more);
    let whole = part("whole.csv", (0..15).collect(), false);
    let one = part("1.csv", (0..10).collect(), false);
    let two = part("2.csv", (5..15).collect(), false);
    let thinned = part("6.csv", (0..15).step_by(2).collect(), false);
    let more = part("8.csv", (5..15).collect(), true);
    let expected = cells(&[&whole], "Available MBytes");
    assert_eq!(expected.len(), 15);
    let all = [[&one, &two, &thinned], [&one, &more, &thinned], [&two, &more, &one]];
    for [a, b, c] in all {
        for order in [[a, b, c], [a, c, b], [b, a, c], [b, c, a], [c, a, b], [c, b, a]] {
            assert_eq!(cells(&order, "Available MBytes"), expected, "{order:?}");
        }
    }
    assert_eq!(cells(&[&one, &more], "Available MBytes"), expected);
    assert_eq!(cells(&[&one, &more], "Pages/sec").len(), 10);
    assert_eq!(cells(&[&more, &one, &two], "Pages/sec"), cells(&[&more], "Pages/sec"));
}

#[test]
fn a_machine_is_one_whatever_the_case_of_its_name() {
    let folder = tempfile::tempdir().expect("a directory");
    let part = |name: &str, host: &str, minute| minutes(folder.path(), name, host, minute, false);
    let paths = [part("a.csv", "WEB1", 0..10), part("b.csv", "web1", 5..15)];
    let captures = open(&paths);
    assert_eq!(rows(&captures).len(), 15);
    assert!(rows(&captures).iter().all(|row| !row.contains("web1")));
    let timeline = whole(&captures);
    let second = &timeline.captures()[1].source;
    assert_eq!(second.info().hosts, ["WEB1".into()]);
    assert_eq!(second.objects()[0].0, "WEB1".into());
    let health = timeline.health();
    assert!(health.findings().iter().any(|finding| finding.what.contains("5 of its samples")), "{health:?}");
}

/// In these files a base has the name of the counter that it serves.
#[test]
fn a_copy_of_any_capture_is_the_same() {
    let folder = tempfile::tempdir().expect("a directory");
    for sample in [
        "objects.blg",
        "damaged.blg",
        "circular.blg",
        "big-endian.bin",
        "session.pcq",
        "atop.raw",
        "rcap-1/closed.rcap",
    ] {
        let copy = folder.path().join(format!("copy-of-{}", sample.replace('/', "-")));
        std::fs::copy(path_of(sample), &copy).expect("copied");
        let both = open(&[path_of(sample), copy]);
        let health = whole(&both).health();
        let contradicts = |text: &str| text.contains("other values") || text.contains("overlaps");
        assert!(!health.findings().iter().any(|finding| contradicts(&finding.what)), "{sample}: {health:?}");
        assert_eq!(rows(&both), rows(&open(&[path_of(sample)])), "{sample}");
    }
}

#[test]
fn a_copy_of_a_log_adds_no_mark() {
    let folder = tempfile::tempdir().expect("a directory");
    let (log, copy) = (path_of("moved/disk-writer.rcap"), folder.path().join("copy.rcap"));
    std::fs::copy(&log, &copy).expect("copied");
    let marks = whole(&open(&[log, copy])).marks();
    assert_eq!(marks.iter().map(|mark| &*mark.text).collect::<Vec<_>>(), ["nightly backup"]);
}

/// The times of the samples used, in minutes.
fn used(paths: &[&PathBuf], span: &Span) -> Vec<i64> {
    let paths: Vec<PathBuf> = paths.iter().map(|path| (*path).clone()).collect();
    let timeline = Timeline::of(&open(&paths), span).expect("a time line");
    let of = |input: &recount_compute::Input| -> Vec<i64> {
        let times = input.source.times();
        input.samples.iter().map(|sample| times[*sample as usize].utc.0 / 600_000_000 % 60).collect()
    };
    let mut used: Vec<i64> = timeline.inputs().iter().flat_map(of).collect();
    used.sort_unstable();
    used
}

#[test]
fn parts_of_a_recording_are_thinned_out_together() {
    let folder = tempfile::tempdir().expect("a directory");
    let part = |name: &str, minute| minutes(folder.path(), name, "A", minute, false);
    let (whole, one, two) = (part("whole.csv", 0..15), part("1.csv", 0..9), part("2.csv", 4..15));
    let by_minutes =
        |minutes| Span { interval: Some(jiff::SignedDuration::from_mins(minutes)), ..Span::default() };
    for span in [2, 3, 4].map(|every| Span { every, ..Span::default() }).into_iter().chain([by_minutes(4)]) {
        let expected = used(&[&whole], &span);
        assert_eq!(used(&[&one, &two], &span), expected, "{span:?}");
        assert_eq!(used(&[&two, &whole, &one], &span), expected, "{span:?}");
    }
    // Files without a sample in common are two recordings.
    let apart = part("3.csv", 20..24);
    assert_eq!(used(&[&one, &apart], &Span { every: 2, ..Span::default() }), [0, 2, 4, 6, 8, 20, 22]);
}

#[test]
fn instances_without_ids_are_those_with_them() {
    let folder = tempfile::tempdir().expect("a directory");
    let text = |name: &str, with_ids: bool| {
        let mut text = "\"(PDH-CSV 4.0) (UTC)(0)\",\"\\\\A\\Process(app)\\Private Bytes\"".to_owned();
        text += if with_ids { ",\"\\\\A\\Process(app)\\ID Process\"\r\n" } else { "\r\n" };
        for at in 0..5 {
            text += &format!("\"06/03/2026 08:{at:02}:00.000\",\"{at}\"");
            text += if with_ids { ",\"77\"\r\n" } else { "\r\n" };
        }
        write(folder.path(), name, &text)
    };
    let (with_ids, without) = (text("a.csv", true), text("b.csv", false));
    for order in [[&with_ids, &without], [&without, &with_ids]] {
        assert_eq!(cells(&order, "Private Bytes").len(), 5);
        assert_eq!(cells(&order, "ID Process").len(), 5);
    }
}
