//! Who it was, by script, cgroup and parent: a script of a unit, one of a container, a storm of short processes, and a child of a
//! shell that leaks. Needs root, cgroups of version 2 and Python.
#![cfg(target_os = "linux")]

use std::io::{BufRead as _, BufReader, Read as _, Write as _};
use std::net::TcpStream;
use std::path::{Path, PathBuf};
use std::process::{Child, Command, Stdio};
use std::time::Duration;

const ID: &str = "3f2504e04f8941d39a0c0305e82c33013f2504e04f8941d39a0c0305e82c3301";
const BURN: &str = "import time\nend = time.time() + 12\nwhile time.time() < end: pass\n";
const LEAK: &str =
    "import time\nkept = []\nfor _ in range(60):\n    kept.append(bytearray(4 << 20))\n    time.sleep(0.2)\n";
const STORM: &str = "end=$((SECONDS + 12))\nwhile [ $SECONDS -lt $end ]; do\n  /bin/ls / >/dev/null\ndone\n";

/// A cgroup, which is removed when this is dropped.
struct Cgroup(PathBuf);

impl Cgroup {
    fn new(name: &str) -> Cgroup {
        let mounts = std::fs::read_to_string("/proc/mounts").expect("mounts");
        let of_two = |line: &&str| line.split(' ').nth(2) == Some("cgroup2");
        let mount = mounts.lines().find(of_two).and_then(|line| line.split(' ').nth(1)).expect("cgroup2");
        let path = Path::new(mount).join(name);
        std::fs::create_dir_all(&path).expect("root may make cgroups");
        Cgroup(path)
    }

    /// Runs a command of the shell in it.
    fn run(&self, command: &str) -> Child {
        shell(&format!("echo $$ > {}/cgroup.procs && exec {command}", self.0.display()))
    }
}

impl Drop for Cgroup {
    fn drop(&mut self) {
        let _ = std::fs::remove_dir(&self.0);
    }
}

fn shell(command: &str) -> Child {
    Command::new("bash").args(["-c", command]).stdin(Stdio::null()).spawn().expect("a shell")
}

fn said(arguments: &[&str]) -> String {
    let done = Command::new(env!("CARGO_BIN_EXE_recount")).args(arguments).output().expect("running recount");
    assert!(done.status.success(), "{arguments:?}: {}", String::from_utf8_lossy(&done.stderr));
    String::from_utf8(done.stdout).expect("UTF-8")
}

#[test]
fn four_culprits_have_names() {
    recount_testdata::quiet_machine();
    let dir = tempfile::tempdir().expect("a directory");
    let script = |name: &str, text: &str| {
        let path = dir.path().join(name);
        std::fs::write(&path, text).expect("written");
        path.display().to_string()
    };
    let log = dir.path().join("who.rcap").display().to_string();
    let mut recorder = Command::new(env!("CARGO_BIN_EXE_recount"))
        .args(["record", "--quiet", "--interval", "1s", "--for", "18s", "-o", &log])
        .spawn()
        .expect("a recorder");
    std::thread::sleep(Duration::from_secs(2));
    let unit = Cgroup::new("recount-test-train.service");
    let container = Cgroup::new(&format!("docker-{ID}.scope"));
    let train = script("train_model.py", BURN);
    let serve = script("serve.py", BURN);
    let mut started = [
        unit.run(&format!("python3 {train} --epochs 3")),
        container.run(&format!("unshare --pid --fork python3 {serve}")),
        shell(&format!("bash {}; true", script("storm.sh", STORM))),
        shell(&format!("python3 {}; true", script("leak.py", LEAK))),
    ];
    let leaking_shell = u64::from(started[3].id());
    assert!(recorder.wait().expect("an end").success());
    for one in &mut started {
        let _ = one.kill();
        let _ = one.wait();
    }

    let capture = recount::open(&log).expect("a log");
    let found = capture.timeline().processes(&recount::unwatched).expect("not cancelled");
    let one = |part: &str| {
        let row = found.rows.iter().find(|row| row.shown().starts_with(part));
        let all = || found.rows.iter().map(recount::ProcessRow::shown).collect::<Vec<String>>().join("\n");
        row.unwrap_or_else(|| panic!("no {part} among\n{}", all()))
    };
    let trained = one("python3 train_model.py (pid ");
    assert!(trained.shown().ends_with(", recount-test-train.service)"), "{}", trained.shown());
    assert!(trained.cgroup().is_some_and(|path| path.ends_with("/recount-test-train.service")));
    assert!(trained.cpu_s[0].is_some_and(|seconds| seconds > 1.0), "{:?}", trained.cpu_s);
    let served = one("python3 serve.py (pid ");
    assert!(served.shown().ends_with(", 3f2504e04f89)"), "{}", served.shown());
    assert_eq!(served.container().as_deref(), Some(ID));
    assert_eq!(one("python3 leak.py (pid ").parent, Some(leaking_shell));

    in_top(&log);
    in_the_report(&log, &dir.path().join("who.html").display().to_string());
    #[cfg(feature = "sql")]
    in_sql(&log, leaking_shell);
    in_the_viewer(&log);
}

fn in_top(log: &str) {
    let tree = said(&["top", log, "--by", "tree"]);
    for group in [
        "python3 train_model.py of recount-test-train.service",
        "python3 serve.py",
        "ls below bash storm.sh",
        "python3 leak.py",
    ] {
        assert!(tree.lines().any(|line| line.starts_with(group)), "{group} in {tree}");
    }
    let containers = said(&["top", log, "--by", "container"]);
    assert!(containers.contains("3f2504e04f89"), "{containers}");
    let moment = said(&["top", log, "--at", "+8s"]);
    for name in ["train_model.py", "recount-test-train.service", "serve.py", "3f2504e04f89", "leak.py"] {
        assert!(moment.contains(name), "{name} in {moment}");
    }
}

/// The picture of programs, with the processes of each and what started them.
fn in_the_report(log: &str, page: &str) {
    said(&["report", log, "-o", page]);
    let page = std::fs::read_to_string(page).expect("written");
    for name in [
        "python3 train_model.py (pid ",
        ", recount-test-train.service)",
        "python3 serve.py (pid ",
        ", 3f2504e04f89)",
        "python3 leak.py",
        "ls below bash storm.sh",
    ] {
        assert!(page.contains(name), "{name}");
    }
}

#[cfg(feature = "sql")]
fn in_sql(log: &str, leaking_shell: u64) {
    let asked = |sql: &str| said(&["query", log, sql, "--format", "csv"]);
    let of = |name: &str| {
        asked(&format!("SELECT shown, cgroup, parent, container FROM _processes WHERE shown LIKE '%{name}%'"))
    };
    assert!(of("train_model.py").contains("/recount-test-train.service"), "{}", of("train_model.py"));
    assert!(of("serve.py").contains(ID), "{}", of("serve.py"));
    assert!(of("python3 leak.py").contains(&leaking_shell.to_string()), "{}", of("python3 leak.py"));
    let storm = asked("SELECT sum(count) AS num FROM _processes WHERE name = 'ls'");
    let num: u64 = storm.lines().nth(1).and_then(|num| num.parse().ok()).unwrap_or_default();
    assert!(num > 100, "{storm}");
    let rest = asked("SELECT cpu_s FROM _processes WHERE name = 'not attributed'");
    assert!(rest.lines().count() <= 2, "{rest}");
}

/// Asks the viewer's server as its page does.
fn in_the_viewer(log: &str) {
    let mut viewer = Command::new(env!("CARGO_BIN_EXE_recount"))
        .args(["view", "--no-open", log])
        .stdin(Stdio::null())
        .stdout(Stdio::piped())
        .spawn()
        .expect("a viewer");
    let mut url = String::new();
    BufReader::new(viewer.stdout.take().expect("its address")).read_line(&mut url).expect("a line");
    let (host, token) =
        url.trim().trim_start_matches("http://").split_once('/').expect("an address with a token");
    let token = token.trim_end_matches('/');
    let asked = |method: &str, what: &str, body: &str| {
        let mut stream = TcpStream::connect(host).expect("the server");
        let head = format!(
            "{method} /{token}/api/{what} HTTP/1.1\r\nHost: {host}\r\nOrigin: http://{host}\r\nContent-Type: application/json\r\n\
             Content-Length: {}\r\nConnection: close\r\n\r\n{body}",
            body.len()
        );
        stream.write_all(head.as_bytes()).expect("sent");
        let mut answer = String::new();
        stream.read_to_string(&mut answer).expect("an answer");
        answer
    };
    let capture = asked("GET", "capture", "");
    let number = |key: &str| {
        let rest = capture.split_once(&format!("\"{key}\":")).map_or("", |(_, rest)| rest);
        rest.split([',', '}']).next().unwrap_or_default().to_owned()
    };
    let top = asked(
        "POST",
        "top",
        &format!(
            r#"{{"object":"Process","counter":"% Processor Time","from":{},"to":{},"limit":1000}}"#,
            number("begin_ms"),
            number("end_ms")
        ),
    );
    viewer.kill().expect("it ends");
    viewer.wait().expect("an end");
    for name in [
        "python3 train_model.py (pid ",
        ", recount-test-train.service)",
        "python3 serve.py (pid ",
        ", 3f2504e04f89)",
        "python3 leak.py (pid ",
        "\"instance\":\"ls",
    ] {
        assert!(top.contains(name), "{name} in {top}");
    }
}
