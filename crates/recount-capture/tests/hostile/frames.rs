//! Frames, and a chunk's parts, assembled by the specification alone (`formats/rcap.md`).

use std::ops::Range;

pub(crate) const RECORD: u16 = 4;
pub(crate) const CHUNK: u16 = 5;
pub(crate) const INDEX: u16 = 6;

const TAG: [u8; 4] = [7, 7, 7, 7];

/// A frame with the right checksums.
pub(crate) fn frame(kind: u16, payload: &[u8]) -> Vec<u8> {
    let mut frame = vec![0x8D, b'R', b'C', b'F'];
    frame.extend(TAG);
    frame.extend(kind.to_le_bytes());
    frame.extend(1_u16.to_le_bytes());
    frame.extend((payload.len() as u32).to_le_bytes());
    frame.extend(crc32c::crc32c(&frame).to_le_bytes());
    frame.extend(payload);
    frame.extend(crc32c::crc32c(payload).to_le_bytes());
    frame.extend((payload.len() as u32 + 28).to_le_bytes());
    frame
}

/// The frame that every log begins with.
pub(crate) fn header() -> Vec<u8> {
    let mut payload = vec![7; 16];
    payload.extend([0; 12]);
    frame(1, &payload)
}

/// A log of one frame.
pub(crate) fn log(kind: u16, payload: &[u8]) -> Vec<u8> {
    [header(), frame(kind, payload)].concat()
}

/// A section, not compressed yet.
#[derive(Clone, Debug)]
pub(crate) struct Section {
    pub(crate) key: u32,
    pub(crate) flags: u32,
    pub(crate) structure: Vec<u8>,
    pub(crate) columns: Vec<u8>,
}

/// A chunk, not compressed yet.
#[derive(Clone, Debug)]
pub(crate) struct Chunk {
    /// The head up to the number of records.
    pub(crate) number_first: u64,
    pub(crate) times: [i64; 2],
    pub(crate) len_raw: u64,
    pub(crate) num_records: u32,
    pub(crate) table: Vec<u8>,
    pub(crate) sections: Vec<Section>,
}

fn u32_at(bytes: &[u8], ofs: usize) -> usize {
    u32::from_le_bytes(bytes[ofs..ofs + 4].try_into().expect("4 bytes")) as usize
}

fn u64_at(bytes: &[u8], ofs: usize) -> u64 {
    u64::from_le_bytes(bytes[ofs..ofs + 8].try_into().expect("8 bytes"))
}

fn unpacked(packed: &[u8], len: usize) -> Vec<u8> {
    zstd::bulk::decompress(packed, len).expect("sound")
}

impl Chunk {
    /// Takes a sound payload apart.
    pub(crate) fn read(payload: &[u8]) -> Chunk {
        let num_sections = u32_at(payload, 36);
        let mut ofs = 52 + 32 * num_sections + 4;
        let mut take = |len: usize, len_raw: usize| {
            let start = ofs;
            ofs += len;
            unpacked(&payload[start..ofs], len_raw)
        };
        let table = take(u32_at(payload, 40), u32_at(payload, 44));
        let mut sections = Vec::new();
        for entry in (0..num_sections).map(|at| 52 + 32 * at) {
            let structure = take(u32_at(payload, entry + 8), u32_at(payload, entry + 12));
            let columns = take(u32_at(payload, entry + 16), u32_at(payload, entry + 20));
            let (key, flags) = (u32_at(payload, entry) as u32, u32_at(payload, entry + 4) as u32);
            sections.push(Section { key, flags, structure, columns });
        }
        Chunk {
            number_first: u64_at(payload, 0),
            times: [u64_at(payload, 8) as i64, u64_at(payload, 16) as i64],
            len_raw: u64_at(payload, 24),
            num_records: u32_at(payload, 32) as u32,
            table,
            sections,
        }
    }

    /// The payload, with the right checksums.
    pub(crate) fn write(&self) -> Vec<u8> {
        let pack = |bytes: &[u8]| zstd::bulk::compress(bytes, 1).expect("memory");
        let table = pack(&self.table);
        let mut body = table.clone();
        let mut directory = Vec::new();
        for section in &self.sections {
            let (structure, columns) = (pack(&section.structure), pack(&section.columns));
            let words = [
                section.key,
                section.flags,
                structure.len() as u32,
                section.structure.len() as u32,
                columns.len() as u32,
                section.columns.len() as u32,
                crc32c::crc32c(&structure),
                crc32c::crc32c(&columns),
            ];
            directory.extend(words.into_iter().flat_map(u32::to_le_bytes));
            body.extend(structure);
            body.extend(columns);
        }
        let mut out = self.number_first.to_le_bytes().to_vec();
        out.extend(self.times.into_iter().flat_map(i64::to_le_bytes));
        out.extend(self.len_raw.to_le_bytes());
        let words = [
            self.num_records,
            self.sections.len() as u32,
            table.len() as u32,
            self.table.len() as u32,
            crc32c::crc32c(&table),
        ];
        out.extend(words.into_iter().flat_map(u32::to_le_bytes));
        out.extend(directory);
        out.extend(crc32c::crc32c(&out).to_le_bytes());
        out.extend(body);
        out
    }
}

/// Where the payloads of the frames of a sound log are, with their kinds.
pub(crate) fn payloads(log: &[u8]) -> Vec<(u16, Range<usize>)> {
    let mut found = Vec::new();
    let mut ofs = 0;
    while ofs < log.len() {
        let end = ofs + u32_at(log, ofs + 12) + 28;
        found.push((u16::from_le_bytes([log[ofs + 8], log[ofs + 9]]), ofs + 20..end - 8));
        ofs = end;
    }
    found
}

/// A list of integers that all are `value`, `formats/rcap.md#numbers`: verbatim.
pub(crate) fn numbers(value: u64, num: usize) -> Vec<u8> {
    let num_planes = (u64::BITS - value.leading_zeros()).div_ceil(8) as u8;
    let mut out = vec![0, num_planes];
    for plane in 0..num_planes {
        out.extend(std::iter::repeat_n((value >> (8 * plane)) as u8, num));
    }
    out
}
