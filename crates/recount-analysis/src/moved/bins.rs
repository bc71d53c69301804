//! Series as means of bins, collected batch by batch.

use rayon::prelude::*;

use super::bounds::Axis;
use crate::roster::{Placed, by_object};
use crate::stats::SeriesId;

/// One series. As long as its values are all the same it has only that value.
#[derive(Clone, Debug, Default)]
pub(crate) struct Track {
    constant: Option<Constant>,
    /// Means; NaN: no value.
    means: Option<Box<[f64]>>,
    /// The bin that is being filled.
    open: (u32, f64, u32),
}

/// The only value of a series so far.
#[derive(Clone, Copy, Debug)]
struct Constant {
    value: f64,
    /// The bins of the first and the last time it had one. Where the bins of a later time come first, there are two such spans.
    spans: [Option<(u32, u32)>; 2],
}

impl Constant {
    fn new(value: f64, bin: u32) -> Constant {
        Constant { value, spans: [Some((bin, bin)), None] }
    }

    fn extend(&mut self, bin: u32) {
        match &mut self.spans {
            [Some((first, _)), other @ None] if bin < *first => *other = Some((bin, bin)),
            [_, Some((first, last))] | [Some((first, last)), None] => {
                (*first, *last) = (bin.min(*first), bin.max(*last));
            }
            [None, None] => {}
        }
    }

    fn fill(&self, values: &mut [f64]) {
        for (first, last) in self.spans.into_iter().flatten() {
            let end = values.len().min(last as usize + 1);
            if let Some(span) = values.get_mut(first as usize..end) {
                span.fill(self.value);
            }
        }
    }
}

impl Track {
    fn add(&mut self, bin: u32, value: f64, num_bins: usize) {
        if self.means.is_none() {
            match &mut self.constant {
                None => {
                    self.constant = Some(Constant::new(value, bin));
                    return;
                }
                Some(known) if known.value.to_bits() == value.to_bits() => {
                    known.extend(bin);
                    return;
                }
                Some(_) => self.widen(num_bins),
            }
        }
        if self.open.0 != bin {
            self.close();
            self.open = (bin, 0.0, 0);
        }
        self.open.1 += value;
        self.open.2 += 1;
    }

    /// From a constant to bins. Values that were missing in between are taken for the same constant.
    fn widen(&mut self, num_bins: usize) {
        let Some(constant) = self.constant else { return };
        let mut means = vec![f64::NAN; num_bins].into_boxed_slice();
        constant.fill(&mut means);
        self.means = Some(means);
        self.open = (u32::MAX, 0.0, 0);
    }

    fn close(&mut self) {
        let (bin, sum, count) = self.open;
        let place = self.means.as_mut().and_then(|means| means.get_mut(bin as usize));
        if let Some(place) = place.filter(|_| count > 0) {
            let mean = sum / f64::from(count);
            // Part of this bin may have been constant.
            *place = if place.is_nan() { mean } else { f64::midpoint(*place, mean) };
        }
        self.open.2 = 0;
    }

    /// The means; `None` if it never changes.
    pub(crate) fn means(&self) -> Option<&[f64]> {
        self.means.as_deref()
    }

    /// Whether it has any value.
    pub(crate) fn has_values(&self) -> bool {
        self.constant.is_some()
    }

    /// Its means, or its only value from the first to the last time it had one; `None` without any value.
    pub(super) fn filled(&self, num_bins: usize) -> Option<Vec<f64>> {
        if let Some(means) = self.means() {
            return Some(means.to_vec());
        }
        let mut values = vec![f64::NAN; num_bins];
        self.constant?.fill(&mut values);
        Some(values)
    }

    /// Its sum, its smallest and its largest value, of the means.
    pub(crate) fn extent(&self) -> (f64, f64, f64) {
        if let Some((value, first, last)) = self.constant() {
            return (value * (last - first + 1) as f64, value, value);
        }
        let values = self.means().unwrap_or_default().iter().filter(|value| !value.is_nan());
        values.fold((0.0, f64::INFINITY, f64::NEG_INFINITY), |(sum, low, high), value| {
            (sum + value, low.min(*value), high.max(*value))
        })
    }

    /// Its value, and the first and the last bin that has it, if it never changes.
    pub(crate) fn constant(&self) -> Option<(f64, usize, usize)> {
        let Constant { value, spans } = self.constant.filter(|_| self.means.is_none())?;
        let spans = spans.into_iter().flatten();
        let (first, last) = spans.reduce(|one, other| (one.0.min(other.0), one.1.max(other.1)))?;
        Some((value, first as usize, last as usize))
    }
}

/// All series, by object, counter and instance of the roster.
#[derive(Debug, Default)]
pub(crate) struct Tracks(Vec<Vec<Vec<Track>>>);

impl Tracks {
    /// Adds a batch, in parallel over counters.
    pub(crate) fn add(&mut self, batch: &[Placed<'_>], axis: &Axis) {
        let num_objects = batch.iter().map(|placed| placed.object + 1).max().unwrap_or(0);
        if self.0.len() < num_objects {
            self.0.resize_with(num_objects, Vec::new);
        }
        let of_object = by_object(batch, self.0.len());
        self.0.par_iter_mut().zip(of_object).for_each(|(counters, stretches)| {
            for placed in stretches {
                add_stretch(counters, placed, axis);
            }
        });
    }

    /// Fills the last bins.
    pub(crate) fn finish(&mut self) {
        self.0.par_iter_mut().flatten().flatten().for_each(Track::close);
    }

    /// One series.
    pub(crate) fn of(&self, id: SeriesId) -> Option<&Track> {
        self.0.get(id.object as usize)?.get(id.counter as usize)?.get(id.instance as usize)
    }

    /// Every series.
    pub(crate) fn series(&self) -> impl Iterator<Item = (SeriesId, &Track)> {
        self.0.iter().enumerate().flat_map(|(object, counters)| {
            counters.iter().enumerate().flat_map(move |(counter, series)| {
                series.iter().enumerate().map(move |(instance, track)| {
                    let (object, counter, instance) = (object as u32, counter as u32, instance as u32);
                    (SeriesId { object, instance, counter }, track)
                })
            })
        })
    }
}

fn add_stretch(counters: &mut Vec<Vec<Track>>, placed: &Placed<'_>, axis: &Axis) {
    let num_counters = placed.counters.iter().max().map_or(0, |most| *most as usize + 1);
    if counters.len() < num_counters {
        counters.resize_with(num_counters, Vec::new);
    }
    let num_slots = placed.slots.iter().max().map_or(0, |slot| *slot as usize + 1);
    let cooked = placed.cooked;
    let bins: Vec<Option<u32>> = cooked.times.iter().map(|time| axis.bin(time.utc)).collect();
    let columns = placed.columns(counters.len());
    let num_bins = axis.len();
    counters.par_iter_mut().zip(columns).for_each(|(series, column)| {
        let Some(column) = column.map(|column| &cooked.columns[column]) else { return };
        if series.len() < num_slots {
            series.resize_with(num_slots, Track::default);
        }
        let width = placed.slots.len();
        for (at, slot) in placed.slots.iter().enumerate().filter(|(at, _)| column.covers(*at)) {
            let track = &mut series[*slot as usize];
            for (sample, bin) in bins.iter().enumerate() {
                let cell = sample * width + at;
                if let Some(bin) = bin
                    && column.status_at(cell).has_value()
                    && column.values[cell].is_finite()
                {
                    track.add(*bin, column.values[cell], num_bins);
                }
            }
        }
    });
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_never_changes_has_no_bins() {
        let mut track = Track::default();
        for bin in 1..5 {
            track.add(bin, 7.0, 6);
        }
        assert_eq!((track.constant(), track.means()), (Some((7.0, 1, 4)), None));
        track.add(5, 9.0, 6);
        track.add(5, 11.0, 6);
        track.close();
        let means = track.means().expect("it changes");
        assert!(means[0].is_nan() && track.constant().is_none());
        assert_eq!(means[1..], [7.0, 7.0, 7.0, 7.0, 10.0]);
    }

    /// A span that is compared with the time after it.
    #[test]
    fn bins_of_a_later_time_may_come_first() {
        let mut track = Track::default();
        for bin in [4, 5, 0, 1, 2] {
            track.add(bin, 7.0, 6);
        }
        let values = track.filled(6).expect("values");
        assert!(values[3].is_nan() && values[..3] == [7.0; 3] && values[4..] == [7.0; 2], "{values:?}");
        track.add(3, 9.0, 6);
        track.close();
        assert_eq!(track.means().expect("it changes"), [7.0, 7.0, 7.0, 9.0, 7.0, 7.0]);
    }
}
