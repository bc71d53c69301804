//! `recount redact`

use super::run::{Outputs, recount, sample};

#[test]
fn names_are_replaced_with_the_key_of_a_file() {
    let outputs = Outputs::new();
    let key = outputs.write("names.key", "a key that is long enough");
    let redacted = |name: &str| {
        let path = outputs.path(name);
        let done = recount(&["redact", &sample("objects.blg"), "-o", &path, "--key-file", &key]).fine();
        assert!(done.contains(": names replaced: 1 host, "), "{done}");
        let shown = recount(&["list", &path, r"\Process(*)\ID Process"]).fine();
        assert!(!shown.contains("PACIFIC") && shown.contains("\\\\host-"), "{shown}");
        shown
    };
    assert_eq!(redacted("a.blg"), redacted("b.blg"));
    let kept = outputs.path("c.blg");
    recount(&["--quiet", "redact", &sample("objects.blg"), "-o", &kept, "--keep", "svc*"]).fine();
    let shown = recount(&["list", &kept, r"\Process(svchost)\*"]).fine();
    assert!(shown.contains("(svchost)") && !shown.contains("PACIFIC"), "{shown}");
}

#[test]
fn what_cannot_be_done_is_said() {
    let outputs = Outputs::new();
    let out = outputs.path("out");
    let error = recount(&["redact", &sample("sysstat.sa"), "-o", &out]).failed();
    assert!(error.contains("hint: recount convert it to Parquet or .blg first"), "{error}");
    let key = outputs.write("names.key", "short");
    let error = recount(&["redact", &sample("objects.blg"), "-o", &out, "--key-file", &key]).failed();
    assert!(error.contains("the key has 5 bytes, and needs 16 at least\nhint: "), "{error}");
    let error = recount(&["redact", &sample("objects.blg"), "-o", &out, "--key-file", &outputs.path("none")])
        .failed();
    assert!(error.contains("none: No such file"), "{error}");
    let error = recount(&["redact", &sample("objects.blg"), "-o", &out, "--key-file", "/dev/zero"]).failed();
    assert!(error.contains("/dev/zero: a key has at most 64 KiB"), "{error}");
    let key = outputs.write("names.key", "a key that is long enough");
    let error = recount(&["redact", &sample("objects.blg"), "-fo", &key, "--key-file", &key]).failed();
    assert!(error.contains("the key would be replaced"), "{error}");
    // A damaged capture is redacted as far as it can be read.
    let done = recount(&["redact", &sample("damaged.blg"), "-o", &out]);
    assert_eq!(done.code, Some(1), "{}", done.stderr);
}
