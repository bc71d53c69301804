//! `recount dump`

use super::run::{recount, recount_with_input, sample};

#[test]
fn damage_stands_out_and_is_a_finding() {
    let done = recount(&["dump", &sample("damaged.blg")]);
    assert_eq!((done.code, done.stderr.as_str()), (Some(1), ""));
    let amiss: Vec<&str> = done.stdout.lines().filter(|line| line.starts_with('!')).collect();
    assert!(amiss.iter().any(|line| line.contains("PERF_DATA_BLOCK.Signature at byte 0x")), "{amiss:?}");
    assert!(
        amiss.iter().any(|line| line.contains("bytes of events are missing at the end of the file")),
        "{amiss:?}"
    );
}

#[test]
fn standard_input_is_dumped() {
    let bytes = std::fs::read(sample("big-endian.bin")).expect("a file");
    let (code, text) = recount_with_input(&["dump", "-"], bytes);
    let text = String::from_utf8(text).expect("UTF-8");
    assert_eq!((code, text), (Some(0), recount(&["dump", &sample("big-endian.bin")]).fine()));
}

#[test]
fn text_has_no_structure() {
    let error = recount(&["dump", &sample("typeperf.tsv")]).failed();
    assert!(error.contains("a text capture has no binary structure"), "{error}");
    assert!(
        error.contains("\nhint: recount dump is for .blg, raw PERF_DATA_BLOCK dumps and MS-PCQ sessions"),
        "{error}"
    );
}

/// Second tier: these read the shared captures.
mod full_tests {
    use super::super::run::tx_basic;
    use super::*;

    #[test]
    fn samples_are_counted() {
        let blocks = |arguments: &[&str]| {
            let text = recount(arguments).fine();
            text.lines().filter(|line| line.contains(" data block, ")).count()
        };
        let log = tx_basic();
        assert_eq!(blocks(&["dump", &log, "--samples", "2"]), 2);
        assert_eq!(blocks(&["dump", &log, "--samples", "0"]), 0);
        assert_eq!(blocks(&["dump", &log]), 601);
    }
}
