//! Names and descriptions of a counterset, in the requested languages.

use std::collections::BTreeMap;
use std::sync::Arc;

use recount_bytes::FormatError;
use recount_model::{FindingKind, Health, Place};

use crate::{StringTable, Text, request};

/// One text or table of texts: the answer to one of the request codes 3 to 6, 9 and 10 (MS-PCQ 3.1.4.1.2).
#[derive(Clone, Debug, PartialEq, Eq)]
pub(super) enum TextUpdate {
    SetName(Arc<str>),
    SetDescription(Arc<str>),
    EnglishSetName(Arc<str>),
    CounterNames(Table),
    CounterDescriptions(Table),
    EnglishCounterNames(Table),
}

/// Texts by counter id.
pub(super) type Table = Arc<BTreeMap<u32, Arc<str>>>;

impl TextUpdate {
    /// Reads an answer; `None` for the request codes that aren't about names or descriptions of counterset or
    /// counters.
    pub(super) fn read(
        request_code: u16,
        buffer: &[u8],
        ofs: u64,
        health: &mut Health,
    ) -> Result<Option<TextUpdate>, FormatError> {
        let mut table = |what: &str| table(buffer, ofs, what, health);
        Ok(Some(match request_code {
            request::SET_NAME => TextUpdate::SetName(text(buffer, ofs)?),
            request::SET_DESCRIPTION => TextUpdate::SetDescription(text(buffer, ofs)?),
            request::ENGLISH_SET_NAME => TextUpdate::EnglishSetName(text(buffer, ofs)?),
            request::COUNTER_NAMES => TextUpdate::CounterNames(table("name")?),
            request::COUNTER_DESCRIPTIONS => TextUpdate::CounterDescriptions(table("description")?),
            request::ENGLISH_COUNTER_NAMES => TextUpdate::EnglishCounterNames(table("English name")?),
            _ => return Ok(None),
        }))
    }

    /// The name of the counterset, if that is what this is.
    pub(super) fn set_name(&self) -> Option<&Arc<str>> {
        match self {
            TextUpdate::SetName(name) | TextUpdate::EnglishSetName(name) => Some(name),
            _ => None,
        }
    }
}

/// The texts in force at a message.
#[derive(Clone, Debug, Default)]
pub(super) struct Texts {
    set_name: Option<Arc<str>>,
    english_set_name: Option<Arc<str>>,
    set_description: Option<Arc<str>>,
    counter_names: Table,
    english_counter_names: Table,
    counter_descriptions: Table,
}

impl Texts {
    /// Replaces an earlier text about the same thing; `false` if it is equal.
    pub(super) fn apply(&mut self, update: &TextUpdate) -> bool {
        fn put<T: PartialEq + Clone>(place: &mut T, text: &T) -> bool {
            let differs = place != text;
            if differs {
                place.clone_from(text);
            }
            differs
        }
        match update {
            TextUpdate::SetName(text) => put(&mut self.set_name, &Some(Arc::clone(text))),
            TextUpdate::SetDescription(text) => put(&mut self.set_description, &Some(Arc::clone(text))),
            TextUpdate::EnglishSetName(text) => put(&mut self.english_set_name, &Some(Arc::clone(text))),
            TextUpdate::CounterNames(table) => put(&mut self.counter_names, table),
            TextUpdate::CounterDescriptions(table) => put(&mut self.counter_descriptions, table),
            TextUpdate::EnglishCounterNames(table) => put(&mut self.english_counter_names, table),
        }
    }

    /// The counterset's name: in English, or otherwise in the requested language.
    pub(super) fn name(&self) -> Option<&Arc<str>> {
        let names = [&self.english_set_name, &self.set_name];
        names.into_iter().flatten().find(|name| !name.is_empty())
    }

    /// The counterset's description.
    pub(super) fn description(&self) -> Option<&Arc<str>> {
        self.set_description.as_ref().filter(|text| !text.is_empty())
    }

    /// A counter's name: in English, or otherwise in the requested language.
    pub(super) fn counter_name(&self, id: u32) -> Option<&Arc<str>> {
        let names = [self.english_counter_names.get(&id), self.counter_names.get(&id)];
        names.into_iter().flatten().find(|name| !name.is_empty())
    }

    /// A counter's description.
    pub(super) fn counter_description(&self, id: u32) -> Option<&Arc<str>> {
        self.counter_descriptions.get(&id).filter(|text| !text.is_empty())
    }
}

fn text(buffer: &[u8], ofs: u64) -> Result<Arc<str>, FormatError> {
    Ok(Text::parse(buffer, ofs)?.to_string_lossy().into())
}

/// The texts that can be read; the others are noted. `what` says what they are.
///
/// Fails if texts share bytes to such an extent that they would take more memory than a small multiple of the
/// buffer.
fn table(buffer: &[u8], ofs: u64, what: &str, health: &mut Health) -> Result<Table, FormatError> {
    let mut texts = BTreeMap::new();
    let mut len_texts = 0;
    let table = StringTable::parse_partly(buffer, ofs)?;
    for ((id, ofs_string), fault) in table.offsets().zip(table.faults(buffer, ofs)) {
        if let Some(error) = fault {
            let lost = format!("the {what} of counter {id} is lost: {}", error.what());
            health.note(FindingKind::Damaged, error.place().cloned(), lost);
            continue;
        }
        let Some(text) = table.text_at(ofs_string) else { continue };
        let text = text.to_string_lossy();
        len_texts += text.len();
        if len_texts > 8 * buffer.len() {
            return Err(FormatError::Unexpected {
                place: Place::field(StringTable::NAME, ofs, "dwCounters", ofs + 4),
                expected: format!("texts of no more than {} bytes", 8 * buffer.len()),
                found: "offsets that lead to the same long texts again and again".into(),
            });
        }
        texts.insert(id, text.into());
    }
    Ok(Arc::new(texts))
}
