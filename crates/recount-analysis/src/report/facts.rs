//! What is known of a capture beside its values.

use recount_model::{Mark, SampleTime, Timestamp};

/// A capture, or several that became one time line.
#[derive(Clone, Debug, Default)]
pub struct CaptureFacts {
    /// Files.
    pub names: Vec<String>,
    /// Machines.
    pub hosts: Vec<String>,
    /// Operating system.
    pub os: Option<String>,
    /// Name of the zone of local time, if the capture tells.
    pub zone: Option<String>,
    /// When the machine was booted.
    pub boot_time: Option<Timestamp>,
    /// Times of the samples that are used, ascending.
    pub times: Vec<SampleTime>,
    /// What the recorder says of itself: late and missed samples, clocks that were set.
    pub notes: Vec<String>,
    /// Marks, ascending.
    pub marks: Vec<Mark>,
}

/// An interval longer than this many medians is a gap.
const GAP_MEDIANS: f64 = 2.5;

impl CaptureFacts {
    /// First and last sample.
    pub(crate) fn span(&self) -> Option<(SampleTime, SampleTime)> {
        Some((*self.times.first()?, *self.times.last()?))
    }

    /// Median interval between samples, in seconds.
    pub(crate) fn interval_s(&self) -> Option<f64> {
        let mut seconds = self.intervals();
        if seconds.is_empty() {
            return None;
        }
        let middle = seconds.len() / 2;
        Some(*seconds.select_nth_unstable_by(middle, f64::total_cmp).1)
    }

    /// Longest interval that is no gap, in seconds. Machines that were merged take turns in the times.
    pub(crate) fn longest_s(&self) -> Option<f64> {
        self.interval_s().map(|median| GAP_MEDIANS * median * self.hosts.len().max(1) as f64)
    }

    /// Intervals longer than 2.5 medians: the samples before and behind.
    pub(crate) fn gaps(&self) -> Vec<(SampleTime, SampleTime)> {
        let Some(median) = self.interval_s() else { return Vec::new() };
        let is_gap = |pair: &&[SampleTime]| pair[1].utc.seconds_since(pair[0].utc) > GAP_MEDIANS * median;
        self.times.windows(2).filter(is_gap).map(|pair| (pair[0], pair[1])).collect()
    }

    /// The offset of local time (minutes) that is shown: that of the first sample.
    pub(crate) fn offset_min(&self) -> i64 {
        self.times.first().map_or(0, |time| i64::from(time.offset_min))
    }

    /// What times are shown in.
    pub(crate) fn zone_text(&self) -> String {
        let offset = self.offset_min();
        let by_offset = || match offset {
            0 => "UTC".to_owned(),
            offset => format!(
                "UTC{}{:02}:{:02}",
                if offset < 0 { "-" } else { "+" },
                offset.abs() / 60,
                offset.abs() % 60
            ),
        };
        match &self.zone {
            Some(zone) if offset != 0 => format!("{} ({})", crate::shown::short(zone), by_offset()),
            _ => by_offset(),
        }
    }

    /// A moment as it is shown: local time of the capture, to the second.
    pub(crate) fn shown(&self, time: Timestamp) -> String {
        let local = time.plus_minutes(self.offset_min()).to_jiff();
        local.map_or_else(|| time.to_string(), |local| local.strftime("%Y-%m-%d %H:%M:%S").to_string())
    }

    /// A stretch of time, without the days where all of the capture is of one.
    pub(crate) fn shown_span(&self, begin: Timestamp, end: Timestamp) -> String {
        const LEN_DAY: usize = "2026-11-21 ".len();
        let day = |time: Timestamp| self.shown(time).chars().take(LEN_DAY).collect::<String>();
        let is_one_day = self.span().is_some_and(|(first, last)| day(first.utc) == day(last.utc));
        let begin_day = day(begin);
        let short = |time: Timestamp| self.shown(time).chars().skip(LEN_DAY).collect::<String>();
        let first = if is_one_day { short(begin) } else { self.shown(begin) };
        let last = if day(end) == begin_day { short(end) } else { self.shown(end) };
        format!("{first} to {last}")
    }

    fn intervals(&self) -> Vec<f64> {
        self.times.windows(2).map(|pair| pair[1].utc.seconds_since(pair[0].utc)).collect()
    }
}
