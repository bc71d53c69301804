//! What a line can take.

/// The speed of a line, in one number: 256 times the Mbit/s, plus 2 if both directions go at once.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct LineSpeed(pub u64);

impl LineSpeed {
    /// In Mbit/s; 0: unknown.
    pub const fn megabits(self) -> u64 {
        self.0 >> 8
    }

    /// Whether both directions go at once.
    pub const fn is_full_duplex(self) -> bool {
        self.0 & 0xFF == 2
    }
}
