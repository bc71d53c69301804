//! What two captures have at the same times: equal or different values.

use std::collections::HashMap;
use std::ops::Range;
use std::sync::{Arc, Mutex, PoisonError, Weak};

use recount_compute::{Chained, Landmarks, PipelineOptions, Stretch};
use recount_model::{Decoded, SampleTime, Selection, Source, Timestamp};

use super::displaced::{Displaced, displaced};
use super::renamed::Renamed;
use super::rows::{Pair, Rows, Share};
use crate::{Capture, Format, Timeline};

/// Two captures at the times that both have.
#[derive(Debug, Default)]
pub(super) struct Compared {
    /// Samples of the later capture with no value that the earlier one doesn't have.
    pub(super) of_later: Vec<u32>,
    /// Samples of the earlier capture with no value that the later one doesn't have, which has more.
    pub(super) of_earlier: Vec<u32>,
    /// Number of samples of each with no value that the other doesn't have: those left out, and those of which the values
    /// over the shorter intervals are kept.
    pub(super) num_of_later: usize,
    pub(super) num_of_earlier: usize,
    /// Number of times that both have.
    pub(super) num_common: usize,
    /// Whether they have a value in common.
    pub(super) has_same: bool,
    /// Number of samples of each with values over longer intervals, of which the other has the parts.
    pub(super) num_longer_of_later: usize,
    pub(super) num_longer_of_earlier: usize,
    /// Number of samples of the later capture that have other values, and the first: its time, and a counter.
    pub(super) num_differing: usize,
    pub(super) first_difference: Option<(SampleTime, String)>,
    /// Samples of one of the two that differ from most others, which are the same in both. If that one is damaged and the other sound,
    /// the other's count.
    pub(super) doubtful: Doubtful,
    /// Samples with the same values at different times.
    pub(super) displaced: Vec<Displaced>,
    /// Values with the same numbers under different names.
    pub(super) names: Names,
    /// Whether each is damaged; that may be known only once samples are decoded.
    pub(super) is_damaged: [bool; 2],
    /// Pairs of epochs, of the earlier and of the later capture, that have a sample in common.
    pub(super) joined: Vec<(u32, u32)>,
}

/// Names that differ, with the same values.
#[derive(Debug, Default)]
pub(super) enum Names {
    #[default]
    Same,
    /// A counter of the later capture, and the counter of the earlier one with the same values.
    Differing(String, String),
    /// Some values differ, too.
    Other,
}

/// What one of two captures has otherwise than the other, if most of its samples are the same.
#[derive(Debug, Default)]
pub(super) struct Doubtful {
    /// Whether it is the later capture: the damaged one, if the other is sound.
    pub(super) is_of_later: bool,
    /// Whether it is damaged and the other one sound.
    pub(super) is_damage: bool,
    /// Its samples with values or instances that the other one doesn't have at that time.
    pub(super) samples: Vec<u32>,
    /// Samples of the other one at these times.
    of_other: Vec<u32>,
    /// Number of its samples of which the other one has everything.
    num_equal: usize,
}

/// Samples compared at a time: bounds the memory.
const LEN_COMPARED: usize = 4 << 20;
const MAX_COMPARED: usize = 4_096;
/// Samples of one capture with the same time; more aren't compared, since each is compared with each.
const MAX_AT_ONCE: u32 = 16;

/// The samples of both at one time.
struct Common {
    time: SampleTime,
    of_earlier: Range<u32>,
    of_later: Range<u32>,
}

impl Compared {
    /// Whether the later capture, of this many samples, has nothing that the earlier one doesn't have in the same form.
    pub(super) fn has_nothing_new(&self, num_samples: usize) -> bool {
        self.of_later.len() == num_samples
            && self.num_of_later == num_samples
            && self.num_longer_of_later == 0
            && self.first_difference.is_none()
            && self.doubtful.samples.is_empty()
            && self.displaced.is_empty()
            && matches!(self.names, Names::Same)
    }

    /// Whether a value differs, or is over another interval.
    pub(super) fn has_other_values(&self) -> bool {
        self.first_difference.is_some() || self.num_longer_of_earlier + self.num_longer_of_later > 0
    }

    pub(super) fn of(earlier: &Capture, later: &Capture) -> Compared {
        match [earlier, later].map(|capture| capture.source.info().is_cooked) {
            [false, true] => Compared::of_computed(std::slice::from_ref(earlier), &*later.source, false),
            [true, false] => Compared::of_computed(std::slice::from_ref(later), &*earlier.source, true),
            _ => {
                let is_damaged = [earlier, later].map(|capture| !capture.source.health().is_complete());
                let [earlier, later] = Side::of_both(earlier, later);
                Compared::of_alike(&earlier, &later, is_damaged)
            }
        }
    }

    /// Of captures that both have raw values, or both computed ones.
    fn of_alike(earlier: &Side, later: &Side, is_damaged: [bool; 2]) -> Compared {
        let common = common(earlier.source.times(), later.source.times());
        let is_one = |is_damaged: [bool; 2]| is_damaged[0] != is_damaged[1];
        let is_damage = is_one(is_damaged) && !earlier.source.info().is_cooked;
        let is_of_later = !is_damage || is_damaged[1];
        let doubtful = Doubtful { is_of_later, is_damage, ..Doubtful::default() };
        let mut compared = Compared { num_common: common.len(), doubtful, is_damaged, ..Compared::default() };
        let len = |range: &Range<u32>, side: &Side| -> usize {
            range.clone().map(|sample| side.source.len_sample(sample as usize)).sum()
        };
        let (mut start, mut len_taken) = (0, 0);
        for at in 0..common.len() {
            len_taken += len(&common[at].of_earlier, earlier) + len(&common[at].of_later, later);
            if len_taken >= LEN_COMPARED || at + 1 - start >= MAX_COMPARED || at + 1 == common.len() {
                compared.add([earlier, later], &common[start..=at]);
                (start, len_taken) = (at + 1, 0);
            }
        }
        if is_one(compared.is_damaged) != is_one(is_damaged) && !earlier.source.info().is_cooked {
            return Compared::of_alike(earlier, later, compared.is_damaged);
        }
        compared.settle_doubts();
        if compared.has_same {
            compared.displaced = displaced(&*earlier.source, &*later.source);
        }
        compared
    }

    fn add(&mut self, [of_earlier, of_later]: [&Side; 2], common: &[Common]) {
        let [earlier, later]: [&dyn Source; 2] = [&*of_earlier.source, &*of_later.source];
        let sides = [of_earlier, of_later];
        let decode = |source: &dyn Source, of: fn(&Common) -> Range<u32>| {
            source.decode(&common.iter().flat_map(of).collect::<Vec<u32>>(), &Selection::all())
        };
        let (of_earlier, of_later) = rayon::join(
            || decode(earlier, |common| common.of_earlier.clone()),
            || decode(later, |common| common.of_later.clone()),
        );
        for (is_damaged, decoded) in self.is_damaged.iter_mut().zip([&of_earlier, &of_later]) {
            *is_damaged |= !decoded.health.is_complete();
        }
        let rows = || [Rows::of(earlier, &of_earlier), Rows::of(later, &of_later)];
        let ([before, after], [of, others]) = (rows(), rows());
        let is_one_format = sides[0].format == sides[1].format;
        let pair = |of, others| {
            let pair = Pair::new(of, others);
            if is_one_format { pair.of_one_format() } else { pair }
        };
        let (mut known, mut back) = (pair(after, before), pair(of, others));
        let Doubtful { is_damage, is_of_later, .. } = self.doubtful;
        // The values of a damaged capture are known if only their names differ.
        let share_of = |pair: &mut Pair<'_>, time: Timestamp, is_damaged: bool| {
            let share = pair.share(time);
            match if share.is_all() || !is_damaged { None } else { pair.renamed(time) } {
                Some(Renamed { num_known, example: Some(_), .. }) => {
                    Share { num_known: share.num_known - num_known, own_member: None, ..share }
                }
                _ => share,
            }
        };
        for moment in common {
            let share = share_of(&mut known, moment.time.utc, is_damage && is_of_later);
            if !is_damage && !share.is_all() && !matches!(self.names, Names::Other) {
                self.names.add(known.renamed(moment.time.utc));
            }
            self.note(moment, &share);
            if share.num_same > 0 {
                let epoch = |source: &dyn Source, samples: &Range<u32>| source.epoch(samples.start as usize);
                let pair = (epoch(earlier, &moment.of_earlier), epoch(later, &moment.of_later));
                if self.joined.last() != Some(&pair) && !self.joined.contains(&pair) {
                    self.joined.push(pair);
                }
            }
            let mut back_share = || share_of(&mut back, moment.time.utc, is_damage && !is_of_later);
            let is_unusual = [&known.others, &known.of].map(|rows| rows.is_unusual(moment.time.utc));
            self.leave_out(moment, &share, &mut back_share, (sides, is_unusual));
            let samples = [&moment.of_later, &moment.of_earlier];
            if is_of_later {
                self.doubtful.add(samples, &share, || !back_share().is_all());
            } else {
                self.doubtful.add([samples[1], samples[0]], &back_share(), || !share.is_all());
            }
            // Each has a member of an aggregate that the other lacks: the aggregates differ, too.
            let of_aggregate =
                share.own_member.as_ref().filter(|_| share.num_same > 0 && back_share().own_member.is_some());
            // Of several samples at one time, as when a clock was set back, the other one may lack some.
            let differing = if moment.of_later.len() > moment.of_earlier.len() {
                back_share().differing
            } else {
                share.differing.clone()
            };
            if let Some(path) = differing.or_else(|| of_aggregate.cloned()) {
                self.num_differing += moment.of_later.len();
                self.first_difference.get_or_insert((moment.time, path));
            }
        }
    }

    /// Of parts of a recording with raw values, which are computed to be compared, and a capture with computed ones, which is the earlier one if
    /// `is_turned`: at the times of the first part. Only samples of the computed one are left out, as the next raw values are computed from
    /// each.
    pub(super) fn of_computed(raw: &[Capture], cooked: &dyn Source, is_turned: bool) -> Compared {
        let (timeline, landmarks) = (Timeline::without_times(raw), Landmarks::default());
        let common = common(raw[0].source.times(), cooked.times());
        let mut compared = Compared { num_common: common.len(), ..Compared::default() };
        let (Some(first), Some(last)) = (common.first(), common.last()) else { return compared };
        let all: Vec<usize> = (0..timeline.inputs().len()).collect();
        let source = Chained::of(timeline.inputs(), &all);
        let stretch =
            Stretch::between(timeline.inputs(), &landmarks, Some(first.time.utc), Some(last.time.utc));
        let options = PipelineOptions::default();
        let mut rest = common.as_slice();
        for (batch, _) in stretch.batches(&options) {
            let Some(until) = batch.iter().filter_map(|cooked| cooked.times.last()).max() else { continue };
            let num = rest.partition_point(|moment| moment.time.utc <= until.utc);
            let (done, others) = rest.split_at(num);
            rest = others;
            let samples: Vec<u32> = done.iter().flat_map(|moment| moment.of_later.clone()).collect();
            let of_cooked = cooked.decode(&samples, &Selection::all());
            let of_raw = Decoded { cooked: batch, ..Decoded::default() };
            let mut known = Pair::new(Rows::of(cooked, &of_cooked), Rows::of(&source, &of_raw));
            for moment in done {
                let share = known.share(moment.time.utc);
                if !share.is_all() && !matches!(compared.names, Names::Other) {
                    compared.names.add(known.renamed(moment.time.utc));
                }
                compared.note(moment, &share);
                if share.is_all() && share.num_same > 0 {
                    compared.num_of_later += moment.of_later.len();
                    if !share.is_longer {
                        compared.of_later.extend(moment.of_later.clone());
                    }
                }
                if let Some(path) = share.differing {
                    compared.num_differing += moment.of_later.len();
                    compared.first_difference.get_or_insert((moment.time, path));
                }
            }
        }
        if is_turned { compared.turned() } else { compared }
    }

    /// What both have, if the other one is the earlier capture.
    fn turned(self) -> Compared {
        Compared {
            of_later: self.of_earlier,
            of_earlier: self.of_later,
            num_of_later: self.num_of_earlier,
            num_of_earlier: self.num_of_later,
            num_longer_of_later: self.num_longer_of_earlier,
            num_longer_of_earlier: self.num_longer_of_later,
            names: match self.names {
                Names::Differing(own, others) => Names::Differing(others, own),
                names => names,
            },
            ..self
        }
    }

    /// Notes what the later capture shares at a time.
    fn note(&mut self, moment: &Common, share: &Share) {
        self.has_same |= share.num_same > 0;
        if share.has_parts {
            self.num_longer_of_earlier += moment.of_earlier.len();
        }
        if share.is_of_parts {
            self.num_longer_of_later += moment.of_later.len();
        }
    }
}

impl Names {
    /// Adds what the later capture has at a time under names of its own.
    fn add(&mut self, renamed: Option<Renamed>) {
        let renamed = renamed.filter(|renamed| renamed.is_one_to_one);
        *self = match (std::mem::take(self), renamed) {
            (Names::Same, Some(Renamed { example, of_zeros, .. })) => {
                example.or(of_zeros).map_or(Names::Same, |(own, other)| Names::Differing(own, other))
            }
            (known @ Names::Differing(..), Some(_)) => known,
            _ => Names::Other,
        };
    }
}

impl Doubtful {
    /// `share` is what the other one has of it. If that one has nothing of its own there, it adds nothing, unless it is the sound one.
    fn add(
        &mut self,
        [samples, of_other]: [&Range<u32>; 2],
        share: &Share,
        has_other_own: impl FnOnce() -> bool,
    ) {
        if !share.is_all() && (self.is_damage || has_other_own()) {
            self.samples.extend(samples.clone());
            self.of_other.extend(of_other.clone());
        } else if share.num_same > 0 {
            self.num_equal += samples.len();
        }
    }
}

impl Compared {
    /// If a capture has everything of most samples of the other, what that has otherwise in a few is doubtful, and damage if only that one is
    /// damaged.
    fn settle_doubts(&mut self) {
        if self.doubtful.num_equal <= self.doubtful.samples.len() {
            self.doubtful.samples.clear();
        }
        if !self.doubtful.is_damage || self.doubtful.samples.is_empty() {
            return;
        }
        let mut left_out = [&mut self.of_earlier, &mut self.of_later];
        if self.doubtful.is_of_later {
            left_out.reverse();
        }
        let [of_damaged, of_other] = left_out;
        of_damaged.extend(&self.doubtful.samples);
        of_damaged.sort_unstable();
        of_damaged.dedup();
        of_other.retain(|sample| self.doubtful.of_other.binary_search(sample).is_err());
        (self.num_differing, self.first_difference) = (0, None);
    }

    /// Decides which of the samples of one time are left out, if they are the same or one has more: never those with a
    /// shorter interval, nor for a capture that says less of its values, and of values that are corrected by earlier samples, those of
    /// the capture that has more of these stay. Of two that are the same, the one stays whose objects are defined as usual: the next sample is
    /// compared with it. `back` is what the later capture has of the earlier one.
    fn leave_out(
        &mut self,
        moment: &Common,
        share: &Share,
        back: &mut dyn FnMut() -> Share,
        (sides, is_unusual): ([&Side; 2], [bool; 2]),
    ) {
        let [earlier, later] = sides.map(|side| &*side.source);
        let is_later_better = || {
            if is_unusual[0] != is_unusual[1] {
                return is_unusual[0];
            }
            let samples = [moment.of_earlier.start, moment.of_later.start];
            match [0, 1].map(|at| sides[at].epoch_begins.get(samples[at] as usize)) {
                [Some(of_earlier), Some(of_later)] if of_earlier != of_later => of_later < of_earlier,
                _ => step(earlier, samples[0]) > step(later, samples[1]),
            }
        };
        let [of_earlier, of_later] = [earlier, later].map(|source| source.info().authority);
        let (says_more, says_less) = (of_later > of_earlier, of_later < of_earlier);
        let num_common =
            |share: &Share, samples: &Range<u32>| if share.num_same > 0 { samples.len() } else { 0 };
        if share.is_all() {
            self.num_of_later += num_common(share, &moment.of_later);
            let mut is_same_back = || {
                let back = back();
                back.is_all() && back.num_same > 0 && !back.is_longer
            };
            if !says_less && (says_more || share.is_longer || is_later_better()) && is_same_back() {
                self.of_earlier.extend(moment.of_earlier.clone());
            } else if !says_more && !share.is_longer {
                self.of_later.extend(moment.of_later.clone());
            }
        } else {
            let back = back();
            if back.is_all() {
                self.num_of_earlier += num_common(&back, &moment.of_earlier);
                if !back.is_longer && !says_less {
                    self.of_earlier.extend(moment.of_earlier.clone());
                }
            }
        }
    }
}

/// A capture, as it is compared.
struct Side {
    source: Arc<dyn Source>,
    format: &'static Format,
    /// When the epoch of each sample begins, if values are corrected by earlier samples; else empty.
    epoch_begins: Vec<Timestamp>,
}

impl Side {
    /// Two captures with values as they were recorded, if both have these: what was made from a capture has its corrections.
    fn of_both(earlier: &Capture, later: &Capture) -> [Side; 2] {
        let both = [earlier, later];
        match both.map(|capture| Some((capture.source.uncorrected()?, capture.format))) {
            [Some(earlier), Some(later)] => [earlier, later].map(Side::of_uncorrected),
            _ => both.map(|capture| {
                let (source, format) = (Arc::clone(&capture.source), capture.format);
                Side { source, format, epoch_begins: Vec::new() }
            }),
        }
    }

    fn of_uncorrected((source, format): (Arc<dyn Source>, &'static Format)) -> Side {
        let mut first: HashMap<u32, Timestamp> = HashMap::new();
        let times = source.times().iter().enumerate();
        let begin =
            |(sample, time): (usize, &SampleTime)| *first.entry(source.epoch(sample)).or_insert(time.utc);
        let epoch_begins = times.map(begin).collect();
        Side { source, format, epoch_begins }
    }
}

/// Time since the sample before, in ticks.
fn step(source: &dyn Source, sample: u32) -> i64 {
    let sample = sample as usize;
    let before = sample.checked_sub(1).filter(|before| source.epoch(*before) == source.epoch(sample));
    let since = |before: usize| source.times()[sample].utc.0.saturating_sub(source.times()[before].utc.0);
    before.map_or(i64::MAX, since)
}

/// The times that both have.
fn common(earlier: &[SampleTime], later: &[SampleTime]) -> Vec<Common> {
    let mut found = Vec::new();
    let (mut one, mut other) = (0, 0);
    let end = |times: &[SampleTime], start: usize, time: Timestamp| {
        start + times[start..].iter().take_while(|next| next.utc == time).count()
    };
    while let (Some(before), Some(after)) = (earlier.get(one), later.get(other)) {
        let (end_one, end_other) = (end(earlier, one, before.utc), end(later, other, after.utc));
        match before.utc.cmp(&after.utc) {
            std::cmp::Ordering::Less => one = end_one,
            std::cmp::Ordering::Greater => other = end_other,
            std::cmp::Ordering::Equal => {
                let (of_earlier, of_later) = (one as u32..end_one as u32, other as u32..end_other as u32);
                if of_earlier.len().max(of_later.len()) <= MAX_AT_ONCE as usize {
                    found.push(Common { time: *before, of_earlier, of_later });
                }
                (one, other) = (end_one, end_other);
            }
        }
    }
    found
}

/// The comparisons of a capture with others, each made once.
#[derive(Clone, Default)]
pub(crate) struct Comparisons(Arc<Mutex<Vec<Known>>>);

struct Known {
    /// Two captures, or the parts of a recording and a capture.
    sources: Vec<Weak<dyn Source>>,
    compared: Arc<Compared>,
}

impl Comparisons {
    pub(super) fn of(&self, earlier: &Capture, later: &Capture) -> Arc<Compared> {
        self.known_or(&[&earlier.source, &later.source], || Compared::of(earlier, later))
    }

    /// Of parts of a recording and a capture with computed values.
    pub(super) fn of_parts(
        &self,
        parts: &[Capture],
        cooked: &Capture,
        compare: impl FnOnce(&[Capture]) -> Compared,
    ) -> Arc<Compared> {
        let sources: Vec<&Arc<dyn Source>> =
            parts.iter().chain([cooked]).map(|capture| &capture.source).collect();
        self.known_or(&sources, || compare(parts))
    }

    fn known_or(&self, sources: &[&Arc<dyn Source>], compare: impl FnOnce() -> Compared) -> Arc<Compared> {
        let is_of = |(weak, source): (&Weak<dyn Source>, &&Arc<dyn Source>)| {
            weak.upgrade().is_some_and(|known| Arc::ptr_eq(&known, source))
        };
        let mut all = self.0.lock().unwrap_or_else(PoisonError::into_inner);
        all.retain(|known| known.sources.iter().all(|source| source.strong_count() > 0));
        let is_same = |known: &&Known| {
            known.sources.len() == sources.len() && known.sources.iter().zip(sources).all(is_of)
        };
        if let Some(known) = all.iter().find(is_same) {
            return Arc::clone(&known.compared);
        }
        let compared = Arc::new(compare());
        let sources = sources.iter().map(|source| Arc::downgrade(source)).collect();
        all.push(Known { sources, compared: Arc::clone(&compared) });
        compared
    }
}
