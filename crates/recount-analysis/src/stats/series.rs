//! The figures of one series, computed incrementally.

use std::sync::Arc;

use recount_model::Status;

use super::moments::Moments;
use super::ranked::Ranked;
use super::row::Nulls;

/// The percentiles that are computed.
pub(crate) const SHARES: [f64; 4] = [0.5, 0.9, 0.95, 0.99];

/// Of a series.
pub(crate) type Quantiles = [Option<f64>; SHARES.len()];

/// One series.
#[derive(Clone, Debug, Default)]
pub(crate) struct Series {
    pub(crate) moments: Moments,
    pub(crate) nulls: Nulls,
    /// Values of a total that are too small: a member ended in their interval.
    pub(crate) num_hidden: u64,
    /// Earliest and latest value, each with its time in seconds since the capture's begin.
    pub(crate) first: Option<(f64, f64)>,
    pub(crate) last: Option<(f64, f64)>,
    /// Status of the last cell, and its time. Of several at one time, one with a value counts.
    pub(crate) newest: Status,
    newest_at: Option<f64>,
    /// The samples that couldn't be read, in seconds since the capture's begin.
    pub(crate) unread: Option<Unread<f64>>,
    /// The text of the last cell.
    pub(crate) newest_text: Option<Arc<str>>,
    /// `None` if its values are left to another pass or were dropped.
    ranked: Option<Ranked>,
    /// Set when the values are dropped.
    quantiles: Option<Quantiles>,
}

/// The samples of a series that couldn't be read.
#[derive(Clone, Copy, Debug, PartialEq)]
pub(crate) struct Unread<Time> {
    pub(crate) first: Time,
    pub(crate) last: Time,
    /// Whether there is a value between them.
    pub(crate) is_interrupted: bool,
}

impl Series {
    pub(crate) fn new(keeps_values: bool) -> Series {
        Series { ranked: keeps_values.then(Ranked::default), ..Series::default() }
    }

    /// Adds a value; `status` may say something about it.
    #[inline]
    pub(crate) fn value(&mut self, value: f64, time: f64, status: Status) {
        // Several instances or captures may form one series. At equal times, the first value counts as
        // earliest and the last as latest.
        if self.first.is_none_or(|(first, _)| time < first) {
            self.first = Some((time, value));
        }
        if self.last.is_none_or(|(last, _)| time >= last) {
            self.last = Some((time, value));
        }
        if self.is_newest(time) {
            (self.newest, self.newest_at) = (status, Some(time));
        }
        self.num_hidden += u64::from(status == Status::HidesFall);
        if let Some(ranked) = &mut self.ranked {
            ranked.push(value);
        }
    }

    #[inline]
    pub(crate) fn null(&mut self, status: Status, time: f64) {
        if status == Status::InvalidData {
            self.add_unread(time);
        }
        let has_value = self.newest.has_value() && self.newest_at == Some(time);
        if self.is_newest(time) && !has_value {
            (self.newest, self.newest_at) = (status, Some(time));
        }
        if let Some(count) = self.nulls.get_mut((status as usize).wrapping_sub(1)) {
            *count += 1;
        }
    }

    fn add_unread(&mut self, time: f64) {
        let Some(known) = &mut self.unread else {
            self.unread = Some(Unread { first: time, last: time, is_interrupted: false });
            return;
        };
        let is_after_value = self.last.is_some_and(|(last, _)| known.first < last && last < time);
        known.is_interrupted |= is_after_value;
        (known.first, known.last) = (known.first.min(time), known.last.max(time));
    }

    /// Captures may overlap, so a cell may come after later ones.
    fn is_newest(&self, time: f64) -> bool {
        self.newest_at.is_none_or(|newest| time >= newest)
    }

    /// Whether any cell belonged to this series.
    pub(crate) fn is_met(&self) -> bool {
        self.moments.count > 0 || self.nulls.iter().any(|count| *count > 0)
    }

    /// Bytes of the values kept.
    pub(crate) fn len_bytes(&self) -> usize {
        self.ranked.as_ref().map_or(0, Ranked::len_bytes)
    }

    /// Drops the values: another pass handles them.
    pub(crate) fn defer(&mut self) {
        self.ranked = None;
    }

    /// Computes the percentiles and drops the values.
    pub(crate) fn rank(&mut self) -> Quantiles {
        let ranked = self.ranked.take();
        *self
            .quantiles
            .get_or_insert_with(|| ranked.map_or([None; SHARES.len()], |values| values.quantiles(SHARES)))
    }

    /// The values in order, each with its number of occurrences.
    pub(crate) fn into_sorted(self) -> Vec<(f64, u64)> {
        self.ranked.map_or_else(Vec::new, Ranked::into_sorted)
    }
}
