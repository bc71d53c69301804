//! Refused requests, and failures.

use std::io::Write;
use std::path::PathBuf;

use recount_view::{Align, Opener, Opening};
use serde_json::{Value, json};

use crate::client::{Server, sample};
use crate::fixture;
use crate::values::log;

fn server() -> Server {
    Server::counted(&[sample("objects.blg")])
}

fn error(body: &[u8]) -> String {
    let body: Value = serde_json::from_slice(body).expect("JSON");
    body["error"].as_str().expect("a sentence").to_owned()
}

#[test]
fn strangers_get_nothing() {
    let server = server();
    let (host, own) = (server.host(), format!("http://{}", server.host()));
    let capture = format!("/{}/api/capture", server.token);
    let get = |path: &str, headers: &[(&str, &str)]| server.request("GET", path, headers, b"");
    let reply = get(&capture, &[("Host", &host)]);
    assert_eq!(reply.status, 200);
    let head = reply.head.to_lowercase();
    assert!(
        head.contains("cache-control: no-store") && head.contains("x-content-type-options: nosniff"),
        "{head}"
    );
    assert!(
        head.contains("content-security-policy: default-src 'none'")
            && head.contains("referrer-policy: no-referrer")
    );
    assert!(!head.contains("access-control"), "{head}");
    let mut wrong = server.token.clone();
    let last = wrong.pop();
    wrong.push(if last == Some('0') { '1' } else { '0' });
    for path in [
        format!("/{wrong}/api/capture"),
        "/".to_owned(),
        "/api/capture".to_owned(),
        format!("/{}", &server.token[1..]),
    ] {
        let reply = get(&path, &[("Host", &host)]);
        assert_eq!((reply.status, error(&reply.body)), (404, "there is nothing here".to_owned()), "{path}");
    }
    let port = server.port;
    for host in [
        "evil.example".to_owned(),
        format!("evil.example:{port}"),
        "127.0.0.1".to_owned(),
        format!("127.0.0.1.evil:{port}"),
    ] {
        assert_eq!(get(&capture, &[("Host", &host)]).status, 403, "{host}");
    }
    assert_eq!(get(&capture, &[("Host", &host), ("Origin", "http://evil.example")]).status, 403);
    assert_eq!(get(&capture, &[("Host", &host), ("Origin", &own)]).status, 200);
    let points = format!("/{}/api/points", server.token);
    let post = |headers: &[(&str, &str)]| server.request("POST", &points, headers, b"{}").status;
    assert_eq!(post(&[("Host", &host)]), 403);
    assert_eq!(post(&[("Host", &host), ("Origin", "null")]), 403);
    assert_eq!(post(&[("Host", &host), ("Origin", &own)]), 400);
    // The machine's own name is another address.
    assert_eq!(get(&capture, &[("Host", &format!("localhost:{port}"))]).status, 200);
}

#[test]
fn requests_that_are_no_requests() {
    let server = server();
    let host = ("Host", &*server.host());
    let path = |name: &str| format!("/{}/api/{name}", server.token);
    assert_eq!(server.request("GET", &path("points"), &[host], b"").status, 405);
    assert_eq!(server.request("GET", &path("nothing"), &[host], b"").status, 404);
    let window = |series: Value| json!({"from": 0, "to": 1, "width": 10, "series": series});
    for (body, told) in [
        (json!({"from": 0}), "the request isn't understood"),
        (json!([]), "the request isn't understood"),
        (json!({"from": 1, "to": 0, "width": 10, "series": []}), "the span ends before it begins"),
        (json!({"from": 1e300, "to": 2e300, "width": 10, "series": []}), "must be times in milliseconds"),
        (json!({"from": 0, "to": 1, "width": 0, "series": []}), "a width is"),
        (json!({"from": 0, "to": 1, "width": 99_999_999, "series": []}), "a width is"),
        (window((0..65).map(|_| json!({"path": "x"})).collect()), "at most 64 series"),
    ] {
        let reply = server.ask("points", &body);
        assert_eq!(reply.status, 400, "{body}");
        assert!(error(&reply.body).contains(told), "{}", error(&reply.body));
    }
    let hostile = [
        r"\\",
        r"\",
        "",
        r"\Process(",
        r"\Process()\",
        r"\\PACIFIC",
        r"\Process(a)\b)\c",
        "\u{202e}",
        r"\\PACIFIC\Memory\x",
    ];
    let answer =
        server.post("points", &window(hostile.map(|path| json!({"path": path})).into_iter().collect()));
    let answers = answer["series"].as_array().expect("a list");
    assert_eq!(answers.len(), hostile.len());
    assert!(answers.iter().all(|answer| answer["error"] == "no such series"), "{answer}");
    let broken = server.request(
        "POST",
        &path("points"),
        &[host, ("Origin", &format!("http://{}", server.host()))],
        b"{\"from\":",
    );
    assert_eq!((broken.status, error(&broken.body).contains("isn't understood")), (400, true));
    let deep = "[".repeat(100_000);
    let deep = server.request(
        "POST",
        &path("points"),
        &[host, ("Origin", &format!("http://{}", server.host()))],
        deep.as_bytes(),
    );
    assert_eq!(deep.status, 400);
    let large = server.ask("query", &json!({"sql": "x".repeat(1 << 20)}));
    assert_eq!(large.status, 413);
    let lies = format!(
        "POST {} HTTP/1.1\r\nHost: {}\r\nOrigin: http://{}\r\nConnection: close\r\nContent-Length: 99999999999\r\n\r\n{{}}",
        path("points"),
        server.host(),
        server.host()
    );
    assert_eq!(server.raw(lies.as_bytes()).status, 413);
    let long = format!("GET /{} HTTP/1.1\r\nHost: {}\r\n\r\n", "x".repeat(200_000), server.host());
    assert!(matches!(server.raw(long.as_bytes()).status, 414 | 431));
}

/// Connections without a request don't keep others waiting.
#[test]
fn half_open_connections() {
    let server = server();
    let half = |_| {
        let mut stream = server.connect();
        stream.write_all(b"GET / HTTP/1.1\r\nHost: ").expect("a part of a head");
        stream
    };
    let streams: Vec<_> = (0..300).map(half).collect();
    // Answered while all of them are open.
    assert!(server.get("progress")["version"].is_u64());
    drop(streams);
}

#[test]
fn two_clients_and_one_that_leaves() {
    let directory = tempfile::tempdir().expect("a directory");
    let server = Server::of(&[log(directory.path(), 3_000)]);
    let window = json!({
        "from": (fixture::time(0) - recount_model::Timestamp::UNIX_EPOCH.0) / 10_000,
        "to": (fixture::time(2_999) - recount_model::Timestamp::UNIX_EPOCH.0) / 10_000 + 1, "width": 700, "wait": true,
        "series": [{"path": r"\Process(svchost#1)\% Processor Time"}, {"path": r"\Memory\Page Faults/sec"}],
    });
    let path = format!("/{}/api/points", server.token);
    let text = window.to_string();
    for len in [3, text.len() / 2, text.len()] {
        // In the middle of the request, or before the answer.
        let mut stream = server.connect();
        let head = format!(
            "POST {path} HTTP/1.1\r\nHost: {0}\r\nOrigin: http://{0}\r\nContent-Length: {1}\r\n\r\n{2}",
            server.host(),
            text.len(),
            &text[..len]
        );
        stream.write_all(head.as_bytes()).expect("sent");
        drop(stream);
    }
    let expected = server.post("points", &window);
    std::thread::scope(|scope| {
        let ask = || (0..5).map(|_| server.post("points", &window)).collect::<Vec<_>>();
        let clients: Vec<_> = (0..4).map(|_| scope.spawn(ask)).collect();
        for client in clients {
            assert!(client.join().expect("answers").iter().all(|answer| *answer == expected));
        }
    });
}

#[test]
fn commands_print_what_is_on_screen() {
    let server = server();
    let capture = server.get("capture");
    let begin = capture["begin_ms"].as_f64().expect("a time");
    let request = json!({
        "charts": [{"series": [{"side": 0, "path": r"\\PACIFIC\Process(it's)\ID Process"}]}],
        "from": begin + 31_000.0, "to": capture["end_ms"], "sql": "select 1",
    });
    let answer = server.post("command", &request);
    let commands: Vec<&str> =
        answer["commands"].as_array().expect("a list").iter().filter_map(Value::as_str).collect();
    let file = sample("objects.blg");
    let file = file.display();
    assert_eq!(
        commands[0],
        format!(r"recount show {file} '\\PACIFIC\Process(it'\''s)\ID Process' --begin 2013-02-20T10:00:31Z")
    );
    assert!(
        commands[1].starts_with("recount stats ") && commands[2].starts_with("recount report "),
        "{commands:?}"
    );
    assert_eq!(commands[3], format!("recount query {file} 'select 1'"));
}

/// The commands for a series of the first side, over all its time.
fn commands_of(opening: Opening, path: &str) -> Vec<String> {
    let server = Server::opened(opening);
    let capture = server.get("capture");
    let charts = json!([{"series": [{"side": 0, "path": path}]}]);
    let request =
        json!({ "charts": charts, "from": capture["begin_ms"], "to": capture["end_ms"], "sql": "select 1" });
    serde_json::from_value(server.post("command", &request)["commands"].clone()).expect("texts")
}

#[test]
fn commands_read_as_the_viewer_does() {
    let (sa, beside) = (sample("sysstat.sa"), sample("circular.blg"));
    let path = r"\Processor(_Total)\% Processor Time";
    let opening = |paths: &[PathBuf]| Server::opening(paths, None, Align::Start, None);
    let in_english = || -> Opener {
        let paths = [sample("sysstat.sa")];
        Box::new(move || {
            let captures = recount::open_all(&paths, &recount::NameTable::new())?;
            Ok(captures.into_iter().map(recount::Capture::in_english).collect())
        })
    };
    let reading = vec!["--zone".to_owned(), "+03:00".to_owned()];
    let shown = sa.display();
    let renamed = Opening { open: in_english(), reading, ..opening(std::slice::from_ref(&sa)) };
    assert_eq!(
        commands_of(renamed, path),
        [
            format!(r"recount show {shown} '{path}' --names windows --zone +03:00"),
            format!(r"recount stats {shown} -c '{path}' --names windows --zone +03:00"),
            format!("recount report {shown} -o report.html --names windows --zone +03:00"),
            format!("recount query {shown} --names windows --zone +03:00 'select 1'"),
        ]
    );
    // What has its times moved is in no list of captures.
    let shift = Some("-1h 30m".to_owned());
    let moved = Opening { beside: vec![beside.clone()], shift, ..opening(std::slice::from_ref(&sa)) };
    let with = format!("{shown} --with {} --shift '-1h 30m'", beside.display());
    assert_eq!(
        commands_of(moved, path),
        [format!("recount report {with} -o report.html"), format!("recount query {with} 'select 1'")]
    );
    let together = Opening { beside: vec![beside.clone()], ..opening(std::slice::from_ref(&sa)) };
    assert_eq!(
        commands_of(together, path)[0],
        format!("recount stats {shown} {} -c '{path}'", beside.display())
    );
}

#[test]
fn it_ends_when_told_to() {
    let server = server();
    let report = server.get("report");
    let html = report["html"].as_str().expect("a text");
    assert!(html.contains("id=\"health\"") && !html.contains("<script"), "{html}");
    assert!(report["blob"].as_str().is_some_and(|blob| blob.len() > 100));
    let reply = server.ask("quit", &json!({}));
    assert_eq!((reply.status, reply.body.len()), (204, 0));
    server.until(|server| std::net::TcpStream::connect(("127.0.0.1", server.port)).is_err());
}
