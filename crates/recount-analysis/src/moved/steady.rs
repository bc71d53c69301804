//! What rose or fell steadily before the span and went on so: it didn't move, but people ask about it.

use super::bounds::Axis;
use super::trend::line;
use crate::roster::Roster;
use crate::shown::{bytes_in, quantity, series_label, task_id, unit_of};
use crate::stats::SeriesId;

/// A series that goes on as it did.
pub(super) struct Steady {
    id: SeriesId,
    /// Per second.
    slope: f64,
    /// How far it went in all, as a share of its largest value.
    share: f64,
}

impl Steady {
    /// `None` if it isn't a straight line in both times, in the same direction. NaN: no value.
    pub(super) fn of(id: SeriesId, values: &[f64], axis: &Axis) -> Option<Steady> {
        const LEAST: usize = 12;
        /// Of the variance, that the line explains: over all, and in each of the two times.
        const STRAIGHT: (f64, f64) = (0.97, 0.5);
        let (rise, explained) = line(values, LEAST)?;
        let (before, inside) = values.split_at(axis.num_before);
        let is_part = |part: &[f64]| {
            line(part, LEAST / 2)
                .is_some_and(|(of_part, explained)| of_part * rise > 0.0 && explained >= STRAIGHT.1)
        };
        let largest =
            values.iter().filter(|value| !value.is_nan()).map(|value| value.abs()).fold(0.0, f64::max);
        let is_steady = explained >= STRAIGHT.0 && is_part(before) && is_part(inside) && largest > 0.0;
        let places = |value: &f64| !value.is_nan();
        let (first, last) = (values.iter().position(places)?, values.iter().rposition(places)?);
        let share = rise.abs() * (last - first) as f64 / largest;
        is_steady.then(|| Steady { id, slope: rise / axis.bin_s(), share })
    }

    /// `Process java (pid 42) Private Bytes went on rising steadily, by 600 MiB an hour`. `None` of what isn't a store, or hardly moved.
    fn note(&self, roster: &Roster) -> Option<String> {
        const LEAST_SHARE: f64 = 0.05;
        let entry = roster.objects().get(self.id.object as usize)?;
        let counter = entry.counters.get(self.id.counter as usize)?;
        let instance = entry.instances.get(self.id.instance as usize)?;
        let unit = unit_of(&counter.name, counter.unit);
        let is_store =
            bytes_in(unit).is_some() && !unit.ends_with("/sec") || counter.name.ends_with("Handle Count");
        if !is_store || self.share < LEAST_SHARE {
            return None;
        }
        let id = task_id(&entry.name, instance.instance.as_ref());
        let label = series_label(&entry.name, instance.shown.as_deref(), id, &counter.name);
        let way = if self.slope > 0.0 { "rising" } else { "falling" };
        let by = quantity((self.slope * 3600.0).abs(), unit);
        Some(format!("{label} went on {way} steadily, by {by} an hour"))
    }
}

/// Notes about those that went furthest.
pub(super) fn notes(mut all: Vec<Steady>, roster: &Roster) -> impl Iterator<Item = String> {
    const MOST: usize = 3;
    all.sort_by(|one, other| other.share.total_cmp(&one.share).then(one.id.cmp(&other.id)));
    all.into_iter().filter_map(|one| one.note(roster)).take(MOST)
}
