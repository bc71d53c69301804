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

/// Everything around a damaged frame is shown; samples that were not requested are counted.
#[test]
fn capture_logs_are_dumped_over_damage() {
    let mut log = std::fs::read(sample("rcap-1/tiny.rcap")).expect("a file");
    let (code, whole) = recount_with_input(&["dump", "-"], log.clone());
    assert_eq!(code, Some(0));
    log[0x90] ^= 1;
    let (code, text) = recount_with_input(&["dump", "-"], log);
    let [whole, text] = [whole, text].map(|text| String::from_utf8(text).expect("UTF-8"));
    assert_eq!(code, Some(1));
    let amiss: Vec<&str> = text.lines().filter(|line| line.starts_with('!')).collect();
    assert!(matches!(amiss[..], [only] if only.contains("frame at byte 0x75")), "{amiss:?}");
    let frames = |text: &str| text.lines().filter(|line| line.contains(" frame, ")).count();
    assert_eq!((frames(&text), frames(&whole)), (6, 6));
    let path = sample("rcap-1/closed.rcap");
    let short = recount(&["dump", &path, "--samples", "2"]).fine();
    let blocks = short.lines().filter(|line| line.ends_with("  kind = 1 (block)")).count();
    assert_eq!(blocks, 2);
    assert!(short.ends_with("22 of 24 samples not shown\n"), "{short}");
}

/// A damaged length leaves the signature as it is; what follows is shown all the same.
#[test]
fn blocks_after_a_damaged_one_are_dumped() {
    let [first, mut second, third] =
        ["1", "2", "3"].map(|name| std::fs::read(sample(&format!("series/{name}.bin"))).expect("a dump"));
    let start = first.len();
    // The highest byte of TotalByteLength.
    second[23] = 0x41;
    let (code, text) = recount_with_input(&["dump", "-"], [first, second, third].concat());
    let text = String::from_utf8(text).expect("UTF-8");
    assert_eq!(code, Some(1), "{text}");
    let amiss: Vec<&str> = text.lines().filter(|line| line.starts_with('!')).collect();
    let place = format!("TotalByteLength at byte {:#x}", start + 20);
    assert!(matches!(amiss[..], [only] if only.contains(&place)), "{amiss:?}");
    assert_eq!(text.lines().filter(|line| line.ends_with(" PERF_DATA_BLOCK")).count(), 2, "{text}");
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
        error.ends_with(
            "\nhint: recount dump is for PERF_DATA_BLOCK dumps, .rcap logs, PCP archives, MS-PCQ sessions, sysstat sa \
             files, atop raw logs and Windows .blg logs\n"
        ),
        "{error}"
    );
}

/// These read the shared captures.
mod stored {
    use super::super::run::tx_basic;
    use super::*;

    #[test]
    #[ignore = "reads ../shared/data"]
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
