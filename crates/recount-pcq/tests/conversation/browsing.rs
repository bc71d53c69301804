//! The client browses, and its buffers grow.

use recount_model::Timestamp;
use recount_pcq::conversation::{
    AuthenticationLevel, BrowsedSet, ClientError, Method, PerflibClient, PerflibServer, PerflibV2, RawValue,
    RpcFault,
};
use recount_pcq::{Guid, Instances, Message, ReturnCode, Text, request};

use super::script::{RAWCOUNT, Rig, counterset, guid, instance, usual};
use super::wire::{Unreachable, Wired};

#[test]
fn browsing_finds_everything_that_is_registered() {
    let sets = usual();
    let mut client = PerflibClient::new(Rig::new(usual()).server).with_machine("WEB1");
    let browser = client.browse().expect("a server");
    assert_eq!(browser.faults, []);
    assert_eq!(browser.sets.len(), sets.len());
    for (browsed, (info, _)) in browser.sets.iter().zip(&sets) {
        let ids = info.registration.counters.iter().map(|counter| counter.counter_id);
        let texts: Vec<_> = ids.zip(&info.counters).collect();
        let names: Vec<_> = texts.iter().map(|(id, texts)| (*id, texts.name.clone())).collect();
        let expected = BrowsedSet {
            guid: info.registration.set.guid,
            registration: Some(info.registration.clone()),
            local_name: Some(info.name.clone()),
            english_name: Some(info.name.clone()),
            description: Some(info.description.clone()),
            counter_names: names.clone(),
            english_counter_names: names,
            counter_descriptions: texts.iter().map(|(id, texts)| (*id, texts.description.clone())).collect(),
            provider_name: Some(info.provider_name.clone()),
            provider_guid: Some(info.provider_guid),
        };
        assert_eq!(*browsed, expected);
        assert_eq!(browsed.name(), info.name);
    }
    // The countersets, and for each the answers to all request codes except 2.
    assert_eq!(browser.answers.len(), 1 + sets.len() * 9);
}

#[test]
fn every_answer_is_a_message() {
    let time = Timestamp(133_602_480_000_000_000);
    let mut client = PerflibClient::new(Rig::new(usual()).server).with_clock(move || time);
    let answers = [
        client.enumerate_counter_set().expect("an answer"),
        client.registration_info(guid(1), request::COUNTER, 11).expect("an answer"),
        client.enumerate_instances(guid(1)).expect("an answer"),
        client.registration_info(guid(9), request::SET_NAME, 0x0409).expect("an answer"),
    ];
    let expected = [
        (Method::EnumerateCounterSet, 0, 0, Guid::default(), ReturnCode::SUCCESS, 48),
        (Method::QueryCounterSetRegistrationInfo, 2, 11, guid(1), ReturnCode::SUCCESS, 48),
        (Method::EnumerateCounterSetInstances, 0, 0, guid(1), ReturnCode::SUCCESS, 40),
        (Method::QueryCounterSetRegistrationInfo, 3, 0x0409, guid(9), ReturnCode::WMI_GUID_NOT_FOUND, 0),
    ];
    for (answer, (method, request_code, argument, guid, code, len)) in answers.iter().zip(expected) {
        let message = Message::parse(answer.bytes(), 0).expect("a message");
        assert_eq!(message, answer.message());
        let header = message.header;
        assert_eq!(
            (header.opnum, header.request_code, header.argument),
            (method.opnum(), request_code, argument)
        );
        assert_eq!((header.guid, header.return_code, header.query, header.time), (guid, code, 0, time));
        assert_eq!(message.buffer.len(), len);
    }
    let names: Vec<String> = Instances::parse(answers[2].buffer(), 0)
        .map(|instance| instance.expect("sound").name.to_string_lossy())
        .collect();
    assert_eq!(names, ["C:", "Data"]);
    let error = answers[3].read(Text::parse).expect_err("a failure").to_string();
    assert_eq!(error, "PerflibV2QueryCounterSetRegistrationInfo returned ERROR_WMI_GUID_NOT_FOUND");
}

#[test]
fn what_a_server_does_not_know_is_left_out() {
    let mut sets = usual();
    sets[0].0.provider_guid = Guid::default();
    let mut client = PerflibClient::new(Rig::new(sets).server);
    let browser = client.browse().expect("a server");
    let method = Method::QueryCounterSetRegistrationInfo;
    let fault = (guid(1), ClientError::Returned { method, code: ReturnCode::WMI_GUID_NOT_FOUND });
    assert_eq!(browser.faults, [fault.clone(), fault]);
    assert_eq!((&browser.sets[0].provider_name, browser.sets[0].provider_guid), (&None, None));
    assert_eq!(browser.sets[0].english_name.as_deref(), Some("Set 1"));
    // The failures are answers, too.
    assert_eq!(browser.answers.len(), 1 + 3 * 9);

    let mut client = PerflibClient::new(Rig::new(usual()).server);
    client.server().set_authentication_level(AuthenticationLevel::CONNECT);
    let denied =
        ClientError::Returned { method: Method::EnumerateCounterSet, code: ReturnCode::ACCESS_DENIED };
    assert_eq!(client.browse(), Err(denied.clone()));
    assert_eq!(
        client.open_query(),
        Err(ClientError::Returned { method: Method::OpenQueryHandle, code: ReturnCode::ACCESS_DENIED })
    );
}

#[test]
fn buffers_grow_with_the_answer() {
    let mut info = counterset(1, 2, &[(1, RAWCOUNT)]);
    info.description = "long ".repeat(50_000);
    let values = (0..2_000).map(|id| instance(&format!("instance {id}"), id, &[RawValue::Dword(id)]));
    let rig = Rig::new(vec![(info.clone(), Some(values.collect()))]);
    // More come while the client makes room.
    rig.script().after = Some(Box::new(|sets| {
        let set = sets[0].as_mut().expect("instances");
        let from = set.len() as u32;
        set.extend(
            (from..from + 50).map(|id| instance(&format!("instance {id}"), id, &[RawValue::Dword(id)])),
        );
    }));
    let mut client = PerflibClient::new(rig.server);
    let answer = client.registration_info(guid(1), request::SET_DESCRIPTION, 0).expect("an answer");
    let text = answer.read(Text::parse).expect("text").to_string_lossy();
    assert_eq!(text, info.description);
    let answer = client.enumerate_instances(guid(1)).expect("an answer");
    let num_instances = Instances::parse(answer.buffer(), 0).flatten().count();
    assert_eq!(num_instances, 2_050, "two calls");

    let mut client = client.with_max_answer(50_000);
    let error = client.enumerate_instances(guid(1)).expect_err("too long");
    let (method, needed, max) = match error {
        ClientError::TooLarge { method, needed, max } => (method, needed, max),
        other => panic!("{other}"),
    };
    assert_eq!((method, max), (Method::EnumerateCounterSetInstances, 50_000));
    assert!(needed > 60_000, "{needed}");
}

#[test]
fn queries_are_known_by_number() {
    let mut client = PerflibClient::new(Rig::new(usual()).server);
    let (first, second) = (client.open_query().expect("a query"), client.open_query().expect("a query"));
    assert_eq!((first, second), (1, 2));
    assert_eq!(client.close_query(first), Ok(()));
    assert_eq!(client.close_query(first), Err(ClientError::NoQuery { query: 1 }));
    assert_eq!(client.query_data(first), Err(ClientError::NoQuery { query: 1 }));
    assert_eq!(client.query_data(second).expect("an answer").message().header.query, 2);
    assert_eq!(client.open_query(), Ok(3));
    assert_eq!(client.server().num_queries(), 2);
    let server: &mut PerflibServer<_> = client.server();
    server.set_authentication_level(AuthenticationLevel::PKT);
    assert!(matches!(client.close_query(second), Err(ClientError::Returned { .. })));
    client.server().set_authentication_level(AuthenticationLevel::PKT_PRIVACY);
    assert_eq!(client.close_query(second), Ok(()));
}

#[test]
fn faults_of_the_transport_end_browsing() {
    let mut client = PerflibClient::new(Wired(Unreachable));
    let fault =
        RpcFault::Transport { method: Method::EnumerateCounterSet, what: "the pipe is broken".to_owned() };
    assert_eq!(client.browse(), Err(ClientError::Rpc(fault)));
}
