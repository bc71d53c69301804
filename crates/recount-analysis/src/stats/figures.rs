//! A finished series.

use rayon::prelude::*;
use recount_model::Timestamp;

use super::row::Nulls;
use super::series::{Quantiles, Unread};
use super::{SeriesId, Tallied, Tally};

/// The figures of a series, without its name.
#[derive(Clone, Copy, Debug, Default, PartialEq)]
pub(crate) struct Figures {
    pub(crate) count: u64,
    pub(crate) nulls: Nulls,
    /// Values of a total that are too small.
    pub(crate) num_hidden: u64,
    /// The samples that couldn't be read.
    pub(crate) unread: Option<Unread<Timestamp>>,
    pub(crate) min: Option<f64>,
    pub(crate) mean: Option<f64>,
    pub(crate) max: Option<f64>,
    pub(crate) std: Option<f64>,
    /// p50, p90, p95, p99.
    pub(crate) quantiles: Quantiles,
    pub(crate) trend_per_hour: Option<f64>,
    pub(crate) first: Option<f64>,
    pub(crate) last: Option<f64>,
}

impl Tally {
    /// The figures of every series, by object, instance and counter.
    pub(crate) fn figures(self) -> Vec<(SeriesId, Figures)> {
        self.finish().into_par_iter().map(|tallied| (tallied.id, tallied.figures())).collect()
    }
}

impl Tallied {
    pub(crate) fn figures(mut self) -> Figures {
        let moments = &self.series.moments;
        let any = |value: f64| (moments.count > 0).then_some(value);
        let (min, max, mean, std) = (any(moments.min), any(moments.max), moments.mean(), moments.deviation());
        let trend_per_hour = moments.line().map(|line| line.slope * 3600.0);
        let (count, nulls, num_hidden) = (moments.count, self.series.nulls, self.series.num_hidden);
        let (first, last) = (self.series.first, self.series.last);
        let (first, last) = (first.map(|(_, value)| value), last.map(|(_, value)| value));
        let quantiles = self.series.rank();
        let time = |seconds: f64| self.origin.minus_seconds(-seconds);
        let unread = self.series.unread.map(|Unread { first, last, is_interrupted }| Unread {
            first: time(first),
            last: time(last),
            is_interrupted,
        });
        Figures {
            count,
            nulls,
            num_hidden,
            unread,
            min,
            mean,
            max,
            std,
            quantiles,
            trend_per_hour,
            first,
            last,
        }
    }
}
