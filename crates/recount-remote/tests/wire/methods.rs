//! Every method returns the same over the wire as in process.

use recount_pcq::conversation::{AuthenticationLevel, PerflibServer, PerflibV2, QueryHandle, RpcFault};
use recount_pcq::{ANY_COUNTER, ANY_INSTANCE, CounterIdentifierBuf, Guid, ReturnCode};
use recount_record::countersets::{BlockProvider, counterset_guid};

use super::rig::{Served, source};

fn in_process() -> PerflibServer<BlockProvider> {
    let provider = BlockProvider::new(source().expect("blocks"), "test").expect("a provider");
    let mut server = PerflibServer::new(provider);
    server.set_authentication_level(AuthenticationLevel::PKT_PRIVACY);
    server
}

#[test]
fn browsing() {
    let served = Served::new();
    let (mut far, mut near) = (served.perflib(), in_process());
    for size in [0, 1, 2, 256] {
        let reply = far.enumerate_counter_set("web1", size).expect("an answer");
        assert_eq!(reply, near.enumerate_counter_set("web1", size).expect("an answer"));
        assert_eq!(reply.data.len(), if size < 2 { 0 } else { 32 });
    }
    for guid in [counterset_guid("test", "Memory"), counterset_guid("test", "Process"), Guid([7; 16])] {
        for code in 0..=11 {
            for (argument, size) in [(0, 0), (0, 20), (0, 0x4000), (784, 0x4000), (0x407, 0x4000)] {
                let answer = far.query_registration_info("", guid, code, argument, size).expect("an answer");
                let expected = near.query_registration_info("", guid, code, argument, size);
                assert_eq!(Ok(answer), expected, "{guid} {code} {argument} {size}");
            }
        }
        for size in [0, 100, 1 << 20] {
            let answer = far.enumerate_instances("a name of a machine \u{1F5A5}", guid, size);
            assert_eq!(answer, near.enumerate_instances("", guid, size), "{guid} {size}");
            let found = answer.expect("an answer");
            let is_process = guid == counterset_guid("test", "Process");
            assert_eq!(found.data.len() > 5840, is_process && size == 1 << 20, "fragments");
        }
    }
}

fn identifiers() -> Vec<u8> {
    let mut data = Vec::new();
    let (memory, process) = (counterset_guid("test", "Memory"), counterset_guid("test", "Process"));
    CounterIdentifierBuf::new(memory, ANY_COUNTER, 0, "").write(&mut data);
    CounterIdentifierBuf::new(process, ANY_COUNTER, 0, ANY_INSTANCE).write(&mut data);
    CounterIdentifierBuf::new(process, 1478, 5, "svchost5").write(&mut data);
    CounterIdentifierBuf::new(process, 99, 0, ANY_INSTANCE).write(&mut data);
    data
}

#[test]
fn queries() {
    let served = Served::new();
    let (mut far, mut near) = (served.perflib(), in_process());
    let (code, far_query) = far.open_query_handle("").expect("an answer");
    let (_, near_query) = near.open_query_handle("").expect("an answer");
    assert_eq!((code, far_query), (ReturnCode::SUCCESS, near_query));
    for add in [1, 1, 0, 1] {
        let (mut far_data, mut near_data) = (identifiers(), identifiers());
        let answer = far.validate_counters(far_query, &mut far_data, add);
        assert_eq!(answer, near.validate_counters(near_query, &mut near_data, add));
        assert_eq!((answer, far_data), (Ok(ReturnCode::SUCCESS), near_data));
    }
    let nothing = far.validate_counters(far_query, &mut [], 1);
    assert_eq!(nothing, Ok(ReturnCode::INVALID_PARAMETER));
    for size in [0, 64, 1 << 20] {
        let answer = far.query_counter_info(far_query, size);
        assert_eq!(answer, near.query_counter_info(near_query, size));
        let answer = far.query_counter_data(far_query, size).expect("an answer");
        assert_eq!(answer, near.query_counter_data(near_query, size).expect("an answer"));
        assert_eq!(answer.return_code.is_success(), size == 1 << 20);
    }
    let (mut far_query, mut near_query) = (far_query, near_query);
    let closed = far.close_query_handle(&mut far_query);
    assert_eq!(closed, near.close_query_handle(&mut near_query));
    assert_eq!((closed, far_query), (Ok(ReturnCode::SUCCESS), QueryHandle::NULL));
}

#[test]
fn handles_are_those_of_their_connection() {
    let served = Served::new();
    let (mut one, mut other) = (served.perflib(), served.perflib());
    let (_, query) = one.open_query_handle("").expect("an answer");
    let bad =
        |answer: Result<ReturnCode, RpcFault>| assert!(matches!(answer, Err(RpcFault::BadHandle { .. })));
    for query in [query, QueryHandle::NULL, QueryHandle([0xEE; 20])] {
        bad(other.query_counter_info(query, 1_000).map(|reply| reply.return_code));
        bad(other.query_counter_data(query, 1_000).map(|reply| reply.return_code));
        bad(other.validate_counters(query, &mut identifiers(), 1));
        bad(other.close_query_handle(&mut query.clone()));
    }
    // A fault ends the call, not the connection.
    assert!(other.enumerate_counter_set("", 256).expect("an answer").return_code.is_success());
    assert_eq!(one.close_query_handle(&mut query.clone()), Ok(ReturnCode::SUCCESS));
    bad(one.close_query_handle(&mut query.clone()));
}

#[test]
fn sizes_out_of_range_are_refused_before_the_method() {
    let served = Served::new();
    let mut far = served.perflib();
    let (_, query) = far.open_query_handle("").expect("an answer");
    for answer in [
        far.enumerate_counter_set("", 257),
        far.enumerate_instances("", Guid::default(), 67_108_865),
        far.query_registration_info("", Guid::default(), 1, 0, 134_217_729),
        far.query_counter_info(query, 67_108_865),
        far.query_counter_data(query, 1_073_741_825),
    ] {
        let error = answer.expect_err("out of range").to_string();
        assert!(error.contains("0x000006f7"), "{error}");
    }
}
