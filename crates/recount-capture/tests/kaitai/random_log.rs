//! A log of records that mean nothing, in pieces that come and go, whose columns take every form there is.

use std::fs::File;

use recount_capture::{LogWriter, RecordKind, Sync, WriterOptions};
use recount_model::{Facts, Piece, Sink, Timestamp};

/// What the columns are.
pub(crate) const FORMS: [&str; 12] = [
    "constant",
    "delta",
    "delta byte",
    "delta2",
    "delta2 byte",
    "difference",
    "same",
    "scaled delta",
    "scaled delta2",
    "sum",
    "verbatim",
    "verbatim byte",
];

const NUM_RECORDS: u64 = 120;
/// Nine wide columns, three of a byte.
const LEN_ROW: usize = 4 * 9 + 3;

type Record = (Timestamp, Vec<u8>, Vec<Piece>);

/// Numbers without a rule.
struct Random(u64);

impl Random {
    fn below(&mut self, limit: u64) -> u64 {
        self.0 = self.0.wrapping_mul(0x5851_F42D_4C95_7F2D).wrapping_add(0x1405_7B7E_F767_814F);
        (self.0 >> 33) % limit
    }
}

/// The rows of one thing: every column by its own rule.
struct Thing {
    piece: Piece,
    wide: [u32; 9],
    bytes: [u8; 3],
    num_steps: u32,
}

impl Thing {
    fn new(number: u64, random: &mut Random) -> Thing {
        Thing {
            piece: Piece {
                section: (number % 3) as u32,
                sort: (number % 2) as u32,
                key: number,
                len: LEN_ROW as u32,
            },
            wide: std::array::from_fn(|_| random.below(1 << 32) as u32),
            bytes: std::array::from_fn(|_| random.below(256) as u8),
            num_steps: 0,
        }
    }

    /// Takes a step, or, in one of five cases, none.
    fn step(&mut self, random: &mut Random) {
        if random.below(5) == 0 {
            return;
        }
        self.num_steps += 1;
        let (some, other) = (random.below(90) as u32 * 4_096, random.below(1_000) as u32);
        // No step, any number, multiples of something, any step, the sum of both, their difference, the same as one of
        // them, always the same step, and one more than the last time.
        let steps = [
            0,
            random.below(1 << 32) as u32,
            some,
            other,
            some.wrapping_add(other),
            other.wrapping_sub(some),
            other,
            7_000,
            self.num_steps,
        ];
        for (column, step) in self.wide.iter_mut().zip(steps) {
            *column = column.wrapping_add(step);
        }
        // Small numbers, small steps either way, the same step.
        self.bytes[0] = random.below(4) as u8;
        self.bytes[1] = self.bytes[1].wrapping_add(random.below(3) as u8).wrapping_sub(1);
        self.bytes[2] = self.bytes[2].wrapping_add(29);
    }

    fn row(&self) -> Vec<u8> {
        self.wide.iter().flat_map(|column| column.to_le_bytes()).chain(self.bytes).collect()
    }
}

/// Times, bytes and pieces of the records.
pub(crate) fn records(seed: u64) -> Vec<Record> {
    let mut random = Random(seed);
    let mut things: Vec<Thing> = (0..9).map(|number| Thing::new(number, &mut random)).collect();
    let mut records = Vec::new();
    for _ in 0..NUM_RECORDS {
        let time = Timestamp(random.below(1 << 40) as i64 - (1 << 39));
        let (mut bytes, mut pieces) = (Vec::new(), Vec::new());
        // Some records are empty, some are in no order.
        let num = random.below(things.len() as u64 + 1) as usize;
        let from = if random.below(3) == 0 { random.below(9) as usize } else { 0 };
        for at in 0..num {
            let at = (from + at) % things.len();
            things[at].step(&mut random);
            bytes.extend(things[at].row());
            pieces.push(things[at].piece);
        }
        // One that appears once only, as long as it likes.
        let len = random.below(7);
        bytes.extend((0..len).map(|_| random.below(256) as u8));
        pieces.push(Piece { section: Piece::FRAME, sort: 9, key: time.0 as u64, len: len as u32 });
        if records.len() == NUM_RECORDS as usize / 2 {
            let (named, of_names) = names();
            bytes.extend(named);
            pieces.extend(of_names);
        }
        records.push((time, bytes, pieces));
    }
    records
}

/// Texts that are known and some that aren't, in pieces that come once.
fn names() -> (Vec<u8>, Vec<Piece>) {
    let texts = [
        "RAS",
        "Processor",
        "nobody's",
        "% Processor Time",
        "Memory",
        "svchost",
        "Process",
        "System",
        "_Total",
        "PhysicalDisk",
        "Active Users",
    ];
    let (mut bytes, mut pieces) = (Vec::new(), Vec::new());
    for (text, sort) in texts.into_iter().zip(100..) {
        let text: Vec<u8> = text.encode_utf16().chain([0]).flat_map(u16::to_le_bytes).collect();
        pieces.push(Piece { section: 1, sort, key: 1, len: text.len() as u32 });
        bytes.extend(text);
    }
    (bytes, pieces)
}

/// The log of the records.
pub(crate) fn write(seed: u64) -> Vec<u8> {
    let directory = tempfile::tempdir().expect("a directory");
    let path = directory.path().join("random.rcap");
    let file = File::options().read(true).write(true).create_new(true).open(&path).expect("a file");
    let options = WriterOptions { sync: Sync::None, len_chunk: 9_000, ..WriterOptions::default() };
    let id = [seed as u8; 16];
    let mut writer = LogWriter::with_identity(file, options, id, Timestamp(0)).expect("a log");
    writer.facts(&Facts::new()).expect("facts");
    for (time, bytes, pieces) in records(seed) {
        writer.append(time, RecordKind(0x8000), &bytes, &pieces).expect("a record");
    }
    writer.finish().expect("the end");
    std::fs::read(path).expect("the log")
}
