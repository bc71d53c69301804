//! Decodes successive answers of `PerflibV2QueryCounterData` into the runs of all countersets.

use std::collections::HashMap;
use std::sync::Arc;

use recount_bytes::FormatError;
use recount_model::{CounterDef, Decoded, FindingKind, Health, Place, SampleTime, Selection};

use super::budget::Budget;
use super::counterset::Counterset;
use super::gather::is_not_there;
use super::history::Session;
use super::identifiers::Asked;
use super::layout::{Layout, Target};
use super::stream::Stream;
use super::table::AnswerClocks;
use super::view::View;
use crate::structure::NOT_AT_HAND;
use crate::{CounterBlock, DataHeader, Guid, Message, QueryData, ReturnCode};

/// Decodes answers in sequence, from one machine or several, according to the session.
pub struct MessageDecoder<'s> {
    session: &'s Session,
    selection: &'s Selection,
    num_samples: usize,
    /// By host and query.
    layouts: HashMap<(usize, u32), Layout>,
    /// By host, query and counterset. Two queries may read different counters of one counterset at different
    /// times.
    by_set: HashMap<(usize, u32, Guid), usize>,
    streams: Vec<Stream>,
    budget: Budget,
    health: Health,
}

/// The origin of an answer.
#[derive(Clone, Copy)]
struct Answer<'a> {
    origin: &'a str,
    number: u64,
    /// Offset of the message in its file.
    ofs: u64,
    host: (usize, &'a Arc<str>),
    query: u32,
}

impl<'s> MessageDecoder<'s> {
    /// For about `num_samples` answers. Countersets that the selection can't match are left out.
    pub fn new(session: &'s Session, selection: &'s Selection, num_samples: usize) -> MessageDecoder<'s> {
        let mut budget = Budget::default();
        budget.read(session.len_messages());
        MessageDecoder {
            session,
            selection,
            num_samples,
            layouts: HashMap::new(),
            by_set: HashMap::new(),
            streams: Vec::new(),
            budget,
            health: Health::default(),
        }
    }

    /// Adds the next answer, the `number`th message of the session. `host` is the machine, with its number;
    /// `origin` names the message's origin in findings. Offsets count from the message's start.
    pub fn push(
        &mut self,
        origin: &str,
        host: (usize, &Arc<str>),
        number: u64,
        message: &Message<'_>,
        time: SampleTime,
    ) {
        let query = message.header.query;
        self.answer(&Answer { origin, number, ofs: 0, host, query }, message, time);
    }

    /// Like [`MessageDecoder::push`], for a message at byte `ofs` of its file.
    pub fn push_at(
        &mut self,
        ofs: u64,
        origin: &str,
        host: (usize, &Arc<str>),
        number: u64,
        message: &Message<'_>,
        time: SampleTime,
    ) {
        let query = message.header.query;
        self.answer(&Answer { origin, number, ofs, host, query }, message, time);
    }

    /// The runs of all countersets, and what had to be left out.
    pub fn finish(self) -> Decoded {
        let runs = self.streams.into_iter().flat_map(Stream::finish).collect();
        Decoded { runs, health: self.health, ..Decoded::default() }
    }

    /// Adds a finding of the caller, in order with the others.
    pub fn note(&mut self, origin: &str, error: &FormatError) {
        self.health.note(error.kind(), error.place().cloned(), format!("{origin}: {}", error.what()));
    }

    /// Records a loss between the messages.
    pub fn note_lost(&mut self, what: &str) {
        self.health.note(FindingKind::Damaged, None, what);
    }

    fn answer(&mut self, answer: &Answer<'_>, message: &Message<'_>, time: SampleTime) {
        if !message.header.return_code.is_success() {
            let what = format!("the answer is {}; no sample", message.header.return_code);
            self.report(answer, FindingKind::Lost, &what);
            return;
        }
        self.budget.read(message.len());
        let ofs_buffer = answer.ofs + Message::LEN_HEADER as u64;
        let data = match QueryData::parse(message.buffer, ofs_buffer) {
            Ok(data) => data,
            Err(error) => return self.note(answer.origin, &error),
        };
        if !self.refresh_layout(answer) {
            return;
        }
        let num_found = self.gather(answer, &data);
        self.sample(answer, num_found, &answer_clocks(&data.header, time));
    }

    /// Distributes the blocks to their streams. Returns how many were found before an unreadable one, or all.
    fn gather(&mut self, answer: &Answer<'_>, data: &QueryData<'_>) -> u32 {
        let key = (answer.host.0, answer.query);
        let mut num_found = u32::MAX;
        let mut position = 0;
        for block in data.blocks() {
            let target = self.layouts.get(&key).map_or(Target::Unwanted, |layout| layout.target(position));
            // If nothing follows, more may be lost.
            num_found = if block.is_err() { position } else { u32::MAX };
            match (block, target) {
                (Err(error), target) => {
                    self.note(answer.origin, &error);
                    if let Target::Stream(stream) = target {
                        self.streams[stream].gathered.is_torn = true;
                    }
                }
                (Ok(_), Target::Unwanted) => {}
                (Ok(block), Target::Stream(stream)) if block.header().status == NOT_AT_HAND => {
                    self.streams[stream].gathered.is_torn = true;
                }
                (Ok(_), Target::Unknown) => {
                    let what = format!("block {position}: no identifier says what it holds; left out");
                    self.report(answer, FindingKind::Dropped, &what);
                }
                (Ok(block), Target::Stream(stream)) => {
                    self.report_failure(answer, position, stream, &block);
                    self.streams[stream].gathered.add(position, &block);
                }
            }
            position += 1;
        }
        let num_blocks = self.layouts.get(&key).map_or(0, Layout::num_blocks);
        if num_found == u32::MAX && position < num_blocks {
            let what = format!("{position} blocks, but the query has {num_blocks}");
            self.report(answer, FindingKind::Lost, &what);
        }
        num_found
    }

    /// "A Win32 error code that indicates whether the operation was successful" (2.2.4.8).
    fn report_failure(
        &mut self,
        answer: &Answer<'_>,
        position: u32,
        stream: usize,
        block: &CounterBlock<'_>,
    ) {
        let header = block.header();
        let is_error = matches!(block, CounterBlock::Error { .. });
        let status = ReturnCode(header.status);
        if (is_error || !status.is_success()) && !is_not_there(status) {
            let name = Arc::clone(&self.streams[stream].view().set.object.name);
            let what = format!("block {position}: {name}: {status} instead of values");
            self.report(answer, FindingKind::Lost, &what);
        }
    }

    /// Creates samples from the collected values. A counterset with an unreadable or missing block is left
    /// out: otherwise its instances would seem to have disappeared.
    fn sample(&mut self, answer: &Answer<'_>, num_found: u32, clocks: &AnswerClocks) {
        let Some(layout) = self.layouts.get(&(answer.host.0, answer.query)) else { return };
        let (streams, budget, health) = (&mut self.streams, &mut self.budget, &mut self.health);
        for at in layout.streams() {
            let stream = &mut streams[at];
            let is_whole = !stream.gathered.is_torn && stream.view().last_position() < num_found;
            if is_whole && !stream.gathered.is_empty() {
                let name = Arc::clone(&stream.view().set.object.name);
                stream.sample(clocks, budget, |what| {
                    note(health, answer, FindingKind::Dropped, &format!("{name}: {what}"));
                });
            }
            stream.gathered.clear();
        }
    }

    fn report(&mut self, answer: &Answer<'_>, kind: FindingKind, what: &str) {
        note(&mut self.health, answer, kind, what);
    }

    /// Determines the meaning of the answer's blocks, unless already known; `false`, with a finding, if that
    /// isn't possible.
    fn refresh_layout(&mut self, answer: &Answer<'_>) -> bool {
        let key = (answer.host.0, answer.query);
        let num_changes = self.session.num_changes(answer.number);
        if self.layouts.get(&key).is_some_and(|layout| layout.num_changes == num_changes) {
            return true;
        }
        let version = self.session.query_version(answer.query, answer.number);
        let before = self.layouts.remove(&key).filter(|layout| layout.query_version == version);
        if let Some(mut layout) = before {
            layout.num_changes = num_changes;
            self.refresh_streams(answer, &mut layout);
            self.layouts.insert(key, layout);
            return true;
        }
        match self.session.identifiers(answer.query, version) {
            Ok(identifiers) => {
                let mut layout = Layout::new(num_changes, version, identifiers);
                self.refresh_streams(answer, &mut layout);
                self.layouts.insert(key, layout);
                true
            }
            Err(unknown) => {
                self.report(answer, FindingKind::Dropped, &format!("{}; left out", unknown.what()));
                false
            }
        }
    }

    /// Assigns the stream of the current version to every counterset of the layout with an outdated one.
    fn refresh_streams(&mut self, answer: &Answer<'_>, layout: &mut Layout) {
        let mut asked = None;
        for at in 0..layout.sets.len() {
            let (guid, known) = (layout.sets[at].guid, layout.sets[at].version);
            let version = self.session.set_version(guid, answer.number);
            let is_current = version.is_some() && version == known;
            if is_current {
                continue;
            }
            let asked = asked.get_or_insert_with(|| layout.asked());
            let set = version.and_then(|version| self.session.counterset_at(guid, version));
            let stream = if let Some(set) = set {
                self.stream(answer, set, std::mem::take(&mut asked[at]))
            } else {
                let what =
                    format!("counterset {guid} isn't registered yet; what the query reads of it is left out");
                self.report(answer, FindingKind::Dropped, &what);
                None
            };
            layout.sets[at].version = version;
            layout.sets[at].stream = stream;
        }
    }

    /// The stream of a counterset, set to the current request; `None` if it isn't selected.
    fn stream(&mut self, answer: &Answer<'_>, set: Counterset, asked: Vec<Asked>) -> Option<usize> {
        let (number, host) = answer.host;
        if !self.selection.may_match_object(host, &set.object.name) {
            return None;
        }
        if !self.budget.spend(set.links.len() + asked.len(), size_of::<CounterDef>()) {
            let what =
                format!("{}: definitions change too often for so few values; left out", set.object.name);
            self.report(answer, FindingKind::Dropped, &what);
            return None;
        }
        let view = View::new(set, asked);
        let streams = &mut self.streams;
        match self.by_set.entry((number, answer.query, view.set.guid)) {
            std::collections::hash_map::Entry::Occupied(known) => {
                streams[*known.get()].set_view(view);
                Some(*known.get())
            }
            std::collections::hash_map::Entry::Vacant(free) => {
                streams.push(Stream::new(Arc::clone(host), view, self.num_samples));
                Some(*free.insert(streams.len() - 1))
            }
        }
    }
}

fn note(health: &mut Health, answer: &Answer<'_>, kind: FindingKind, what: &str) {
    let place = Place::structure(Message::NAME, answer.ofs);
    health.note(kind, place, format!("{}: message {}: {what}", answer.origin, answer.number));
}

fn answer_clocks(header: &DataHeader, time: SampleTime) -> AnswerClocks {
    AnswerClocks {
        time,
        perf_time: header.clocks.perf_time,
        // As in a block, a frequency that is negative as a signed number counts as missing.
        perf_freq: if header.clocks.perf_freq > i64::MAX as u64 { 0 } else { header.clocks.perf_freq },
        time_100ns: header.clocks.perf_time_100ns,
    }
}
