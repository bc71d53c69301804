//! Byte order.

/// The byte order of integers and UTF-16 text.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum ByteOrder {
    /// Least significant byte first: Windows, and everything built today.
    #[default]
    Little,
    /// Most significant byte first.
    Big,
}
