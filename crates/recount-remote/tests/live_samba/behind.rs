//! Our server behind Samba's, and Samba's own clients of it.

use std::path::Path;
use std::process::Command;
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};

use recount_record::LiveSource;
use recount_remote::{RemoteOptions, RemoteSource, ServeOptions, Server, Via};

use crate::python::Python;
use crate::rig::{self, Served};
use crate::smbd::{PASSWORD, Samba, Winreg};

/// The Python that Samba's bindings are installed for.
const SYSTEM_PYTHON: &str = "/usr/bin/python3";

pub(crate) fn run(program: &str, arguments: &[&str]) -> String {
    let output = Command::new(program).args(arguments).output().unwrap_or_else(|error| {
        panic!("{program}: {error}: install Samba, and its Python bindings (python3-samba, python3-tdb)")
    });
    let (said, errors) = (String::from_utf8_lossy(&output.stdout), String::from_utf8_lossy(&output.stderr));
    assert!(output.status.success(), "{program} {arguments:?}: {said}{errors}");
    said.into_owned()
}

pub(crate) fn script(name: &str) -> String {
    Path::new(env!("CARGO_MANIFEST_DIR")).join("tests/samba").join(name).display().to_string()
}

fn quiet() -> Arc<dyn Fn(&str) + Send + Sync> {
    Arc::new(|_| {})
}

/// Runs `test` while our server has the pipe of a Samba.
fn behind(test: impl FnOnce(&Samba)) {
    let samba = Samba::with("", Winreg::Test, |_| {});
    let server = Server::behind_samba(&samba.folder.join("ncalrpc/np")).expect("the pipe is free");
    let options = ServeOptions::new(Arc::new(rig::source), "test", samba.account(PASSWORD));
    let end = AtomicBool::new(false);
    std::thread::scope(|scope| {
        let ended = &end;
        scope.spawn(move || server.serve(&options, ended, &quiet()).expect("serves"));
        let result = std::panic::catch_unwind(std::panic::AssertUnwindSafe(|| test(&samba)));
        end.store(true, Ordering::Relaxed);
        if let Err(panic) = result {
            std::panic::resume_unwind(panic);
        }
    });
}

#[test]
fn unmodified_clients_find_the_pipe() {
    behind(|samba| {
        let port = samba.port.to_string();
        let requirements = Path::new(env!("CARGO_MANIFEST_DIR")).join("tests/impacket/requirements.txt");
        let python = Python::install(&requirements);
        python.run(Path::new(&script("pipe.py")), &[port.as_str(), &samba.user, PASSWORD]);

        let user = format!("{}%{PASSWORD}", samba.user);
        let settings = samba.folder.join("smb.conf").display().to_string();
        let net = ["rpc", "registry", "getvalueraw", "HKPD", "Global", "-S", "127.0.0.1"];
        let there = ["-p", port.as_str(), "-U", user.as_str(), "-s", settings.as_str()];
        let said = run("net", &[&net[..], &there].concat());
        let len = said.split_whitespace().next().and_then(|len| len.parse::<usize>().ok());
        assert!(len.is_some_and(|len| len > 10_000), "{said}");
    });
}

/// By both protocols, the samples are those of the source.
#[test]
fn our_client_records_through_the_pipe() {
    behind(|samba| {
        let host = format!("smb://127.0.0.1:{}", samba.port).parse().expect("a host");
        let mut options = RemoteOptions::new(host, samba.account(PASSWORD));
        let mut far = RemoteSource::connect(options.clone(), |_, _| true).expect("a connection");
        far.take().expect("a sample").expect("no end");
        options.via = Via::Registry;
        let mut far = RemoteSource::connect(options, |_, _| true).expect("a connection");
        let mut near = rig::source().expect("blocks");
        let first = far.take().expect("a sample").expect("no end");
        while near.take().expect("a sample").is_some_and(|taken| taken.time < first.time) {}
        assert_eq!(far.sample(), near.sample());
    });
}

/// Users of Samba who aren't that of the account have to know its password.
#[test]
fn other_users_of_samba_are_denied() {
    let samba = Samba::with("", Winreg::Test, |_| {});
    let server = Server::behind_samba(&samba.folder.join("ncalrpc/np")).expect("the pipe is free");
    let options = ServeOptions::new(Arc::new(rig::source), "test", rig::account("somebody else", PASSWORD));
    let end = AtomicBool::new(false);
    std::thread::scope(|scope| {
        let ended = &end;
        scope.spawn(move || server.serve(&options, ended, &quiet()).expect("serves"));
        let host = format!("smb://127.0.0.1:{}", samba.port).parse().expect("a host");
        let mut options = RemoteOptions::new(host, samba.account(PASSWORD));
        options.via = Via::Registry;
        let denied = RemoteSource::connect(options, |_, _| true).map(drop);
        end.store(true, Ordering::Relaxed);
        let error = denied.expect_err("denied").to_string();
        assert!(error.contains("access denied"), "{error}");
    });
}

#[test]
fn sambas_client_calls_over_tcp() {
    let served = Served::new();
    let port = served.address.port().to_string();
    run(SYSTEM_PYTHON, &["-B", &script("client.py"), &port, "LAB\\eve", rig::PASSWORD]);
}
