//! What happened in a span.

use recount::{MovedOptions, moved, unwatched};
use serde_json::json;

use crate::client::{Server, sample};

/// Milliseconds since 1970.
fn ms(time: recount::Timestamp) -> f64 {
    (time.0 - recount::Timestamp::UNIX_EPOCH.0) as f64 / 1e4
}

#[test]
fn groups_are_those_of_the_command() {
    let path = sample("moved/disk-writer.rcap");
    let capture = recount::open(&path).expect("a capture");
    let span = "mark:nightly backup..mark+15s:nightly backup".parse().expect("a span");
    let options = MovedOptions { span, ..MovedOptions::default() };
    let expected = moved(&capture.timeline(), &options, &unwatched).expect("an answer");
    let server = Server::counted(&[path]);
    let answer = server.post("moved", &json!({"from": ms(expected.span.begin), "to": ms(expected.span.end)}));
    let groups = answer["groups"].as_array().expect("groups");
    assert!(!groups.is_empty() && groups.len() <= expected.groups.len());
    for (group, expected) in groups.iter().zip(&expected.groups) {
        assert_eq!(group["headline"], expected.headline);
        assert_eq!(group["series"][0]["path"], expected.leader.path);
        let from = group["from"].as_f64().expect("a time");
        assert!((from - ms(expected.leader.event.begin)).abs() < 1e-3, "{from}");
        assert_eq!(group["num_members"], expected.num_members);
    }
    let note = answer["notes"][0].as_str().expect("a note");
    assert!(note.contains(" against ") && note.contains(" moved, in "), "{note}");
    // The page's times are inexact: a begin that is a fraction of a microsecond too early is still that of its sample.
    let (from, to) = (ms(expected.span.begin) - 0.000_5, ms(expected.span.end) - 0.000_5);
    let inexact = server.post("moved", &json!({"from": from, "to": to}));
    assert_eq!((&inexact["groups"], &inexact["notes"]), (&answer["groups"], &answer["notes"]));
    // The time before, named.
    let against = [ms(expected.against.begin) - 1.0, ms(expected.against.end)];
    let named = server.post(
        "moved",
        &json!({"from": ms(expected.span.begin), "to": ms(expected.span.end), "against": against}),
    );
    assert_eq!(named["groups"], answer["groups"]);
    let whole = server.get("capture");
    let refused = server.ask("moved", &json!({"from": whole["begin_ms"], "to": whole["end_ms"]}));
    assert_eq!(refused.status, 404);
}
