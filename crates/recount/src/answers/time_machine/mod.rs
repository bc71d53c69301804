//! The instances of objects at one sample: what `top` would have shown then.
//!
//! Only the samples that an answer needs are decoded: the requested one, the previous one, from which values are
//! computed, and the next one, which shows what ended. They pass through the same pipeline as everything else, so
//! values are the same as in `show` and `convert`, to the bit.

mod around;
mod known;
mod line;
mod past;
mod table;

use std::sync::Arc;

use recount_compute::{CookOptions, PipelineOptions, scan};
use recount_model::{CounterPath, Health, Pattern, SampleTime, Selection, Timestamp};

pub use self::known::{KnownObject, known_objects};
use self::line::{Line, lines};
pub use self::past::Past;
pub use self::table::{InstanceCounter, InstanceRow, Instances};
use crate::Timeline;

/// Maximum number of samples decoded together when searching for one that has an object.
const MAX_SEARCHED: usize = 4_096;

/// Captures, ready to be looked at sample by sample.
pub struct TimeMachine {
    lines: Vec<Line>,
    /// The times of all samples, each once.
    times: Vec<SampleTime>,
    objects: Vec<Arc<str>>,
    options: PipelineOptions,
    /// Who the processes are.
    timeline: Timeline,
}

/// Objects at one sample.
#[derive(Clone, Debug)]
pub struct Moment {
    /// When the sample was taken.
    pub time: SampleTime,
    /// Its index among the samples of the time machine, from 0.
    pub index: usize,
    /// How many samples there are.
    pub num_samples: usize,
    /// Per requested object, in that order: its instances. Any object but the first may be missing from the sample; it
    /// then has no rows and no counters.
    pub objects: Vec<Instances>,
    /// What could not be read.
    pub health: Health,
}

/// The instances of one object at the sample at or before a time, or `step` samples from there. `None` if the captures
/// don't have the object. For many look-ups a [`TimeMachine`] is faster.
pub fn instances(timeline: &Timeline, object: &str, at: Timestamp, step: isize) -> Option<Moment> {
    TimeMachine::new(timeline, &[object]).at(at, step)
}

impl TimeMachine {
    /// Prepares captures. The samples are those of the captures that have the first object; the other
    /// objects are shown with it. Only the first and last samples are read.
    ///
    /// Machines whose samples were taken at different times are shown together, each with its newest sample, unless
    /// that is much older than the machine's usual interval. Where a clock was set back, the samples of both epochs are
    /// interleaved, as in tables, and each is compared with samples of its own epoch.
    pub fn new(timeline: &Timeline, objects: &[&str]) -> TimeMachine {
        let inputs = timeline.inputs();
        let options = options_for(objects);
        let mut all = lines(inputs);
        let has_first = |line: &Line| objects.first().is_some_and(|first| line.has_object(first, &options));
        let have: Vec<bool> = all.iter().map(has_first).collect();
        if have.contains(&true) {
            let mut have = have.iter();
            all.retain(|_| have.next().is_none_or(|has| *has));
        }
        let mut times: Vec<SampleTime> = all.iter().flat_map(|line| line.times.iter().copied()).collect();
        times.sort_unstable();
        times.dedup_by_key(|time| time.utc);
        TimeMachine {
            lines: all,
            times,
            objects: objects.iter().map(|object| Arc::from(*object)).collect(),
            options,
            timeline: timeline.clone(),
        }
    }

    /// The times of all samples, ascending, each once.
    pub fn times(&self) -> &[SampleTime] {
        &self.times
    }

    /// The sample at or before a time; the first, if all are later.
    pub fn index_at(&self, time: Timestamp) -> usize {
        self.times.partition_point(|one| one.utc <= time).saturating_sub(1)
    }

    /// The sample at or before a time, or `step` samples from there. Samples without the first object are skipped.
    /// `None` if no sample has it.
    pub fn at(&self, time: Timestamp, step: isize) -> Option<Moment> {
        let last = self.times.len().checked_sub(1)?;
        let wanted = self.index_at(time).saturating_add_signed(step).min(last);
        if let Some(moment) = self.moment(wanted) {
            return Some(moment);
        }
        let is_forward = step > 0;
        let nearest = |is_forward| self.nearest(self.times[wanted].utc, is_forward);
        let found = nearest(is_forward).or_else(|| nearest(!is_forward))?;
        self.moment(self.index_at(found))
    }

    /// The sample with the first object whose interval holds a time: the first at or after it, or else the last. `None` if no sample has the object.
    pub fn holding(&self, time: Timestamp) -> Option<Moment> {
        let last = self.times.len().checked_sub(1)?;
        let index = self.times.partition_point(|one| one.utc < time).min(last);
        if let Some(moment) = self.moment(index) {
            return Some(moment);
        }
        let found = self.nearest(time, true).or_else(|| self.nearest(time, false))?;
        self.moment(self.index_at(found))
    }

    /// The time of the next sample that has the first object, in one direction.
    fn nearest(&self, from: Timestamp, is_forward: bool) -> Option<Timestamp> {
        let found = self.lines.iter().filter_map(|line| {
            let start = if is_forward { line.at_or_after(from) } else { line.at_or_before(from) }?;
            self.search(line, start, is_forward)
        });
        if is_forward { found.min() } else { found.max() }
    }

    fn search(&self, line: &Line, start: usize, is_forward: bool) -> Option<Timestamp> {
        let first = self.objects.first()?;
        let (mut at, mut len) = (start, 1);
        loop {
            let range = if is_forward {
                at..(at + len).min(line.times.len())
            } else {
                (at + 1).saturating_sub(len)..at + 1
            };
            let mut seen: Vec<Timestamp> = Vec::new();
            // Anything unreadable is reported with the sample that is shown.
            let _ = scan(&line.window(range.clone()), &self.options, |decoded| {
                let runs = decoded.runs.iter().map(|run| (&run.object, &run.clocks.time));
                let cooked = decoded.cooked.iter().map(|cooked| (&cooked.object, &cooked.times));
                let own = runs.chain(cooked).filter(|(object, _)| object.name == *first);
                seen.extend(own.flat_map(|(_, times)| times.iter().map(|time| time.utc)));
            });
            let found = if is_forward { seen.iter().min() } else { seen.iter().max() };
            if let Some(found) = found {
                return Some(*found);
            }
            if is_forward {
                at = Some(range.end).filter(|end| *end < line.times.len())?;
            } else {
                at = range.start.checked_sub(1)?;
            }
            len = (len * 8).min(MAX_SEARCHED);
        }
    }

    /// A sample; `None` if it doesn't have the first object.
    fn moment(&self, index: usize) -> Option<Moment> {
        let time = *self.times.get(index)?;
        let mut health = Health::default();
        let mut tables: Vec<Instances> = self.objects.iter().map(Instances::empty).collect();
        let mut has_first = false;
        for (number, position) in self.shown_at(time.utc) {
            let line = &self.lines[number];
            let (seen, found) = self.around(line, position);
            health.absorb(found);
            for (object, table) in self.objects.iter().zip(&mut tables) {
                for one in seen.iter().filter(|one| one.cooked.object.name == *object) {
                    table.add(number, one);
                }
            }
            has_first |= seen.iter().any(|one| Some(&one.cooked.object.name) == self.objects.first());
        }
        for table in tables.iter_mut().filter(|table| table.object.eq_ignore_ascii_case("Process")) {
            table.describe(self.timeline.descriptions());
        }
        let moment = Moment { time, index, num_samples: self.times.len(), objects: tables, health };
        has_first.then_some(moment)
    }

    /// The lines shown at a time, each with the position of its sample.
    fn shown_at(&self, time: Timestamp) -> Vec<(usize, usize)> {
        let mut found: Vec<(i64, usize, usize)> = Vec::new();
        for (number, line) in self.lines.iter().enumerate() {
            let Some(position) = line.at_or_before(time) else { continue };
            let age = time.0.saturating_sub(line.times[position].utc.0);
            if age <= line.step.saturating_add(line.step / 2) {
                found.push((age, number, position));
            }
        }
        // Among epochs of one capture, and among captures of one machine, the newest sample counts.
        found.sort_by_key(|(age, number, _)| (*age, std::cmp::Reverse(*number)));
        let mut shown: Vec<(usize, usize)> = Vec::new();
        for (age, number, position) in found {
            let line = &self.lines[number];
            let excludes = |(other, _): &(usize, usize)| {
                let other = &self.lines[*other];
                line.shares_source(other) || (age > 0 && line.shares_host(other))
            };
            if !shown.iter().any(excludes) {
                shown.push((number, position));
            }
        }
        shown.sort_unstable();
        shown
    }
}

/// Pipeline options that select these objects. Always expressed the same way, since sources cache what they decoded
/// per selection.
fn options_for(objects: &[&str]) -> PipelineOptions {
    let pattern = |object: &&str| Pattern::Path(CounterPath::of("", object, None, "*"));
    let selection: Selection = objects.iter().map(pattern).collect();
    PipelineOptions {
        cook: CookOptions { selection, ..CookOptions::default() },
        ..PipelineOptions::default()
    }
}
