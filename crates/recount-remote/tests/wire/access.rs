//! Which clients are served, and with what protection.

use std::time::Duration;

use recount_pcq::conversation::{AuthenticationLevel, PerflibV2, QueryHandle};
use recount_pcq::{Guid, ReturnCode};
use recount_remote::rpc::{ClientOptions, RpcClient, RpcError, fault};
use recount_remote::transport::Stream;
use recount_remote::{INTERFACE, RemotePerflib};

use super::rig::{PASSWORD, Served, account};

#[test]
fn less_than_privacy_is_denied_by_every_method() {
    let served = Served::new();
    for level in [
        AuthenticationLevel::NONE,
        AuthenticationLevel::CONNECT,
        AuthenticationLevel::PKT,
        AuthenticationLevel::PKT_INTEGRITY,
    ] {
        let bound = served.bind(level, account("LAB\\eve", PASSWORD)).expect("a binding");
        let mut far = RemotePerflib::new(bound);
        let replies = [
            far.enumerate_counter_set("", 256),
            far.query_registration_info("", Guid::default(), 1, 0, 100),
            far.enumerate_instances("", Guid::default(), 100),
        ];
        for reply in replies {
            assert_eq!(reply.expect("an answer").return_code, ReturnCode::ACCESS_DENIED, "{level:?}");
        }
        let opened = far.open_query_handle("");
        assert_eq!(opened, Ok((ReturnCode::ACCESS_DENIED, QueryHandle::NULL)), "{level:?}");
    }
}

#[test]
fn wrong_users_and_passwords_are_denied() {
    let served = Served::new();
    for (name, password) in
        [("LAB\\eve", "battery staple"), ("LAB\\adam", PASSWORD), ("OTHER\\eve", PASSWORD), ("LAB\\eve", "")]
    {
        let bound = served.bind(AuthenticationLevel::PKT_PRIVACY, account(name, password));
        // The binding is accepted before the password is known; the first call is not.
        let answer = bound.and_then(|mut rpc| rpc.call(0, &[0; 4], 1_000));
        match answer {
            Err(error @ RpcError::Fault { status: fault::ACCESS_DENIED }) => {
                assert!(!error.to_string().contains(password) || password.is_empty(), "{error}");
            }
            other => panic!("{name}: {other:?}"),
        }
    }
    assert!(served.perflib().enumerate_counter_set("", 256).is_ok());
    let lower = served.bind(AuthenticationLevel::PKT_PRIVACY, account("lab\\EVE", PASSWORD));
    assert!(RemotePerflib::new(lower.expect("a binding")).enumerate_counter_set("", 256).is_ok());
}

#[test]
fn other_interfaces_and_methods_are_refused() {
    let served = Served::new();
    let mut rpc =
        served.bind(AuthenticationLevel::PKT_PRIVACY, account("LAB\\eve", PASSWORD)).expect("a binding");
    let status = |answer: Result<_, RpcError>| match answer {
        Err(RpcError::Fault { status }) => status,
        other => panic!("{:?}", other.map(|(bytes, _): (Vec<u8>, _)| bytes)),
    };
    assert_eq!(status(rpc.call(8, &[], 100)), fault::OP_RANGE);
    assert_eq!(status(rpc.call(0xFFFF, &[], 100)), fault::OP_RANGE);
    // Parameters that are cut off, contradict each other, or are followed by others.
    let mut enumerate = vec![1, 0, 0, 0, 0, 0, 0, 0, 1, 0, 0, 0, 0, 0, 0, 0, 0, 1, 0, 0];
    assert!(rpc.call(0, &enumerate, 10_000).is_ok());
    for cut in 0..enumerate.len() {
        assert_eq!(status(rpc.call(0, &enumerate[..cut], 100)), fault::BAD_STUB_DATA, "{cut}");
    }
    enumerate.extend([0; 8]);
    assert_eq!(status(rpc.call(0, &enumerate, 100)), fault::BAD_STUB_DATA);
    enumerate.truncate(20);
    enumerate[8] = 9;
    assert_eq!(status(rpc.call(0, &enumerate, 100)), fault::BAD_STUB_DATA);
    assert_eq!(status(rpc.call(0, &vec![0; 100_000], 100)), fault::BAD_STUB_DATA, "in fragments");
}

#[test]
fn calls_within_spnego() {
    let served = Served::new();
    let bind = |level, password| {
        let timeout = Duration::from_secs(20);
        let transport = Stream::connect("127.0.0.1", served.address.port(), timeout).expect("a connection");
        let account = Some(account("LAB\\eve", password));
        RpcClient::bind(
            transport,
            &ClientOptions { interface: INTERFACE, level, spnego: true, account, timeout },
        )
    };
    for (level, code) in [
        (AuthenticationLevel::PKT_PRIVACY, ReturnCode::SUCCESS),
        (AuthenticationLevel::PKT_INTEGRITY, ReturnCode::ACCESS_DENIED),
    ] {
        let mut far = RemotePerflib::new(bind(level, PASSWORD).expect("a binding"));
        let reply = far.enumerate_counter_set("", 256).expect("an answer");
        assert_eq!(reply.return_code, code, "{level:?}");
    }
    let wrong = bind(AuthenticationLevel::PKT_PRIVACY, "battery staple");
    assert!(wrong.and_then(|mut rpc| rpc.call(0, &[0; 4], 1_000)).is_err());
}
