//! The engine without a server: it gives the answers that the server gives.

use std::sync::Mutex;

use recount_view::{Align, Local, Reply};
use serde_json::{Value, json};

use crate::client::{Server, sample};
use crate::fixture;
use crate::values::log;

fn json_of(reply: &Reply) -> Value {
    serde_json::from_slice(&reply.bytes).expect("JSON")
}

/// What both answer once everything has been counted.
fn compare(path: &std::path::Path, questions: &[(&str, Value)]) {
    let paths = [path.to_path_buf()];
    let server = Server::counted(&paths);
    let local = Local::open(Server::opening(&paths, None, Align::Start, None)).expect("a capture");
    local.count(&|_| {});
    for name in ["capture", "report", "progress"] {
        let reply = local.answer(name, b"");
        assert_eq!(reply.status, 200, "{name}");
        assert_eq!(json_of(&reply), server.get(name), "{name}");
    }
    for (name, content) in questions {
        let reply = local.answer(name, content.to_string().as_bytes());
        assert_eq!(reply.status, 200, "{name}");
        assert_eq!(json_of(&reply), server.post(name, content), "{name}");
    }
}

#[test]
fn answers_are_those_of_the_server() {
    let directory = tempfile::tempdir().expect("a directory");
    let path = log(directory.path(), 2_100);
    let ms = |sample: u64| (fixture::time(sample) - recount::Timestamp::UNIX_EPOCH.0) as f64 / 1e4;
    let series = json!([{"path": r"\Process(nginx)\% Processor Time"}, {"path": r"\Memory\Available Bytes"}]);
    let points = |from: u64, to: u64| json!({"from": ms(from), "to": ms(to), "width": 300, "series": series, "wait": true});
    let span = json!({"object": "Process", "counter": "% Processor Time", "from": ms(10), "to": ms(900)});
    compare(
        &path,
        &[
            ("points", points(0, 2_099)),
            ("points", points(100, 160)),
            ("top", span),
            ("moved", json!({"from": ms(1_000), "to": ms(1_060)})),
            ("instances", json!({"object": "Process", "at": ms(500)})),
            ("command", json!({"charts": [{"series": series}], "from": ms(5), "to": ms(50)})),
        ],
    );
    for name in ["objects.blg", "sysstat.sa", "damaged.blg"] {
        compare(&sample(name), &[]);
    }
}

#[test]
fn what_takes_long_can_wait_for_the_counting() {
    let directory = tempfile::tempdir().expect("a directory");
    let paths = [log(directory.path(), 300)];
    let local = Local::open(Server::opening(&paths, None, Align::Start, None)).expect("a capture");
    assert!(local.should_wait("top", b"{}") && !local.should_wait("capture", b""));
    assert_eq!(json_of(&local.answer("capture", b""))["state"], "counting");
    assert_eq!(local.answer("report", b"").status, 503);
    let steps: Mutex<Vec<Value>> = Mutex::default();
    local.count(&|text| steps.lock().expect("steps").push(serde_json::from_slice(text).expect("JSON")));
    let steps = steps.into_inner().expect("steps");
    assert_eq!(steps.last().expect("a step")["state"], "done");
    assert!(steps.windows(2).all(|two| two[0]["progress"].as_f64() <= two[1]["progress"].as_f64()));
    assert!(!local.should_wait("top", b"{}"));
}

#[test]
fn what_it_cannot_do_is_refused() {
    let directory = tempfile::tempdir().expect("a directory");
    let path = log(directory.path(), 20);
    let before = std::fs::read(&path).expect("a log");
    let local = Local::open(Server::opening(std::slice::from_ref(&path), None, Align::Start, None))
        .expect("a capture");
    let refused = |name: &str, content: &[u8]| local.answer(name, content).status;
    assert_eq!(refused("mark", br#"{"text": "deploy", "at": null}"#), 409);
    assert_eq!((refused("quit", b""), refused("points", b"{"), refused("", b"")), (404, 400, 404));
    assert!(std::fs::read(&path).expect("a log") == before && !path.with_extension("rcap.marks").exists());
    assert!(local.save("blg", Box::new(std::io::sink())).is_err());
    for kind in ["csv", "parquet", "report"] {
        assert!(local.save(kind, Box::new(std::io::sink())).expect(kind).is_complete(), "{kind}");
    }
}
