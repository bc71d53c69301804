//! The trace header of a log written from runs, and its time stamps.

use std::hash::{DefaultHasher, Hash, Hasher};

use recount_model::{CaptureInfo, SampleTime, Timer, Timestamp};

use crate::{Entry, TraceHeader, ZoneRecord};

/// Buffer size in bytes, as on Windows.
const LEN_BUFFER: u32 = 0x1_0000;
/// 15.625 ms in 100 ns, as on Windows.
const TIMER_RESOLUTION: u32 = 156_250;
/// The log is written from front to end.
const MODE_SEQUENTIAL: u32 = 0x1;
/// A log's first sample comes soon after its start. If it comes later than this, samples were cut off.
const START_BEFORE: i64 = 60 * Timestamp::TICKS_PER_SECOND;

/// The scale of a log's time stamps.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum LogStamps {
    /// Local time in this zone.
    Local(ZoneRecord),
    /// UTC.
    Utc,
}

impl LogStamps {
    /// The time of a sample with the offset that its stamps have.
    pub fn time(&self, time: SampleTime) -> SampleTime {
        match self {
            LogStamps::Local(_) => time,
            LogStamps::Utc => SampleTime { offset_min: 0, ..time },
        }
    }

    fn zone(&self) -> ZoneRecord {
        match self {
            LogStamps::Local(zone) => zone.clone(),
            LogStamps::Utc => utc(),
        }
    }
}

fn utc() -> ZoneRecord {
    ZoneRecord { standard_name: "UTC".into(), daylight_name: "UTC".into(), ..ZoneRecord::default() }
}

/// The facts for the header of a log about the capture from which it is written.
#[derive(Clone, Debug)]
pub struct LogHead<'i> {
    info: &'i CaptureInfo,
    /// Per stretch of samples: the first and the last time, and their number.
    stretches: Vec<((Timestamp, Timestamp), usize)>,
}

impl<'i> LogHead<'i> {
    /// For the samples of a capture, or of several that continue it. `stretches` has, for each stretch
    /// between two clock changes, the times (UTC) of its first and last sample, and the number of its
    /// samples.
    pub fn new(info: &'i CaptureInfo, stretches: Vec<((Timestamp, Timestamp), usize)>) -> LogHead<'i> {
        LogHead { info, stretches }
    }

    /// Local time of the capture; `None` if Windows has no record for its zone.
    pub fn local_stamps(&self) -> Option<LogStamps> {
        let zone = self.info.zone.as_ref().map_or(Some(utc()), ZoneRecord::from_zone);
        zone.map(LogStamps::Local)
    }

    /// The trace header, given the first counter list and the name of the file. The writer fills in the
    /// fields that are known only at the end.
    pub fn header(&self, stamps: &LogStamps, list: &[Entry], file_name: String) -> TraceHeader {
        let info = self.info;
        let first = self.stretches.first().map_or(Timestamp::default(), |((first, _), _)| *first);
        let is_start = |start: &Timestamp| (0..=START_BEFORE).contains(&(first.0.saturating_sub(start.0)));
        let system = info.os.as_deref().and_then(windows);
        let (os_version, os_build, len_pointer) = system.unwrap_or(([0; 4], 0, 8));
        let on_ticks = |entry: &&Entry| {
            matches!(entry.counter_type.recipe(8).clock, None | Some(Timer::Tick)) && entry.time_base > 0
        };
        let perf_freq = list.iter().find(on_ticks).and_then(|entry| i64::try_from(entry.time_base).ok());
        TraceHeader {
            len_buffer: LEN_BUFFER,
            os_version,
            os_build,
            num_processors: 1,
            timer_resolution: TIMER_RESOLUTION,
            mode: MODE_SEQUENTIAL,
            num_start_buffers: 1,
            len_pointer,
            zone: stamps.zone(),
            boot_time: info.boot_time.unwrap_or_default(),
            perf_freq: perf_freq.unwrap_or(Timestamp::TICKS_PER_SECOND),
            start_time: info.started.filter(is_start).unwrap_or(first),
            clock_type: 2,
            logger_name: guid_text(self.guid()),
            file_name,
            ..TraceHeader::default()
        }
    }

    /// The GUID of the log: the same samples give the same log.
    pub fn guid(&self) -> [u8; 16] {
        let mut guid = [0; 16];
        for (half, salt) in guid.chunks_mut(8).zip(0_u8..) {
            let mut hasher = DefaultHasher::new();
            (salt, &self.info.hosts).hash(&mut hasher);
            self.stretches.iter().for_each(|stretch| stretch.hash(&mut hasher));
            half.copy_from_slice(&hasher.finish().to_le_bytes());
        }
        guid
    }

    /// When the recording ended: at its last sample, UTC.
    pub fn ended(&self) -> Timestamp {
        self.stretches.iter().map(|((_, last), _)| *last).max().unwrap_or_default()
    }
}

/// `Windows 6.2 build 9200 64-bit`: version, build and bytes of a pointer.
fn windows(os: &str) -> Option<([u8; 4], u32, u32)> {
    let mut words = os.strip_prefix("Windows ")?.split(' ');
    let (major, minor) = words.next()?.split_once('.')?;
    let build = words.by_ref().skip_while(|word| *word != "build").nth(1)?;
    let len_pointer = if words.next() == Some("32-bit") { 4 } else { 8 };
    Some(([major.parse().ok()?, minor.parse().ok()?, 0, 0], build.parse().ok()?, len_pointer))
}

/// As Windows writes it: the first three fields are numbers, little-endian in memory.
fn guid_text(guid: [u8; 16]) -> String {
    let order = [3, 2, 1, 0, 5, 4, 7, 6, 8, 9, 10, 11, 12, 13, 14, 15];
    let mut text = String::from("{");
    for (number, at) in order.into_iter().enumerate() {
        if matches!(number, 4 | 6 | 8 | 10) {
            text.push('-');
        }
        text.push_str(&format!("{:02x}", guid[at]));
    }
    text + "}"
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn systems_and_guids() {
        assert_eq!(windows("Windows 6.2 build 9200 64-bit"), Some(([6, 2, 0, 0], 9_200, 8)));
        assert_eq!(windows("Windows 10.0 build 17763 32-bit"), Some(([10, 0, 0, 0], 17_763, 4)));
        assert_eq!(windows("Linux 6.1.0"), None);
        // PDH's provider, formats/blg.md#full-event-header.
        let provider =
            [0xb3, 0x3b, 0x3f, 0x93, 0x3e, 0x94, 0x0d, 0x49, 0x9c, 0xed, 0x3c, 0xbb, 0x14, 0xc1, 0x44, 0x79];
        assert_eq!(guid_text(provider), "{933f3bb3-943e-490d-9ced-3cbb14c14479}");
    }
}
