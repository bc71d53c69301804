//! The client with a server that refuses whole methods.

use recount_pcq::conversation::{
    AuthenticationLevel, ClientError, Method, PerflibClient, PerflibServer, PerflibV2, ServerLimits,
};
use recount_pcq::{ANY_COUNTER, ANY_INSTANCE, CounterIdentifierBuf, ReturnCode};

use super::script::{Rig, guid, usual};

fn client_of(limits: ServerLimits) -> PerflibClient<PerflibServer<super::script::Scripted>> {
    PerflibClient::new(Rig::with_limits(usual(), limits).server)
}

fn everything(number: u8) -> CounterIdentifierBuf {
    CounterIdentifierBuf::new(guid(number), ANY_COUNTER, 0, ANY_INSTANCE)
}

fn returned<V: std::fmt::Debug>(result: Result<V, ClientError>) -> (Method, ReturnCode) {
    match result.expect_err("a refusal") {
        ClientError::Returned { method, code } => (method, code),
        other => panic!("{other}"),
    }
}

#[test]
fn a_query_that_is_not_opened_is_an_error() {
    let mut full = client_of(ServerLimits { num_handles: 1, ..ServerLimits::default() });
    let query = full.open_query().expect("room for one");
    assert_eq!(returned(full.open_query()), (Method::OpenQueryHandle, ReturnCode::NO_SYSTEM_RESOURCES));
    full.close_query(query).expect("closed");
    full.open_query().expect("room again");

    let mut poor = client_of(ServerLimits { len_memory: 1, ..ServerLimits::default() });
    assert_eq!(returned(poor.open_query()), (Method::OpenQueryHandle, ReturnCode::OUT_OF_MEMORY));
}

#[test]
fn counters_that_are_not_taken_as_a_whole_are_reported_as_a_whole() {
    let mut client = client_of(ServerLimits { len_memory: 4_000, ..ServerLimits::default() });
    let query = client.open_query().expect("room");
    let (statuses, _) = client.add(query, &[everything(1)]).expect("room");
    assert_eq!(statuses, [ReturnCode::SUCCESS]);
    // More at once than the server has room for.
    let many = vec![everything(1); 200];
    let refused = client.add(query, &many);
    assert_eq!(returned(refused), (Method::ValidateCounters, ReturnCode::OUT_OF_MEMORY));

    client.server().set_authentication_level(AuthenticationLevel::PKT_INTEGRITY);
    let denied = client.remove(query, &[everything(1)]);
    assert_eq!(returned(denied), (Method::ValidateCounters, ReturnCode::ACCESS_DENIED));
    client.server().set_authentication_level(AuthenticationLevel::PKT_PRIVACY);

    // An empty buffer is shorter than one identifier.
    assert_eq!(returned(client.add(query, &[])), (Method::ValidateCounters, ReturnCode::INVALID_PARAMETER));
    // Earlier additions are kept.
    assert_eq!(client.query_data(query).expect("values").blocks().expect("sound").len(), 1);
}
