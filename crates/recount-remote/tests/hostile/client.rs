//! How a client handles hostile servers.

use std::time::Duration;

use recount_pcq::ReturnCode;
use recount_pcq::conversation::{AuthenticationLevel, PerflibV2, QueryHandle, RpcFault};
use recount_remote::rpc::{ClientOptions, RpcClient, RpcError};
use recount_remote::{Account, INTERFACE, RemotePerflib};
use zeroize::Zeroizing;

use super::pdus::{FIRST, LAST, Script, bind_ack, pdu, response};

pub(crate) fn open() -> ClientOptions {
    let (level, timeout) = (AuthenticationLevel::NONE, Duration::from_secs(1));
    ClientOptions { interface: INTERFACE, level, spnego: false, account: None, timeout }
}

/// The answer to a call, after the given PDUs.
fn call(parts: &[Vec<u8>], max: usize) -> Result<Vec<u8>, RpcError> {
    let mut script = Script::new(&[vec![bind_ack()], parts.to_vec()].concat());
    let mut rpc = RpcClient::bind(&mut script, &open()).expect("a binding");
    let answer = rpc.call(0, &[1, 2, 3], max);
    if !matches!(answer, Ok(_) | Err(RpcError::Fault { .. })) {
        // The next bytes may be the answer to another call.
        assert!(matches!(rpc.call(0, &[], 0), Err(RpcError::Closed { .. })));
    }
    answer.map(|(bytes, _)| bytes)
}

fn error(parts: &[Vec<u8>]) -> String {
    call(parts, 10_000).expect_err("hostile").to_string()
}

#[test]
fn fragments_are_joined() {
    assert_eq!(call(&[response(FIRST | LAST, 2, b"whole")], 5).expect("an answer"), b"whole");
    let parts = [response(FIRST, 2, b"one, "), response(0, 2, b""), response(LAST, 2, b"two")];
    assert_eq!(call(&parts, 8).expect("an answer"), b"one, two");
    assert!(matches!(call(&parts, 7), Err(RpcError::TooLong { max: 7 })));
}

#[test]
fn fragments_out_of_order_and_answers_for_other_calls_are_errors() {
    let wrong = "PDU header at byte 3: expected the first fragment, found 0x02";
    assert_eq!(error(&[response(LAST, 2, b"the end")]), wrong);
    let twice = [response(FIRST, 2, b"a"), response(FIRST | LAST, 2, b"b")];
    assert_eq!(error(&twice), "PDU header at byte 3: expected a further fragment, found 0x03");
    let other = "PDU header at byte 12: expected the answer to call 2, found 7";
    assert_eq!(error(&[response(FIRST | LAST, 7, b"")]), other);
    assert_eq!(error(&[response(FIRST, 2, b"a"), response(LAST, 7, b"b")]), other);
    assert_eq!(
        error(&[pdu(0, FIRST | LAST, 2, &[0; 8])]),
        "PDU header at byte 2: expected a response, found Request"
    );
    let mut interface = response(FIRST | LAST, 2, b"");
    interface[20] = 9;
    assert_eq!(error(&[interface]), "response at byte 4: expected interface 0, found 9");
}

#[test]
fn lengths_that_lie_are_errors() {
    let with = |at: usize, value: u8| {
        let mut bytes = response(FIRST | LAST, 2, b"12345678");
        bytes[at] = value;
        error(&[bytes])
    };
    assert_eq!(with(8, 15), "PDU header at byte 8: expected a length of at least 16, found 15");
    assert_eq!(with(9, 0xFF), "PDU header at byte 8: expected a length of at most 5840, found 65312");
    assert_eq!(with(8, 200), "waiting for the answer: the other side closed the connection");
    assert_eq!(with(8, 20), "response at byte 4: expected 2 bytes, found 0");
    assert_eq!(with(10, 1), "PDU header at byte 10: expected a token that fits, found 1");
    assert_eq!(
        with(0, 4),
        "PDU header at byte 0: expected version 5.0 or 5.1 of connection-oriented RPC, found 0x04"
    );
    assert_eq!(with(2, 99), "PDU header at byte 2: expected a kind of PDU of a connection, found 0x63");
    assert_eq!(
        with(4, 0x11),
        "PDU header at byte 4: expected ASCII and big- or little-endian numbers, found 0x11"
    );
}

#[test]
fn cuts_are_errors_at_every_byte() {
    let whole = response(FIRST | LAST, 2, b"12345678");
    for len in 0..whole.len() {
        let error = error(&[whole[..len].to_vec()]);
        assert_eq!(error, "waiting for the answer: the other side closed the connection", "{len}");
    }
}

#[test]
fn endless_answers_end_at_what_was_asked_for() {
    let mut script = Script::new(&[bind_ack(), response(FIRST, 2, &[7; 5_000])]);
    script.repeated = response(0, 2, &[7; 5_000]);
    let mut far = RemotePerflib::new(RpcClient::bind(&mut script, &open()).expect("a binding"));
    let answer = far.query_counter_data(QueryHandle::NULL, 1_000_000);
    let what = "the call has more than 1000064 bytes; no more were asked for";
    assert!(matches!(answer, Err(RpcFault::Transport { what: found, .. }) if found == what));
    assert!(script.pos < 1_020_000, "read {}", script.pos);
}

#[test]
fn arrays_that_contradict_the_request_are_errors() {
    let answer = |numbers: &[u32], size: u32| {
        let stub: Vec<u8> = numbers.iter().flat_map(|number| number.to_le_bytes()).collect();
        let mut script = Script::new(&[bind_ack(), response(FIRST | LAST, 2, &stub)]);
        let mut far = RemotePerflib::new(RpcClient::bind(&mut script, &open()).expect("a binding"));
        far.query_counter_info(QueryHandle::NULL, size).map_err(|error| error.to_string())
    };
    let sound = answer(&[4, 4, 100, 0, 4, 0x0403_0201, 0], 100).expect("sound");
    assert_eq!((sound.out_size, sound.data.as_slice()), (4, &[1, 2, 3, 4][..]));
    assert_eq!(sound.return_code, ReturnCode::SUCCESS);
    for (numbers, expected) in [
        (&[4, 4, 101, 0, 4, 0, 0][..], "expected an array of at most 100, found 101"),
        (&[4, 4, 100, 1, 4, 0, 0], "expected an array from its first element on, found offset 1"),
        (&[4, 4, 100, 0, 101, 0, 0], "expected at most 100 elements, found 101"),
        (&[4, 4, 100, 0, 8, 0], "expected 8 bytes, found 4"),
        (&[4, 4, 100, 0, 4, 0], "expected 4 bytes, found 0"),
        (&[4, 4, 100, 0, 4, 0, 0, 0], "expected the end, found 4 more bytes"),
    ] {
        let error = answer(numbers, 100).expect_err(expected);
        assert!(error.contains(expected), "{error}");
    }
}

#[test]
fn big_endian_answers_are_read() {
    let mut stub: Vec<u8> = [1_u32, 1, 9, 0, 1].iter().flat_map(|number| number.to_be_bytes()).collect();
    stub.extend([0xDA, 0x5A, 0x86, 0xC5, 0x12, 0xC2, 0x49, 0x43, 1, 2, 3, 4, 5, 6, 7, 8]);
    stub.extend(5_u32.to_be_bytes());
    let mut pdu = response(FIRST | LAST, 2, &stub);
    pdu[4] = 0;
    let len = u16::try_from(pdu.len()).expect("short");
    pdu[8..10].copy_from_slice(&len.to_be_bytes());
    pdu[12..16].copy_from_slice(&2_u32.to_be_bytes());
    let mut script = Script::new(&[bind_ack(), pdu]);
    let mut far = RemotePerflib::new(RpcClient::bind(&mut script, &open()).expect("a binding"));
    let reply = far.enumerate_counter_set("", 9).expect("an answer");
    assert_eq!((reply.out_size, reply.return_code), (1, ReturnCode(5)));
    assert_eq!(reply.data[..8], [0xC5, 0x86, 0x5A, 0xDA, 0xC2, 0x12, 0x43, 0x49]);
}

#[test]
fn a_server_that_does_not_authenticate_is_refused() {
    let account = Account::new("eve", Zeroizing::new("secret".to_owned())).expect("a user");
    let options = ClientOptions { level: AuthenticationLevel::PKT_PRIVACY, account: Some(account), ..open() };
    let mut script = Script::new(&[bind_ack()]);
    let Err(error) = RpcClient::bind(&mut script, &options) else { panic!("not authenticated") };
    assert_eq!(error.to_string(), "the server refused the binding: it doesn't authenticate");
    for (nak, what) in [(8, "it doesn't know NTLM"), (2, "it has as many connections as it allows")] {
        let mut script = Script::new(&[pdu(13, 3, 1, &[nak, 0, 1, 5, 0, 0])]);
        let Err(error) = RpcClient::bind(&mut script, &options) else { panic!("refused") };
        assert_eq!(error.to_string(), format!("the server refused the binding: {what}"));
    }
}
