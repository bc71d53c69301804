//! Another machine over a connection: `serve`, `list --host` and `record --host`.

#![cfg(feature = "remote")]

use std::io::{BufRead, BufReader, Read};
use std::path::Path;
use std::process::{Child, Command, Output, Stdio};

mod python;

/// What `serve` says when it doesn't start.
fn refused_serve(password: &Path) -> String {
    let output = Command::new(env!("CARGO_BIN_EXE_recount"))
        .args(["serve", "--live", "--user", "monitor", "--password-file"])
        .arg(password)
        .output()
        .expect("runs");
    assert_eq!(output.status.code(), Some(2));
    String::from_utf8_lossy(&output.stderr).into_owned()
}

fn make_private(file: &Path) {
    let mode = std::os::unix::fs::PermissionsExt::from_mode(0o600);
    std::fs::set_permissions(file, mode).expect("set");
}

const SERVE: [&str; 7] =
    ["serve", "--live", "--listen", "127.0.0.1:0", "--user", r"LAB\monitor", "--password-file"];

/// A server of this machine, which ends with the test.
struct Server {
    child: Child,
    address: String,
}

impl Server {
    fn start(password: &Path) -> Server {
        Server::run(Command::new(env!("CARGO_BIN_EXE_recount")).args(SERVE).arg(password))
    }

    /// With so few open files that strangers use them up.
    fn start_with_few_files(password: &Path) -> Server {
        let program = env!("CARGO_BIN_EXE_recount");
        let limited = ["-c", "ulimit -n 40 && exec \"$0\" \"$@\"", program];
        Server::run(Command::new("sh").args(limited).args(SERVE).arg(password))
    }

    fn run(command: &mut Command) -> Server {
        let mut child = command.stdout(Stdio::piped()).stderr(Stdio::piped()).spawn().expect("a server");
        let mut address = String::new();
        BufReader::new(child.stdout.take().expect("its output"))
            .read_line(&mut address)
            .expect("its address");
        Server { child, address: address.trim().to_owned() }
    }

    fn ask(&self, arguments: &[&str], password: &Path) -> Output {
        Command::new(env!("CARGO_BIN_EXE_recount"))
            .args(arguments)
            .args(["--host", &self.address, "--user", r"LAB\monitor", "--password-file"])
            .arg(password)
            .output()
            .expect("runs")
    }

    /// What it reported until it was ended.
    fn end(mut self) -> String {
        self.child.kill().expect("ended");
        let mut reported = String::new();
        self.child.stderr.take().expect("its reports").read_to_string(&mut reported).expect("text");
        self.child.wait().expect("ended");
        reported
    }
}

fn text(bytes: &[u8]) -> String {
    String::from_utf8_lossy(bytes).into_owned()
}

#[test]
fn a_machine_is_listed_and_recorded() {
    let folder = tempfile::tempdir().expect("a directory");
    let password = folder.path().join("password");
    std::fs::write(&password, "open sesame\n").expect("written");
    // Others can read it: refused.
    let refused = refused_serve(&password);
    assert!(refused.contains("other users can read the password"), "{refused}");
    make_private(&password);
    let server = Server::start(&password);

    let listed = server.ask(&["list"], &password);
    assert!(listed.status.success(), "{}", text(&listed.stderr));
    let counter = r"\Processor(_Total)\% Processor Time";
    assert!(text(&listed.stdout).contains(counter), "{}", text(&listed.stdout));
    assert_eq!(text(&listed.stderr), "");

    let log = folder.path().join("server.rcap");
    let name = log.to_str().expect("a name");
    let recorded =
        server.ask(&["record", "-o", name, "--for", "3s", "-c", "Processor", "-c", "Memory"], &password);
    assert!(recorded.status.success(), "{}", text(&recorded.stderr));
    let shown = Command::new(env!("CARGO_BIN_EXE_recount"))
        .args(["show", name, r"\Memory\Available Bytes", "--quiet"])
        .output()
        .expect("runs");
    assert!(shown.status.success(), "{}", text(&shown.stderr));
    assert_eq!(text(&shown.stdout).lines().count(), 2, "{}", text(&shown.stdout));
    let verified = Command::new(env!("CARGO_BIN_EXE_recount")).args(["verify", name]).output().expect("runs");
    assert!(verified.status.success(), "{}", text(&verified.stderr));
    assert!(!std::fs::read(&log).expect("the log").windows(11).any(|bytes| bytes == b"open sesame"));

    let wrong = folder.path().join("wrong");
    std::fs::write(&wrong, "close sesame\n").expect("written");
    make_private(&wrong);
    let denied = server.ask(&["list"], &wrong);
    assert_eq!(denied.status.code(), Some(2));
    let error = text(&denied.stderr);
    assert!(error.contains("access denied") && !error.contains("sesame"), "{error}");
    let reported = server.end();
    assert!(reported.contains("access denied") && !reported.contains("sesame"), "{reported}");
}

/// More silent connections than the server has places, or files.
#[test]
fn silent_strangers_do_not_end_a_server() {
    let folder = tempfile::tempdir().expect("a directory");
    let password = folder.path().join("password");
    // The NT hash of "Password" (MS-NLMP 4.2.2.1.2).
    std::fs::write(&password, "$NT$a4f49c406510bdcab6824ee7c30fd852\n").expect("written");
    make_private(&password);
    let plain = folder.path().join("plain");
    std::fs::write(&plain, "Password\n").expect("written");
    make_private(&plain);
    for (server, max_reports) in [(Server::start(&password), 0), (Server::start_with_few_files(&password), 1)]
    {
        let strangers: Vec<std::net::TcpStream> =
            (0..100).map(|_| std::net::TcpStream::connect(&server.address).expect("a connection")).collect();
        std::thread::sleep(std::time::Duration::from_secs(2));
        let listed = server.ask(&["list"], &plain);
        assert!(listed.status.success(), "{}", text(&listed.stderr));
        drop(strangers);
        let reported = server.end();
        assert!(reported.matches("can't accept a connection").count() <= max_reports, "{reported}");
    }
}

/// A server apart from our code: in Python, written from the document, with impacket's NTLM. What is recorded is what it
/// says that it sent; a wrong password and changed answers are refused.
#[test]
fn a_python_server_is_recorded_value_by_value() {
    let manifest = Path::new(env!("CARGO_MANIFEST_DIR"));
    let impacket = manifest.join("../recount-remote/tests/impacket");
    let folder = tempfile::tempdir().expect("a directory");
    let peer = python::Python::install(&impacket.join("requirements.txt"));
    peer.run(
        &impacket.join("pcq_server/peer.py"),
        &[Path::new(env!("CARGO_BIN_EXE_recount")), folder.path()],
    );
    let reader = python::Python::install(&manifest.join("tests/readers/requirements.txt"));
    reader.run(&impacket.join("pcq_server/check.py"), &[folder.path()]);
}
