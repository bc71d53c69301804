//! Spread truncations and byte flips of every sample: nothing panics, and the values of samples before the damage are
//! those of the undamaged capture: none changed, lost or invented.

use std::path::Path;

use recount::{
    Capture, ConvertOptions, ConvertReport, NameTable, OutputFormat, Selection, Target, Timeline, convert,
    open_all, show,
};

use crate::cells::{Cells, cells};
use crate::places::{sample, series};

const NUM_DAMAGES: usize = 200;

/// A capture to be damaged.
struct Victim {
    name: &'static str,
    bytes: Vec<u8>,
    /// Per sample in time order, the offset after its last byte.
    ends: Vec<usize>,
    cells: Cells,
    /// UTC of the samples.
    times: Vec<String>,
}

impl Victim {
    fn new(name: &'static str, bytes: Vec<u8>, ends: impl Fn(&[u8], &[Capture]) -> Vec<usize>) -> Victim {
        let directory = tempfile::tempdir().expect("a temporary directory");
        let captures = open_bytes(directory.path(), &bytes).expect("undamaged");
        let times: Vec<String> = captures[0].source.times().iter().map(|time| time.utc.to_string()).collect();
        let ends = ends(&bytes, &captures);
        assert_eq!(ends.len(), times.len(), "{name}");
        Victim { name, ends, cells: cells(&captures), times, bytes }
    }

    /// Damages the capture in 200 places and reads it. Returns the number of values compared.
    fn suffer(&self, damage: impl Fn(&[u8], usize) -> Vec<u8>) -> usize {
        let directory = tempfile::tempdir().expect("a temporary directory");
        let mut num_compared = 0;
        for number in 0..NUM_DAMAGES {
            let ofs = (number * self.bytes.len() / NUM_DAMAGES + number % 7).min(self.bytes.len() - 1);
            // Refused is fine: the error has been made into text, which must not panic either.
            let Ok(captures) = open_bytes(directory.path(), &damage(&self.bytes, ofs)) else { continue };
            let (series, _) = show(
                &Timeline::whole(&captures).expect("one time line"),
                &Selection::all(),
                0,
                &recount::unwatched,
            )
            .expect("not cancelled");
            if convert_to(directory.path(), &captures).is_none() {
                assert!(series.iter().all(|one| one.num_values == 0), "{}, byte {ofs:#x}", self.name);
            }
            num_compared += self.compare(&cells(&captures), ofs);
        }
        num_compared
    }

    /// Compares the values of samples that are before the damage, as are all samples preceding them.
    fn compare(&self, found: &Cells, ofs: usize) -> usize {
        let mut num_compared = 0;
        for (k, time) in self.times.iter().enumerate() {
            if self.ends[k] > ofs || (k > 0 && self.ends[k - 1] > ofs) {
                continue;
            }
            let at = |cells: &Cells| -> Cells {
                let range = (time.clone(), String::new())..(format!("{time}\u{1}"), String::new());
                cells.range(range).map(|(key, cell)| (key.clone(), *cell)).collect()
            };
            let found = at(found);
            for (key, expected) in at(&self.cells).into_iter().filter(|(_, cell)| cell.is_ok()) {
                assert_eq!(found.get(&key), Some(&expected), "{}, byte {ofs:#x}: {key:?}", self.name);
                num_compared += 1;
            }
            let is_ok = |key| self.cells.get(key).is_some_and(Result::is_ok);
            let made_up = found.iter().find(|(key, cell)| cell.is_ok() && !is_ok(*key));
            assert_eq!(made_up, None, "{}, byte {ofs:#x}", self.name);
        }
        num_compared
    }
}

fn open_bytes(directory: &Path, bytes: &[u8]) -> Result<Vec<Capture>, String> {
    let path = directory.join("damaged");
    std::fs::write(&path, bytes).expect("a file");
    open_all(&[path], &NameTable::new()).map_err(|error| format!("{error}: {}", error.hint()))
}

/// Converts to text; `None` if there is no sample to convert.
fn convert_to(directory: &Path, captures: &[Capture]) -> Option<ConvertReport> {
    let mut options = ConvertOptions::default();
    (options.format, options.force) = (OutputFormat::Csv, true);
    convert(
        &Timeline::whole(captures).ok()?,
        &Target::Path(directory.join("out.csv")),
        &options,
        &recount::unwatched,
    )
    .ok()
}

/// Where the samples of a log end: after the last event with their time stamp.
fn ends_in_log(bytes: &[u8], captures: &[Capture]) -> Vec<usize> {
    let local = |time: &recount::SampleTime| time.local().0.to_le_bytes();
    let end = |stamp: [u8; 8]| {
        let events = (16..bytes.len() - 8).step_by(8).filter(|at| {
            // Fixed bytes of an event's header: flags, and the message type of a data block.
            bytes[*at..at + 8] == stamp && bytes[at - 13] == 0xC0 && bytes[at - 12] == 0x22
        });
        let len = |at: usize| usize::from(u16::from_le_bytes([bytes[at - 16], bytes[at - 15]]));
        events.map(|at| at - 16 + len(at)).max().expect("an event of every sample")
    };
    captures[0].source.times().iter().map(|time| end(local(time))).collect()
}

/// Where the samples of a sound capture log end: with the chunk that holds them (formats/rcap.md#chunk).
fn ends_in_chunks(bytes: &[u8], _: &[Capture]) -> Vec<usize> {
    const CHUNK: u16 = 5;
    let log = recount_capture::Log::open(Box::new(bytes.to_vec())).expect("a capture log");
    let number =
        |ofs: usize| bytes[ofs..ofs + 4].first_chunk().map_or(0, |n| u32::from_le_bytes(*n) as usize);
    let (mut ends, mut ofs) = (Vec::new(), 0);
    while ofs < bytes.len() {
        let end = ofs + 28 + number(ofs + 12);
        if bytes[ofs + 8..ofs + 10] == CHUNK.to_le_bytes() {
            let (first, num_records) = (number(ofs + 20), number(ofs + 52));
            let kinds = (first..first + num_records).filter_map(|record| log.record_info(record));
            let blocks = kinds.filter(|(_, kind)| *kind == recount_capture::RecordKind::BLOCK);
            ends.extend(blocks.map(|_| end));
        }
        ofs = end;
    }
    ends
}

/// Where the lines of a text end, without the header.
fn ends_in_text(bytes: &[u8], _: &[Capture]) -> Vec<usize> {
    (0..bytes.len()).filter(|at| bytes[*at] == b'\n').skip(1).map(|at| at + 1).collect()
}

fn victims() -> Vec<Victim> {
    let read = |name: &str| std::fs::read(sample(name)).expect(name);
    let dumps: Vec<Vec<u8>> = series().iter().map(|path| std::fs::read(path).expect("a dump")).collect();
    let len_dump = dumps[0].len();
    vec![
        Victim::new("objects.blg", read("objects.blg"), ends_in_log),
        Victim::new("counters-dst.blg", read("counters-dst.blg"), ends_in_log),
        Victim::new("circular.blg", read("circular.blg"), ends_in_log),
        Victim::new("damaged.blg", read("damaged.blg"), ends_in_log),
        Victim::new("rcap-1/closed.rcap", read("rcap-1/closed.rcap"), ends_in_chunks),
        Victim::new("big-endian.bin", read("big-endian.bin"), |bytes, _| vec![bytes.len()]),
        Victim::new("series", dumps.concat(), |_, _| (1..=3).map(|number| number * len_dump).collect()),
        Victim::new("relog-german.csv", read("relog-german.csv"), ends_in_text),
        Victim::new("typeperf.tsv", read("typeperf.tsv"), ends_in_text),
    ]
}

#[test]
fn truncated_samples() {
    for victim in victims() {
        let num_compared = victim.suffer(|bytes, ofs| bytes[..ofs].to_vec());
        // With a single block, nothing precedes the damage.
        assert_eq!(num_compared > 100, victim.name != "big-endian.bin", "{}: {num_compared}", victim.name);
    }
}

#[test]
fn flipped_bytes() {
    for (turn, victim) in victims().into_iter().enumerate() {
        let num_compared = victim.suffer(|bytes, ofs| {
            let mut bytes = bytes.to_vec();
            bytes[ofs] ^= [0xFF, 0x01, 0x80, 0x10][(ofs + turn) % 4];
            bytes
        });
        assert_eq!(num_compared > 100, victim.name != "big-endian.bin", "{}: {num_compared}", victim.name);
    }
}

/// These read the shared captures.
mod stored {
    use super::*;

    /// The one real log, at a tenth of the places: it is longer.
    #[test]
    #[ignore = "reads ../shared/data"]
    fn the_real_log() {
        let bytes = recount_testdata::shared("blg/tx-basic.blg");
        let directory = tempfile::tempdir().expect("a temporary directory");
        for number in 1..20 {
            let ofs = number * bytes.len() / 20;
            let captures = open_bytes(directory.path(), &bytes[..ofs]).map_err(|error| error.len());
            let mut flipped = bytes.clone();
            flipped[ofs] ^= 0xFF;
            let flipped = open_bytes(directory.path(), &flipped).expect("the head is whole");
            assert!(
                flipped[0].source.times().len() >= 599,
                "byte {ofs:#x}: {}",
                flipped[0].source.times().len()
            );
            if let Ok(captures) = captures {
                assert!(captures[0].source.times().len() < 601);
                assert!(
                    convert_to(directory.path(), &captures).is_some()
                        || captures[0].source.times().is_empty()
                );
            }
        }
    }
}
