//! Mutates valid buffers.

/// Numbers that look random and are the same in every run (an xorshift generator).
pub(crate) struct Random(u64);

impl Random {
    pub(crate) fn new(seed: u64) -> Random {
        Random(seed.wrapping_mul(0x9E37_79B9_7F4A_7C15) | 1)
    }

    fn next(&mut self) -> u64 {
        self.0 ^= self.0 << 13;
        self.0 ^= self.0 >> 7;
        self.0 ^= self.0 << 17;
        self.0
    }

    /// Less than `bound`, which is more than 0.
    pub(crate) fn below(&mut self, bound: usize) -> usize {
        (self.next() >> 11) as usize % bound
    }
}

/// No mutation makes a buffer longer than this.
const MAX_LEN: usize = 4096;

/// Changes a buffer in one to four ways: bits flipped, the end cut off, parts moved or taken from elsewhere, fields of four
/// bytes set to extremes.
pub(crate) fn mutate(bytes: &mut Vec<u8>, others: &[Vec<u8>], random: &mut Random) {
    for _ in 0..=random.below(4) {
        match random.below(8) {
            0 => flip(bytes, random),
            1 => bytes.truncate(random.below(bytes.len() + 1)),
            2 => splice(bytes, &others[random.below(others.len())], random),
            3 => {
                let copy = bytes.clone();
                splice(bytes, &copy, random);
            }
            _ => set_field(bytes, random),
        }
    }
    bytes.truncate(MAX_LEN);
}

fn flip(bytes: &mut [u8], random: &mut Random) {
    if !bytes.is_empty() {
        let at = random.below(bytes.len());
        bytes[at] ^= 1 << random.below(8);
    }
}

/// Puts a stretch of another buffer in the place of a stretch of this one.
fn splice(bytes: &mut Vec<u8>, other: &[u8], random: &mut Random) {
    // Mostly where structures may begin.
    let step = [1, 4, 8, 8][random.below(4)];
    let mut stretch = |len: usize| {
        let start = random.below(len / step + 1) * step;
        let end = start + random.below((len - start) / step + 1) * step;
        start..end
    };
    let (to, from) = (stretch(bytes.len()), stretch(other.len()));
    bytes.splice(to, other[from].iter().copied());
}

fn set_field(bytes: &mut [u8], random: &mut Random) {
    if bytes.len() < 4 {
        return;
    }
    let len = bytes.len() as u32;
    let at = random.below((bytes.len() - 4) / 4 + 1) * 4;
    let field = &mut bytes[at..at + 4];
    let before = field.iter().rev().fold(0, |word, byte| word << 8 | u32::from(*byte));
    let extremes = [
        0,
        1,
        2,
        6,
        7,
        8,
        16,
        40,
        48,
        len,
        len - 1,
        len + 1,
        len / 4,
        before.wrapping_sub(1),
        before.wrapping_add(1),
        before.wrapping_add(8),
        before.wrapping_sub(8),
        0x7FFF_FFFF,
        0x8000_0000,
        0xFFFF_FFF8,
        u32::MAX,
    ];
    field.copy_from_slice(&extremes[random.below(extremes.len())].to_le_bytes());
}
