//! Captures and the object of them that is looked at.

use std::sync::Arc;

use recount::{
    Capture, KnownObject, Mark, Moment, Selection, TimeBound, TimeMachine, Timeline, Timestamp, known_objects,
};

use crate::exit::nothing;

/// Objects from which the line of totals is made.
const OF_SYSTEM: [&str; 5] =
    ["Processor", "Processor Information", "Memory", "PhysicalDisk", "Network Interface"];

/// Why there is nothing to look at.
#[derive(Debug, thiserror::Error)]
pub(crate) enum TopError {
    #[error("no object is called \"{name}\"; there are {}", known.join(", "))]
    UnknownObject { name: String, known: Vec<String> },
    #[error("no counter of {object} matches, and {other} isn't shown; try --object \"{other}\"")]
    OtherObject { object: String, other: String },
    #[error("{object} has no counter \"{name}\"; it has {}", known.join(", "))]
    UnknownCounter { name: String, object: String, known: Vec<String> },
    #[error("{time} is outside of the capture, which has samples from {first} to {last}")]
    Outside { time: String, first: String, last: String },
}

/// Why captures have nothing to look at.
fn nothing_in(timeline: &Timeline) -> anyhow::Error {
    nothing(timeline, &Selection::all())
}

/// The end of what was written as a time: a whole minute or second is all of it, as people leave out the rest.
fn end_of_written(time: Timestamp) -> Timestamp {
    let len = [60, 1].map(|seconds| seconds * Timestamp::TICKS_PER_SECOND);
    let len = len.into_iter().find(|len| time.0 % len == 0).unwrap_or(1);
    Timestamp(time.0.saturating_add(len))
}

/// Opened captures, and one object of them.
pub(super) struct Session {
    pub(super) timeline: Timeline,
    pub(super) objects: Vec<KnownObject>,
    pub(super) object: Arc<str>,
    pub(super) machine: TimeMachine,
    /// Ascending.
    pub(super) marks: Vec<Mark>,
}

impl Session {
    /// Without a name, the object is `Process`, or else the first that has instances, of the system if possible.
    pub(super) fn new(captures: &[Capture], name: Option<&str>) -> anyhow::Result<Session> {
        let timeline = Timeline::whole(captures)?;
        let objects = known_objects(&timeline);
        let find = |name: &str| objects.iter().find(|known| known.name.to_lowercase() == name.to_lowercase());
        let object = match name {
            Some(name) => find(name).ok_or_else(|| TopError::UnknownObject {
                name: name.to_owned(),
                known: objects.iter().map(|known| known.name.to_string()).collect(),
            })?,
            // Others may be the recorder's own bookkeeping.
            None => find("Process")
                .or_else(|| OF_SYSTEM.into_iter().filter_map(find).find(|known| known.instanced))
                .or_else(|| objects.iter().find(|known| known.instanced))
                .or(objects.first())
                .ok_or_else(|| nothing_in(&timeline))?,
        };
        let object = Arc::clone(&object.name);
        Ok(Session::of(timeline, objects, object))
    }

    fn of(timeline: Timeline, objects: Vec<KnownObject>, object: Arc<str>) -> Session {
        let others = OF_SYSTEM.into_iter().filter(|name| **name != *object);
        let wanted: Vec<&str> = std::iter::once(&*object).chain(others).collect();
        let machine = TimeMachine::new(&timeline, &wanted);
        let marks = timeline.marks();
        Session { timeline, objects, object, machine, marks }
    }

    /// The same captures and another object.
    pub(super) fn with_object(&self, object: &Arc<str>) -> Session {
        Session::of(self.timeline.clone(), self.objects.clone(), Arc::clone(object))
    }

    /// The time of the sample whose interval holds a time as a person writes it.
    pub(super) fn time_of(&self, bound: &TimeBound) -> anyhow::Result<Timestamp> {
        let time = self.timeline.moment(bound)?.unwrap_or_default();
        let times = self.machine.times();
        let (Some(first), Some(last)) = (times.first(), times.last()) else {
            return Err(nothing_in(&self.timeline));
        };
        // A mark may be made before the first sample.
        let is_mark = matches!(bound, TimeBound::Mark { offset, .. } if offset.is_zero());
        if is_mark || (end_of_written(time) > first.utc && time <= last.utc) {
            let sample = times.partition_point(|sample| sample.utc < time);
            return Ok(times.get(sample).unwrap_or(last).utc);
        }
        let [time, first, last] = [time, first.utc, last.utc].map(|time| self.timeline.stated(time));
        Err(TopError::Outside { time, first, last }.into())
    }

    /// The sample whose interval holds a time, or the newest.
    pub(super) fn newest_at(&self, time: Option<Timestamp>) -> anyhow::Result<Moment> {
        let moment = self.machine.holding(time.unwrap_or(Timestamp(i64::MAX)));
        moment.ok_or_else(|| nothing_in(&self.timeline))
    }

    /// Marks in the interval of a sample. Those behind the last sample belong to it.
    pub(super) fn marks_at(&self, moment: &Moment) -> Vec<&Mark> {
        let times = self.machine.times();
        let before =
            moment.index.checked_sub(1).and_then(|before| times.get(before)).map(|before| before.utc);
        let is_last = moment.index + 1 == times.len();
        let is_here = |mark: &&Mark| {
            before.is_none_or(|before| mark.time > before) && (is_last || mark.time <= moment.time.utc)
        };
        self.marks.iter().filter(is_here).collect()
    }
}
