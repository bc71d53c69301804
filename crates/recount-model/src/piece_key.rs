//! The identity of a piece of a record ([`crate::Piece::key`]).

use std::collections::HashMap;

/// Computes the keys of the things in one table of one record: a hash of their identity and of how often that
/// identity occurred before.
#[derive(Debug, Default)]
pub struct PieceKeys {
    /// How often each identity has occurred.
    seen: HashMap<u64, u32>,
}

impl PieceKeys {
    /// Begins another table. The memory is reused.
    pub fn clear(&mut self) {
        self.seen.clear();
    }

    /// The key of a thing identified by numbers and a name.
    pub fn key(&mut self, numbers: &[u32], name: &[u8]) -> u64 {
        let mut hash = numbers.iter().fold(0, |hash, number| mix(hash, u64::from(*number)));
        let (words, rest) = name.as_chunks::<8>();
        hash = words.iter().fold(hash, |hash, word| mix(hash, u64::from_le_bytes(*word)));
        hash = rest.iter().fold(hash, |hash, byte| mix(hash, u64::from(*byte)));
        let seen = self.seen.entry(hash).or_default();
        *seen += 1;
        mix(hash, u64::from(*seen))
    }
}

/// Collisions only cost compression, so a quick hash will do.
fn mix(hash: u64, word: u64) -> u64 {
    (hash ^ word).wrapping_mul(0x9E37_79B9_7F4A_7C15).rotate_left(29)
}
