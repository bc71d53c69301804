//! Samples from a server of the second generation.

use std::collections::BTreeMap;

use recount_blocks::NameTable;
use recount_blocks::pcq::{
    ANY_COUNTER, ANY_INSTANCE, CounterBlock, CounterIdentifierBuf, CounterIdentifiers, ReturnCode,
};
use recount_model::Facts;

use super::{Answer, BrowsedSet, PerflibClient, PerflibV2};
use crate::{LiveSource, SampleForm, TakeError, Taken};

/// `InstanceType` of a counterset with one instance (MS-PCQ 2.2.4.1).
const SINGLE_INSTANCE: u32 = 0;

/// A server's countersets as a source of messages: each sample is an answer of `PerflibV2QueryCounterData`, and what the
/// server said before is in [`LiveSource::messages`].
pub struct PerflibSource<T: PerflibV2> {
    client: PerflibClient<T>,
    query: u32,
    /// Names of what was added, by position in the answers.
    names: BTreeMap<u32, String>,
    /// How many countersets could not be added, and the first, with why.
    refused: (u64, Option<String>),
    facts: Facts,
    texts: Vec<(String, NameTable)>,
    messages: Vec<Vec<u8>>,
    sample: Vec<u8>,
    aside: Box<dyn FnMut(&mut T) -> Aside>,
}

/// What a server tells beside its answers, if it is within reach: the document has no place for it.
#[derive(Debug, Default)]
pub struct Aside {
    /// Why the last collection failed.
    pub failure: Option<TakeError>,
    /// How many readings failed in the last collection.
    pub num_unreadable: u64,
    /// The first of them, and why.
    pub first_unreadable: Option<String>,
}

impl<T: PerflibV2> PerflibSource<T> {
    /// Browses the server and adds every counter of every counterset that is wanted to a query. `facts` and `texts` are
    /// those of [`LiveSource`].
    ///
    /// Fails if the server can't be browsed, or if it takes none of the countersets that are wanted.
    pub fn new(
        mut client: PerflibClient<T>,
        wanted: &mut dyn FnMut(&BrowsedSet) -> bool,
        facts: Facts,
        texts: Vec<(String, NameTable)>,
    ) -> Result<PerflibSource<T>, TakeError> {
        let browser = client.browse()?;
        let query = client.open_query()?;
        let mut source = PerflibSource {
            client,
            query,
            names: BTreeMap::new(),
            refused: (0, None),
            facts,
            texts,
            messages: browser.answers.into_iter().map(Answer::into_bytes).collect(),
            sample: Vec::new(),
            aside: Box::new(|_| Aside::default()),
        };
        let sets: Vec<BrowsedSet> = browser.sets.into_iter().filter(|set| wanted(set)).collect();
        for (guid, error) in &browser.faults {
            let set = sets.iter().find(|set| set.guid == *guid && set.registration.is_none());
            if let Some(set) = set {
                source.refuse(&set.name(), error);
            }
        }
        source.add(&sets)?;
        Ok(source)
    }

    /// Has `aside` asked for what the answers have no place for, after every call for values.
    #[must_use]
    pub fn with_aside(mut self, aside: impl FnMut(&mut T) -> Aside + 'static) -> PerflibSource<T> {
        self.aside = Box::new(aside);
        self
    }

    /// The client, and through it the server.
    pub fn client(&mut self) -> &mut PerflibClient<T> {
        &mut self.client
    }

    fn refuse(&mut self, name: &str, why: &dyn std::fmt::Display) {
        self.refused.0 += 1;
        self.refused.1.get_or_insert_with(|| format!("{name}: {why}"));
    }

    fn add(&mut self, sets: &[BrowsedSet]) -> Result<(), TakeError> {
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
            let what = self.refused.1.clone().unwrap_or_else(|| "no counterset is wanted".to_owned());
            return Err(TakeError::System { function: "PerflibV2ValidateCounters", what });
        }
        // Only an answer that can be understood says which block is whose.
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
}

impl<T: PerflibV2> LiveSource for PerflibSource<T> {
    fn facts(&mut self) -> Facts {
        self.facts.clone()
    }

    fn texts(&mut self) -> Vec<(String, NameTable)> {
        self.texts.clone()
    }

    fn form(&self) -> SampleForm {
        SampleForm::Message
    }

    /// Fails if the server does, for that reason if it is within reach.
    fn take(&mut self) -> Result<Option<Taken>, TakeError> {
        self.sample.clear();
        let answer = self.client.query_data(self.query);
        let aside = (self.aside)(self.client.server());
        let answer = match (answer, aside.failure) {
            (Ok(answer), _) => answer,
            (Err(_), Some(failure)) => return Err(failure),
            (Err(error), None) => return Err(error.into()),
        };
        let (mut num_unreadable, mut first_unreadable) = (self.refused.0, self.refused.1.clone());
        for (position, block) in (0..).zip(&answer.blocks()?) {
            if let CounterBlock::Error { header } = block {
                num_unreadable += 1;
                let name = self.names.get(&position).map_or("?", String::as_str);
                let why = || format!("{name}: {}", ReturnCode(header.status));
                first_unreadable.get_or_insert_with(why);
            }
        }
        let taken = Taken {
            time: answer.message().time_of_sample(),
            num_unreadable: num_unreadable + aside.num_unreadable,
            first_unreadable: first_unreadable.or(aside.first_unreadable),
        };
        self.sample = answer.into_bytes();
        Ok(Some(taken))
    }

    fn sample(&self) -> &[u8] {
        &self.sample
    }

    fn messages(&mut self) -> Vec<Vec<u8>> {
        std::mem::take(&mut self.messages)
    }
}

/// "When the client has completed its necessary communication with the server, it closes the handle" (MS-PCQ 3.2.1).
impl<T: PerflibV2> Drop for PerflibSource<T> {
    fn drop(&mut self) {
        // Nobody is left to be told of a failure; the server closes what a lost client leaves behind.
        let _ = self.client.close_query(self.query);
    }
}
