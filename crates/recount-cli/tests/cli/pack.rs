//! `recount pack` and `recount unpack`

use std::time::{Duration, SystemTime};

use super::run::{Outputs, command, recount, recount_with_input, sample};

/// Packs a file of the tests' own directory.
fn packed(outputs: &Outputs, name: &str, source: &str) -> String {
    let file = outputs.write(name, std::fs::read(source).expect("a file"));
    recount(&["pack", &file]).fine();
    outputs.path(std::path::Path::new(name).with_extension("rcap").to_str().expect("UTF-8"))
}

/// Only the file itself shows whether a capture is packed.
#[test]
fn packed_captures_are_read_as_they_are() {
    let outputs = Outputs::new();
    for name in ["objects.blg", "circular.blg", "damaged.blg", "big-endian.bin", "typeperf.tsv"] {
        let source = sample(name);
        let log = outputs.path(&format!("{name}.rcap"));
        recount(&["pack", &source, "-o", &log]).fine();
        for arguments in [
            vec!["info", "FILE"],
            vec!["list", "FILE"],
            vec!["show", "FILE", "--json"],
            vec!["convert", "FILE", "-o", "-", "--format", "csv"],
        ] {
            let with = |file: &str| {
                let arguments: Vec<&str> =
                    arguments.iter().map(|word| if *word == "FILE" { file } else { word }).collect();
                let done = recount(&arguments);
                let text = |text: String| text.replace(file, "FILE");
                (done.code, text(done.stdout), text(done.stderr))
            };
            assert_eq!(with(&log), with(&source), "{name}: {arguments:?}");
        }
    }
}

#[test]
fn what_is_there_is_not_replaced() {
    let outputs = Outputs::new();
    let log = packed(&outputs, "a.blg", &sample("objects.blg"));
    let before = std::fs::read(&log).expect("the log");
    let error = recount(&["pack", &outputs.path("a.blg")]).failed();
    assert!(error.contains("a.rcap already exists\nhint: ") && error.contains("--force"), "{error}");
    let error = recount(&["unpack", &log]).failed();
    assert!(error.contains("a.blg already exists\nhint: "), "{error}");
    assert_eq!(std::fs::read(&log).expect("the log"), before);
    recount(&["pack", &outputs.path("a.blg"), "--force"]).fine();
    recount(&["unpack", &log, "--force"]).fine();
    let error = recount(&["unpack", &log, "-o", &outputs.path("none/b.blg")]).failed();
    assert!(error.contains("does not exist"), "{error}");
    assert_eq!(outputs.files(), ["a.blg", "a.rcap"]);
}

#[test]
fn through_pipes() {
    let outputs = Outputs::new();
    let bytes = std::fs::read(sample("objects.blg")).expect("a file");
    let log = outputs.path("a.rcap");
    let (code, _) = recount_with_input(&["pack", "-", "-o", &log], bytes.clone());
    assert_eq!(code, Some(0));
    let output = command().args(["unpack", &log, "-o", "-"]).output().expect("running");
    assert!(output.status.success() && output.stdout == bytes, "{}", String::from_utf8_lossy(&output.stderr));
    let (code, _) = recount_with_input(&["pack", "-"], bytes);
    assert_eq!(code, Some(2));
}

#[test]
fn the_time_of_change_comes_back() {
    let outputs = Outputs::new();
    let path = outputs.write("a.txt", "Dear reader");
    let time = SystemTime::UNIX_EPOCH + Duration::new(1_361_328_617, 844_722_500);
    let file = std::fs::File::options().write(true).open(&path).expect("there");
    file.set_modified(time).expect("set");
    recount(&["pack", &path]).fine();
    std::fs::remove_file(&path).expect("removed");
    recount(&["unpack", &outputs.path("a.rcap")]).fine();
    let modified = std::fs::metadata(&path).expect("unpacked").modified().expect("a time");
    assert_eq!(modified, time);
}

/// Raw dumps in, a log of samples, raw dumps out.
#[test]
fn recorded_samples_become_raw_dumps() {
    let outputs = Outputs::new();
    let dumps: Vec<String> = (1..=3).map(|number| sample(&format!("series/{number}.bin"))).collect();
    let names = sample("series/Counter 009.txt");
    let log = outputs.path("a.rcap");
    recount(&["record", "-o", &log, "--names", &names, "--source", &dumps[0], &dumps[1], &dumps[2]]).fine();
    let (bin, written_names) = (outputs.path("a.bin"), outputs.path("names.txt"));
    let told = recount(&["unpack", &log, "--names", &written_names]).fine();
    assert!(told.contains(", 3 samples; 2 events omitted"), "{told}");
    let whole: Vec<u8> = dumps.iter().flat_map(|dump| std::fs::read(dump).expect("a file")).collect();
    assert!(std::fs::read(&bin).expect("unpacked") == whole);
    let shown = |path: &str, arguments: &[&str]| recount(&[&["list", path][..], arguments].concat()).fine();
    assert_eq!(shown(&bin, &["--names", &written_names]), shown(&log, &[]));
}

#[test]
fn a_file_of_an_archive_has_to_be_unpacked() {
    let outputs = Outputs::new();
    let log = packed(&outputs, "web1.meta", &sample("pcp/web1.meta"));
    let error = recount(&["info", &log]).failed();
    assert!(error.contains("recount unpack first, if they are packed"), "{error}");
}

#[test]
fn a_packed_log_holds_one_file() {
    let outputs = Outputs::new();
    let directory = sample("pcp");
    let base = format!("{directory}/web1");
    for (path, kind) in [(directory, "a directory"), (base, "the base name of a PCP archive")] {
        let error = recount(&["pack", &path, "-o", &outputs.path("a.rcap")]).failed();
        let expected = format!(
            "error: {path}: is {kind}; pack takes single files\n\
             hint: pack each of its files: recount pack FILE...\n"
        );
        assert_eq!(error, expected);
    }
    assert!(outputs.files().is_empty());
}

#[test]
fn a_log_is_not_packed_again() {
    let outputs = Outputs::new();
    let log = packed(&outputs, "a.blg", &sample("objects.blg"));
    let error = recount(&["pack", &log, "-o", &outputs.path("b.rcap")]).failed();
    assert!(error.contains("a.rcap: is already a capture log\nhint: "), "{error}");
    let error = recount(&["unpack", &sample("objects.blg"), "-o", &outputs.path("x")]).failed();
    assert!(error.contains("expected a frame of a capture log"), "{error}");
    assert!(error.contains("\nhint: recount info FILE shows what it is; "), "{error}");
    let error = recount(&["pack", "nosuch.blg"]).failed();
    assert!(
        error.starts_with("error: nosuch.blg: ") && error.ends_with("path and its permissions\n"),
        "{error}"
    );
    assert_eq!(outputs.files(), ["a.blg", "a.rcap"]);
}

/// These read the shared captures.
mod stored {
    use super::super::run::tx_basic;
    use super::*;

    #[test]
    #[ignore = "reads ../shared/data"]
    fn names_are_found() {
        let outputs = Outputs::new();
        let log = packed(&outputs, "monday.blg", &tx_basic());
        assert_eq!(outputs.files(), ["monday.blg", "monday.rcap"]);
        std::fs::remove_file(outputs.path("monday.blg")).expect("removed");
        let told = recount(&["unpack", &log]).fine();
        assert_eq!(told, format!("{}: 384 KiB\n", outputs.path("monday.blg")));
        assert_eq!(outputs.files(), ["monday.blg", "monday.rcap"]);
        let same = std::fs::read(outputs.path("monday.blg")).expect("unpacked");
        assert!(same == std::fs::read(tx_basic()).expect("the original"));
    }

    #[test]
    #[ignore = "reads ../shared/data"]
    fn sizes_are_reported() {
        let outputs = Outputs::new();
        let told = recount(&["pack", &tx_basic(), "-o", &outputs.path("a.rcap")]).fine();
        let start = format!(
            "{}: {} (Windows performance log (.blg)), 384 KiB in ",
            outputs.path("a.rcap"),
            tx_basic()
        );
        let ratio =
            told.strip_prefix(&start).and_then(|rest| rest.strip_suffix(" times smaller\n")).expect(&told);
        let (_, ratio) = ratio.split_once(" KiB: ").expect(&told);
        assert!(ratio.parse::<f64>().expect("a number") > 20.0, "{told}");
        assert_eq!(recount(&["pack", "-q", &tx_basic(), "-o", &outputs.path("b.rcap")]).fine(), "");
    }

    /// An incomplete file is never written under the name of the whole; the rest can still be read.
    #[test]
    #[ignore = "reads ../shared/data"]
    fn a_damaged_log_gives_no_file() {
        let outputs = Outputs::new();
        let log = outputs.path("a.rcap");
        recount(&["pack", &tx_basic(), "-o", &log]).fine();
        let mut bytes = std::fs::read(&log).expect("the log");
        let middle = bytes.len() / 2;
        bytes[middle] ^= 1;
        let damaged = outputs.write("damaged.rcap", bytes);
        let error = recount(&["unpack", &damaged]).failed();
        assert!(
            error.starts_with(&format!(
                "error: {damaged}: the packed file can't be restored: bytes 0x10000 to 0x60000 of it are missing (chunk \
                 section."
            )),
            "{error}"
        );
        // All of it is one chunk, of which only the first buffer is left.
        let error = recount(&["info", &damaged]).failed();
        assert!(error.contains("an event trace (.etl; buffers: 1) without events"), "{error}");
        assert_eq!(outputs.files(), ["a.rcap", "damaged.rcap"]);
    }

    /// Of a log of several chunks the sound ones are read, each part in its place.
    #[test]
    #[ignore = "reads ../shared/data"]
    fn a_damaged_chunk_costs_its_samples_only() {
        let outputs = Outputs::new();
        let block = std::fs::read(recount_testdata::shared_path("perf-data-block/process-165-instances.bin"));
        let block = block.expect("a file");
        // As long as it says, without the excess bytes of its buffer.
        let len = u32::from_le_bytes([block[20], block[21], block[22], block[23]]) as usize;
        let mut dumps = Vec::new();
        for second in 0..500_i64 {
            let mut block = block[..len].to_vec();
            let time =
                i64::from_le_bytes(block[0x40..0x48].try_into().expect("8 bytes")) + second * 10_000_000;
            block[0x40..0x48].copy_from_slice(&time.to_le_bytes());
            dumps.extend_from_slice(&block);
        }
        let file = outputs.write("dumps.bin", &dumps);
        recount(&["pack", &file]).fine();
        let log = outputs.path("dumps.rcap");
        let num_samples = |path: &str| {
            let done = recount(&["info", "--json", path]);
            let all: serde_json::Value = serde_json::from_str(&done.stdout).expect("JSON");
            (all[0]["num_samples"].as_u64().expect("a number"), done.code)
        };
        assert_eq!(num_samples(&log), (500, Some(0)));
        let mut bytes = std::fs::read(&log).expect("the log");
        // In the last chunk, after others.
        let index = bytes.len() - u32::from_le_bytes(*bytes.last_chunk().expect("a frame")) as usize;
        bytes[index - 400] ^= 1;
        let damaged = outputs.write("damaged.rcap", bytes);
        let (num, code) = num_samples(&damaged);
        assert!((100..500).contains(&num) && code == Some(1), "{num} {code:?}");
        assert_eq!(recount(&["unpack", &damaged, "-o", &outputs.path("x.bin")]).code, Some(2));
    }
}
