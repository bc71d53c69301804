//! One sample, computed with its neighbours.

use std::cell::LazyCell;
use std::sync::Arc;

use recount_model::{Cooked, Health, Instance, Instances, ObjectDef, Timestamp};

use super::TimeMachine;
use super::line::Line;

/// Factor by which the search widens if the neighbouring samples don't have an object.
const WIDER: usize = 8;

/// An object in a sample.
pub(super) struct Seen {
    pub(super) cooked: Cooked,
    /// Index of the sample in `cooked`.
    pub(super) sample: usize,
    before: Option<Neighbour>,
    after: Option<Neighbour>,
}

/// The instances of the same object in another sample.
#[derive(Clone)]
struct Neighbour {
    host: Arc<str>,
    object: Arc<ObjectDef>,
    instances: Instances,
    /// Per instance: whether it was found in the previous sample.
    continued: Vec<bool>,
    time: Timestamp,
}

impl Neighbour {
    fn of(cooked: &Cooked, sample: usize) -> Neighbour {
        let continued =
            if sample == 0 { cooked.continued.clone() } else { vec![true; cooked.instances.len()] };
        Neighbour {
            host: Arc::clone(&cooked.host),
            object: Arc::clone(&cooked.object),
            instances: Arc::clone(&cooked.instances),
            continued,
            time: cooked.times[sample].utc,
        }
    }

    fn without_instances(self) -> Neighbour {
        Neighbour { instances: [].into(), continued: Vec::new(), ..self }
    }

    fn is_same_object(&self, cooked: &Cooked) -> bool {
        self.host == cooked.host && self.object.name == cooked.object.name
    }

    /// Whether it belongs to the same stream of samples; an object may have several.
    fn is_same_stream(&self, cooked: &Cooked) -> bool {
        self.is_same_object(cooked)
            && (Arc::ptr_eq(&self.object, &cooked.object) || self.object == cooked.object)
    }
}

impl Seen {
    /// Whether an instance is missing from the previous sample. In the first sample, no instance counts as
    /// new.
    pub(super) fn began(&self, at: usize) -> bool {
        if self.sample > 0 {
            return false;
        }
        let Some(before) = &self.before else { return false };
        let instance = &self.cooked.instances[at];
        let is_continued = self.cooked.continued.get(at).copied().unwrap_or(false);
        !is_continued || !before.instances.iter().any(|earlier| instance.continues(earlier, before.time))
    }

    /// Whether an instance is missing from the next sample. In the last sample, no instance counts as ended.
    pub(super) fn ended(&self, at: usize) -> bool {
        let Some(after) = &self.after else { return false };
        let (instance, time) = (&self.cooked.instances[at], self.cooked.times[self.sample].utc);
        let is_it =
            |(later, is_continued): (&Instance, &bool)| *is_continued && later.continues(instance, time);
        !after.instances.iter().zip(&after.continued).any(is_it)
    }
}

/// What the samples around a given one show.
#[derive(Default)]
struct Surroundings {
    seen: Vec<(Cooked, usize)>,
    /// The last sample before it, of every stream.
    before: Vec<Neighbour>,
    /// The first sample after it, of every object.
    after: Vec<Neighbour>,
    health: Health,
}

impl TimeMachine {
    /// The objects in a sample of a line, and what the samples around it show of them, which are searched for as far away
    /// as necessary.
    pub(super) fn around(&self, line: &Line, position: usize) -> (Vec<Seen>, Health) {
        let (mut back, mut ahead) = (1, 1);
        let num_after = line.times.len() - 1 - position;
        loop {
            let found = self.look(line, position, back, ahead);
            let has_all_before = back >= position
                || found.seen.iter().all(|(cooked, sample)| {
                    *sample > 0 || found.before.iter().any(|before| before.is_same_stream(cooked))
                });
            let has_all_after = ahead >= num_after
                || found.seen.iter().all(|(cooked, sample)| {
                    sample + 1 < cooked.num_samples()
                        || found.after.iter().any(|after| after.is_same_object(cooked))
                });
            if has_all_before && has_all_after {
                let is_preceded = LazyCell::new(|| line.has_rounds_before(position));
                let is_followed = LazyCell::new(|| line.has_rounds_after(position));
                return found.finish(&|| *is_preceded, &|| *is_followed);
            }
            if !has_all_before {
                back = back.saturating_mul(WIDER);
            }
            if !has_all_after {
                ahead = ahead.saturating_mul(WIDER);
            }
        }
    }

    fn look(&self, line: &Line, position: usize, back: usize, ahead: usize) -> Surroundings {
        let end = position.saturating_add(ahead).saturating_add(1).min(line.times.len());
        let time = line.times[position].utc;
        let stretch = line.stretch(position.saturating_sub(back)..end).exact_from(time);
        let mut found = Surroundings::default();
        for (batch, health) in stretch.batches(&self.options) {
            found.health.absorb(health);
            let is_wanted = |cooked: &Cooked| self.objects.contains(&cooked.object.name);
            batch.into_iter().filter(is_wanted).for_each(|cooked| found.add(cooked, time));
        }
        found
    }
}

impl Surroundings {
    fn add(&mut self, cooked: Cooked, time: Timestamp) {
        let num_before = cooked.times.partition_point(|one| one.utc < time);
        let num_until = cooked.times.partition_point(|one| one.utc <= time);
        if let Some(sample) = num_before.checked_sub(1) {
            self.before.retain(|other| !other.is_same_stream(&cooked));
            self.before.push(Neighbour::of(&cooked, sample));
        }
        if num_until < cooked.num_samples() && !self.after.iter().any(|other| other.is_same_stream(&cooked)) {
            self.after.push(Neighbour::of(&cooked, num_until));
        }
        if num_before < num_until {
            self.seen.push((cooked, num_until - 1));
        }
    }

    /// Takes whether samples that should have its objects precede and follow it: if an object isn't in any of those, its instances began or ended.
    fn finish(self, is_preceded: &dyn Fn() -> bool, is_followed: &dyn Fn() -> bool) -> (Vec<Seen>, Health) {
        let Surroundings { seen, before, after, health } = self;
        let one = |(cooked, sample): (Cooked, usize)| {
            let pick = |all: &[Neighbour], is_there: &dyn Fn() -> bool| {
                let same = all.iter().find(|one| one.is_same_stream(&cooked));
                let found = same.or_else(|| all.iter().find(|one| one.is_same_object(&cooked)));
                found
                    .cloned()
                    .or_else(|| is_there().then(|| Neighbour::of(&cooked, sample).without_instances()))
            };
            let (before, after) = (pick(&before, is_preceded), pick(&after, is_followed));
            Seen { cooked, sample, before, after }
        };
        (seen.into_iter().map(one).collect(), health)
    }
}
