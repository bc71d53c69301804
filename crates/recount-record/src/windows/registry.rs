//! What the source needs of the system.

use super::zone::ZoneFields;

/// Where a registry value is.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Key {
    /// `HKEY_PERFORMANCE_DATA`: values are queries, and are computed when they are read.
    PerformanceData,
    /// `HKEY_PERFORMANCE_TEXT`: names and help texts in English.
    PerformanceText,
    /// `HKEY_PERFORMANCE_NLSTEXT`: names and help texts in the language of the user interface.
    PerformanceNlsText,
    /// A key below `HKEY_LOCAL_MACHINE`.
    LocalMachine(&'static str),
}

impl Key {
    /// As people write it.
    pub(super) fn name(self) -> String {
        match self {
            Key::PerformanceData => "HKEY_PERFORMANCE_DATA".into(),
            Key::PerformanceText => "HKEY_PERFORMANCE_TEXT".into(),
            Key::PerformanceNlsText => "HKEY_PERFORMANCE_NLSTEXT".into(),
            Key::LocalMachine(path) => format!(r"HKEY_LOCAL_MACHINE\{path}"),
        }
    }
}

/// Type of a registry value (`REG_...` of winnt.h). Unknown ones survive.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) struct ValueKind(pub(super) u32);

impl ValueKind {
    /// `REG_SZ`.
    pub(super) const TEXT: ValueKind = ValueKind(1);
    /// `REG_BINARY`; nothing of the source depends on it, as Windows and Wine differ in what they call a block.
    #[cfg(test)]
    pub(super) const BINARY: ValueKind = ValueKind(3);
    /// `REG_DWORD`.
    pub(super) const NUMBER: ValueKind = ValueKind(4);
    /// `REG_MULTI_SZ`.
    pub(super) const TEXTS: ValueKind = ValueKind(7);
}

/// What the registry says.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Reply {
    /// The value was read.
    Value(ValueKind),
    /// The buffer was too small (`ERROR_MORE_DATA`). For performance data, nobody knows by how much.
    MoreData,
    /// It failed with this code (winerror.h).
    Failed(u32),
}

/// Reads registry values.
pub(super) trait Registry {
    /// Reads a value of at most `len_buffer` bytes into `bytes`, whose contents it replaces if it succeeds.
    fn query(&mut self, key: Key, value: &str, len_buffer: usize, bytes: &mut Vec<u8>) -> Reply;
}

/// Knows the machine. What the system doesn't tell is `None`.
pub(super) trait Machine: Registry {
    /// Logical processors that are in use.
    fn num_processors(&self) -> Option<u32>;

    /// Physical memory in bytes, as far as the system uses it.
    fn len_memory(&self) -> Option<u64>;

    /// Bytes of a page.
    fn len_page(&self) -> Option<u32>;

    /// Milliseconds since the machine was booted, sleep included.
    fn uptime_ms(&self) -> u64;

    /// The time zone and this year's rules.
    fn zone(&self) -> Option<ZoneFields>;

    /// The primary language of the system's user interface: the lower ten bits of a language identifier, 9 for English.
    fn language(&self) -> u16;
}
