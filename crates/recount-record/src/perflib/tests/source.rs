//! A server as a source for the recorder.

use std::cell::RefCell;
use std::rc::Rc;

use recount_blocks::pcq::{CounterIdentifiers, Message, ReturnCode, opnum, request};
use recount_model::{Facts, Timestamp};

use super::population::shown;
use super::script::{Rig, Script, Scripted, TIME, usual};
use super::wire::{Shared, Wired};
use crate::perflib::{BrowsedSet, PerflibClient, PerflibServer, PerflibSource};
use crate::{LiveSource, SampleForm};

type Source = PerflibSource<PerflibServer<Scripted>>;

fn source(wanted: &[&str]) -> (Source, Rc<RefCell<Script>>) {
    let rig = Rig::new(usual());
    let script = Rc::clone(&rig.script);
    let facts = Facts::from([("host".to_owned(), "WEB1".to_owned())]);
    let mut is_wanted = |set: &BrowsedSet| wanted.contains(&set.name().as_str());
    let source = PerflibSource::new(PerflibClient::new(rig.server), &mut is_wanted, facts, Vec::new());
    (source.expect("a source").with_aside(PerflibServer::aside), script)
}

#[test]
fn what_samples_need_comes_before_them() {
    let (mut source, _) = source(&["Set 1", "Set 2"]);
    assert_eq!(source.form(), SampleForm::Message);
    assert_eq!(source.facts()["host"], "WEB1");
    let taken = source.take().expect("a sample").expect("no end");
    assert_eq!(taken.time, Timestamp(TIME as i64 + 10_000_000));
    assert_eq!((taken.num_unreadable, taken.first_unreadable), (0, None));

    let messages = source.messages();
    let parsed: Vec<Message<'_>> =
        messages.iter().map(|bytes| Message::parse(bytes, 0).expect("a message")).collect();
    let opnums: Vec<u16> = parsed.iter().map(|message| message.header.opnum).collect();
    let mut expected = vec![opnum::ENUMERATE_COUNTER_SET];
    expected.extend([opnum::QUERY_REGISTRATION_INFO; 3 * 9]);
    expected.extend([opnum::VALIDATE_COUNTERS, opnum::QUERY_COUNTER_INFO]);
    assert_eq!(opnums, expected);
    let codes: Vec<u16> = parsed[1..10].iter().map(|message| message.header.request_code).collect();
    assert_eq!(codes, [1, 3, 4, 5, 6, 7, 8, 9, request::ENGLISH_COUNTER_NAMES]);
    let added = &parsed[parsed.len() - 2];
    assert_eq!((added.header.argument, added.header.query), (1, 1));
    let info: Vec<(String, u32)> = CounterIdentifiers::parse(parsed[parsed.len() - 1].buffer, 0)
        .map(|one| one.expect("sound"))
        .map(|one| (one.name.to_string_lossy(), one.index))
        .collect();
    assert_eq!(info, [("*".to_owned(), 0), (String::new(), 1)]);
    // Once is enough.
    assert_eq!(source.messages(), Vec::<Vec<u8>>::new());
    source.take().expect("a sample");
    assert_eq!(source.messages(), Vec::<Vec<u8>>::new());
}

#[test]
fn samples_are_answers() {
    let (mut source, script) = source(&["Set 1", "Set 2", "Set 3"]);
    source.take().expect("a sample");
    let message = Message::parse(source.sample(), 0).expect("a message");
    assert!(message.is_sample());
    assert_eq!((message.header.query, message.header.return_code), (1, ReturnCode::SUCCESS));
    assert_eq!(message.len(), source.sample().len());
    let len = message.buffer.len();
    let answer = source.client().query_data(1).expect("an answer");
    assert_eq!((answer.buffer().len(), shown(&answer).len()), (len, 3));

    // What can't be read is told, with its counterset.
    script.borrow_mut().sets[0] = None;
    let taken = source.take().expect("a sample").expect("no end");
    assert_eq!((taken.num_unreadable, taken.first_unreadable.as_deref()), (1, Some("Set 1: 0x1e")));

    // So is what the provider misses beside it.
    script.borrow_mut().unreadable = (2, Some("/proc/1/io: denied".to_owned()));
    let taken = source.take().expect("a sample").expect("no end");
    assert_eq!((taken.num_unreadable, taken.first_unreadable.as_deref()), (3, Some("Set 1: 0x1e")));
    script.borrow_mut().sets[0] = Some(Vec::new());
    let taken = source.take().expect("a sample").expect("no end");
    assert_eq!((taken.num_unreadable, taken.first_unreadable.as_deref()), (2, Some("/proc/1/io: denied")));

    // A collection that fails is told in the provider's words, and the next may succeed.
    script.borrow_mut().is_failing = true;
    assert_eq!(source.take().expect_err("a failure").to_string(), "script: told to fail");
    assert!(source.sample().is_empty());
    script.borrow_mut().is_failing = false;
    assert!(source.take().is_ok());
    assert!(!source.sample().is_empty());
}

#[test]
fn nothing_wanted_is_an_error() {
    let rig = Rig::new(usual());
    let made = PerflibSource::new(PerflibClient::new(rig.server), &mut |_| false, Facts::new(), Vec::new());
    let error = made.err().expect("nothing to record").to_string();
    assert_eq!(error, "PerflibV2ValidateCounters: no counterset is wanted");
}

#[test]
fn the_query_is_closed_in_the_end() {
    let rig = Rig::new(usual());
    let server = Rc::new(RefCell::new(rig.server));
    let client = PerflibClient::new(Wired(Shared(Rc::clone(&server))));
    let source = PerflibSource::new(client, &mut |_| true, Facts::new(), Vec::new()).expect("a source");
    assert_eq!(server.borrow().num_queries(), 1);
    drop(source);
    assert_eq!((server.borrow().num_queries(), server.borrow().len_state()), (0, 0));
}
