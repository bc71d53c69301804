//! Our SMB client and remote registry against a real Samba: every dialect and cipher, the pipe, registry values, refusals.

#![cfg(unix)]

mod behind;
mod filled;
#[path = "../../../recount-cli/tests/python/mod.rs"]
mod python;
#[path = "../wire/rig.rs"]
#[expect(dead_code, reason = "the tests of our own client use the rest")]
mod rig;
mod smbd;
mod tap;

use std::time::Duration;

use recount_pcq::conversation::AuthenticationLevel;
use recount_remote::registry::{RegistryClient, Root, WINREG};
use recount_remote::rpc::{ClientOptions, RpcClient, RpcError};
use recount_remote::smb::{SmbError, SmbPipe, SmbServer};
use recount_remote::transport::{Stream, Transport};
use recount_remote::{Account, RemoteError, RemoteOptions, RemoteSource, Via};
use smbd::{PASSWORD, Samba};
use tap::Tap;

const TIMEOUT: Duration = Duration::from_secs(20);

fn open(port: u16, account: &Account, pipe: &str) -> Result<SmbPipe<Stream>, SmbError> {
    let tcp = Stream::connect("127.0.0.1", port, TIMEOUT).expect("a connection");
    SmbPipe::open(tcp, &SmbServer { name: "127.0.0.1", pipe, account })
}

fn registry<T: Transport>(pipe: T, account: Option<Account>) -> Result<RegistryClient<T>, RpcError> {
    let level = if account.is_some() { AuthenticationLevel::PKT_PRIVACY } else { AuthenticationLevel::NONE };
    let options = ClientOptions { interface: WINREG, level, spnego: false, account, timeout: TIMEOUT };
    RpcClient::bind(pipe, &options).map(RegistryClient::new)
}

const VERSION: &str = r"SOFTWARE\Microsoft\Windows NT\CurrentVersion";

/// A value that every Samba has.
fn current_version<T: Transport>(registry: &mut RegistryClient<T>) -> Result<String, RpcError> {
    let local_machine = registry.open(Root::LocalMachine)?.expect("a key");
    let key = registry.open_key(local_machine, VERSION)?.expect("a key");
    let value = registry.query_value(key, "CurrentVersion", 1_000)?;
    assert_eq!((value.code, value.kind), (0, 1));
    assert_eq!(registry.close(key)?, 0);
    let units: Vec<u16> =
        value.data.as_chunks::<2>().0.iter().map(|unit| u16::from_le_bytes(*unit)).collect();
    Ok(String::from_utf16(&units).expect("text"))
}

#[test]
fn every_dialect_and_cipher() {
    for (settings, is_encrypted) in [
        ("server min protocol = SMB2_02\nserver max protocol = SMB2_02\nserver signing = mandatory", false),
        ("server max protocol = SMB2_10", false),
        ("server max protocol = SMB3_00", true),
        ("server max protocol = SMB3_02\nserver smb encrypt = required", true),
        ("server smb encrypt = off\nserver signing = mandatory", false),
        ("server smb encrypt = required", true),
        ("server smb3 encryption algorithms = AES-128-CCM\nserver smb encrypt = required", true),
        ("server smb3 encryption algorithms = AES-256-GCM\nserver smb encrypt = required", true),
        ("server smb3 encryption algorithms = AES-256-CCM\nserver smb encrypt = required", true),
    ] {
        let samba = Samba::start(settings);
        let account = samba.account(PASSWORD);
        let tap = Tap::new(samba.port);
        for protection in [None, Some(account.clone())] {
            let pipe = open(tap.port, &account, "winreg").expect(settings);
            let mut registry = registry(pipe, protection).expect(settings);
            assert_eq!(current_version(&mut registry).expect(settings), "6.1\0", "{settings}");
        }
        // Without a protected RPC, what the pipe carries can be read unless SMB encrypts it.
        let name: Vec<u8> = VERSION.encode_utf16().flat_map(u16::to_le_bytes).collect();
        assert_eq!(!tap.has_seen(&name), is_encrypted, "{settings}");
    }
}

#[test]
fn values_of_the_registry() {
    let samba = Samba::start("");
    let account = samba.account(PASSWORD);
    let pipe = open(samba.port, &account, "winreg").expect("a pipe");
    let mut registry = registry(pipe, Some(account)).expect("a binding");
    let local_machine = registry.open(Root::LocalMachine).expect("an answer").expect("a key");
    let key = registry.open_key(local_machine, VERSION).expect("an answer").expect("a key");
    let query = |registry: &mut RegistryClient<_>, name, max| {
        let answer = registry.query_value(key, name, max).expect("an answer");
        (answer.code, answer.data.len())
    };
    assert_eq!(query(&mut registry, "SystemRoot", 4), (234, 0));
    assert_eq!(query(&mut registry, "SystemRoot", 22), (0, 22));
    assert_eq!(query(&mut registry, "SystemRoot", 100_000), (0, 22));
    assert_eq!(query(&mut registry, "Absent", 100), (2, 0));
    assert_eq!(registry.open_key(local_machine, r"SOFTWARE\Absent").expect("an answer"), Err(2));
    assert_eq!(registry.close(key).expect("an answer"), 0);
    // A closed handle can't be used.
    let error = registry.query_value(key, "SystemRoot", 100).expect_err("closed");
    assert!(error.to_string().contains("doesn't know the handle"), "{error}");
}

/// Samba without counters answers with blocks of no bytes.
#[test]
fn performance_data_that_nobody_feeds() {
    let samba = Samba::start("");
    let account = samba.account(PASSWORD);
    let pipe = open(samba.port, &account, "winreg").expect("a pipe");
    let mut registry = registry(pipe, Some(account.clone())).expect("a binding");
    let key = registry.open(Root::PerformanceData).expect("an answer").expect("a key");
    for (value, code) in [("Global", 0), ("Counter 009", 0), ("Costly", 2)] {
        let answer = registry.query_value(key, value, 65_536).expect("an answer");
        assert_eq!((answer.code, answer.data.len()), (code, 0), "{value}");
    }
    let host = format!("smb://127.0.0.1:{}", samba.port).parse().expect("a host");
    let mut options = RemoteOptions::new(host, account);
    options.via = Via::Registry;
    let Err(error) = RemoteSource::connect(options.clone(), |_, _| true) else { panic!("no counters") };
    assert!(error.to_string().contains("PERF_DATA_BLOCK"), "{error}");
    options.via = Via::Pcq;
    let Err(error) = RemoteSource::connect(options, |_, _| true) else { panic!("no MS-PCQ") };
    assert!(matches!(error, RemoteError::Bind { .. }), "{error}");
}

#[test]
fn refusals_say_why() {
    let samba = Samba::start("map to guest = bad password\nserver signing = mandatory");
    let strict = Samba::start("");
    let error = |samba: &Samba, password, pipe| {
        let Err(error) = open(samba.port, &samba.account(password), pipe) else { panic!("refused") };
        let text = error.to_string();
        assert!(!text.contains(password), "{text}");
        text
    };
    let wrong = error(&strict, "battery staple", "winreg");
    assert_eq!(wrong, "SMB SESSION_SETUP: the server answered 0xc000006d (wrong user or password)");
    let guest = error(&samba, "battery staple", "winreg");
    assert!(guest.contains("guest"), "{guest}");
    let absent = error(&strict, PASSWORD, "absent");
    assert!(absent.contains("SMB CREATE") && absent.contains("no such pipe"), "{absent}");
}
