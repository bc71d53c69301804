//! The information in a capture's messages about countersets and queries, and from which message on it
//! applies.

use std::collections::{BTreeMap, HashMap, HashSet};
use std::sync::Arc;

use recount_bytes::FormatError;
use recount_model::{Aggregation, FindingKind, Health, ObjectDef, Place, Selection};

use super::checks::check;
use super::counterset::Counterset;
use super::identifiers::Identifiers;
use super::links::counter_ids;
use super::query::{QueryHistory, Unknown};
use super::texts::{TextUpdate, Texts};
use crate::{CounterRegInfo, CounterSetRegInfo, Guid, Message, Registration, opnum, request};

/// The messages of a capture other than samples, in order, as far as samples need them.
///
/// Messages are numbered in the order in which they were received. Registrations and texts of a counterset
/// and the identifiers of a query apply from their message on until they are replaced.
#[derive(Debug, Default)]
pub struct Session {
    sets: HashMap<Guid, SetHistory>,
    /// The countersets in the order of their first mention.
    order: Vec<Guid>,
    queries: BTreeMap<u32, QueryHistory>,
    /// Which counterset first used a name, in lower case: two objects with one name would be confused.
    names: HashMap<String, Guid>,
    /// Messages that changed anything.
    changes: Vec<u64>,
    /// Bytes of their buffers.
    len_messages: usize,
}

#[derive(Debug, Default)]
struct SetHistory {
    /// `None` for one that can't be read. Continuing with the previous one might assign values to wrong
    /// counters.
    registrations: Vec<(u64, Option<Arc<Registration>>)>,
    texts: Vec<(u64, TextUpdate)>,
    /// All texts so far.
    latest: Texts,
}

/// How many registrations and texts of a counterset have been seen, which identifies those in force.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) struct SetVersion {
    num_registrations: usize,
    num_texts: usize,
}

impl Session {
    /// Adds the next message, the `number`th of the capture. Samples are ignored, and so are answers that
    /// report an error. Unreadable data and violations of the document are reported; offsets count from the
    /// message's start.
    pub fn apply(&mut self, number: u64, message: &Message<'_>, health: &mut Health) {
        self.apply_at(number, 0, message, health);
    }

    /// Like [`Session::apply`], for a message at byte `ofs` of its file.
    pub fn apply_at(&mut self, number: u64, ofs: u64, message: &Message<'_>, health: &mut Health) {
        let header = &message.header;
        if !header.return_code.is_success() || message.is_sample() {
            return;
        }
        let (buffer, ofs) = (message.buffer, ofs + Message::LEN_HEADER as u64);
        let changed = match header.opnum {
            opnum::QUERY_REGISTRATION_INFO => match header.request_code {
                request::COUNTER_SET => self.registration(number, header.guid, buffer, ofs, health),
                request::COUNTER => self.one_counter(header.guid, buffer, ofs, health),
                code => self.text(number, (header.guid, code), buffer, ofs, health),
            },
            opnum::QUERY_COUNTER_INFO => Identifiers::of_info(buffer, ofs, health)
                .map(|identifiers| self.query(header.query).info(number, identifiers)),
            opnum::VALIDATE_COUNTERS => self.validation(number, message, ofs),
            // Which countersets and instances there are follows from the registrations and the samples.
            _ => Ok(false),
        };
        match changed {
            Ok(true) => {
                self.changes.push(number);
                self.len_messages = self.len_messages.saturating_add(message.buffer.len());
            }
            Ok(false) => {}
            Err(error) => {
                let lost = lost(header.opnum, header.request_code);
                let what = format!("message {number}: {}; {lost}", error.what());
                health.note(FindingKind::Damaged, error.place().cloned(), what);
                self.unreadable(number, message);
            }
        }
    }

    /// Whether a counterset has a type whose counters are aggregated.
    pub fn has_aggregates(&self) -> bool {
        self.objects().any(|object| object.aggregation != Aggregation::None)
    }

    /// Every counterset that a query requests, with the latest texts, once per registration.
    pub fn objects(&self) -> impl Iterator<Item = Arc<ObjectDef>> + '_ {
        let asked: HashSet<Guid> = self.queries.values().flat_map(QueryHistory::guids).collect();
        let sets = self.order.iter().filter(move |guid| asked.contains(*guid));
        sets.filter_map(|guid| Some((*guid, self.sets.get(guid)?))).flat_map(|(guid, set)| {
            let name = self.name(guid, &set.latest);
            let registrations =
                set.registrations.iter().filter_map(|(_, registration)| registration.as_ref());
            registrations
                .map(move |registration| Counterset::new(registration, &set.latest, Arc::clone(&name)).object)
        })
    }

    /// The counterset as known at message `number`; `None` if it isn't registered by then.
    pub fn counterset(&self, guid: Guid, number: u64) -> Option<Counterset> {
        self.counterset_at(guid, self.set_version(guid, number)?)
    }

    /// Whether the block at `position` of the answer that is message `number` may contain selected counters;
    /// `true` if the session doesn't say what it contains.
    pub fn may_match_block(&self, number: u64, position: u32, host: &str, selection: &Selection) -> bool {
        if selection.is_all() {
            return true;
        }
        let mut is_known = false;
        for query in self.queries.values() {
            let Ok(identifiers) = query.identifiers(query.version(number)) else { return true };
            for asked in identifiers.at(position) {
                is_known = true;
                let name = self.name_at(asked.guid, number);
                if name.is_none_or(|name| selection.may_match_object(host, &name)) {
                    return true;
                }
            }
        }
        !is_known
    }

    /// Whether nothing changed between two messages, so that a block means the same in all answers between
    /// them.
    pub fn is_steady(&self, first: u64, last: u64) -> bool {
        self.num_changes(first) == self.num_changes(last)
    }

    /// How many messages up to `number` changed anything: nothing changed between messages with equal counts.
    pub(super) fn num_changes(&self, number: u64) -> usize {
        self.changes.partition_point(|other| *other <= number)
    }

    /// Bytes of the messages that changed anything.
    pub(super) fn len_messages(&self) -> usize {
        self.len_messages
    }

    /// Which version of a query's identifiers is in force at message `number`.
    pub(super) fn query_version(&self, query: u32, number: u64) -> usize {
        self.queries.get(&query).map_or(0, |query| query.version(number))
    }

    /// The identifiers of a query.
    pub(super) fn identifiers(&self, query: u32, version: usize) -> Result<Identifiers, Unknown> {
        self.queries.get(&query).ok_or(Unknown::NeverSaid)?.identifiers(version)
    }

    /// Which version of a counterset is in force at message `number`; `None` if it isn't registered by then.
    pub(super) fn set_version(&self, guid: Guid, number: u64) -> Option<SetVersion> {
        let set = self.sets.get(&guid)?;
        let num_registrations = set.registrations.partition_point(|(other, _)| *other <= number);
        let num_texts = set.texts.partition_point(|(other, _)| *other <= number);
        let (_, last) = set.registrations.get(num_registrations.checked_sub(1)?)?;
        last.as_ref().map(|_| SetVersion { num_registrations, num_texts })
    }

    /// The counterset of a version.
    pub(super) fn counterset_at(&self, guid: Guid, version: SetVersion) -> Option<Counterset> {
        let set = self.sets.get(&guid)?;
        let (_, registration) = set.registrations.get(version.num_registrations.checked_sub(1)?)?;
        let registration = registration.as_ref()?;
        let texts = set.texts_at(version.num_texts);
        let name = self.name(guid, &texts);
        Some(Counterset::new(registration, &texts, name))
    }

    fn name_at(&self, guid: Guid, number: u64) -> Option<Arc<str>> {
        let version = self.set_version(guid, number)?;
        Some(self.name(guid, &self.sets.get(&guid)?.texts_at(version.num_texts)))
    }

    /// The name, or the GUID if there is none; with the GUID appended if another counterset has the same
    /// name.
    fn name(&self, guid: Guid, texts: &Texts) -> Arc<str> {
        match texts.name() {
            None => guid.to_string().into(),
            Some(name) if self.names.get(&name.to_lowercase()).is_none_or(|first| *first == guid) => {
                Arc::clone(name)
            }
            Some(name) => format!("{name} {guid}").into(),
        }
    }

    /// After an unreadable message, its subject is unknown.
    fn unreadable(&mut self, number: u64, message: &Message<'_>) {
        let header = &message.header;
        match (header.opnum, header.request_code) {
            (opnum::QUERY_REGISTRATION_INFO, request::COUNTER_SET) => {
                self.set(header.guid).registrations.push((number, None));
            }
            (opnum::QUERY_COUNTER_INFO | opnum::VALIDATE_COUNTERS, _) => {
                self.query(header.query).lost(number, Unknown::Unreadable);
            }
            // Only names, then.
            _ => return,
        }
        self.changes.push(number);
    }

    fn set(&mut self, guid: Guid) -> &mut SetHistory {
        let order = &mut self.order;
        self.sets.entry(guid).or_insert_with(|| {
            order.push(guid);
            SetHistory::default()
        })
    }

    fn query(&mut self, query: u32) -> &mut QueryHistory {
        self.queries.entry(query).or_default()
    }

    fn registration(
        &mut self,
        number: u64,
        guid: Guid,
        buffer: &[u8],
        ofs: u64,
        health: &mut Health,
    ) -> Result<bool, FormatError> {
        let registration = Registration::parse(buffer, ofs)?;
        if registration.set.guid != guid {
            return Err(FormatError::Unexpected {
                place: Place::field(CounterSetRegInfo::NAME, ofs, "CounterSetGuid", ofs),
                expected: format!("{guid}, which was asked for"),
                found: registration.set.guid.to_string(),
            });
        }
        let set = self.set(guid);
        if set.registrations.last().is_some_and(|(_, known)| known.as_deref() == Some(&registration)) {
            return Ok(false);
        }
        check(&registration, &counter_ids(&registration.counters), ofs, health);
        set.registrations.push((number, Some(Arc::new(registration))));
        Ok(true)
    }

    /// A single counter adds nothing to its counterset's registration, but may contradict it.
    fn one_counter(
        &mut self,
        guid: Guid,
        buffer: &[u8],
        ofs: u64,
        health: &mut Health,
    ) -> Result<bool, FormatError> {
        let counter = CounterRegInfo::parse(buffer, ofs)?;
        let known = self.sets.get(&guid).and_then(|set| set.registrations.last());
        if let Some((_, Some(registration))) = known
            && !registration.counters.contains(&counter)
        {
            let what = format!(
                "counterset {guid}, counter {}: differs from the counterset's registration, which is used",
                counter.counter_id
            );
            health.note(FindingKind::Odd, Place::structure(CounterRegInfo::NAME, ofs), what);
        }
        Ok(false)
    }

    fn text(
        &mut self,
        number: u64,
        (guid, request_code): (Guid, u16),
        buffer: &[u8],
        ofs: u64,
        health: &mut Health,
    ) -> Result<bool, FormatError> {
        let Some(update) = TextUpdate::read(request_code, buffer, ofs, health)? else { return Ok(false) };
        if let Some(name) = update.set_name().filter(|name| !name.is_empty()) {
            self.names.entry(name.to_lowercase()).or_insert(guid);
        }
        let set = self.set(guid);
        let differs = set.latest.apply(&update);
        if differs {
            set.texts.push((number, update));
        }
        Ok(differs)
    }

    /// `lpData` comes back with a `Status` in each identifier (3.1.4.1.7); `dwAdd` says whether counters were added or removed.
    fn validation(&mut self, number: u64, message: &Message<'_>, ofs: u64) -> Result<bool, FormatError> {
        let done = Identifiers::of_validation(message.buffer, ofs)?;
        if done.all().is_empty() {
            return Ok(false);
        }
        let query = self.query(message.header.query);
        match message.header.argument {
            0 => query.lost(number, Unknown::Removed),
            _ => query.added(number, done),
        }
        Ok(true)
    }
}

/// What an unreadable message takes with it.
fn lost(number: u16, request_code: u16) -> &'static str {
    match (number, request_code) {
        (opnum::QUERY_REGISTRATION_INFO, request::COUNTER_NAMES | request::ENGLISH_COUNTER_NAMES) => {
            "its names of counters are lost"
        }
        (opnum::QUERY_REGISTRATION_INFO, request::SET_NAME | request::ENGLISH_SET_NAME) => {
            "its name of the counterset is lost"
        }
        (opnum::QUERY_REGISTRATION_INFO, request::COUNTER_DESCRIPTIONS | request::SET_DESCRIPTION) => {
            "its descriptions are lost"
        }
        _ => "ignored",
    }
}

impl SetHistory {
    fn texts_at(&self, num_texts: usize) -> Texts {
        let mut texts = Texts::default();
        for (_, update) in self.texts.iter().take(num_texts) {
            texts.apply(update);
        }
        texts
    }
}
