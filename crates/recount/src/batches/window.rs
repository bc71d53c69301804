//! Rows between two times, with the same values as in the whole capture.

use std::collections::HashSet;
use std::sync::Arc;

use arrow_array::RecordBatch;
use arrow_array::cast::AsArray;
use arrow_array::types::TimestampNanosecondType;
use recount_compute::{Cooked, Input};
use recount_model::{SampleTime, Timestamp};

/// First and last time, both inclusive; `None`: no limit.
#[derive(Clone, Copy, Debug, Default)]
pub(super) struct Window {
    pub(super) begin: Option<Timestamp>,
    pub(super) end: Option<Timestamp>,
}

/// Host, object and stream: each such combination has its own previous sample.
type Key = (Arc<str>, Arc<str>, u32);

/// Samples before a window that its values need. Usually the previous one is enough. Objects that are sampled rarely
/// have theirs further back; this is noticed when an object appears that none of the samples before the window has.
pub(super) struct Lead {
    window: Window,
    /// Samples of each input before the window.
    num_samples: usize,
    /// Machines of captures whose first samples were left out, in lower case. `""` is an unknown machine, which may
    /// be any.
    cut_hosts: HashSet<String>,
    met: HashSet<Key>,
    /// Rows up to this time have been sent.
    sent: Option<Timestamp>,
}

/// An object's previous sample may be further back than was read.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) struct TooShort;

impl Lead {
    pub(super) fn new(window: Window, inputs: &[Input]) -> Lead {
        let needs_all = inputs.iter().any(|input| input.source.info().has_aggregates)
            || shares_hosts(inputs, window.begin.unwrap_or(Timestamp(i64::MIN)));
        let num_samples = if needs_all { usize::MAX } else { 1 };
        Lead { window, num_samples, cut_hosts: HashSet::new(), met: HashSet::new(), sent: None }
    }

    /// Reads more samples before the window the next time.
    pub(super) fn grow(&mut self) {
        self.num_samples = self.num_samples.saturating_mul(16);
        self.met.clear();
    }

    /// The inputs, reduced to the samples that the window needs.
    pub(super) fn cut(&mut self, inputs: &[Input]) -> Vec<Input> {
        let cut = |input: &Input| {
            let times = input.source.times();
            let time =
                |sample: &u32| times.get(*sample as usize).map_or(Timestamp(i64::MAX), |time| time.utc);
            let samples = &input.samples;
            let first = self.window.begin.map_or(0, |begin| samples.partition_point(|s| time(s) < begin));
            let past =
                self.window.end.map_or(samples.len(), |end| samples.partition_point(|s| time(s) <= end));
            let from = first.saturating_sub(self.num_samples);
            (from, Input { samples: samples[from..past.max(first)].to_vec(), ..input.clone() })
        };
        let parts: Vec<(usize, Input)> = inputs.iter().map(cut).collect();
        self.cut_hosts =
            parts.iter().filter(|(from, _)| *from > 0).flat_map(|(_, input)| hosts(input)).collect();
        parts.into_iter().map(|(_, input)| input).collect()
    }

    /// Checks that the values of a batch are those of the whole capture.
    pub(super) fn check(&mut self, batch: &[Cooked]) -> Result<(), TooShort> {
        let Some(begin) = self.window.begin else { return Ok(()) };
        for cooked in batch {
            let Some(first) = cooked.times.first() else { continue };
            let key = (Arc::clone(&cooked.host), Arc::clone(&cooked.object.name), cooked.object.stream);
            if first.utc >= begin && self.is_cut(&cooked.host) && !self.met.contains(&key) {
                return Err(TooShort);
            }
            self.met.insert(key);
        }
        Ok(())
    }

    /// Whether earlier samples of a machine may have been left out.
    fn is_cut(&self, host: &str) -> bool {
        let may_be = |host: &str| self.cut_hosts.contains(host);
        !self.cut_hosts.is_empty() && (host.is_empty() || may_be("") || may_be(&host.to_lowercase()))
    }

    /// Remembers that all rows of a batch were sent.
    pub(super) fn note_sent(&mut self, batch_end: Option<Timestamp>) {
        self.sent = self.sent.max(batch_end);
    }

    /// The rows within the window that have not been sent yet. Rows are sorted by time, the first column.
    pub(super) fn rows(&self, batch: RecordBatch) -> RecordBatch {
        let begin = self.window.begin.and_then(Timestamp::unix_nanos);
        let sent = self.sent.and_then(Timestamp::unix_nanos);
        let Some(times) = batch.column(0).as_primitive_opt::<TimestampNanosecondType>() else { return batch };
        let is_before =
            |time: &i64| begin.is_some_and(|begin| *time < begin) || sent.is_some_and(|sent| *time <= sent);
        let skip = times.values().partition_point(is_before);
        if skip == 0 { batch } else { batch.slice(skip, batch.num_rows() - skip) }
    }
}

/// The last time in a batch.
pub(super) fn end_of(batch: &[Cooked]) -> Option<Timestamp> {
    let last = |cooked: &Cooked| cooked.times.last().map(|time: &SampleTime| time.utc);
    batch.iter().filter_map(last).max()
}

/// Whether two captures of one machine that don't continue each other both span a time. An object's values don't show
/// which of the two it belongs to.
fn shares_hosts(inputs: &[Input], time: Timestamp) -> bool {
    let reaches = |input: &&Input| {
        let at = |sample: Option<&u32>| Some(input.source.times().get(*sample? as usize)?.utc);
        at(input.samples.first()).is_some_and(|first| first < time)
            && at(input.samples.last()).is_some_and(|last| last >= time)
    };
    let mut known = HashSet::new();
    let mut is_first = true;
    inputs.iter().filter(reaches).any(|input| {
        let of_input = hosts(input);
        let shares = of_input
            .iter()
            .any(|host| (host.is_empty() && !is_first) || known.contains(host) || known.contains(""));
        known.extend(of_input);
        is_first = false;
        shares
    })
}

/// Machines of a capture, in lower case; one empty name if the capture doesn't say.
fn hosts(input: &Input) -> Vec<String> {
    let hosts = &input.source.info().hosts;
    if hosts.is_empty() {
        vec![String::new()]
    } else {
        hosts.iter().map(|host| host.to_lowercase()).collect()
    }
}
