//! Browsing: everything that a server provides about its countersets.

use recount_bytes::FormatError;
use recount_model::Place;

use super::{Answer, ClientError, PerflibClient};
use crate::conversation::PerflibV2;
use crate::{Guid, Registration, StringTable, Text, parse_guids, request};

/// `RequestLCID` of the server's default language.
const DEFAULT_LANGUAGE: u32 = 0;
/// The texts of a table may share bytes, so few bytes could contain very long texts. Their total length is
/// limited to this multiple of the table's.
const MAX_SHARING: usize = 16;

/// What is asked about a counterset, first what it is and its names. Single counters add nothing to its registration.
const REQUESTS: [u16; 9] = [
    request::COUNTER_SET,
    request::SET_NAME,
    request::ENGLISH_SET_NAME,
    request::SET_DESCRIPTION,
    request::COUNTER_NAMES,
    request::COUNTER_DESCRIPTIONS,
    request::PROVIDER_NAME,
    request::PROVIDER_GUID,
    request::ENGLISH_COUNTER_NAMES,
];
/// How many of them are asked about every counterset.
const NUM_ALWAYS: usize = 3;

/// A counterset as described by the server.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct BrowsedSet {
    /// Its GUID.
    pub guid: Guid,
    /// The counterset and its counters; `None` if the server doesn't provide them.
    pub registration: Option<Registration>,
    /// Name in the server's default language (request code 3).
    pub local_name: Option<String>,
    /// Name in English (request code 9).
    pub english_name: Option<String>,
    /// Description (request code 4).
    pub description: Option<String>,
    /// Names of the counters by id, in the server's default language (request code 5).
    pub counter_names: Vec<(u32, String)>,
    /// Names of the counters by id, in English (request code 10).
    pub english_counter_names: Vec<(u32, String)>,
    /// Descriptions of the counters by id (request code 6).
    pub counter_descriptions: Vec<(u32, String)>,
    /// Name of the provider (request code 7).
    pub provider_name: Option<String>,
    /// GUID of the provider (request code 8).
    pub provider_guid: Option<Guid>,
}

impl BrowsedSet {
    /// Its name: the English one, otherwise the local one, otherwise its GUID.
    pub fn name(&self) -> String {
        let name = self.english_name.as_ref().or(self.local_name.as_ref()).filter(|name| !name.is_empty());
        name.cloned().unwrap_or_else(|| self.guid.to_string())
    }
}

/// The result of browsing.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Browsed {
    /// The countersets, in the server's order.
    pub sets: Vec<BrowsedSet>,
    /// Every answer, including failures, in the order of the calls.
    pub answers: Vec<Answer>,
    /// Failed or unintelligible answers: the counterset, and why.
    pub faults: Vec<(Guid, ClientError)>,
}

impl<T: PerflibV2> PerflibClient<T> {
    /// Requests all countersets, and for each its registration, names, descriptions and provider (opnums 0
    /// and 1).
    ///
    /// If the server fails to answer a request, the others are still made. Browsing fails only if it can't
    /// enumerate the countersets, or if a call doesn't get through.
    pub fn browse(&mut self) -> Result<Browsed, ClientError> {
        self.browse_wanted(&mut |_| true)
    }

    /// The same, but of countersets that aren't wanted, judging by their names, only registrations and names.
    pub fn browse_wanted(
        &mut self,
        wanted: &mut dyn FnMut(&BrowsedSet) -> bool,
    ) -> Result<Browsed, ClientError> {
        let mut browsed = Browsed::default();
        let answer = self.enumerate_counter_set()?;
        let guids = answer.read(parse_guids)?;
        browsed.answers.push(answer);
        for guid in guids {
            let set = self.browse_set(guid, wanted, &mut browsed)?;
            browsed.sets.push(set);
        }
        Ok(browsed)
    }

    fn browse_set(
        &mut self,
        guid: Guid,
        wanted: &mut dyn FnMut(&BrowsedSet) -> bool,
        browsed: &mut Browsed,
    ) -> Result<BrowsedSet, ClientError> {
        let mut set = BrowsedSet { guid, ..BrowsedSet::default() };
        for (at, code) in REQUESTS.into_iter().enumerate() {
            if at == NUM_ALWAYS && !wanted(&set) {
                break;
            }
            let answer = match self.registration_info(guid, code, DEFAULT_LANGUAGE) {
                Ok(answer) => answer,
                Err(error @ ClientError::Rpc(_)) => return Err(error),
                Err(error) => {
                    browsed.faults.push((guid, error));
                    continue;
                }
            };
            if let Err(error) = set.take_in(code, &answer) {
                browsed.faults.push((guid, error));
            }
            browsed.answers.push(answer);
        }
        Ok(set)
    }
}

impl BrowsedSet {
    fn take_in(&mut self, code: u16, answer: &Answer) -> Result<(), ClientError> {
        match code {
            request::COUNTER_SET => self.registration = Some(self.registration_of(answer)?),
            request::SET_NAME => self.local_name = Some(text(answer)?),
            request::ENGLISH_SET_NAME => self.english_name = Some(text(answer)?),
            request::SET_DESCRIPTION => self.description = Some(text(answer)?),
            request::COUNTER_NAMES => self.counter_names = answer.read(table)?,
            request::ENGLISH_COUNTER_NAMES => self.english_counter_names = answer.read(table)?,
            request::COUNTER_DESCRIPTIONS => self.counter_descriptions = answer.read(table)?,
            request::PROVIDER_NAME => self.provider_name = Some(text(answer)?),
            request::PROVIDER_GUID => self.provider_guid = Some(answer.read(Guid::parse)?),
            _ => {}
        }
        Ok(())
    }

    fn registration_of(&self, answer: &Answer) -> Result<Registration, ClientError> {
        let registration = answer.read(Registration::parse)?;
        if registration.set.guid == self.guid {
            Ok(registration)
        } else {
            Err(answer.contradiction("CounterSetGuid", &self.guid, &registration.set.guid))
        }
    }
}

fn text(answer: &Answer) -> Result<String, ClientError> {
    Ok(answer.read(Text::parse)?.to_string_lossy())
}

fn table(bytes: &[u8], ofs: u64) -> Result<Vec<(u32, String)>, FormatError> {
    let table = StringTable::parse(bytes, ofs)?;
    let mut len_left = MAX_SHARING * bytes.len();
    let mut texts = Vec::with_capacity(table.num_counters());
    for (id, text) in table.entries() {
        match len_left.checked_sub(text.units.len()) {
            Some(left) => len_left = left,
            None => {
                return Err(FormatError::Unexpected {
                    place: Place::structure(StringTable::NAME, ofs),
                    expected: format!("texts of {} bytes at most", MAX_SHARING * bytes.len()),
                    found: "texts that share their bytes without measure".to_owned(),
                });
            }
        }
        texts.push((id, text.to_string_lossy()));
    }
    Ok(texts)
}
