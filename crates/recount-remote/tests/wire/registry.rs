//! The performance data of the remote registry.

use std::collections::BTreeMap;

use recount_pcq::conversation::AuthenticationLevel;
use recount_perf_data::DataBlock;
use recount_record::LiveSource;
use recount_remote::registry::{RegistryClient, Root, WINREG};
use recount_remote::rpc::RpcError;
use recount_remote::transport::Stream;
use recount_remote::{RemoteSource, Via};

use super::rig::{PASSWORD, Served, account, source};
use super::sessions::options;

fn registry(served: &Served, level: AuthenticationLevel) -> RegistryClient<Stream> {
    RegistryClient::new(served.bind_to(WINREG, level, account("LAB\\eve", PASSWORD)).expect("a binding"))
}

#[test]
fn blocks_are_equal() {
    let served = Served::new();
    let mut options = options(served.address.port());
    options.via = Via::Registry;
    let mut far = RemoteSource::connect(options, |_, _| true).expect("a connection");
    let mut near = source().expect("blocks");
    let mut blocks = BTreeMap::new();
    while let Some(taken) = near.take().expect("a block") {
        blocks.insert(taken.time, near.sample().to_vec());
    }
    let mut last = None;
    for _ in 0..10 {
        let taken = far.take().expect("a sample").expect("no end");
        assert_eq!(taken.num_unreadable, 0);
        assert_eq!(Some(far.sample()), blocks.get(&taken.time).map(Vec::as_slice));
        assert!(last < Some(taken.time));
        last = Some(taken.time);
    }
    assert_eq!(far.texts(), near.texts());
    assert_eq!(far.facts()["host"], "WEB1");
    assert!(far.facts()["source"].starts_with("HKEY_PERFORMANCE_DATA of 127.0.0.1:"));
}

#[test]
fn only_wanted_objects_are_asked_for() {
    let served = Served::new();
    let mut options = options(served.address.port());
    options.via = Via::Registry;
    let Err(error) = RemoteSource::connect(options, |name, _| name == "Thread") else { panic!("not there") };
    assert!(error.to_string().contains("there are: Memory, Process"), "{error}");
}

/// The answers that show which objects there are use up no sample; after the last one, the recording ends.
#[test]
fn a_replay_is_recorded_from_its_beginning_to_its_end() {
    let served = Served::new();
    for (via, wanted) in [(Via::Registry, true), (Via::Registry, false), (Via::Pcq, true), (Via::Pcq, false)]
    {
        let mut options = options(served.address.port());
        options.via = via;
        let mut far =
            RemoteSource::connect(options, move |name, _| wanted || name == "Memory").expect("a connection");
        let mut near = source().expect("blocks");
        while let Some(taken) = near.take().expect("a block") {
            let of_far = far.take().expect("a sample").expect("no end");
            assert_eq!(of_far.time, taken.time, "{via:?}, {wanted}");
        }
        for _ in 0..2 {
            assert_eq!(far.take().expect("no failure"), None, "{via:?}, {wanted}");
        }
    }
}

#[test]
fn a_wrong_password_is_named_so() {
    let served = Served::new();
    let mut options = options(served.address.port());
    options.via = Via::Registry;
    options.account = account("LAB\\eve", "battery staple");
    let Err(error) = RemoteSource::connect(options, |_, _| true) else { panic!("denied") };
    assert!(error.to_string().contains("access denied: wrong user or password"), "{error}");
}

#[test]
fn answers_have_the_objects_that_were_asked_for() {
    let served = Served::new();
    let mut registry = registry(&served, AuthenticationLevel::PKT_PRIVACY);
    let key = registry.open(Root::PerformanceData).expect("an answer").expect("a key");
    let mut indexes = |name: &str| {
        let answer = registry.query_value(key, name, 100_000).expect("an answer");
        let block = DataBlock::parse(&answer.data, 0).expect("a block");
        assert_eq!((answer.code, block.bytes().len()), (0, answer.data.len()));
        let objects = block.objects().map(|object| object.expect("an object").header().name_index);
        objects.collect::<Vec<_>>()
    };
    assert_eq!(indexes("Global"), [4, 230]);
    assert_eq!(indexes("Costly"), [0; 0]);
    assert_eq!(indexes("4"), [4]);
    assert_eq!(indexes("230"), [230]);
    assert_eq!(indexes("9 230 4"), [4, 230]);
}

/// A sample that was too long for its buffer isn't lost: the longer buffer gets it.
#[test]
fn buffers_grow() {
    let served = Served::new();
    let mut registry = registry(&served, AuthenticationLevel::PKT_PRIVACY);
    let key = registry.open(Root::PerformanceData).expect("an answer").expect("a key");
    let first = source().and_then(|mut near| near.take().map(|_| near.sample().to_vec())).expect("a block");
    let mut query = |max: usize| {
        let max = u32::try_from(max).expect("short");
        let answer = registry.query_value(key, "4 230", max).expect("an answer");
        (answer.code, answer.data)
    };
    assert_eq!(query(0), (234, Vec::new()));
    assert_eq!(query(first.len() - 1), (234, Vec::new()));
    assert_eq!(query(first.len()), (0, first.clone()));
    let (code, second) = query(100_000);
    assert_eq!(code, 0);
    assert_ne!(second, first);
}

#[test]
fn keys_and_values() {
    let served = Served::new();
    let mut registry = registry(&served, AuthenticationLevel::PKT_PRIVACY);
    let data = registry.open(Root::PerformanceData).expect("an answer").expect("a key");
    let text = registry.open(Root::PerformanceText).expect("an answer").expect("a key");
    let mut value = |key, name| registry.query_value(key, name, 10_000).expect("an answer");
    let names = value(data, "Counter 009");
    assert_eq!((names.code, names.kind), (0, 7));
    assert_eq!(value(text, "Counter"), names);
    for absent in ["Absent", "Explain 009", "Counter 007"] {
        assert_eq!(value(data, absent).code, 2, "{absent}");
    }
    assert_eq!(registry.close(text).expect("an answer"), 0);
    let error = registry.query_value(text, "Counter", 10_000).expect_err("closed");
    assert!(matches!(error, RpcError::Fault { status: 0x1C00_001A }), "{error}");
    let error = registry.open(Root::LocalMachine).expect_err("not served");
    assert!(matches!(error, RpcError::Fault { status: 0x1C01_0002 }), "{error}");
    for _ in 1..64 {
        registry.open(Root::PerformanceData).expect("an answer").expect("a key");
    }
    assert_eq!(registry.open(Root::PerformanceData).expect("an answer"), Err(1450));
}

#[test]
fn less_than_privacy_is_denied() {
    let served = Served::new();
    for level in [AuthenticationLevel::NONE, AuthenticationLevel::CONNECT, AuthenticationLevel::PKT_INTEGRITY]
    {
        let opened = registry(&served, level).open(Root::PerformanceData).expect("an answer");
        assert_eq!(opened, Err(5), "{level:?}");
    }
}
