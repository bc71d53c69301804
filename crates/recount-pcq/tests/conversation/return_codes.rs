//! The return codes of each method: every row of the tables in MS-PCQ 3.1.4.1 that an in-process server can
//! produce.

use recount_pcq::conversation::{
    AuthenticationLevel, Method, PerflibV2, QueryHandle, READ_FAULT, RESOURCE_LANG_NOT_FOUND, RawValue,
    Reply, RpcFault, ServerLimits,
};
use recount_pcq::{ANY_COUNTER, CounterIdentifierBuf, Guid, ReturnCode, request};

use super::script::{RAWCOUNT, Rig, counterset, guid, instance, usual};

fn open(rig: &mut Rig) -> QueryHandle {
    let (code, query) = rig.server.open_query_handle("").expect("an answer");
    assert_eq!(code, ReturnCode::SUCCESS);
    query
}

fn all_of(number: u8) -> Vec<u8> {
    let mut data = Vec::new();
    CounterIdentifierBuf::new(guid(number), ANY_COUNTER, 0, "*").write(&mut data);
    data
}

/// An error leaves sizes and buffer empty, except for the required size.
fn assert_failed(reply: &Reply, code: ReturnCode, rtn_size: u32) {
    assert_eq!(*reply, Reply { return_code: code, out_size: 0, rtn_size, data: Vec::new() });
}

#[test]
fn every_method_demands_privacy() {
    let mut rig = Rig::new(usual());
    let mut query = open(&mut rig);
    let open = query;
    let levels = [
        AuthenticationLevel::NONE,
        AuthenticationLevel::CONNECT,
        AuthenticationLevel::CALL,
        AuthenticationLevel::PKT,
        AuthenticationLevel::PKT_INTEGRITY,
    ];
    for level in levels {
        let server = &mut rig.server;
        server.set_authentication_level(level);
        let replies = [
            server.enumerate_counter_set("", 256),
            server.query_registration_info("", guid(1), 1, 0, 4096),
            server.enumerate_instances("", guid(1), 4096),
            server.query_counter_info(query, 4096),
            server.query_counter_data(query, 4096),
        ];
        for reply in replies {
            assert_failed(&reply.expect("an answer"), ReturnCode::ACCESS_DENIED, 0);
        }
        let denied = Ok((ReturnCode::ACCESS_DENIED, QueryHandle::NULL));
        assert_eq!(server.open_query_handle(""), denied);
        let mut data = all_of(1);
        assert_eq!(server.validate_counters(query, &mut data, 1), Ok(ReturnCode::ACCESS_DENIED));
        assert_eq!(data, all_of(1));
        // "The opened handle, phQuery, remains in that state until the client calls" with privacy.
        assert_eq!(server.close_query_handle(&mut query), Ok(ReturnCode::ACCESS_DENIED));
        assert_eq!(query, open);
    }
    rig.server.set_authentication_level(AuthenticationLevel::PKT_PRIVACY);
    assert_eq!(rig.server.close_query_handle(&mut query), Ok(ReturnCode::SUCCESS));
}

#[test]
fn enumerate_counter_set_counts_guids() {
    let mut rig = Rig::new(usual());
    for room in 0..3 {
        let reply = rig.server.enumerate_counter_set("", room).expect("an answer");
        assert_failed(&reply, ReturnCode::NOT_ENOUGH_MEMORY, 3);
    }
    let reply = rig.server.enumerate_counter_set("", 3).expect("an answer");
    assert_eq!((reply.out_size, reply.data.len()), (3, 48));

    let limits = ServerLimits { len_memory: 47, ..ServerLimits::default() };
    let mut rig = Rig::with_limits(usual(), limits);
    assert_failed(&rig.server.enumerate_counter_set("", 3).expect("an answer"), ReturnCode::OUT_OF_MEMORY, 0);
}

#[test]
fn query_registration_info_checks_code_guid_counter_and_language() {
    let mut rig = Rig::new(usual());
    let mut ask = |guid: Guid, code: u32, argument: u32, size: u32| {
        rig.server.query_registration_info("", guid, code, argument, size).expect("an answer")
    };
    for code in [0, 11, 0x1_0001, u32::MAX] {
        // The code is checked first: an unknown counterset makes no difference.
        assert_failed(&ask(guid(9), code, 0, 4096), ReturnCode::INVALID_PARAMETER, 0);
    }
    for code in 1..=10 {
        assert_failed(&ask(guid(9), code, 0, 4096), ReturnCode::WMI_GUID_NOT_FOUND, 0);
        let argument = if code == 2 { 11 } else { 0 };
        let whole = ask(guid(1), code, argument, 4096);
        assert_eq!((whole.return_code, whole.out_size), (ReturnCode::SUCCESS, whole.rtn_size), "code {code}");
        assert_eq!(whole.data.len() as u32, whole.out_size);
        let short = ask(guid(1), code, argument, whole.rtn_size - 1);
        assert_failed(&short, ReturnCode::NOT_ENOUGH_MEMORY, whole.rtn_size);
        assert_eq!(ask(guid(1), code, argument, whole.rtn_size), whole);
    }
    assert_failed(&ask(guid(1), 2, 13, 4096), ReturnCode::WMI_ITEMID_NOT_FOUND, 0);
    for code in 3..=6 {
        assert_eq!(ask(guid(1), code, 0x0409, 4096), ask(guid(1), code, 0, 4096));
        assert_failed(&ask(guid(1), code, 0x0407, 4096), RESOURCE_LANG_NOT_FOUND, 0);
    }
    // "RequestLCID MUST be set to zero and ignored upon receipt."
    for code in [1, 7, 8, 9, 10] {
        assert_eq!(ask(guid(1), code, 0x0407, 4096), ask(guid(1), code, 0, 4096));
    }
}

#[test]
fn a_counterset_without_provider_has_no_provider_guid() {
    let mut sets = usual();
    sets[0].0.provider_guid = Guid::default();
    let mut rig = Rig::new(sets);
    for code in [request::PROVIDER_NAME, request::PROVIDER_GUID] {
        let reply = rig.server.query_registration_info("", guid(1), code.into(), 0, 4096).expect("an answer");
        assert_failed(&reply, ReturnCode::WMI_GUID_NOT_FOUND, 0);
    }
}

#[test]
fn enumerate_instances_checks_what_the_provider_answers() {
    let mut rig = Rig::new(usual());
    let instances = |rig: &mut Rig, number, size| {
        rig.server.enumerate_instances("", guid(number), size).expect("an answer")
    };
    assert_failed(&instances(&mut rig, 9, 4096), ReturnCode::WMI_GUID_NOT_FOUND, 0);
    assert_failed(&instances(&mut rig, 3, 4096), ReturnCode::WMI_INSTANCE_NOT_FOUND, 0);
    // "C:" and "Data": 8 + 6 and 8 + 10 bytes, to multiples of 8.
    assert_failed(&instances(&mut rig, 1, 39), ReturnCode::NOT_ENOUGH_MEMORY, 40);
    assert_eq!(instances(&mut rig, 1, 40).out_size, 40);

    rig.script().sets[2] = None;
    assert_failed(&instances(&mut rig, 3, 4096), ReturnCode::WMI_INSTANCE_NOT_FOUND, 0);
    let twice = vec![instance("a", 0, &[RawValue::Missing; 2]), instance("b", 1, &[RawValue::Missing; 2])];
    rig.script().sets[1] = Some(twice);
    assert_failed(&instances(&mut rig, 2, 4096), ReturnCode::WMI_INVALID_REGINFO, 0);
    rig.script().sets[0] = Some(vec![instance("a", 0, &[RawValue::Dword(1)])]);
    assert_failed(&instances(&mut rig, 1, 4096), ReturnCode::WMI_INVALID_REGINFO, 0);
    rig.script().sets.truncate(1);
    assert_failed(&instances(&mut rig, 2, 4096), ReturnCode::WMI_INVALID_REGINFO, 0);
    rig.script().is_failing = true;
    assert_failed(&instances(&mut rig, 1, 4096), READ_FAULT, 0);
    let failure = rig.server.take_failure().expect("a failure").to_string();
    assert_eq!(failure, "told to fail");
    assert!(rig.server.take_failure().is_none());

    let limits = ServerLimits { len_memory: 39, ..ServerLimits::default() };
    let mut rig = Rig::with_limits(usual(), limits);
    assert_failed(&instances(&mut rig, 1, 40), ReturnCode::OUT_OF_MEMORY, 0);
}

#[test]
fn handles_are_limited_by_number_and_memory() {
    let limits = ServerLimits { num_handles: 2, ..ServerLimits::default() };
    let mut rig = Rig::with_limits(usual(), limits);
    let (mut first, second) = (open(&mut rig), open(&mut rig));
    assert_ne!(first, second);
    let refused = Ok((ReturnCode::NO_SYSTEM_RESOURCES, QueryHandle::NULL));
    assert_eq!(rig.server.open_query_handle(""), refused);
    assert_eq!(rig.server.close_query_handle(&mut first), Ok(ReturnCode::SUCCESS));
    assert_ne!(open(&mut rig), second);

    let limits = ServerLimits { len_memory: 8, ..ServerLimits::default() };
    let mut rig = Rig::with_limits(usual(), limits);
    assert_eq!(rig.server.open_query_handle(""), Ok((ReturnCode::OUT_OF_MEMORY, QueryHandle::NULL)));
}

#[test]
fn handles_that_are_not_open_are_faults() {
    let mut rig = Rig::new(usual());
    let query = open(&mut rig);
    let mut closed = query;
    assert_eq!(rig.server.close_query_handle(&mut closed), Ok(ReturnCode::SUCCESS));
    let server = &mut rig.server;
    for mut handle in [query, QueryHandle::NULL, QueryHandle([7; 20])] {
        let bad = |method| RpcFault::BadHandle { method };
        assert_eq!(server.query_counter_info(handle, 0), Err(bad(Method::QueryCounterInfo)));
        assert_eq!(server.query_counter_data(handle, 0), Err(bad(Method::QueryCounterData)));
        let mut data = all_of(1);
        assert_eq!(server.validate_counters(handle, &mut data, 1), Err(bad(Method::ValidateCounters)));
        assert_eq!(server.close_query_handle(&mut handle), Err(bad(Method::CloseQueryHandle)));
    }
}

#[test]
fn sizes_beyond_the_declared_ranges_are_faults() {
    let mut rig = Rig::new(usual());
    let query = open(&mut rig);
    let server = &mut rig.server;
    let beyond = |method: Method, max: u32| {
        Err::<Reply, _>(RpcFault::OutOfRange { method, found: u64::from(max) + 1, max })
    };
    let registration =
        |server: &mut dyn PerflibV2, size| server.query_registration_info("", guid(1), 1, 0, size);
    assert_eq!(server.enumerate_counter_set("", 257), beyond(Method::EnumerateCounterSet, 256));
    let method = Method::QueryCounterSetRegistrationInfo;
    assert_eq!(registration(server, 134_217_729), beyond(method, 134_217_728));
    let method = Method::EnumerateCounterSetInstances;
    assert_eq!(server.enumerate_instances("", guid(1), 67_108_865), beyond(method, 67_108_864));
    assert_eq!(server.query_counter_info(query, 67_108_865), beyond(Method::QueryCounterInfo, 67_108_864));
    let method = Method::QueryCounterData;
    assert_eq!(server.query_counter_data(query, 1_073_741_825), beyond(method, 1_073_741_824));
    let mut data = vec![0; 67_108_865];
    let fault = server.validate_counters(query, &mut data, 1).expect_err("too long").to_string();
    let expected =
        "dwInSize of PerflibV2ValidateCounters is 67108865: its declaration allows at most 67108864";
    assert_eq!(fault, expected);

    // The largest that are allowed.
    assert!(server.enumerate_counter_set("", 256).is_ok());
    assert!(registration(server, 134_217_728).is_ok());
    assert!(server.enumerate_instances("", guid(1), 67_108_864).is_ok());
    assert!(server.query_counter_info(query, 67_108_864).is_ok());
    assert!(server.query_counter_data(query, 1_073_741_824).is_ok());
}

#[test]
fn query_buffers_state_the_size_that_is_needed() {
    let mut rig = Rig::new(usual());
    let query = open(&mut rig);
    let empty = rig.server.query_counter_info(query, 0).expect("an answer");
    assert_eq!(empty, Reply::default(), "a query without counters has an empty list");
    let mut data = all_of(1);
    assert_eq!(rig.server.validate_counters(query, &mut data, 7), Ok(ReturnCode::SUCCESS));
    let calls: [fn(&mut Rig, QueryHandle, u32) -> Reply; 2] = [
        |rig, query, size| rig.server.query_counter_info(query, size).expect("an answer"),
        |rig, query, size| rig.server.query_counter_data(query, size).expect("an answer"),
    ];
    for call in calls {
        let whole = call(&mut rig, query, 4096);
        assert_eq!((whole.return_code, whole.out_size), (ReturnCode::SUCCESS, whole.rtn_size));
        let short = call(&mut rig, query, whole.rtn_size - 1);
        assert_failed(&short, ReturnCode::NOT_ENOUGH_MEMORY, whole.rtn_size);
        assert_eq!(call(&mut rig, query, whole.rtn_size).out_size, whole.rtn_size);
    }
    rig.script().is_failing = true;
    assert_failed(&rig.server.query_counter_data(query, 4096).expect("an answer"), READ_FAULT, 0);
}

#[test]
fn more_countersets_than_the_range_allows_cannot_be_enumerated() {
    let sets = (0..=255).chain([0]).map(|number| (counterset(number, 0, &[(1, RAWCOUNT)]), None));
    let mut rig = Rig::new(sets.collect());
    let reply = rig.server.enumerate_counter_set("", 256).expect("an answer");
    assert_failed(&reply, ReturnCode::NOT_ENOUGH_MEMORY, 257);
}
