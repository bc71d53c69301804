//! Samples from a server.

use std::collections::BTreeMap;

use recount_model::Timestamp;

use super::client::words;
use super::{Answer, BrowsedSet, ClientError, PerflibClient, PerflibV2};
use crate::{ANY_COUNTER, ANY_INSTANCE, CounterBlock, CounterIdentifierBuf, CounterIdentifiers, ReturnCode};

/// `InstanceType` of a counterset with one instance (MS-PCQ 2.2.4.1).
const SINGLE_INSTANCE: u32 = 0;

/// Repeatedly requests all counters of some countersets from a server. Each sample is an answer of
/// `PerflibV2QueryCounterData`; the other messages are in [`Sampler::take_messages`].
pub struct Sampler<T: PerflibV2> {
    client: PerflibClient<T>,
    query: u32,
    /// Names of the added counters, by position in the answers.
    names: BTreeMap<u32, String>,
    /// How many countersets could not be added, and the first one with its reason.
    refused: (u64, Option<String>),
    messages: Vec<Vec<u8>>,
    sample: Vec<u8>,
}

/// A taken sample.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Sampled {
    /// When, UTC ([`Message::time_of_sample`](crate::Message::time_of_sample)).
    pub time: Timestamp,
    /// How many countersets have no values.
    pub num_missing: u64,
    /// The first of them, with the reason.
    pub first_missing: Option<String>,
}

impl<T: PerflibV2> Sampler<T> {
    /// Browses the server and adds every counter of every wanted counterset to a query.
    ///
    /// Fails if the server can't be browsed, or if it accepts none of the wanted countersets.
    pub fn new(
        mut client: PerflibClient<T>,
        wanted: &mut dyn FnMut(&BrowsedSet) -> bool,
    ) -> Result<Sampler<T>, ClientError> {
        let browsed = client.browse_wanted(wanted)?;
        let query = client.open_query()?;
        let mut sampler = Sampler {
            client,
            query,
            names: BTreeMap::new(),
            refused: (0, None),
            messages: browsed.answers.into_iter().map(Answer::into_bytes).collect(),
            sample: Vec::new(),
        };
        let (sets, others): (Vec<BrowsedSet>, Vec<BrowsedSet>) =
            browsed.sets.into_iter().partition(|set| wanted(set));
        if sets.is_empty() {
            return Err(ClientError::NothingAdded { what: nothing_wanted(&others) });
        }
        for (guid, error) in &browsed.faults {
            let set = sets.iter().find(|set| set.guid == *guid && set.registration.is_none());
            if let Some(set) = set {
                sampler.refuse(&set.name(), error);
            }
        }
        sampler.add(&sets)?;
        Ok(sampler)
    }

    /// The client, and through it the server.
    pub fn client(&mut self) -> &mut PerflibClient<T> {
        &mut self.client
    }

    fn refuse(&mut self, name: &str, why: &dyn std::fmt::Display) {
        self.refused.0 += 1;
        self.refused.1.get_or_insert_with(|| format!("{name}: {why}"));
    }

    fn add(&mut self, sets: &[BrowsedSet]) -> Result<(), ClientError> {
        let (mut identifiers, mut asked) = (Vec::new(), Vec::new());
        for set in sets {
            let Some(registration) = &set.registration else { continue };
            // "a single-instance counter set" needs no name, all others one (MS-PCQ 3.1.4.1.7).
            let is_single = registration.set.instance_type == SINGLE_INSTANCE;
            let instance = if is_single { "" } else { ANY_INSTANCE };
            identifiers.push(CounterIdentifierBuf::new(set.guid, ANY_COUNTER, 0, instance));
            asked.push(set);
        }
        let mut num_added = 0;
        if !identifiers.is_empty() {
            let (statuses, answer) = self.client.add(self.query, &identifiers)?;
            self.messages.push(answer.into_bytes());
            for (set, status) in asked.into_iter().zip(statuses) {
                match status {
                    ReturnCode::SUCCESS => num_added += 1,
                    refused => self.refuse(&set.name(), &refused),
                }
            }
        }
        if num_added == 0 {
            let what = self.refused.1.clone().unwrap_or_else(|| "no counterset could be added".to_owned());
            return Err(ClientError::NothingAdded { what });
        }
        // Only a valid answer says to which counter a block belongs.
        let info = self.client.query_info(self.query)?;
        let places = info.read(|bytes, ofs| {
            let identifiers = CounterIdentifiers::parse(bytes, ofs);
            identifiers.map(|one| one.map(|one| (one.index, one.guid))).collect::<Result<Vec<_>, _>>()
        })?;
        for (position, guid) in places {
            if let Some(set) = sets.iter().find(|set| set.guid == guid) {
                self.names.insert(position, set.name());
            }
        }
        self.messages.push(info.into_bytes());
        Ok(())
    }

    /// Takes a sample, which is then in [`Sampler::sample`]; on failure there is none.
    pub fn take(&mut self) -> Result<Sampled, ClientError> {
        self.sample.clear();
        let answer = self.client.query_data(self.query)?;
        let (mut num_missing, mut first_missing) = self.refused.clone();
        for (position, block) in (0..).zip(&answer.blocks()?) {
            if let CounterBlock::Error { header } = block {
                num_missing += 1;
                let name = self.names.get(&position).map_or("?", String::as_str);
                first_missing.get_or_insert_with(|| format!("{name}: {}", words(ReturnCode(header.status))));
            }
        }
        let time = answer.message().time_of_sample();
        self.sample = answer.into_bytes();
        Ok(Sampled { time, num_missing, first_missing })
    }

    /// The message that was taken last.
    pub fn sample(&self) -> &[u8] {
        &self.sample
    }

    /// The messages that samples need, in order, except those already returned.
    pub fn take_messages(&mut self) -> Vec<Vec<u8>> {
        std::mem::take(&mut self.messages)
    }
}

fn nothing_wanted(sets: &[BrowsedSet]) -> String {
    if sets.is_empty() {
        return "the server has no countersets".to_owned();
    }
    let mut names: Vec<String> = sets.iter().map(BrowsedSet::name).collect();
    names.sort();
    format!("no counterset of the server is wanted; there are: {}", names.join(", "))
}

/// "When the client has completed its necessary communication with the server, it closes the handle" (MS-PCQ 3.2.1).
impl<T: PerflibV2> Drop for Sampler<T> {
    fn drop(&mut self) {
        // A failure can't be reported from here; the server closes the queries of lost clients.
        let _ = self.client.close_query(self.query);
    }
}
