//! Blocks that are there twice: files are copied, and appended to each other.

use std::collections::HashMap;
use std::ops::Range;
use std::sync::Arc;

use recount_model::{Content, FindingKind, Health, Timestamp};

/// A file, and where the block is in it.
type Place = (usize, Range<usize>);

/// The blocks found so far, by time, machine and length.
#[derive(Default)]
pub(crate) struct Copies {
    known: HashMap<(Timestamp, usize, usize), Vec<Place>>,
    num: usize,
    /// The files of the first copy and of its original.
    first: Option<(usize, usize)>,
}

/// Blocks of one time and length that a block is compared with: bounds the work.
const MAX_COMPARED: usize = 16;

impl Copies {
    /// Whether a block has the same bytes as one before. Otherwise it is known from now on.
    pub(crate) fn is_known(
        &mut self,
        files: &[(String, Arc<dyn Content>)],
        (time, host): (Timestamp, usize),
        place: Place,
    ) -> bool {
        let bytes = |(file, range): &Place| files.get(*file)?.1.bytes().get(range.clone());
        let known = self.known.entry((time, host, place.1.len())).or_default();
        if let Some((original, _)) = known.iter().find(|known| bytes(known) == bytes(&place)) {
            self.num += 1;
            self.first.get_or_insert((place.0, *original));
            return true;
        }
        if known.len() < MAX_COMPARED {
            known.push(place);
        }
        false
    }

    /// Reports the copies.
    pub(crate) fn note(&self, files: &[(String, Arc<dyn Content>)], health: &mut Health) {
        let Some((copy, original)) = self.first else { return };
        let (copy, original) = (&files[copy].0, &files[original].0);
        let num = if self.num == 1 { "1 sample is".to_owned() } else { format!("{} samples are", self.num) };
        let place = if copy == original {
            format!("the first in {copy}")
        } else {
            format!("the first in {copy} and in {original}")
        };
        health.note(
            FindingKind::Odd,
            None,
            format!("{num} there more than once, {place}; each is counted once"),
        );
    }
}
