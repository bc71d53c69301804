//! A section's structure: the rows that make up each record, and the first row of each stream
//! (`formats/rcap.md#section`).

use std::collections::HashMap;

use recount_model::Piece;

use super::known_texts;
use crate::bytes::{Bytes, Short};
use crate::numbers;

/// Fewer known texts aren't worth a chunk of a later version.
const MIN_NUM_KNOWN_TEXTS: usize = 8;

/// A section under construction: the rows of its streams, by their positions in the raw bytes.
#[derive(Default)]
pub(super) struct SectionBuilder {
    /// Pieces of each segment.
    num_pieces: Vec<u64>,
    /// Which stream follows which, coded.
    codes: Vec<u64>,
    successors: Successors,
    pub(super) streams: Vec<Stream>,
    pub(super) classes: Vec<Class>,
    by_piece: HashMap<Piece, u32>,
    by_class: HashMap<(u32, u32), u32>,
    last: Option<u32>,
}

/// Rows of one thing.
pub(super) struct Stream {
    piece: Piece,
    pub(super) class: u32,
    /// Where each row starts in the raw bytes.
    pub(super) rows: Vec<u32>,
}

/// Streams of one sort, with rows of one length.
pub(super) struct Class {
    pub(super) len_row: u32,
    /// Its streams, ascending.
    pub(super) streams: Vec<u32>,
}

impl SectionBuilder {
    /// Begins a segment: the next stretch of pieces of this section in a record.
    pub(super) fn begin_segment(&mut self) {
        self.num_pieces.push(0);
        self.last = None;
    }

    /// Adds a piece to the segment.
    pub(super) fn push(&mut self, piece: Piece, ofs: u32) {
        let expected = self.successors.after(self.last);
        let is_expected = self.streams.get(expected as usize).is_some_and(|stream| stream.piece == piece);
        let stream = if is_expected { expected } else { self.stream_of(piece) };
        self.codes.push(self.successors.encode(self.last, stream));
        self.streams[stream as usize].rows.push(ofs);
        if let Some(num) = self.num_pieces.last_mut() {
            *num += 1;
        }
        self.last = Some(stream);
    }

    fn stream_of(&mut self, piece: Piece) -> u32 {
        let (streams, classes, by_class) = (&mut self.streams, &mut self.classes, &mut self.by_class);
        *self.by_piece.entry(piece).or_insert_with(|| {
            let stream = streams.len() as u32;
            let class = *by_class.entry((piece.sort, piece.len)).or_insert_with(|| {
                classes.push(Class { len_row: piece.len, streams: Vec::new() });
                classes.len() as u32 - 1
            });
            classes[class as usize].streams.push(stream);
            streams.push(Stream { piece, class, rows: Vec::new() });
            stream
        })
    }

    /// The structure's bytes, first rows included, and whether it refers to known texts.
    pub(super) fn structure(&self, raw: &[u8]) -> (Vec<u8>, bool) {
        let mut out = Vec::new();
        let known = self.known_texts(raw);
        let has_known = known.iter().any(Option::is_some);
        for num in [self.num_pieces.len(), self.codes.len(), self.classes.len(), self.streams.len()] {
            out.extend_from_slice(&(num as u32).to_le_bytes());
        }
        numbers::write(&self.num_pieces, &mut out);
        numbers::write(&self.codes, &mut out);
        let class_of: Vec<u64> = self.streams.iter().map(|stream| u64::from(stream.class)).collect();
        numbers::write(&class_of, &mut out);
        let of_class = self.classes.iter().zip(&known);
        let len_row = |(class, known): (&Class, &Option<u64>)| known.map_or(u64::from(class.len_row), |_| 0);
        numbers::write(&of_class.clone().map(len_row).collect::<Vec<u64>>(), &mut out);
        if has_known {
            let known: Vec<u64> = known.iter().flatten().copied().collect();
            out.extend_from_slice(&(known.len() as u32).to_le_bytes());
            numbers::write(&known, &mut out);
        }
        for (class, _) in of_class.filter(|(_, known)| known.is_none()) {
            // Byte by byte over all streams: numbers of one kind stand together then.
            let starts: Vec<usize> =
                class.streams.iter().map(|&stream| self.streams[stream as usize].rows[0] as usize).collect();
            for byte in 0..class.len_row as usize {
                out.extend(starts.iter().map(|start| raw[start + byte]));
            }
        }
        (out, has_known)
    }

    /// The known text of each class, if using them is worthwhile.
    fn known_texts(&self, raw: &[u8]) -> Vec<Option<u64>> {
        let known_text = |class: &Class| {
            let [stream] = class.streams[..] else { return None };
            let start = self.streams[stream as usize].rows[0] as usize;
            known_texts::number(&raw[start..start + class.len_row as usize])
        };
        let known: Vec<_> = self.classes.iter().map(known_text).collect();
        let is_worth_it = known.iter().flatten().count() >= MIN_NUM_KNOWN_TEXTS;
        if is_worth_it { known } else { vec![None; self.classes.len()] }
    }
}

/// Predicts the stream that follows another: the one that followed last time, initially the next one.
#[derive(Default)]
struct Successors {
    /// By stream + 1; 0 is the start of a segment.
    after: Vec<u32>,
}

impl Successors {
    fn after(&self, stream: Option<u32>) -> u32 {
        let at = stream.map_or(0, |stream| stream + 1);
        self.after.get(at as usize).copied().unwrap_or(at)
    }

    fn set(&mut self, stream: Option<u32>, next: u32) {
        let at = stream.map_or(0, |stream| stream as usize + 1);
        while self.after.len() <= at {
            self.after.push(self.after.len() as u32);
        }
        self.after[at] = next;
    }

    /// 0: as predicted; else the stream + 1.
    fn encode(&mut self, stream: Option<u32>, next: u32) -> u64 {
        if self.after(stream) == next {
            return 0;
        }
        self.set(stream, next);
        u64::from(next) + 1
    }

    fn decode(&mut self, stream: Option<u32>, code: u64) -> u64 {
        let Some(next) = code.checked_sub(1) else { return u64::from(self.after(stream)) };
        if let Ok(next) = u32::try_from(next) {
            self.set(stream, next);
        }
        next
    }
}

/// A section's structure, read.
pub(super) struct Structure<'a> {
    /// Per segment, the end of its pieces in `pieces`.
    pub(super) segment_ends: Vec<usize>,
    /// Stream of every piece.
    pub(super) pieces: Vec<u32>,
    /// Class of every stream, and its place among the class's streams.
    pub(super) streams: Vec<(u32, u32)>,
    pub(super) classes: Vec<ClassRows<'a>>,
}

/// The streams of a class.
pub(super) struct ClassRows<'a> {
    pub(super) len_row: usize,
    /// Number of rows of each of its streams.
    pub(super) num_rows: Vec<u32>,
    /// First rows: byte 0 of every stream, byte 1 of every stream, and so on.
    pub(super) first_rows: &'a [u8],
    /// Whether the first row is a known text, of the only stream.
    is_known_text: bool,
}

/// The texts of the classes that are known ones.
fn read_known_texts(bytes: &mut Bytes<'_>, num_classes: usize) -> Result<Vec<&'static [u8]>, Short> {
    let num = bytes.len("num_known_texts", num_classes)?;
    let numbers = numbers::read(bytes, num)?;
    let text = |number| {
        known_texts::text(number).ok_or_else(|| bytes.bad("known_text", "a text of the table", number))
    };
    numbers.into_iter().map(text).collect()
}

/// The most pieces that a section may have.
pub(super) const MAX_NUM_PIECES: usize = 4 << 20;

impl<'a> Structure<'a> {
    /// Reads a structure whose rows are `max_len` bytes together at most.
    pub(super) fn read(
        bytes: &mut Bytes<'a>,
        max_len: usize,
        has_known_texts: bool,
    ) -> Result<Structure<'a>, Short> {
        // Every segment has a piece, and every piece a byte.
        let num_segments = bytes.len("num_segments", MAX_NUM_PIECES.min(max_len))?;
        let num_pieces = bytes.len("num_pieces", MAX_NUM_PIECES.min(max_len))?;
        let num_classes = bytes.len("num_classes", num_pieces)?;
        let num_streams = bytes.len("num_streams", num_pieces)?;
        let per_segment = numbers::read(bytes, num_segments)?;
        let codes = numbers::read(bytes, num_pieces)?;
        let class_of = numbers::read(bytes, num_streams)?;
        let len_rows = numbers::read(bytes, num_classes)?;
        let mut structure = Structure {
            segment_ends: Vec::with_capacity(num_segments),
            pieces: Vec::with_capacity(num_pieces),
            streams: Vec::with_capacity(num_streams),
            classes: Vec::with_capacity(num_classes),
        };
        let mut known =
            if has_known_texts { read_known_texts(bytes, num_classes)? } else { Vec::new() }.into_iter();
        for len_row in len_rows {
            let text = if len_row == 0 { known.next() } else { None };
            let len_row = text.map_or(len_row, |text| text.len() as u64);
            if len_row == 0 || len_row > max_len as u64 {
                return Err(bytes.bad("len_row", "1 to the chunk's length", len_row));
            }
            structure.classes.push(ClassRows {
                len_row: len_row as usize,
                num_rows: Vec::new(),
                first_rows: text.unwrap_or_default(),
                is_known_text: text.is_some(),
            });
        }
        if known.len() > 0 {
            return Err(bytes.bad("known_text", "one for every class without a len_row", known.len() as u64));
        }
        for class in class_of {
            let at = usize::try_from(class).unwrap_or(usize::MAX);
            let rows = structure.classes.get_mut(at);
            let rows = rows.ok_or_else(|| bytes.bad("class", "a class of the section", class))?;
            structure.streams.push((class as u32, rows.num_rows.len() as u32));
            rows.num_rows.push(0);
        }
        structure.read_pieces(bytes, &per_segment, &codes)?;
        structure.check_len(bytes, max_len)?;
        for class in &mut structure.classes {
            if class.is_known_text {
                match class.num_rows.len() {
                    1 => continue,
                    num => return Err(bytes.bad("known_text", "a class of one stream", num as u64)),
                }
            }
            class.first_rows =
                bytes.take("first_rows", class.len_row.saturating_mul(class.num_rows.len()))?;
        }
        match bytes.len_left() {
            0 => Ok(structure),
            left => Err(bytes.bad("first_rows", "the end of the structure after them", left as u64)),
        }
    }

    /// The first row of a stream.
    pub(super) fn first_row(&self, stream: u32) -> Vec<u8> {
        let (class, at) = self.streams[stream as usize];
        let class = &self.classes[class as usize];
        class.first_rows.iter().skip(at as usize).step_by(class.num_rows.len()).copied().collect()
    }

    fn read_pieces(&mut self, bytes: &Bytes<'_>, per_segment: &[u64], codes: &[u64]) -> Result<(), Short> {
        let mut successors = Successors::default();
        let mut codes = codes.iter();
        for &num in per_segment {
            let mut last = None;
            if num > codes.len() as u64 {
                return Err(bytes.bad("num_pieces of a segment", "no more than are left", num));
            }
            for &code in codes.by_ref().take(num as usize) {
                let stream = successors.decode(last, code);
                let (class, at) = *self
                    .streams
                    .get(stream as usize)
                    .ok_or_else(|| bytes.bad("stream", "a stream of the section", stream))?;
                self.classes[class as usize].num_rows[at as usize] += 1;
                self.pieces.push(stream as u32);
                last = Some(stream as u32);
            }
            self.segment_ends.push(self.pieces.len());
        }
        match codes.len() {
            0 => Ok(()),
            left => Err(bytes.bad("num_pieces", "no pieces after the last segment", left as u64)),
        }
    }

    fn check_len(&self, bytes: &Bytes<'_>, max_len: usize) -> Result<(), Short> {
        let empty = self.classes.iter().any(|class| class.num_rows.contains(&0));
        if empty {
            return Err(bytes.bad("num_streams", "streams with at least one row", 0));
        }
        match self.len_rows() {
            len if len > max_len as u64 => Err(bytes.bad("len_row", "rows within the chunk's length", len)),
            _ => Ok(()),
        }
    }

    /// Bytes of every segment.
    pub(super) fn len_segments(&self) -> impl Iterator<Item = usize> {
        let mut start = 0;
        self.segment_ends.iter().map(move |&end| {
            let pieces = &self.pieces[std::mem::replace(&mut start, end)..end];
            pieces.iter().map(|&stream| self.len_row(stream)).sum()
        })
    }

    fn len_row(&self, stream: u32) -> usize {
        self.classes[self.streams[stream as usize].0 as usize].len_row
    }

    /// Where every row goes, for segments that start at given places: class by class, stream by stream, row by row.
    pub(super) fn places(&self, starts: impl Iterator<Item = usize>) -> Vec<u32> {
        // Index of each stream's next row in the list.
        let (mut first, mut firsts) = (0, Vec::with_capacity(self.classes.len()));
        for class in &self.classes {
            let of_class = class.num_rows.iter().map(|&num| {
                let of_stream = first;
                first += num as usize;
                of_stream
            });
            firsts.push(of_class.collect::<Vec<usize>>());
        }
        let mut places = vec![0; self.pieces.len()];
        let mut start = 0;
        for (&end, mut ofs) in self.segment_ends.iter().zip(starts) {
            for &stream in &self.pieces[start..end] {
                let (class, at) = self.streams[stream as usize];
                let next = &mut firsts[class as usize][at as usize];
                places[*next] = ofs as u32;
                *next += 1;
                ofs += self.classes[class as usize].len_row;
            }
            start = end;
        }
        places
    }

    /// Bytes of all rows.
    pub(super) fn len_rows(&self) -> u64 {
        let len = |class: &ClassRows<'_>| {
            let num: u64 = class.num_rows.iter().map(|&num| u64::from(num)).sum();
            num.saturating_mul(class.len_row as u64)
        };
        self.classes.iter().map(len).fold(0, u64::saturating_add)
    }
}
