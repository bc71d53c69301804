//! How bytes fall into pieces that repeat from sample to sample.

/// A stretch of a record's bytes.
///
/// Pieces of the same section, key and length in successive records are the rows of one table, whose columns change
/// little from row to row: that is what a log compresses. The pieces of a record, in order, are the record: nothing is
/// left out and nothing overlaps. They carry no meaning on the way back.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct Piece {
    /// What can be read apart from the rest: the object's name index, for a block; [`Piece::FRAME`] for what belongs to
    /// no object.
    pub section: u32,
    /// What sort of thing it is: pieces of one sort are alike also where their keys differ (the counter blocks of all
    /// instances of an object), and compress together.
    pub sort: u32,
    /// Which thing it is: a hash of its identity.
    pub key: u64,
    /// Bytes.
    pub len: u32,
}

impl Piece {
    /// The section of what belongs to the record as a whole.
    pub const FRAME: u32 = u32::MAX;
}

/// Knows the structure of one sort of record.
pub trait Split {
    /// Appends the pieces of `record`, in order and complete. Whatever can't be split stays in one piece, so this can't
    /// fail; the sum of the lengths is always `record.len()`.
    fn split(&mut self, record: &[u8], pieces: &mut Vec<Piece>);
}
