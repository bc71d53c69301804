//! What two captures have at the same times: the same values, or others.

use std::ops::Range;
use std::sync::{Arc, Mutex, PoisonError, Weak};

use recount_model::{SampleTime, Selection, Source, Timestamp};

use super::rows::{Pair, Rows, Share};

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
    /// Number of samples of the later capture that have other values, and the first: its time, and a counter.
    pub(super) num_differing: usize,
    pub(super) first_difference: Option<(SampleTime, String)>,
    /// Pairs of epochs, of the earlier and of the later capture, that have a sample in common.
    pub(super) joined: Vec<(u32, u32)>,
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
    pub(super) fn of(earlier: &dyn Source, later: &dyn Source) -> Compared {
        let mut compared = Compared::default();
        let common = common(earlier.times(), later.times());
        let len = |range: &Range<u32>, source: &dyn Source| -> usize {
            range.clone().map(|sample| source.len_sample(sample as usize)).sum()
        };
        let (mut start, mut len_taken) = (0, 0);
        for at in 0..common.len() {
            len_taken += len(&common[at].of_earlier, earlier) + len(&common[at].of_later, later);
            if len_taken >= LEN_COMPARED || at + 1 - start >= MAX_COMPARED || at + 1 == common.len() {
                compared.add(earlier, later, &common[start..=at]);
                (start, len_taken) = (at + 1, 0);
            }
        }
        compared
    }

    fn add(&mut self, earlier: &dyn Source, later: &dyn Source, common: &[Common]) {
        let decode = |source: &dyn Source, of: fn(&Common) -> Range<u32>| {
            source.decode(&common.iter().flat_map(of).collect::<Vec<u32>>(), &Selection::all())
        };
        let (of_earlier, of_later) = rayon::join(
            || decode(earlier, |common| common.of_earlier.clone()),
            || decode(later, |common| common.of_later.clone()),
        );
        let rows = || [Rows::of(earlier, &of_earlier), Rows::of(later, &of_later)];
        let ([before, after], [of, others]) = (rows(), rows());
        let mut known = Pair::new(after, before);
        let mut back = Pair::new(of, others);
        for moment in common {
            let share = known.share(moment.time.utc);
            if share.num_same > 0 {
                let epoch = |source: &dyn Source, samples: &Range<u32>| source.epoch(samples.start as usize);
                let pair = (epoch(earlier, &moment.of_earlier), epoch(later, &moment.of_later));
                if self.joined.last() != Some(&pair) && !self.joined.contains(&pair) {
                    self.joined.push(pair);
                }
            }
            self.leave_out(
                moment,
                &share,
                || back.share(moment.time.utc),
                || step(earlier, moment.of_earlier.start) > step(later, moment.of_later.start),
            );
            if let Some(path) = share.differing {
                self.num_differing += moment.of_later.len();
                self.first_difference.get_or_insert((moment.time, path));
            }
        }
    }
}

impl Compared {
    /// Decides which of the samples of one time are left out, if they are the same or one has more: never those with a
    /// shorter interval. `back` is what the later capture has of the earlier one.
    fn leave_out(
        &mut self,
        moment: &Common,
        share: &Share,
        back: impl FnOnce() -> Share,
        is_later_shorter: impl FnOnce() -> bool,
    ) {
        if share.is_all() {
            self.num_of_later += moment.of_later.len();
            let is_same_back = || {
                let back = back();
                back.is_all() && back.num_same > 0 && !back.is_longer
            };
            if (share.is_longer || is_later_shorter()) && is_same_back() {
                self.of_earlier.extend(moment.of_earlier.clone());
            } else if !share.is_longer {
                self.of_later.extend(moment.of_later.clone());
            }
        } else if share.num_same > 0 {
            let back = back();
            if back.is_all() {
                self.num_of_earlier += moment.of_earlier.len();
                if !back.is_longer {
                    self.of_earlier.extend(moment.of_earlier.clone());
                }
            }
        }
    }
}

/// Time since the sample before, in ticks.
fn step(source: &dyn Source, sample: u32) -> i64 {
    let sample = sample as usize;
    let before = sample.checked_sub(1).filter(|before| source.epoch(*before) == source.epoch(sample));
    let since = |before: usize| source.times()[sample].utc.0.saturating_sub(source.times()[before].utc.0);
    before.map_or(i64::MAX, since)
}

impl Share {
    /// Whether the other capture has everything. A sample without any value is known, too.
    fn is_all(&self) -> bool {
        self.num_same == self.num_known
    }
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
    earlier: Weak<dyn Source>,
    later: Weak<dyn Source>,
    compared: Arc<Compared>,
}

impl Comparisons {
    pub(super) fn of(&self, earlier: &Arc<dyn Source>, later: &Arc<dyn Source>) -> Arc<Compared> {
        let is_of = |weak: &Weak<dyn Source>, source: &Arc<dyn Source>| {
            weak.upgrade().is_some_and(|known| Arc::ptr_eq(&known, source))
        };
        let mut all = self.0.lock().unwrap_or_else(PoisonError::into_inner);
        all.retain(|known| known.earlier.strong_count() > 0 && known.later.strong_count() > 0);
        let found = all.iter().find(|known| is_of(&known.earlier, earlier) && is_of(&known.later, later));
        if let Some(known) = found {
            return Arc::clone(&known.compared);
        }
        let compared = Arc::new(Compared::of(&**earlier, &**later));
        all.push(Known {
            earlier: Arc::downgrade(earlier),
            later: Arc::downgrade(later),
            compared: Arc::clone(&compared),
        });
        compared
    }
}
