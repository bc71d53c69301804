//! A session over the wire is the one in process, buffer by buffer.

use recount_pcq::Message;
use recount_record::LiveSource;
use recount_record::countersets::CountersetSource;
use recount_remote::{Host, RemoteOptions, RemoteSource};

use super::rig::{PASSWORD, Served, account, source};

pub(crate) fn options(port: u16) -> RemoteOptions {
    let host: Host = format!("127.0.0.1:{port}").parse().expect("a host");
    RemoteOptions::new(host, account("LAB\\eve", PASSWORD))
}

/// All messages, without the times at which they were received.
fn session(source: &mut dyn LiveSource, num_samples: usize) -> Vec<Vec<u8>> {
    let mut session = Vec::new();
    for _ in 0..num_samples {
        let taken = source.take().expect("a sample").expect("no end");
        assert_eq!(taken.num_unreadable, 0);
        session.extend(source.messages());
        session.push(source.sample().to_vec());
    }
    for bytes in &mut session {
        let message = Message::parse(bytes, 0).expect("a message");
        let mut header = message.header;
        header.time = recount_model::Timestamp::default();
        let mut written = Vec::new();
        Message { header, buffer: message.buffer }.write(&mut written);
        *bytes = written;
    }
    session
}

#[test]
fn buffers_are_equal() {
    let served = Served::new();
    let mut far = RemoteSource::connect(options(served.address.port()), |_, _| true).expect("a connection");
    let mut near = CountersetSource::new(source().expect("blocks"), "test").expect("countersets");
    let (far, near) = (session(&mut far, 10), session(&mut near, 10));
    assert_eq!(far.len(), near.len());
    assert!(far.len() > 10 + 2 * 8, "{} messages", far.len());
    for (number, (far, near)) in far.iter().zip(&near).enumerate() {
        assert_eq!(far, near, "message {number}");
    }
}

#[test]
fn only_wanted_countersets_are_asked_for() {
    let served = Served::new();
    let options = options(served.address.port());
    let mut far = RemoteSource::connect(options.clone(), |name, _| name == "Memory").expect("a connection");
    let mut session = session(&mut far, 1);
    // Of the other counterset only what it is, and its names.
    assert_eq!(session.len(), 1 + 9 + 3 + 2 + 1);
    let sample = session.pop().expect("a sample");
    let data = recount_pcq::QueryData::parse(Message::parse(&sample, 0).expect("sound").buffer, 0);
    assert_eq!(data.expect("sound").blocks().count(), 1);
    let Err(error) = RemoteSource::connect(options, |_, _| false) else { panic!("nothing is wanted") };
    assert!(error.to_string().contains("is wanted; there are: Memory, Process"), "{error}");
}
