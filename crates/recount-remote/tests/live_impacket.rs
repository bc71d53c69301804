//! Against an independent implementation: impacket as a client of our server, and as the SMB server in front of
//! it.

use std::net::TcpListener;
use std::path::Path;

use recount_pcq::Message;
use recount_record::LiveSource;
use recount_record::countersets::CountersetSource;
use recount_remote::{Host, RemoteOptions, RemoteSource, Via};
use rig::{PASSWORD, Served, account, source};

#[path = "../../recount-cli/tests/python/mod.rs"]
mod python;
#[path = "wire/rig.rs"]
#[expect(dead_code, reason = "the tests of our own client use the rest")]
mod rig;

#[test]
fn impacket_calls_every_method() {
    let folder = Path::new(env!("CARGO_MANIFEST_DIR")).join("tests/impacket");
    let served = Served::new();
    let port = served.address.port().to_string();
    let python = python::Python::install(&folder.join("requirements.txt"));
    python.run(&folder.join("client.py"), &[port.as_str(), "LAB\\eve", PASSWORD]);
}

#[test]
fn impacket_reads_the_registry() {
    let folder = Path::new(env!("CARGO_MANIFEST_DIR")).join("tests/impacket");
    let served = Served::new();
    let port = served.address.port().to_string();
    let python = python::Python::install(&folder.join("requirements.txt"));
    python.run(&folder.join("registry.py"), &[port.as_str(), "LAB\\eve", PASSWORD]);
}

/// impacket as an SMB server whose pipe leads to ours: sessions through it are the ones in process, buffer by buffer.
#[test]
fn sessions_through_a_pipe_are_equal() {
    let folder = Path::new(env!("CARGO_MANIFEST_DIR")).join("tests/impacket");
    let served = Served::new();
    let free = TcpListener::bind("127.0.0.1:0").expect("a port").local_addr().expect("an address").port();
    let control = TcpListener::bind("127.0.0.1:0").expect("a port");
    let arguments = [
        free.to_string(),
        "eve".to_owned(),
        PASSWORD.to_owned(),
        served.address.port().to_string(),
        control.local_addr().expect("an address").port().to_string(),
    ];
    let server = std::thread::spawn(move || {
        let python = python::Python::install(&folder.join("requirements.txt"));
        python.run(&folder.join("pipe.py"), &arguments);
    });
    let (running, _) = control.accept().expect("impacket listens");
    let host: Host = format!("smb://127.0.0.1:{free}").parse().expect("a host");
    let mut options = RemoteOptions::new(host, account("LAB\\eve", PASSWORD));

    let mut far = RemoteSource::connect(options.clone(), |_, _| true).expect("a connection");
    let mut near = CountersetSource::new(source().expect("blocks"), "test").expect("countersets");
    for number in 0..10 {
        far.take().expect("a sample").expect("no end");
        near.take().expect("a sample").expect("no end");
        let (far_messages, near_messages) = (far.messages(), near.messages());
        assert_eq!(far_messages.len(), near_messages.len());
        for (far, near) in far_messages.iter().zip(&near_messages) {
            assert_eq!(buffer(far), buffer(near));
        }
        assert_eq!(buffer(far.sample()), buffer(near.sample()), "sample {number}");
    }

    drop(far);
    options.via = Via::Registry;
    let mut far = RemoteSource::connect(options, |_, _| true).expect("a connection");
    let mut near = source().expect("blocks");
    let first = far.take().expect("a sample").expect("no end");
    while near.take().expect("a sample").is_some_and(|taken| taken.time < first.time) {}
    assert_eq!(far.sample(), near.sample());
    for number in 1..10 {
        far.take().expect("a sample").expect("no end");
        near.take().expect("a sample").expect("no end");
        assert_eq!(far.sample(), near.sample(), "sample {number}");
    }
    drop(running);
    server.join().expect("impacket");
}

/// Request and answer, without the time of the answer.
fn buffer(bytes: &[u8]) -> (u16, Vec<u8>) {
    let message = Message::parse(bytes, 0).expect("a message");
    (message.header.opnum, message.buffer.to_vec())
}
