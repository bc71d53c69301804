//! The texts that several processes have in common: names, programs, users, cgroups. Each is in the log once, and then has a number.

use std::collections::HashMap;
use std::sync::Arc;

use crate::bytes::{Bytes, Short, write_text};

/// Texts of a dictionary.
const MAX_NUM_TEXTS: usize = 1 << 16;
/// Bytes of a dictionary's texts.
const MAX_LEN_TEXTS: usize = 16 << 20;

/// The number that stands for no text.
const NONE: u32 = u32::MAX;

/// The dictionary of a log that is being written.
#[derive(Debug, Default)]
pub(super) struct Written {
    /// Counts the dictionaries of the log.
    dictionary: u32,
    numbers: HashMap<Arc<str>, u32>,
    len: usize,
    /// Texts that are in no record yet.
    new: Vec<Arc<str>>,
}

impl Written {
    /// A writer begins another dictionary long before readers refuse it.
    const MAX_NUM_TEXTS: usize = MAX_NUM_TEXTS / 8;
    const MAX_LEN: usize = MAX_LEN_TEXTS / 8;

    /// Begins a record. Its new texts are those that are asked for until [`Written::head`].
    pub(super) fn begin(&mut self) {
        if self.numbers.len() >= Self::MAX_NUM_TEXTS || self.len >= Self::MAX_LEN {
            self.start_over();
        }
        self.new.clear();
    }

    /// Begins another dictionary: the last record was not written, or there are too many texts.
    pub(super) fn start_over(&mut self) {
        self.dictionary = self.dictionary.wrapping_add(1);
        self.numbers.clear();
        self.new.clear();
        self.len = 0;
    }

    /// Whether another text fits, whatever the record.
    fn is_full(&self) -> bool {
        self.numbers.len() >= MAX_NUM_TEXTS || self.len >= MAX_LEN_TEXTS / 2
    }

    /// The number of a text.
    pub(super) fn number(&mut self, text: Option<&Arc<str>>) -> u32 {
        let Some(text) = text.filter(|text| text.len() <= MAX_LEN_TEXTS / 2) else { return NONE };
        if let Some(number) = self.numbers.get(text) {
            return *number;
        }
        if self.is_full() {
            return NONE;
        }
        let number = self.numbers.len() as u32;
        self.numbers.insert(Arc::clone(text), number);
        self.len += text.len();
        self.new.push(Arc::clone(text));
        number
    }

    /// Appends the head of the record: the new texts.
    pub(super) fn head(&self, out: &mut Vec<u8>) {
        let first = self.numbers.len() - self.new.len();
        for number in [self.dictionary, first as u32, self.new.len() as u32] {
            out.extend_from_slice(&number.to_le_bytes());
        }
        for text in &self.new {
            write_text(text, out);
        }
    }
}

/// The dictionary of a log that is being read. After a damaged record texts may be missing.
#[derive(Debug, Default)]
pub(crate) struct Known {
    dictionary: u32,
    texts: Vec<Option<Arc<str>>>,
    len: usize,
}

impl Known {
    /// Reads the head of a record.
    pub(crate) fn read(&mut self, bytes: &mut Bytes<'_>) -> Result<(), Short> {
        let dictionary = bytes.u32("dictionary")?;
        if dictionary != self.dictionary {
            *self = Known { dictionary, ..Known::default() };
        }
        let first = bytes.len("first_text", MAX_NUM_TEXTS)?;
        let num = bytes.len("num_texts", (MAX_NUM_TEXTS - first).min(bytes.len_left() / 4))?;
        if self.texts.len() < first {
            self.texts.resize(first, None);
        }
        self.texts.truncate(first);
        self.len = self.texts.iter().flatten().map(|text| text.len()).sum();
        for _ in 0..num {
            let text = bytes.text("text")?;
            self.len += text.len();
            if self.len > MAX_LEN_TEXTS {
                return Err(bytes.bad("text", "at most 16 MiB of texts", self.len as u64));
            }
            self.texts.push(Some(text.into()));
        }
        Ok(())
    }

    /// The text with a number; `None` for none, and for one in a record that is lost.
    pub(super) fn text(&self, number: u32) -> Option<Arc<str>> {
        self.texts.get(number as usize).cloned().flatten()
    }
}
