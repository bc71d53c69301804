//! Whether a sample ends where it seems to end. If one of its numbers of items is wrong, other things are read as its items, and no
//! record begins behind them (formats/sa.md#records).

use std::hash::{DefaultHasher, Hasher};

use super::record::{Record, items, read_record};
use super::resume::{MAX_PAUSE, follows};
use super::{Gap, UntimedSample};
use crate::structure::activity::FileActivity;
use crate::structure::header::Header;
use crate::structure::record::RecordHeader;

/// The samples of a file, to be examined.
pub(super) struct Ends<'a> {
    pub(super) file: &'a [u8],
    pub(super) header: &'a Header,
    pub(super) activities: &'a [FileActivity],
    /// Numbers of items by [`Sample::counts`](super::Sample::counts).
    pub(super) counts: &'a [Vec<u32>],
}

impl Ends<'_> {
    /// Removes the samples behind which no record begins, unless they have as many items of everything as the samples before
    /// and after; returns where their records begin.
    pub(super) fn remove_doubtful(&self, drafts: &mut Vec<UntimedSample>) -> Vec<usize> {
        let is_kept: Vec<bool> = if self.activities.iter().any(|activity| activity.has_count) {
            self.are_kept_by_counts(drafts)
        } else {
            let has_end = |draft: &UntimedSample| self.has_end(draft) || self.is_cut_behind(draft);
            let has_end: Vec<bool> = drafts.iter().map(has_end).collect();
            are_kept_by_length(drafts, &has_end)
        };
        let mut removed = Vec::new();
        let mut gap = Gap::None;
        let mut at = 0;
        drafts.retain_mut(|draft| {
            at += 1;
            draft.gap = draft.gap.max(std::mem::take(&mut gap));
            if !is_kept[at - 1] {
                removed.push(draft.ofs_record);
                gap = draft.gap.max(Gap::Loss);
            }
            is_kept[at - 1]
        });
        removed
    }

    /// Whether a record begins behind a sample, or nothing follows. A head that was read from something else would have some
    /// other time. One field of the head may be damaged: then its clocks went on alike, or the record behind it is near.
    fn has_end(&self, draft: &UntimedSample) -> bool {
        let Ends { file, header, activities, counts } = *self;
        let counts = counts.get(draft.sample.counts as usize).map_or(&[][..], Vec::as_slice);
        let end = draft.sample.ofs + draft.sample.len;
        let is_near =
            |next: RecordHeader| next.has_time(header) && next.time.abs_diff(draft.seconds) <= MAX_PAUSE;
        let head =
            RecordHeader { uptime: draft.sample.uptime_cs, time: draft.seconds, ..RecordHeader::default() };
        let is_near_behind = |next: &Record| RecordHeader::read(file, header, next.next).is_ok_and(is_near);
        end == file.len()
            || RecordHeader::read(file, header, end).is_ok_and(is_near)
            || RecordHeader::clocks(file, header, end).is_some_and(|next| follows(header, head, next))
            || read_record(file, header, activities, counts, end).as_ref().is_ok_and(is_near_behind)
    }

    /// Whether the file ends within the head of the record behind a sample, which says nothing against the sample.
    fn is_cut_behind(&self, draft: &UntimedSample) -> bool {
        let end = draft.sample.ofs + draft.sample.len;
        (end..end + self.header.len_record_head).contains(&self.file.len())
    }

    /// Whether each sample has as many items of everything as those before and after it, or, if no record begins behind it, any
    /// other number. A sample that is as long as its neighbours, but made of other items, only seems to end well.
    fn are_kept_by_counts(&self, drafts: &[UntimedSample]) -> Vec<bool> {
        let all: Vec<Counted> = drafts.iter().map(|draft| self.counted(draft)).collect();
        let listed = self.activities.iter().map(|activity| activity.len_items(activity.num_items));
        let listed = Counted::of(listed);
        let is_kept = |(at, draft): (usize, &UntimedSample)| {
            let before = at.checked_sub(1).and_then(|before| all.get(before));
            let mut neighbours: Vec<&Counted> = before.into_iter().chain(all.get(at + 1)).collect();
            if neighbours.is_empty() {
                neighbours.push(&listed);
            }
            let is_like = |other: &&Counted| **other == all[at];
            let is_as_long = |other: &&Counted| other.len == all[at].len;
            let is_odd = !neighbours.iter().any(is_like) && neighbours.iter().all(is_as_long);
            if self.has_end(draft) { !is_odd } else { neighbours.iter().all(is_like) }
        };
        drafts.iter().enumerate().map(is_kept).collect()
    }

    fn counted(&self, draft: &UntimedSample) -> Counted {
        let mut ofs = draft.sample.ofs;
        Counted::of(self.activities.iter().map_while(|activity| {
            let (bytes, end) = items(self.file, self.header, activity, activity.num_items, ofs).ok()?;
            ofs = end;
            Some(bytes.len() as u64)
        }))
    }
}

/// How many items of everything a sample has.
#[derive(PartialEq, Eq)]
struct Counted {
    /// Bytes of all items.
    len: u64,
    /// Tells the lengths of the single activities from others.
    digest: u64,
}

impl Counted {
    fn of(lens: impl Iterator<Item = u64>) -> Counted {
        let (mut len, mut digest) = (0, DefaultHasher::new());
        for one in lens {
            len += one;
            digest.write_u64(one);
        }
        Counted { len, digest: digest.finish() }
    }
}

/// Where records don't say how many items they hold, a sample that ends elsewhere holds something else than items. Only the one
/// sample of a file is taken as it is.
fn are_kept_by_length(drafts: &[UntimedSample], has_end: &[bool]) -> Vec<bool> {
    let is_only = drafts.len() == 1 && drafts.iter().all(|draft| draft.sample.counts == 0);
    has_end.iter().map(|has_end| *has_end || is_only).collect()
}
