//! The texts of a log: counter lists along their entries, name tables along their names.

use super::{Cut, PAYLOAD, key, sort};
use crate::le::u32_at;
use crate::structure::counter_list::{EntryHead, ListHead};

/// What precedes the counter in an entry: machine, object, instance, parent. It mostly repeats from entry to entry.
const PREFIXES: u32 = 1;
/// Names of counters and, in name tables, of objects.
pub(super) const NAMES: u32 = 2;
/// Bytes between the names: padding, and in name tables the indexes.
pub(super) const BETWEEN: u32 = 3;
/// Shorter lists stay whole: separate sections would take more than they save.
const MIN_NUM_ENTRIES: usize = 32;

/// Splits texts.
///
/// Texts share no columns, so each has its own sort. Prefixes, names and the bytes in between are kept in separate
/// sections, so that each repeats at one distance only.
#[derive(Debug, Default)]
pub(super) struct Texts {
    num_texts: u32,
}

impl Texts {
    /// The fields of the entries are columns, their strings are text.
    pub(super) fn counter_list(&mut self, cut: &mut Cut<'_, '_>) {
        let mut starts = Vec::new();
        let mut end = ListHead::LEN;
        while let Some(len) = u32_at(cut.record, end).map(|len| len as usize)
            && len >= EntryHead::LEN
            && len <= cut.record.len() - end
        {
            starts.push(end);
            end += len;
        }
        if starts.len() >= MIN_NUM_ENTRIES {
            cut.to(ListHead::LEN, PAYLOAD, sort::MESSAGE, 0);
            for (position, &start) in starts.iter().enumerate() {
                let end = starts.get(position + 1).copied().unwrap_or(end);
                entry(start, end, position, cut);
            }
        }
        self.whole(cut);
    }

    /// Machine, then indexes and names in turn.
    pub(super) fn name_table(&mut self, cut: &mut Cut<'_, '_>) {
        let end = end_of_text(cut.record, 0);
        self.new_text(end, BETWEEN, cut);
        while cut.at < cut.record.len() {
            let end = end_of_text(cut.record, cut.at);
            self.num_texts = (self.num_texts + 1) % sort::TEXT;
            cut.to(end, BETWEEN, sort::NAME_INDEX, key(self.num_texts));
            self.new_text(end_of_text(cut.record, end), NAMES, cut);
        }
    }

    /// All of it as one text.
    pub(super) fn whole(&mut self, cut: &mut Cut<'_, '_>) {
        self.new_text(cut.record.len(), PAYLOAD, cut);
    }

    /// A text that doesn't come again.
    fn new_text(&mut self, end: usize, section: u32, cut: &mut Cut<'_, '_>) {
        self.num_texts = (self.num_texts + 1) % sort::TEXT;
        cut.to(end, section, sort::TEXT + self.num_texts, 0);
    }
}

fn entry(start: usize, end: usize, position: usize, cut: &mut Cut<'_, '_>) {
    cut.to(start + EntryHead::LEN, PAYLOAD, sort::ENTRY, key(position));
    let strings = start + EntryHead::LEN;
    let counter = u32_at(cut.record, start + EntryHead::OFS_COUNTER).unwrap_or(u32::MAX);
    let counter = strings.saturating_add(counter as usize).min(end);
    while cut.at < counter {
        text(end_of_text(cut.record, cut.at).min(counter), PREFIXES, cut);
    }
    text(end_of_text(cut.record, counter).min(end), NAMES, cut);
    cut.to(end, BETWEEN, sort::PADDING, key(sort::ENTRY));
}

/// A text that comes again where its bytes do.
fn text(end: usize, section: u32, cut: &mut Cut<'_, '_>) {
    let bytes = cut.record.get(cut.at..end).unwrap_or_default();
    let key = key(bytes);
    cut.to(end, section, sort::TEXT + key as u32 % sort::TEXT, key);
}

/// The offset after the NUL of a UTF-16 text, or the end.
fn end_of_text(bytes: &[u8], ofs: usize) -> usize {
    let units = bytes.get(ofs..).unwrap_or_default().as_chunks::<2>().0;
    let nul = units.iter().position(|unit| *unit == [0, 0]);
    nul.map_or(bytes.len(), |at| ofs + 2 * (at + 1))
}
