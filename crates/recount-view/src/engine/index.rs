//! A coarse index of every series: minimum, maximum and mean in stretches of the whole time line, in bounded memory.

mod line;

use rayon::prelude::*;
use recount_analysis::roster::Placed;
use recount_analysis::stats::Extent;

use super::name::Place;
use super::time::Span;
use line::Line;

/// Maximum number of stretches of the time line.
const MAX_BUCKETS: usize = 4_096;
/// Fewer are too coarse for a chart.
const MIN_BUCKETS: usize = 64;
/// Maximum bytes of all lines together.
const MAX_LEN: usize = 288 << 20;

/// Lines of all series of a roster. Stretch `k` has the times after `begin + k * width`, up to and including `begin +
/// (k + 1) * width`; the first also has `begin` itself.
pub(crate) struct Index {
    begin: i64,
    /// 100 ns.
    width: i64,
    /// By object, counter and instance.
    objects: Vec<Vec<Vec<Line>>>,
    /// Time of the last sample added.
    covered: Option<i64>,
    max_len: usize,
}

/// Stretches of one series.
#[derive(Debug)]
pub(crate) struct Stretches {
    /// 100 ns.
    pub(crate) begin: i64,
    pub(crate) width: i64,
    pub(crate) extents: Vec<Extent>,
}

impl Index {
    /// For a time line, with as many stretches as the budget allows for the number of series.
    pub(crate) fn new(span: Span, num_samples: usize, num_series: usize) -> Index {
        let affordable = MAX_LEN / Line::LEN_POINT / num_series.max(1);
        let count = affordable.clamp(MIN_BUCKETS, MAX_BUCKETS).min(num_samples.max(1));
        Index {
            begin: span.from,
            width: (span.len() / count as i64 + 1).max(1),
            objects: Vec::new(),
            covered: None,
            max_len: MAX_LEN,
        }
    }

    /// Time up to which every sample was added.
    pub(crate) fn covered(&self) -> Option<i64> {
        self.covered
    }

    /// Adds a batch, in parallel over counters.
    pub(crate) fn add(&mut self, batch: &[Placed<'_>]) {
        let last = batch.iter().filter_map(|placed| placed.cooked.times.last()).map(|time| time.utc.0).max();
        let Some(last) = last else { return };
        while self.bucket_of(last) >= MAX_BUCKETS {
            self.coarsen();
        }
        let num_objects = batch.iter().map(|placed| placed.object + 1).max().unwrap_or(0);
        if self.objects.len() < num_objects {
            self.objects.resize_with(num_objects, Vec::new);
        }
        let (begin, width) = (self.begin, self.width);
        self.objects.par_iter_mut().enumerate().for_each(|(object, counters)| {
            for placed in batch.iter().filter(|placed| placed.object == object) {
                add_stretch(counters, placed, &|time| bucket_of(time, begin, width));
            }
        });
        self.covered = self.covered.max(Some(last));
        while self.len_bytes() > self.max_len && self.bucket_of(last) > MIN_BUCKETS {
            self.coarsen();
        }
    }

    /// The stretches of a series that a span touches, joined as long as they aren't longer than `step`.
    pub(crate) fn stretches(&self, place: Place, span: Span, step: i64) -> Option<Stretches> {
        let line = self.line(place)?;
        let end = self.covered?;
        let (first, last) = (self.bucket_of(span.from.max(self.begin)), self.bucket_of(span.to.min(end)));
        if span.to < self.begin || span.from > end {
            return Some(Stretches { begin: span.from, width: self.width, extents: Vec::new() });
        }
        let joined = usize::try_from(step / self.width).unwrap_or(1).clamp(1, MAX_BUCKETS);
        let mut extents = vec![Extent::default(); (last - first) / joined + 1];
        // The last one is complete, too, even if it reaches beyond the requested span.
        let range = first..first + extents.len() * joined;
        line.each(range, |bucket, extent| extents[(bucket - first) / joined].join(extent));
        Some(Stretches {
            begin: self.begin + first as i64 * self.width,
            width: self.width * joined as i64,
            extents,
        })
    }

    /// The whole stretches inside a span; `None` if there is none.
    pub(crate) fn inside(&self, span: Span) -> Option<Span> {
        let from = span.from.max(self.begin);
        let first = (from - self.begin + self.width - 1).div_euclid(self.width);
        let last = (span.to.min(self.covered?) - self.begin).div_euclid(self.width);
        let edge = |bucket: i64| self.begin + bucket * self.width;
        (first < last).then(|| Span { from: edge(first), to: edge(last) })
    }

    /// The values of a series in whole stretches; `inside` has their edges.
    pub(crate) fn total(&self, place: Place, inside: Span) -> Total {
        let mut total = Total::default();
        let Some(line) = self.line(place) else { return total };
        let first = ((inside.from - self.begin) / self.width) as usize;
        let last = ((inside.to - self.begin) / self.width) as usize;
        line.each(first..last, |bucket, extent| {
            let end = End::Within { span: self.span_of(bucket), min: extent.min, max: extent.max };
            total.extent.join(extent);
            total.first = total.first.or(Some(end));
            total.last = Some(end);
        });
        total
    }

    /// All values of a series.
    pub(crate) fn whole(&self, place: Place, span: Span) -> Extent {
        let mut whole = Extent::default();
        if let Some(line) = self.line(place) {
            line.each(0..self.bucket_of(span.to) + 1, |_, extent| whole.join(extent));
        }
        whole
    }

    fn line(&self, place: Place) -> Option<&Line> {
        self.objects.get(place.object)?.get(place.counter)?.get(place.instance)
    }

    /// The times of a stretch, both ends included.
    fn span_of(&self, bucket: usize) -> Span {
        let edge = |bucket: usize| self.begin + bucket as i64 * self.width;
        let from = if bucket == 0 { self.begin } else { edge(bucket) + 1 };
        Span { from, to: edge(bucket + 1) }
    }

    fn bucket_of(&self, time: i64) -> usize {
        bucket_of(time, self.begin, self.width)
    }

    fn coarsen(&mut self) {
        self.width = self.width.saturating_mul(2);
        self.objects.par_iter_mut().flatten().flatten().for_each(Line::coarsen);
    }

    fn len_bytes(&self) -> usize {
        self.objects.iter().flatten().flatten().map(Line::len_bytes).sum()
    }
}

/// Values of a series over several stretches, and the positions of the first and the last.
#[derive(Clone, Copy, Debug, Default)]
pub(crate) struct Total {
    pub(crate) extent: Extent,
    pub(crate) first: Option<End>,
    pub(crate) last: Option<End>,
}

/// The first or the last value of a series in a span.
#[derive(Clone, Copy, Debug, PartialEq)]
pub(crate) enum End {
    Value(f64),
    /// It is in a stretch of which only the extremes are known.
    Within {
        span: Span,
        min: f64,
        max: f64,
    },
}

impl End {
    /// Lower and upper bound of the value.
    pub(crate) fn bounds(self) -> (f64, f64) {
        match self {
            End::Value(value) => (value, value),
            End::Within { min, max, .. } => (min, max),
        }
    }
}

fn bucket_of(time: i64, begin: i64, width: i64) -> usize {
    let behind = time.saturating_sub(begin);
    ((behind.saturating_add(width - 1)).div_euclid(width) - 1).max(0) as usize
}

fn add_stretch(
    counters: &mut Vec<Vec<Line>>,
    placed: &Placed<'_>,
    bucket_of: &(dyn Fn(i64) -> usize + Sync),
) {
    let most = placed.counters.iter().max().map_or(0, |most| *most as usize + 1);
    if counters.len() < most {
        counters.resize_with(most, Vec::new);
    }
    let num_slots = placed.slots.iter().max().map_or(0, |slot| *slot as usize + 1);
    let cooked = placed.cooked;
    let buckets: Vec<usize> = cooked.times.iter().map(|time| bucket_of(time.utc.0)).collect();
    let mut columns: Vec<Option<usize>> = vec![None; counters.len()];
    for (column, counter) in placed.counters.iter().enumerate() {
        columns[*counter as usize] = Some(column);
    }
    counters.par_iter_mut().zip(columns).for_each(|(lines, column)| {
        let Some(column) = column.map(|column| &cooked.columns[column]) else { return };
        if lines.len() < num_slots {
            lines.resize_with(num_slots, Line::default);
        }
        for (sample, bucket) in buckets.iter().enumerate() {
            let row = sample * placed.slots.len();
            for (at, slot) in placed.slots.iter().enumerate() {
                if column.status_at(row + at).has_value() && column.covers(at) {
                    let weight = cooked.weight_of(sample, at);
                    lines[*slot as usize].add(*bucket, column.values[row + at], weight);
                }
            }
        }
    });
}
