//! Parameters and results of the remote registry with changed bytes.

use std::sync::Arc;

use recount_bytes::ByteOrder;
use recount_pcq::conversation::AuthenticationLevel;
use recount_record::TakeError;
use recount_remote::registry::{Handle, RegistryClient, RegistryInterface};
use recount_remote::rpc::{Called, Interface, RpcClient};

use super::client::open;
use super::mutated::for_each;
use super::pdus::{FIRST, LAST, Script, bind_ack, response};

/// `BaseRegQueryValue` of `Global`, with room for 1,000 bytes.
fn query(handle: [u8; 20]) -> Vec<u8> {
    let mut stub = handle.to_vec();
    stub.extend([14, 0, 14, 0, 0, 0, 2, 0, 7, 0, 0, 0, 0, 0, 0, 0, 7, 0, 0, 0]);
    stub.extend("Global\0".encode_utf16().flat_map(u16::to_le_bytes));
    stub.extend([0, 0]);
    for number in [1_u32, 0, 1, 1_000, 0, 0, 1, 1_000, 1, 0] {
        stub.extend(number.to_le_bytes());
    }
    stub
}

#[test]
fn parameters() {
    let unavailable = || Err(TakeError::System { function: "test", what: "no source".to_owned() });
    let mut interface = RegistryInterface::new(Arc::new(unavailable));
    let level = AuthenticationLevel::PKT_PRIVACY;
    let mut call =
        |opnum, stub: &[u8], order| interface.call(&Called { opnum, stub, order, level, is_known: false });
    let open = [0, 0, 0, 0, 0x19, 0, 2, 0];
    let opened = call(3, &open, ByteOrder::Little).expect("a key");
    let mut handle = [0; 20];
    handle.copy_from_slice(&opened[..20]);
    // The source can't be opened: ERROR_OUTOFMEMORY, behind everything that was parsed.
    let answer = call(17, &query(handle), ByteOrder::Little).expect("an answer");
    assert_eq!(answer[answer.len() - 4..], [14, 0, 0, 0]);
    for (opnum, stub) in [(17, query(handle)), (3, open.to_vec()), (33, open.to_vec()), (5, handle.to_vec())]
    {
        for_each(&stub, |changed| {
            for order in [ByteOrder::Little, ByteOrder::Big] {
                if let Ok(results) = call(opnum, &changed, order) {
                    assert!(results.len() < 200, "method {opnum}");
                }
            }
        });
    }
}

#[test]
fn results() {
    let mut stub = Vec::new();
    for number in [1_u32, 3, 1, 100, 0, 8] {
        stub.extend(number.to_le_bytes());
    }
    stub.extend(b"8 bytes.");
    for number in [1_u32, 8, 1, 8, 0] {
        stub.extend(number.to_le_bytes());
    }
    let ask = |stub: &[u8]| {
        let mut script = Script::new(&[bind_ack(), response(FIRST | LAST, 2, stub)]);
        let rpc = RpcClient::bind(&mut script, &open()).expect("a binding");
        RegistryClient::new(rpc).query_value(Handle([0; 20]), "Global", 100)
    };
    let sound = ask(&stub).expect("sound");
    assert_eq!((sound.code, sound.kind, &sound.data[..]), (0, 3, &b"8 bytes."[..]));
    for_each(&stub, |changed| {
        if let Ok(answer) = ask(&changed) {
            assert!(answer.data.len() <= 100);
        }
    });
    // More than was asked for.
    stub[12..16].copy_from_slice(&101_u32.to_le_bytes());
    stub[20..24].copy_from_slice(&101_u32.to_le_bytes());
    let error = ask(&stub).expect_err("too much").to_string();
    assert_eq!(error, "BaseRegQueryValue at byte 24: expected at most 100 bytes, found 101");
}
