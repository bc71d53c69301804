//! How a counter is to be read and shown (MS-PCQ 2.2.4.2 `Attrib`).

/// Attributes of a counter, as bits. Bits that the document doesn't name are preserved.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Hash)]
pub struct CounterAttributes(pub u64);

/// How the values of a counter are shown: by its type word and its attributes.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Hash)]
pub enum NumberStyle {
    /// With separators between groups of digits.
    #[default]
    Grouped,
    /// Without them.
    Ungrouped,
    /// With a fraction, even if that is 0.
    Real,
    /// With a fraction, and without separators.
    UngroupedReal,
    /// In hexadecimal, if it is a whole number.
    Hexadecimal,
}

impl CounterAttributes {
    /// The server has to follow a pointer to the value.
    pub const REFERENCE: CounterAttributes = CounterAttributes(0x01);
    /// Not to be shown.
    pub const NO_DISPLAY: CounterAttributes = CounterAttributes(0x02);
    /// Digits without separators between groups.
    pub const NO_GROUP_SEPARATOR: CounterAttributes = CounterAttributes(0x04);
    /// To be shown as a real number.
    pub const DISPLAY_AS_REAL: CounterAttributes = CounterAttributes(0x08);
    /// To be shown in hexadecimal.
    pub const DISPLAY_AS_HEX: CounterAttributes = CounterAttributes(0x10);

    /// Whether all bits of `other` are set.
    pub const fn contains(self, other: CounterAttributes) -> bool {
        self.0 & other.0 == other.0
    }

    /// Whether any bit of `other` is set.
    pub const fn intersects(self, other: CounterAttributes) -> bool {
        self.0 & other.0 != 0
    }
}
