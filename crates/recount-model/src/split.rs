//! Splitting records into pieces that repeat from sample to sample.

/// A range of a record's bytes.
///
/// Pieces with the same section, key and length in successive records are the rows of one table, whose
/// columns change little from row to row. A log compresses these tables. The pieces of a record, concatenated
/// in order, are the record, without gaps or overlaps. A reader only concatenates them.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct Piece {
    /// The part that can be read separately: for a block, the object's name index; [`Piece::FRAME`] for bytes
    /// that belong to no object.
    pub section: u32,
    /// The kind of thing. Pieces of one kind are similar even if their keys differ (the counter blocks of all
    /// instances of an object), and compress well together.
    pub sort: u32,
    /// A hash of the thing's identity.
    pub key: u64,
    /// Bytes.
    pub len: u32,
}

impl Piece {
    /// The section of bytes that belong to the record as a whole.
    pub const FRAME: u32 = u32::MAX;
}

/// Knows the structure of one kind of record.
pub trait Split {
    /// Appends all pieces of `record`, in order. Bytes that can't be split stay in one piece, so this can't
    /// fail; the lengths always add up to `record.len()`.
    fn split(&mut self, record: &[u8], pieces: &mut Vec<Piece>);
}
