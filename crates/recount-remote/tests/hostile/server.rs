//! How a server handles hostile clients.

use std::time::Duration;

use recount_remote::rpc::{
    BindAck, Called, ContextResult, Fault, Interface, NDR, Pdu, RpcError, ServerOptions, Syntax, fault,
    serve_connection,
};
use recount_remote::{Account, INTERFACE};
use zeroize::Zeroizing;

use super::pdus::{FIRST, LAST, Script, bind, pdu, request};

/// Answers with the length of the parameters.
pub(crate) struct Echo;

impl Interface for Echo {
    fn syntax(&self) -> Syntax {
        INTERFACE
    }

    fn call(&mut self, call: &Called<'_>) -> Result<Vec<u8>, u32> {
        Ok(call.stub.len().to_le_bytes().to_vec())
    }
}

pub(crate) fn options() -> ServerOptions {
    ServerOptions {
        account: Account::new("eve", Zeroizing::new("secret".to_owned())).expect("a user"),
        is_known: false,
        max_request: 1_000_000,
        timeout: Duration::from_secs(1),
        idle: Duration::from_secs(1),
        address: "1".to_owned(),
    }
}

/// How a connection ends, and the kinds of PDUs sent, with the status of faults.
fn serve(parts: &[Vec<u8>], repeated: &[u8]) -> (Result<(), RpcError>, Vec<(u8, u32)>) {
    let mut script = Script::new(parts);
    script.repeated = repeated.to_vec();
    let ended = serve_connection(&mut script, &mut [&mut Echo], &options());
    let (mut sent, mut rest) = (Vec::new(), script.sent.as_slice());
    while let Some(len) = rest.get(8..10) {
        let len = usize::from(u16::from_le_bytes([len[0], len[1]]));
        let answer = Pdu::parse(rest[..len].to_vec()).expect("a sound PDU");
        let kind = answer.header().kind as u8;
        sent.push((kind, if kind == 3 { Fault::parse(&answer).expect("a fault").status } else { 0 }));
        rest = &rest[len..];
    }
    (ended, sent)
}

#[test]
fn calls_are_answered_in_order() {
    let parts = [
        bind(),
        request(FIRST | LAST, 2, 0, b"abc"),
        request(FIRST, 3, 0, b"ab"),
        request(LAST, 3, 0, b"cd"),
    ];
    let (ended, sent) = serve(&parts, &[]);
    assert!(ended.is_ok(), "{ended:?}");
    assert_eq!(sent, [(12, 0), (2, 0), (2, 0)]);
}

#[test]
fn violations_end_the_connection_with_a_fault() {
    for (name, parts) in [
        ("a call without a binding", vec![request(FIRST | LAST, 2, 0, b"")]),
        ("no first fragment", vec![bind(), request(LAST, 2, 0, b"")]),
        ("two calls at once", vec![bind(), request(FIRST, 2, 0, b""), request(FIRST | LAST, 3, 0, b"")]),
        ("another method", vec![bind(), request(FIRST, 2, 0, b""), request(LAST, 2, 1, b"")]),
        ("another call", vec![bind(), request(FIRST, 2, 0, b""), request(LAST, 3, 0, b"")]),
        ("bound twice", vec![bind(), bind()]),
        ("a response", vec![bind(), pdu(2, 3, 2, &[0; 8])]),
        ("a short request", vec![bind(), pdu(0, 3, 2, &[0; 7])]),
    ] {
        let (ended, sent) = serve(&parts, &[]);
        assert!(matches!(ended, Err(RpcError::Malformed { .. })), "{name}: {ended:?}");
        assert_eq!(sent.last(), Some(&(3, fault::PROTOCOL)), "{name}");
    }
}

#[test]
fn endless_calls_of_strangers_end_at_64_kib() {
    let endless = request(0, 2, 0, &[0; 4_000]);
    let (ended, sent) = serve(&[bind(), request(FIRST, 2, 0, b"")], &endless);
    assert!(matches!(ended, Err(RpcError::TooLong { max: 65_536 })), "{ended:?}");
    assert_eq!(sent, [(12, 0), (3, fault::NO_MEMORY)]);
}

#[test]
fn tokens_that_are_none_are_refused() {
    // A bind with authentication: provider, level, and a token.
    let with = |provider: u8, level: u8, token: &[u8]| {
        let mut pdu = bind();
        pdu.extend([provider, level, 0, 0, 1, 0, 0, 0]);
        pdu.extend(token);
        let len = u16::try_from(pdu.len()).expect("short");
        pdu[8..10].copy_from_slice(&len.to_le_bytes());
        pdu[10] = token.len() as u8;
        pdu
    };
    for parts in [with(10, 6, b"NTLMSSP"), with(10, 6, &[0; 40]), with(9, 6, &[0; 40]), with(10, 1, &[0; 40])]
    {
        let (ended, sent) = serve(&[parts], &[]);
        assert!(ended.is_ok(), "{ended:?}");
        assert_eq!(sent, [(13, 0)]);
    }
}

#[test]
fn other_interfaces_are_not_called() {
    let mut other = bind();
    other[40] ^= 1;
    let (ended, sent) = serve(&[other, request(FIRST | LAST, 2, 0, b"")], &[]);
    assert!(ended.is_ok(), "{ended:?}");
    assert_eq!(sent, [(12, 0), (3, fault::UNKNOWN_INTERFACE)]);
}

/// The number of interfaces is one byte, which has no order (C706 12.6.3.1). Some clients write a version as two numbers.
#[test]
fn big_endian_binds_bind() {
    for (one, two) in [([0, 0, 0, 1], [0, 0, 0, 2]), ([0, 1, 0, 0], [0, 2, 0, 0])] {
        let mut body = vec![0x16, 0xD0, 0x16, 0xD0, 0, 0, 0, 0, 1, 0, 0, 0, 0, 0, 1, 0];
        for (syntax, version) in [(INTERFACE, one), (NDR, two)] {
            let mut uuid = syntax.uuid.0;
            uuid[..4].reverse();
            uuid[4..6].reverse();
            uuid[6..8].reverse();
            body.extend(uuid);
            body.extend(version);
        }
        let mut bytes = vec![5, 0, 11, FIRST | LAST, 0, 0, 0, 0, 0, 16 + body.len() as u8, 0, 0, 0, 0, 0, 1];
        bytes.extend(body);
        let mut script = Script::new(&[bytes]);
        serve_connection(&mut script, &mut [&mut Echo], &options()).expect("a closed connection");
        let answer = Pdu::parse(script.sent.clone()).expect("a sound PDU");
        assert_eq!(BindAck::parse(&answer).expect("an ack").results, [ContextResult::ACCEPTED]);
    }
}
