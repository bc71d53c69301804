//! The system interfaces that the source needs.

use super::zone::ZoneFields;

/// Where a registry value is.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Key {
    /// `HKEY_PERFORMANCE_DATA`: value names are queries, computed on reading.
    PerformanceData,
    /// `HKEY_PERFORMANCE_TEXT`: names and help texts in English.
    PerformanceText,
    /// `HKEY_PERFORMANCE_NLSTEXT`: names and help texts in the language of the user interface.
    PerformanceNlsText,
    /// A key below `HKEY_LOCAL_MACHINE`.
    LocalMachine(&'static str),
}

impl Key {
    /// The usual notation.
    pub fn name(self) -> String {
        match self {
            Key::PerformanceData => "HKEY_PERFORMANCE_DATA".into(),
            Key::PerformanceText => "HKEY_PERFORMANCE_TEXT".into(),
            Key::PerformanceNlsText => "HKEY_PERFORMANCE_NLSTEXT".into(),
            Key::LocalMachine(path) => format!(r"HKEY_LOCAL_MACHINE\{path}"),
        }
    }
}

/// Type of a registry value (`REG_...` of winnt.h). Unknown types are preserved.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct ValueKind(pub u32);

impl ValueKind {
    /// `REG_SZ`.
    pub const TEXT: ValueKind = ValueKind(1);
    /// `REG_BINARY`. Nothing in the source depends on it, since Windows and Wine give blocks different types.
    pub const BINARY: ValueKind = ValueKind(3);
    /// `REG_DWORD`.
    pub const NUMBER: ValueKind = ValueKind(4);
    /// `REG_MULTI_SZ`.
    pub const TEXTS: ValueKind = ValueKind(7);
}

/// The registry's answer.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Reply {
    /// The value was read.
    Value(ValueKind),
    /// The buffer was too small (`ERROR_MORE_DATA`). For performance data, the required size isn't known.
    MoreData,
    /// It failed with this code (winerror.h).
    Failed(u32),
}

/// Reads registry values.
pub trait Registry {
    /// Reads a value of at most `len_buffer` bytes into `bytes`, replacing its contents on success.
    fn query(&mut self, key: Key, value: &str, len_buffer: usize, bytes: &mut Vec<u8>) -> Reply;
}

/// Information about the machine. Unknown values are `None`.
pub trait Machine: Registry {
    /// Number of active logical processors.
    fn num_processors(&self) -> Option<u32>;

    /// Physical memory usable by the system, in bytes.
    fn len_memory(&self) -> Option<u64>;

    /// Page size in bytes.
    fn len_page(&self) -> Option<u32>;

    /// Milliseconds since the machine was booted, including sleep.
    fn uptime_ms(&self) -> Option<u64>;

    /// The time zone and this year's rules.
    fn zone(&self) -> Option<ZoneFields>;

    /// The primary language of the system's user interface: the lower ten bits of a language identifier, 9 for English.
    fn language(&self) -> u16;
}
