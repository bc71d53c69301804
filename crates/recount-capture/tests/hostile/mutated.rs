//! Real logs with changed bytes, but correct checksums.

use recount_capture::{CaptureError, CaptureSource, Log, LogWriter, RecordKind, Sync, WriterOptions};
use recount_model::{CounterType, Event, EventKind, Facts, Piece, Selection, Sink, Source, Timestamp};
use recount_perf_data::{
    BlockClocks, BlockStream, CounterDefinition, InstanceName, ObjectHeader, ObjectTemplate,
};

use crate::counted::Reads;
use crate::frames::{CHUNK, Chunk, INDEX, RECORD, frame, payloads};
use crate::memory::peak;

/// Pseudo-random numbers, the same every time.
struct Random(u64);

impl Random {
    fn next(&mut self) -> u64 {
        self.0 = self.0.wrapping_mul(6_364_136_223_846_793_005).wrapping_add(1_442_695_040_888_963_407);
        self.0 >> 16
    }

    fn below(&mut self, end: usize) -> usize {
        (self.next() % end.max(1) as u64) as usize
    }

    /// Changes some bytes: to anything, or to what is on the edge of something.
    fn change(&mut self, bytes: &mut Vec<u8>) {
        for _ in 0..=self.below(3) {
            if bytes.is_empty() {
                return;
            }
            let at = self.below(bytes.len());
            match self.below(6) {
                0 => bytes[at] = self.next() as u8,
                1 => bytes[at] ^= 1 << self.below(8),
                2 => bytes[at] = [0, 1, 0x7F, 0x80, 0xFF][self.below(5)],
                3 => {
                    let len = bytes.len();
                    bytes[at..len.min(at + 4)].fill([0, 0xFF][self.below(2)]);
                }
                4 => bytes.truncate(at),
                _ => bytes.insert(at, self.next() as u8),
            }
        }
    }
}

/// A small log with everything in it, closed.
fn small_log() -> Vec<u8> {
    let directory = tempfile::tempdir().expect("temporary directory");
    let path = directory.path().join("log.rcap");
    let mut process = ObjectTemplate::new(ObjectHeader::new(230, true));
    let time = process.add_counter(CounterDefinition::new(6, CounterType(0x2051_0500)));
    let odd = process.add_counter(CounterDefinition::new(8, CounterType(0x0001_0000)));
    let options = WriterOptions { sync: Sync::None, len_chunk: 12_000, ..WriterOptions::default() };
    let mut writer = LogWriter::create(&path, options).expect("new");
    writer.facts(&Facts::from([("host".to_owned(), "web1".to_owned())])).expect("written");
    writer.texts("009", &mut [(230, "Process"), (6, "% Processor Time")].into_iter()).expect("written");
    let mut stream = BlockStream::new("web1");
    for sample in 0..30_u64 {
        stream.begin(BlockClocks { perf_time: sample as i64, perf_freq: 1, perf_time_100ns: 1 });
        let mut object = stream.object(&process, 0, 0);
        for name in ["a", "b", "a", "longer"] {
            object.instance(InstanceName::new(name)).set(time, sample * sample * 10_000).set(odd, sample / 7);
        }
        writer.block(Timestamp(sample as i64), stream.finish().expect("fits")).expect("written");
        if sample % 9 == 0 {
            let kind = EventKind::Late;
            let event = Event { time: Timestamp(0), kind, extent: 5, count: 1, text: "late".into() };
            writer.event(&event).expect("written");
        }
    }
    let (names, pieces) = known_texts();
    writer.append(Timestamp(30), RecordKind(0x8000), &names, &pieces).expect("written");
    writer.finish().expect("closed");
    std::fs::read(&path).expect("there")
}

/// A record of known texts, each a piece (`formats/rcap.md#known-texts`).
fn known_texts() -> (Vec<u8>, Vec<Piece>) {
    const TEXTS: [&str; 9] =
        ["RAS", "Processor", "Memory", "Process", "System", "_Total", "svchost", "Cache", "PhysicalDisk"];
    let texts =
        TEXTS.map(|text| text.encode_utf16().chain([0]).flat_map(u16::to_le_bytes).collect::<Vec<u8>>());
    let piece = |(text, sort): (&Vec<u8>, u32)| Piece { section: 7, sort, key: 0, len: text.len() as u32 };
    (texts.concat(), texts.iter().zip(0..).map(piece).collect())
}

/// Output that is thrown away.
struct Nowhere;

impl std::fmt::Write for Nowhere {
    fn write_str(&mut self, _: &str) -> std::fmt::Result {
        Ok(())
    }
}

/// The most memory that reading such a small log may take, whatever it says.
const MAX_LEN_TAKEN: usize = 16 << 20;

/// How many times its length may be read, by all ways together.
const MAX_READ: u64 = 40;

/// Opens a log in every way and reads all of it. The result doesn't matter, as long as it comes cheaply.
fn read_all(log: &[u8], context: &dyn Fn() -> String) -> usize {
    let reads = Reads::default();
    let (taken, num_read) = peak(|| {
        let input = || reads.of(log);
        let mut num_read = 0;
        for log in [Log::open(input()), Log::open_by_frames(input())].into_iter().flatten() {
            log.for_each_record::<CaptureError>(|_, bytes| {
                num_read += usize::from(bytes.is_ok());
                Ok(())
            })
            .expect("nothing to fail");
        }
        if let Ok(source) = CaptureSource::open(input()) {
            let all: Vec<u32> = (0..source.times().len() as u32).collect();
            source.decode(&all, &Selection::all());
            source.survey(&all, &Selection::all());
            source.objects();
        }
        let _ = recount_capture::verify(input());
        // As long as all the rest, so only of some.
        if crc32c::crc32c(log).is_multiple_of(4) {
            let _ = recount_capture::dump(input(), usize::MAX, &mut Nowhere);
        }
        num_read
    });
    assert!(taken <= MAX_LEN_TAKEN, "{}: {taken} bytes", context());
    reads.assert_at_most(MAX_READ, log, context);
    num_read
}

/// A log with one frame's payload changed in place of the one it has.
fn with(log: &[u8], at: usize, payload: &[u8]) -> Vec<u8> {
    let (kind, place) = payloads(log)[at].clone();
    let mut changed = log[..place.start - 20].to_vec();
    let mut new = frame(kind, payload);
    new[4..8].copy_from_slice(&log[4..8]);
    let crc = crc32c::crc32c(&new[..16]);
    new[16..20].copy_from_slice(&crc.to_le_bytes());
    changed.extend(new);
    changed.extend_from_slice(&log[place.end + 8..]);
    changed
}

/// How many changes each test tries. `RECOUNT_MUTATIONS=100000` tries more.
fn num_rounds() -> usize {
    std::env::var("RECOUNT_MUTATIONS").ok().and_then(|num| num.parse().ok()).unwrap_or(3_000)
}

#[test]
fn any_payload() {
    let log = small_log();
    let parts = payloads(&log);
    assert!(read_all(&log, &|| "as it is".into()) >= 60);
    let mut random = Random(1);
    for round in 0..num_rounds() {
        let at = random.below(parts.len());
        let mut payload = log[parts[at].1.clone()].to_vec();
        random.change(&mut payload);
        read_all(&with(&log, at, &payload), &|| format!("round {round}, frame {at}"));
    }
}

/// What a chunk decompresses to, changed and compressed again.
#[test]
fn any_part_of_a_chunk() {
    let log = small_log();
    let parts = payloads(&log);
    let chunks: Vec<usize> = (0..parts.len()).filter(|&at| parts[at].0 == CHUNK).collect();
    assert!(chunks.len() >= 2);
    let mut random = Random(2);
    let mut num_read = 0;
    for round in 0..4 * num_rounds() {
        let at = chunks[random.below(chunks.len())];
        let mut chunk = Chunk::read(&log[parts[at].1.clone()]);
        let section = random.below(chunk.sections.len());
        match random.below(8) {
            0 => random.change(&mut chunk.table),
            1..=3 => random.change(&mut chunk.sections[section].structure),
            4..=6 => random.change(&mut chunk.sections[section].columns),
            _ => match random.below(6) {
                0 => chunk.number_first = [0, 1, 5, u64::MAX, u64::MAX >> 1, random.next()][random.below(6)],
                1 => chunk.len_raw = [0, 1, 64 << 20, (64 << 20) + 1, u64::MAX][random.below(5)],
                2 => chunk.num_records = [0, 1, 1 << 20, (1 << 20) + 1, u32::MAX][random.below(5)],
                3 => chunk.sections[section].key ^= 1 << random.below(32),
                4 => chunk.sections[section].flags ^= 1 << random.below(3),
                _ => {
                    let copy = chunk.sections[section].clone();
                    chunk.sections.push(copy);
                }
            },
        }
        num_read += read_all(&with(&log, at, &chunk.write()), &|| format!("round {round}: {chunk:?}"));
    }
    // Most changes leave something, or nothing was tested.
    assert!(num_read > 20 * num_rounds(), "{num_read}");
}

/// What an index decompresses to, changed and compressed again.
#[test]
fn any_part_of_an_index() {
    let log = small_log();
    let parts = payloads(&log);
    let (at, (kind, place)) = (parts.len() - 1, parts[parts.len() - 1].clone());
    assert_eq!(kind, INDEX);
    let head = &log[place.start..place.start + 32];
    let len_table = u64::from_le_bytes(head[24..].try_into().expect("8 bytes")) as usize;
    let table = zstd::bulk::decompress(&log[place.start + 32..place.end], len_table).expect("sound");
    let mut random = Random(3);
    for round in 0..num_rounds() {
        let (mut head, mut table) = (head.to_vec(), table.clone());
        if random.below(4) == 0 {
            random.change(&mut head);
            head.resize(32, 0);
        } else {
            random.change(&mut table);
            head[24..].copy_from_slice(&(table.len() as u64).to_le_bytes());
        }
        let payload = [head, zstd::bulk::compress(&table, 1).expect("memory")].concat();
        read_all(&with(&log, at, &payload), &|| format!("round {round}"));
    }
}

/// Frames in any order, some changed, some of them twice; numbers of records as they come.
#[test]
fn any_frames() {
    let log = small_log();
    let parts = payloads(&log);
    let mut random = Random(4);
    let tag: [u8; 4] = log[4..8].try_into().expect("4 bytes");
    for round in 0..num_rounds() {
        let mut mixed = log[..parts[0].1.end + 8].to_vec();
        for _ in 0..random.below(12) {
            let (kind, place) = parts[random.below(parts.len())].clone();
            let mut payload = log[place].to_vec();
            if random.below(2) == 0 {
                random.change(&mut payload);
            }
            let kind = if random.below(8) == 0 { random.below(9) as u16 } else { kind };
            let mut new = frame(kind, &payload);
            new[4..8].copy_from_slice(&tag);
            let crc = crc32c::crc32c(&new[..16]);
            new[16..20].copy_from_slice(&crc.to_le_bytes());
            mixed.extend(new);
            if random.below(3) == 0 {
                let number = [u64::MAX, u64::MAX >> 1, (u64::MAX >> 1) - 1, 3, 50][random.below(5)];
                let mut record = number.to_le_bytes().to_vec();
                record.extend([0; 16]);
                let mut new = frame(RECORD, &record);
                new[4..8].copy_from_slice(&tag);
                let crc = crc32c::crc32c(&new[..16]);
                new[16..20].copy_from_slice(&crc.to_le_bytes());
                mixed.extend(new);
            }
        }
        read_all(&mixed, &|| format!("round {round}"));
    }
}
