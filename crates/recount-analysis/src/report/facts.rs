//! Facts about a capture other than its values.

use std::sync::Arc;

use recount_compute::Rhythm;
use recount_model::{Mark, SampleTime, Timestamp, offset_text};

/// A capture, or several merged into one time line.
#[derive(Clone, Debug, Default)]
pub struct CaptureFacts {
    /// Files.
    pub names: Vec<String>,
    /// Machines.
    pub hosts: Vec<String>,
    /// Operating system.
    pub os: Option<String>,
    /// Name of the local time zone, if the capture states it.
    pub zone: Option<String>,
    /// Whether times are local times of an unknown zone.
    pub is_zone_unknown: bool,
    /// When the machine was booted.
    pub boot_time: Option<Timestamp>,
    /// When machines were booted between two of their samples, ascending, each with its name.
    pub restarts: Vec<(Timestamp, String)>,
    /// Times of the samples used, ascending.
    pub times: Vec<SampleTime>,
    /// Whether local times have several offsets from UTC: the clock was set on or back for daylight saving time, or machines are in several zones.
    pub has_several_offsets: bool,
    /// How often they were taken, and when they weren't.
    pub rhythm: Arc<Rhythm>,
    /// The usual interval between samples, in seconds.
    pub interval_s: Option<f64>,
    /// The times in which nobody sampled: the samples before and after each.
    pub gaps: Vec<(SampleTime, SampleTime)>,
    /// Of several machines: gaps in which another one was sampled.
    pub gaps_of_hosts: Vec<HostGaps>,
    /// What the recorder reports about itself: late and missed samples, clock changes.
    pub notes: Vec<String>,
    /// Marks, ascending.
    pub marks: Vec<Mark>,
}

/// The times in which nobody sampled some machines.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct HostGaps {
    /// The machines, at least one.
    pub hosts: Vec<String>,
    /// The samples before and after each gap.
    pub gaps: Vec<(SampleTime, SampleTime)>,
}

impl CaptureFacts {
    /// First and last sample.
    pub fn span(&self) -> Option<(SampleTime, SampleTime)> {
        Some((*self.times.first()?, *self.times.last()?))
    }

    /// `WEB1: ...`: a text about a machine, which is named if there are several.
    pub(crate) fn of_host(&self, host: &str, text: String) -> String {
        if self.hosts.len() < 2 || host.is_empty() {
            text
        } else {
            format!("{}: {text}", crate::shown::short(host))
        }
    }

    /// The UTC offset (minutes) of the local time shown: that of the first sample.
    pub fn offset_min(&self) -> i64 {
        self.times.first().map_or(0, |time| i64::from(time.offset_min))
    }

    /// `no samples for 15 min, from 2026-11-21T08:10:00Z to 08:25:00; and 2 more gaps`: the longest of some gaps.
    pub fn gap_in_words(&self, gaps: &[(SampleTime, SampleTime)]) -> Option<String> {
        let len_s = |(begin, end): &(SampleTime, SampleTime)| end.utc.seconds_since(begin.utc);
        let longest = gaps.iter().max_by(|one, other| len_s(one).total_cmp(&len_s(other)))?;
        let span = self.stated_spans(&[(longest.0.utc, longest.1.utc)]);
        let more = match gaps.len() - 1 {
            0 => String::new(),
            num => format!("; and {}", crate::shown::plural(num as u64, "more gap")),
        };
        Some(format!("no samples for {}, from {span}{more}", crate::shown::duration(len_s(longest))))
    }

    /// `WEB1: no samples for 15 min, from ...`: of several machines, what isn't so of all.
    pub fn gaps_of_hosts_in_words(&self) -> Vec<String> {
        const MOST: usize = 5;
        let names = |hosts: &[String]| match hosts {
            [host] => crate::shown::short(host),
            hosts => {
                let more = crate::shown::plural(hosts.len() as u64 - 1, "more machine");
                format!("{} and {more}", crate::shown::short(&hosts[0]))
            }
        };
        let of_hosts = |HostGaps { hosts, gaps }: &HostGaps| {
            Some(format!("{}: {}", names(hosts), self.gap_in_words(gaps)?))
        };
        let mut words: Vec<String> = self.gaps_of_hosts.iter().filter_map(of_hosts).take(MOST).collect();
        if self.gaps_of_hosts.len() > MOST {
            let num = self.gaps_of_hosts[MOST..].iter().map(|of| of.hosts.len() as u64).sum();
            words.push(format!("{} had gaps of their own", crate::shown::plural::<u64>(num, "more machine")));
        }
        words
    }

    /// The times in which nobody sampled a machine: the samples before and after each.
    pub(crate) fn gaps_of(&self, host: &str) -> Vec<(Timestamp, Timestamp)> {
        type Span = (Timestamp, Timestamp);
        let is_within = |inner: &Span, outer: &Span| outer.0 <= inner.0 && inner.1 <= outer.1;
        let spans = |gaps: &[(SampleTime, SampleTime)]| -> Vec<Span> {
            gaps.iter().map(|(from, to)| (from.utc, to.utc)).collect()
        };
        let is_of = |of: &&HostGaps| of.hosts.iter().any(|one| one.eq_ignore_ascii_case(host));
        let mut gaps: Vec<Span> =
            self.gaps_of_hosts.iter().filter(is_of).flat_map(|of| spans(&of.gaps)).collect();
        let extent = self.rhythm.extent(host);
        // A gap of all machines may be a part of one of this machine's own, or lie before its first sample.
        let mut of_all = spans(&self.gaps);
        of_all.retain(|gap| extent.is_none_or(|extent| is_within(gap, &extent)));
        of_all.retain(|gap| !gaps.iter().any(|own| is_within(gap, own)));
        gaps.extend(of_all);
        gaps
    }

    /// `WEB1 was booted at 2026-11-21T08:10:00+01:00, 09:20:00`; a sentence per machine.
    pub fn restarts_in_words(&self) -> Vec<String> {
        const MOST: usize = 6;
        let mut hosts: Vec<&str> = self.restarts.iter().map(|(_, host)| host.as_str()).collect();
        hosts.sort_unstable();
        hosts.dedup();
        let words = |host: &str| {
            let times: Vec<(Timestamp, Timestamp)> =
                self.restarts.iter().filter(|(_, of)| of == host).map(|(time, _)| (*time, *time)).collect();
            let (earlier, last) = times.split_at(times.len().saturating_sub(MOST));
            let name = if host.is_empty() { "the machine".to_owned() } else { crate::shown::short(host) };
            let more = match earlier.len() {
                0 => String::new(),
                1 => "; and once before".to_owned(),
                num => format!("; and {num} times before"),
            };
            format!("{name} was booted at {}{more}", self.stated_spans(last))
        };
        hosts.into_iter().map(words).collect()
    }

    /// In which zone times are shown.
    pub fn zone_text(&self) -> String {
        let offset = self.offset_min();
        let by_offset = || match offset {
            0 if self.is_zone_unknown => "local time, zone unknown".to_owned(),
            0 => "UTC".to_owned(),
            offset => format!("UTC{}", offset_text(offset)),
        };
        match &self.zone {
            Some(zone) if offset != 0 && *zone != by_offset() => {
                format!("{} ({})", crate::shown::short(zone), by_offset())
            }
            _ => by_offset(),
        }
    }

    /// A time as programs take it: UTC, or local time without `Z` if the zone is unknown.
    pub fn stated(&self, time: Timestamp) -> String {
        if self.is_zone_unknown { time.without_zone() } else { time.to_string() }
    }

    /// Date, time of the day and offset from UTC, as programs take them in a row: local time as it was then.
    fn stated_then(&self, time: Timestamp) -> [String; 3] {
        const LEN_DATE: usize = "2026-11-21T".len();
        let offset = self.offset_at(time);
        let local = time.plus_minutes(offset).without_zone();
        let (date, clock) = local.split_at_checked(LEN_DATE).unwrap_or((&local, ""));
        let zone = match offset {
            _ if self.is_zone_unknown => String::new(),
            0 => "Z".to_owned(),
            offset => offset_text(offset),
        };
        [date.to_owned(), clock.to_owned(), zone]
    }

    /// Moments and spans of time in order, in local time as it was then, with its offset from UTC. An end has no date and offset if they are the
    /// same as the beginning's. In a capture of one day, later beginnings leave them out, too:
    /// `2026-11-21T08:10:00+01:00 to 08:12:30, 09:00:00 to 09:20:00`.
    pub fn stated_spans(&self, spans: &[(Timestamp, Timestamp)]) -> String {
        let of_day = |time: SampleTime| self.stated_then(time.utc)[0].clone();
        let is_one_day = self.span().is_some_and(|(first, last)| of_day(first) == of_day(last));
        let mut before = [String::new(), String::new()];
        let mut stated = |time: Timestamp, is_end: bool| {
            let [date, clock, zone] = self.stated_then(time);
            let text = format!("{date}{clock}{zone}");
            let day = [date, zone];
            let is_known = (is_end || is_one_day) && before == day;
            before = day;
            if is_known { clock } else { text }
        };
        let span = |(begin, end): &(Timestamp, Timestamp)| {
            let text = stated(*begin, false);
            if begin == end { text } else { format!("{text} to {}", stated(*end, true)) }
        };
        spans.iter().map(span).collect::<Vec<_>>().join(", ")
    }

    /// A time as shown: local time of the capture as it was then, to the second; with its offset if there are several.
    pub fn shown(&self, time: Timestamp) -> String {
        let offset = self.offset_at(time);
        let Some(local) = time.plus_minutes(offset).to_jiff() else { return time.to_string() };
        let behind = if self.has_several_offsets { offset_text(offset) } else { String::new() };
        format!("{}{behind}", local.strftime("%Y-%m-%d %H:%M:%S"))
    }

    /// The UTC offset (minutes) of local time at a time: that of the sample whose interval holds it.
    fn offset_at(&self, time: Timestamp) -> i64 {
        let place = self.times.partition_point(|sample| sample.utc < time);
        self.times.get(place).or(self.times.last()).map_or(0, |sample| i64::from(sample.offset_min))
    }

    /// The time of the day, with the date if the capture has several days.
    pub(crate) fn clock(&self, time: Timestamp) -> String {
        const LEN_DAY: usize = "2026-11-21 ".len();
        let day = |time: Timestamp| self.shown(time).chars().take(LEN_DAY).collect::<String>();
        let is_one_day = self.span().is_some_and(|(first, last)| day(first.utc) == day(last.utc));
        let shown = self.shown(time);
        if is_one_day { shown.chars().skip(LEN_DAY).collect() } else { shown }
    }

    /// A time span, without dates if the whole capture is from one day.
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
}
