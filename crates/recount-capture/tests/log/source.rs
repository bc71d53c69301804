//! A log as a source gives the same as a file of the same blocks.

use std::sync::Arc;

use recount_capture::{CaptureSource, LogWriter, WriterOptions};
use recount_model::{Decoded, Facts, NameTable, Run, Selection, Sink, Source};
use recount_perf_data::DumpSource;

use crate::disk::Disk;
use crate::frames::{CHUNK, frames};
use crate::reading::options;
use crate::series::{DISK, HOST, MEMORY, PROCESS, Random, THREAD, series, time_of};

fn names() -> NameTable {
    NameTable::from_text(
        "230\nProcess\n232\nThread\n236\nPhysicalDisk\n4\nMemory\n6\n% Processor Time\n238\nDisk Reads/sec",
    )
}

/// The file of a log of blocks, not closed.
fn log_of(blocks: &[Vec<u8>], options: WriterOptions, host: &str) -> Vec<u8> {
    let disk = Disk::default();
    let mut writer = LogWriter::new(disk.clone(), options).expect("new");
    writer.facts(&Facts::from([("host".to_owned(), host.to_owned())])).expect("written");
    writer.texts("009", &mut names().iter()).expect("written");
    for (at, block) in blocks.iter().enumerate() {
        writer.block(time_of(at), block).expect("written");
    }
    // Whatever is in the tail is sealed before facts.
    writer.facts(&Facts::from([("host".to_owned(), host.to_owned())])).expect("written");
    disk.bytes()
}

fn dump_of(blocks: &[Vec<u8>]) -> DumpSource {
    let files = vec![("dump".to_owned(), Arc::new(blocks.concat()) as Arc<dyn recount_model::Content>)];
    DumpSource::open(files, names()).expect("opens")
}

fn open(file: Vec<u8>) -> CaptureSource {
    CaptureSource::open(Box::new(file)).expect("opens")
}

fn selection(patterns: &[&str]) -> Selection {
    patterns.iter().map(|pattern| pattern.parse().expect("a pattern")).collect()
}

/// All there is in each run, by the name of its object: within an object in the order of time.
fn sorted(decoded: &Decoded) -> Vec<(String, String)> {
    let shown = |run: &Run| (run.object.name.to_string(), format!("{run:?}"));
    let mut runs: Vec<(String, String)> = decoded.runs.iter().map(shown).collect();
    runs.sort_by(|a, b| a.0.cmp(&b.0));
    runs
}

fn selections() -> [Selection; 4] {
    [
        Selection::all(),
        selection(&[r"\Process(*)\*"]),
        selection(&[r"\Memory\*", r"\PhysicalDisk(sda)\*"]),
        selection(&[r"\Nothing(*)\*"]),
    ]
}

#[test]
fn the_same_runs_as_of_a_dump() {
    let blocks = series(90);
    let dump = dump_of(&blocks);
    let mut random = Random(4);
    for len_chunk in [1, 12 * blocks[0].len(), 8 << 20] {
        let log = open(log_of(&blocks, options(len_chunk), HOST));
        let utc = |source: &dyn Source| source.times().iter().map(|time| time.utc).collect::<Vec<_>>();
        assert_eq!(utc(&log), utc(&dump));
        let all: Vec<u32> = (0..blocks.len() as u32).collect();
        for selection in selections() {
            for round in 0..8 {
                let samples: Vec<u32> = match round {
                    0 => all.clone(),
                    1 => Vec::new(),
                    _ => all.iter().copied().filter(|_| random.below(round) == 0).collect(),
                };
                let (ours, theirs) = (log.decode(&samples, &selection), dump.decode(&samples, &selection));
                assert!(ours.health.is_sound(), "{:?}", ours.health);
                assert_eq!(sorted(&ours), sorted(&theirs), "chunks of {len_chunk}, {samples:?}");
            }
        }
        let objects = |source: &dyn Source| {
            let mut objects: Vec<String> =
                source.objects().iter().map(|(host, object)| format!("{host} {object:?}")).collect();
            objects.sort();
            objects
        };
        assert_eq!(objects(&log), objects(&dump));
        assert_eq!(log.len_sample(0), blocks[0].len());
    }
}

/// Decoding on several threads at a time, slice by slice, gives what one gives.
#[test]
fn on_several_threads() {
    let blocks = series(60);
    let log = open(log_of(&blocks, options(6 * blocks[0].len()), HOST));
    let slices: Vec<Vec<u32>> = (0..12).map(|k| (k * 5..k * 5 + 5).collect()).collect();
    let alone: Vec<_> = slices.iter().map(|slice| sorted(&log.decode(slice, &Selection::all()))).collect();
    std::thread::scope(|scope| {
        let threads: Vec<_> = (0..4)
            .map(|_| {
                scope.spawn(|| {
                    for (slice, expected) in slices.iter().zip(&alone) {
                        assert_eq!(sorted(&log.decode(slice, &Selection::all())), *expected);
                    }
                })
            })
            .collect();
        for thread in threads {
            thread.join().expect("decoded");
        }
    });
}

/// Where the section of one object is damaged, the others decode.
#[test]
fn objects_of_intact_sections() {
    let blocks = series(40);
    let file = log_of(&blocks, options(8 << 20), HOST);
    let dump = dump_of(&blocks);
    let all: Vec<u32> = (0..blocks.len() as u32).collect();
    let chunk = frames(&file).into_iter().find(|frame| frame.kind == CHUNK).expect("sealed");
    let payload = chunk.payload();
    let word = |ofs: usize| {
        let bytes = &file[payload.start + ofs..payload.start + ofs + 4];
        u32::from_le_bytes(bytes.try_into().expect("4 bytes"))
    };
    // The directory, by the specification (`formats/rcap.md#chunk`).
    let num_sections = word(36) as usize;
    assert_eq!(num_sections, 5);
    let mut ofs = payload.start + 52 + 32 * num_sections + 4 + word(40) as usize;
    for section in 0..num_sections {
        let entry = 52 + 32 * section;
        let (key, lens) = (word(entry), [word(entry + 8) as usize, word(entry + 16) as usize]);
        for (part, len) in lens.into_iter().enumerate() {
            let mut damaged = file.clone();
            damaged[ofs + len / 2] ^= 0x10;
            ofs += len;
            let log = open(damaged);
            let decoded = log.decode(&all, &Selection::all());
            assert!(!decoded.health.is_complete(), "section {key}, part {part}");
            if key == u32::MAX {
                assert!(decoded.runs.is_empty(), "without headers there are no blocks");
                continue;
            }
            let names =
                [(PROCESS, "Process"), (THREAD, "Thread"), (DISK, "PhysicalDisk"), (MEMORY, "Memory")];
            let lost = names.iter().find(|(index, _)| *index == key).expect("one of ours").1;
            assert!(decoded.health.findings()[0].what.contains(lost), "{:?}", decoded.health);
            // Parents are found in the block, so threads without their processes have other names.
            let is_kept =
                |(name, _): &(String, String)| name != lost && (lost != "Process" || name != "Thread");
            let mut expected = sorted(&dump.decode(&all, &Selection::all()));
            expected.retain(is_kept);
            let mut found = sorted(&decoded);
            assert!(found.iter().all(|(name, _)| name != lost));
            found.retain(is_kept);
            assert_eq!(found, expected, "section {key}, part {part}");
            // Asked for alone, the others have nothing to complain about.
            let other = if lost == "Memory" { r"\PhysicalDisk(*)\*" } else { r"\Memory\*" };
            assert!(log.decode(&all, &selection(&[other])).health.is_sound());
        }
    }
    assert_eq!(ofs, payload.end);
}

/// These read the shared captures.
mod stored {
    use super::*;
    use crate::series::real_series;

    #[test]
    #[ignore = "reads ../shared/data"]
    fn the_real_block() {
        let blocks = real_series(12);
        let dump = dump_of(&blocks);
        let host = dump.info().hosts[0].to_string();
        let log = open(log_of(&blocks, options(8 << 20), &host));
        let all: Vec<u32> = (0..12).collect();
        // Its blocks are all of one time, so that of the log is another.
        let strip = |mut decoded: Decoded| {
            decoded.runs.iter_mut().for_each(|run| run.clocks.time.clear());
            sorted(&decoded)
        };
        let (ours, theirs) = (log.decode(&all, &Selection::all()), dump.decode(&all, &Selection::all()));
        assert_eq!(strip(ours), strip(theirs));
    }
}
