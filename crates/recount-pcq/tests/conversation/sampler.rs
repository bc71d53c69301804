//! Samples from a server.

use std::cell::RefCell;
use std::rc::Rc;

use recount_model::Timestamp;
use recount_pcq::conversation::{BrowsedSet, PerflibClient, PerflibServer, Sampler};
use recount_pcq::{CounterIdentifiers, Message, ReturnCode, opnum, request};

use super::population::shown;
use super::script::{Rig, Script, Scripted, TIME, usual};
use super::wire::{Shared, Wired};

fn sampler(wanted: &[&str]) -> (Sampler<PerflibServer<Scripted>>, Rc<RefCell<Script>>) {
    let rig = Rig::new(usual());
    let script = Rc::clone(&rig.script);
    let mut is_wanted = |set: &BrowsedSet| wanted.contains(&set.name().as_str());
    let sampler = Sampler::new(PerflibClient::new(rig.server), &mut is_wanted);
    (sampler.expect("a sampler"), script)
}

#[test]
fn what_samples_need_comes_before_them() {
    let (mut sampler, _) = sampler(&["Set 1", "Set 2"]);
    let taken = sampler.take().expect("a sample");
    assert_eq!(taken.time, Timestamp(TIME as i64 + 10_000_000));
    assert_eq!((taken.num_missing, taken.first_missing), (0, None));

    let messages = sampler.take_messages();
    let parsed: Vec<Message<'_>> =
        messages.iter().map(|bytes| Message::parse(bytes, 0).expect("a message")).collect();
    let opnums: Vec<u16> = parsed.iter().map(|message| message.header.opnum).collect();
    let mut expected = vec![opnum::ENUMERATE_COUNTER_SET];
    // Of the third counterset, which isn't wanted, only what it is, and its names.
    expected.extend([opnum::QUERY_REGISTRATION_INFO; 2 * 9 + 3]);
    expected.extend([opnum::VALIDATE_COUNTERS, opnum::QUERY_COUNTER_INFO]);
    assert_eq!(opnums, expected);
    let codes: Vec<u16> = parsed[1..10].iter().map(|message| message.header.request_code).collect();
    assert_eq!(codes, [1, 3, request::ENGLISH_SET_NAME, 4, 5, 6, 7, 8, request::ENGLISH_COUNTER_NAMES]);
    let added = &parsed[parsed.len() - 2];
    assert_eq!((added.header.argument, added.header.query), (1, 1));
    let info: Vec<(String, u32)> = CounterIdentifiers::parse(parsed[parsed.len() - 1].buffer, 0)
        .map(|one| one.expect("sound"))
        .map(|one| (one.name.to_string_lossy(), one.index))
        .collect();
    assert_eq!(info, [("*".to_owned(), 0), (String::new(), 1)]);
    // Once is enough.
    assert_eq!(sampler.take_messages(), Vec::<Vec<u8>>::new());
    sampler.take().expect("a sample");
    assert_eq!(sampler.take_messages(), Vec::<Vec<u8>>::new());
}

#[test]
fn samples_are_answers() {
    let (mut sampler, script) = sampler(&["Set 1", "Set 2", "Set 3"]);
    sampler.take().expect("a sample");
    let message = Message::parse(sampler.sample(), 0).expect("a message");
    assert!(message.is_sample());
    assert_eq!((message.header.query, message.header.return_code), (1, ReturnCode::SUCCESS));
    assert_eq!(message.len(), sampler.sample().len());
    let len = message.buffer.len();
    let answer = sampler.client().query_data(1).expect("an answer");
    assert_eq!((answer.buffer().len(), shown(&answer).len()), (len, 3));

    // What can't be read is reported, with its counterset.
    script.borrow_mut().sets[0] = None;
    let taken = sampler.take().expect("a sample");
    let missing = "Set 1: ERROR_READ_FAULT: the values can't be read now";
    assert_eq!((taken.num_missing, taken.first_missing.as_deref()), (1, Some(missing)));

    script.borrow_mut().sets[0] = Some(Vec::new());
    let taken = sampler.take().expect("a sample");
    assert_eq!((taken.num_missing, taken.first_missing), (0, None));

    // The next may succeed.
    script.borrow_mut().is_failing = true;
    let error = sampler.take().expect_err("a failure");
    let expected = "PerflibV2QueryCounterData returned ERROR_READ_FAULT: the values can't be read now";
    assert_eq!((error.to_string().as_str(), error.is_end()), (expected, false));
    assert!(sampler.sample().is_empty());
    script.borrow_mut().is_failing = false;
    assert!(sampler.take().is_ok());
    assert!(!sampler.sample().is_empty());
}

#[test]
fn nothing_wanted_is_an_error() {
    let rig = Rig::new(usual());
    let made = Sampler::new(PerflibClient::new(rig.server), &mut |_| false);
    let error = made.err().expect("nothing to record").to_string();
    assert!(error.starts_with("no counterset of the server is wanted; there are: "), "{error}");
}

#[test]
fn the_query_is_closed_in_the_end() {
    let rig = Rig::new(usual());
    let server = Rc::new(RefCell::new(rig.server));
    let client = PerflibClient::new(Wired(Shared(Rc::clone(&server))));
    let sampler = Sampler::new(client, &mut |_| true).expect("a sampler");
    assert_eq!(server.borrow().num_queries(), 1);
    drop(sampler);
    assert_eq!((server.borrow().num_queries(), server.borrow().len_state()), (0, 0));
}
