//! What a capture says about itself.

use std::sync::Arc;

use crate::Timestamp;

/// Facts about a capture as a whole. What the source doesn't say is `None` or empty.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct CaptureInfo {
    /// Name of the format, e.g. `Windows performance log (.blg), counter list`.
    pub format: String,
    /// Machines whose counters the capture holds, without leading backslashes.
    pub hosts: Vec<Arc<str>>,
    /// Operating system, version and build.
    pub os: Option<String>,
    /// The zone of the capture's local time.
    pub zone: Option<Zone>,
    /// When the machine was booted.
    pub boot_time: Option<Timestamp>,
    /// When recording began, if the capture says so apart from its samples.
    pub started: Option<Timestamp>,
    /// When recording ended, if it says so.
    pub ended: Option<Timestamp>,
    /// Times that somebody marked, ascending, each mark once.
    pub marks: Vec<Mark>,
    /// Further facts, named as in the format's documentation.
    pub details: Vec<(String, String)>,
}

/// A time that somebody marked (`recount mark`): a deployment, the beginning of a test.
///
/// Marks of one time and text are the same mark.
#[derive(Clone, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub struct Mark {
    /// The time that is marked, UTC.
    pub time: Timestamp,
    /// As what. Any text: it may hold control characters.
    pub text: String,
}

/// The zone of a capture's local time.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Zone {
    /// Name in standard time, e.g. `Pacific Standard Time`.
    pub standard_name: String,
    /// Name in daylight saving time.
    pub daylight_name: String,
    /// UTC minus local standard time, in minutes (480 for the Pacific coast): the sign of Windows and PDH.
    pub bias_min: i32,
    /// The rule as a POSIX TZ string, where the capture gives one.
    pub posix: Option<String>,
}

impl Zone {
    /// The name in force at an offset (local minus UTC, minutes).
    pub fn name_at(&self, offset_min: i16) -> &str {
        if i32::from(offset_min) == -self.bias_min || self.daylight_name.is_empty() {
            &self.standard_name
        } else {
            &self.daylight_name
        }
    }
}
