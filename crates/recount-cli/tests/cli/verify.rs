//! `recount verify`

use serde_json::Value;

use super::run::{Outputs, recount, sample};

fn packed(outputs: &Outputs, name: &str, source: &str) -> String {
    let log = outputs.path(name);
    recount(&["pack", "-q", source, "-o", &log]).fine();
    log
}

/// A log that merely isn't closed is complete.
#[test]
fn a_log_that_was_not_closed() {
    let outputs = Outputs::new();
    let log = packed(&outputs, "a.rcap", &sample("objects.blg"));
    let mut bytes = std::fs::read(&log).expect("the log");
    bytes.truncate(bytes.len() - u32::from_le_bytes(*bytes.last_chunk().expect("a frame")) as usize);
    let done = recount(&["verify", &outputs.write("open.rcap", bytes)]);
    assert_eq!(done.code, Some(0), "{}", done.stdout);
    assert!(done.stdout.contains("closed                no\n"), "{}", done.stdout);
    assert!(done.stdout.contains("  finding             odd: no valid index at the end"), "{}", done.stdout);
}

/// A line per capture; an archive of PCP is one, and what its recorder keeps next to it is none.
#[test]
fn a_directory() {
    let outputs = Outputs::new();
    let pcp = std::path::PathBuf::from(sample("pcp"));
    let mut written = Vec::new();
    for name in ["web1.meta", "web1.0"] {
        written.push(outputs.write(name, std::fs::read(pcp.join(name)).expect("a sample")));
    }
    outputs.write("Latest", "PCPFolio\nVersion: 1\n");
    outputs.write("pmlogger.log", "Log for pmlogger on web1 started Wed Nov 25 10:00:00 2026\n");
    outputs.write("letter.txt", "Dear reader");
    outputs.write("objects.blg", std::fs::read(sample("objects.blg")).expect("a sample"));
    let directory = outputs.path("");
    let done = recount(&["verify", &directory]);
    assert_eq!(done.code, Some(0), "{}{}", done.stdout, done.stderr);
    let lines: Vec<&str> = done.stdout.lines().collect();
    assert_eq!(lines.len(), 3, "{}", done.stdout);
    assert!(
        lines[0].contains("letter.txt: not a capture that recount reads") && lines[0].ends_with("; skipped")
    );
    assert!(lines[1].contains("objects.blg: Windows performance log") && lines[1].ends_with(", sound"));
    assert!(lines[2].contains("web1.meta: Performance Co-Pilot archive") && lines[2].ends_with(", sound"));
    outputs.write("damaged.blg", std::fs::read(sample("damaged.blg")).expect("a sample"));
    let done = recount(&["verify", &directory]);
    assert_eq!(done.code, Some(1), "{}", done.stdout);
    let damaged = done.stdout.lines().find(|line| line.contains("damaged.blg: ")).expect("its line");
    assert!(damaged.contains(" findings: "), "{damaged}");
    let mut broken = std::fs::read(&written[0]).expect("descriptions");
    broken[2] ^= 1;
    std::fs::write(&written[0], broken).expect("written");
    let done = recount(&["verify", "--json", &directory]);
    assert_eq!(done.code, Some(2), "the worst of all");
    assert!(done.stderr.contains("web1.meta: label"), "{}", done.stderr);
    let all: Value = serde_json::from_str(&done.stdout).expect("JSON");
    assert_eq!(all.as_array().map(Vec::len), Some(2), "{all}");
}

/// What is below a directory is verified, too, and links that lead back end.
#[test]
fn directories_in_a_directory() {
    let outputs = Outputs::new();
    let blg = std::fs::read(sample("objects.blg")).expect("a sample");
    for name in ["a", "a/deep", "b", "empty", ".hidden"] {
        std::fs::create_dir(outputs.path(name)).expect("a directory");
    }
    for name in ["z.blg", "a/one.blg", "a/deep/two.blg", ".hidden/no.blg"] {
        outputs.write(name, &blg);
    }
    outputs.write("b/damaged.blg", std::fs::read(sample("damaged.blg")).expect("a sample"));
    #[cfg(unix)]
    std::os::unix::fs::symlink(outputs.path(""), outputs.path("b/back")).expect("a link");
    let done = recount(&["verify", &outputs.path("")]);
    assert_eq!(done.code, Some(1), "{}{}", done.stdout, done.stderr);
    let names = ["z.blg: ", "a/one.blg: ", "a/deep/two.blg: ", "b/damaged.blg: "];
    let lines: Vec<&str> = done.stdout.lines().collect();
    assert_eq!(lines.len(), names.len(), "{}", done.stdout);
    assert!(lines.iter().zip(names).all(|(line, name)| line.contains(name)), "{}", done.stdout);
    assert!(recount(&["verify", &outputs.path("empty")]).code == Some(2));
}

/// The companions of an archive aren't mentioned when its directory is opened.
#[test]
fn companions_of_an_archive() {
    let outputs = Outputs::new();
    let pcp = std::path::PathBuf::from(sample("pcp"));
    for name in ["web1.meta", "web1.0"] {
        outputs.write(name, std::fs::read(pcp.join(name)).expect("a sample"));
    }
    outputs.write("Latest", "PCPFolio\nVersion: 1\n");
    outputs.write("pmlogger.log", "Log for pmlogger on web1\n");
    let shown = recount(&["info", &outputs.path("")]);
    assert_eq!((shown.code, shown.stderr.as_str()), (Some(0), ""));
    assert!(!shown.stdout.contains("skipped"), "{}", shown.stdout);
}

/// One that can't be read doesn't hide the others.
#[test]
fn several_files() {
    let outputs = Outputs::new();
    let log = packed(&outputs, "a.rcap", &sample("objects.blg"));
    let letter = outputs.write("letter.txt", "Dear reader");
    let done = recount(&["verify", "--json", &letter, &log, &sample("damaged.blg")]);
    assert_eq!(done.code, Some(2));
    assert!(
        done.stderr.contains(&format!("\"message\":\"{letter}: not a capture that recount reads")),
        "{}",
        done.stderr
    );
    let all: Value = serde_json::from_str(&done.stdout).expect("JSON");
    assert_eq!(all.as_array().map(Vec::len), Some(2), "{all}");
    assert_eq!((&all[0]["num_findings"], &all[0]["log"]["packed"]), (&0.into(), &"objects.blg".into()));
    assert!(all[1]["num_findings"].as_u64() > Some(0) && all[1]["log"].is_null(), "{all}");
    assert_eq!(recount(&["verify", &log, &sample("damaged.blg")]).code, Some(1));
    let error = recount(&["verify", &letter]).failed();
    assert!(error.contains("\nhint: recount reads "), "{error}");
}

/// These read the shared captures.
mod stored {
    use super::super::run::{recount_with_input, tx_basic};
    use super::*;

    #[test]
    #[ignore = "reads ../shared/data"]
    fn a_sound_log() {
        let outputs = Outputs::new();
        let log = packed(&outputs, "a.rcap", &tx_basic());
        let text = recount(&["verify", &log]).fine();
        for line in [
            "format                recount capture log (.rcap), version 1",
            "packed file           tx-basic.blg",
            "frames                4",
            "chunks                1",
            "records               6 (0 unsealed)",
            "closed                yes",
            "health                sound",
        ] {
            assert!(text.lines().any(|found| found == line), "{line}\n{text}");
        }
        let (code, piped) = recount_with_input(&["verify", "-"], std::fs::read(&log).expect("the log"));
        assert_eq!((code, String::from_utf8(piped).expect("UTF-8")), (Some(0), text.replace(&log, "-")));
    }

    #[test]
    #[ignore = "reads ../shared/data"]
    fn damage_is_reported_with_its_place() {
        let outputs = Outputs::new();
        let log = packed(&outputs, "a.rcap", &tx_basic());
        let whole = std::fs::read(&log).expect("the log");
        let mut flipped = whole.clone();
        flipped[whole.len() / 2] ^= 1;
        let done = recount(&["verify", &outputs.write("flipped.rcap", flipped)]);
        assert_eq!(done.code, Some(1), "{}", done.stderr);
        let finding = "  finding             damaged: chunk section.";
        assert!(done.stdout.lines().any(|line| line.starts_with(finding)), "{}", done.stdout);
        assert!(done.stdout.contains("bytes 0x10000 to 0x60000 of it are missing"), "{}", done.stdout);
        let torn = outputs.write("torn.rcap", &whole[..whole.len() / 2]);
        let done = recount(&["verify", &torn]);
        assert_eq!(done.code, Some(1));
        assert!(done.stdout.contains("  finding             truncated: frame at byte 0x"), "{}", done.stdout);
    }

    /// All samples are decoded, not only found.
    #[test]
    #[ignore = "reads ../shared/data"]
    fn other_formats() {
        let text = recount(&["verify", &tx_basic()]).fine();
        assert!(text.contains("samples               601\nhealth                sound\n"), "{text}");
        for name in ["big-endian.bin", "counters-dst.blg"] {
            assert!(recount(&["verify", &sample(name)]).fine().ends_with("sound\n"), "{name}");
        }
        // Oddities don't make it incomplete.
        let odd = recount(&["verify", &sample("relog-german.csv")]);
        assert!(odd.code == Some(0) && odd.stdout.contains("  finding             odd: "), "{}", odd.stdout);
        let damaged = sample("damaged.blg");
        let (verified, info) = (recount(&["verify", &damaged]), recount(&["info", &damaged]));
        let findings = |text: &str| text.lines().filter(|line| line.contains("finding ")).count();
        assert_eq!(verified.code, Some(1));
        assert!(findings(&verified.stdout) >= findings(&info.stdout), "{}", verified.stdout);
    }
}

/// What a conversion made agrees with its source; what was changed is named.
#[test]
fn two_captures_cell_by_cell() {
    let outputs = Outputs::new();
    let log = sample("objects.blg");
    let table = outputs.path("t.parquet");
    recount(&["convert", "-q", &log, "-o", &table]).fine();
    let done = recount(&["verify", &log, "--against", &table]);
    assert_eq!(done.code, Some(0), "{}{}", done.stdout, done.stderr);
    assert!(done.stdout.ends_with("they agree\n"), "{}", done.stdout);
    let done = recount(&["verify", "--json", &log, "--against", &sample("session.pcq")]);
    assert_eq!(done.code, Some(2), "{}", done.stdout);
    assert!(done.stderr.contains("no sample of one capture has the time of a sample of the other"));
    let some = outputs.path("some.parquet");
    recount(&["convert", "-q", &log, "-c", r"\Processor(*)\*", "-o", &some]).fine();
    let done = recount(&["verify", "--json", &log, "--against", &some]);
    assert_eq!(done.code, Some(1));
    let found: Value = serde_json::from_str(&done.stdout).expect("JSON");
    assert!(
        found["series"]["first_only"].as_u64() > Some(0) && found["series"]["other_only"] == 0,
        "{found}"
    );
    let done = recount(&["verify", &log, "--against", &some, "--common"]);
    assert_eq!(done.code, Some(0), "{}{}", done.stdout, done.stderr);
    let done = recount(&["verify", &log, "--against", &table, "-c", r"\NoSuch(*)\*"]);
    assert_eq!(done.code, Some(2), "nothing was compared: {}", done.stdout);
    let log = sample("sysstat.sa");
    recount(&["convert", "-q", &log, "-o", &table, "--force"]).fine();
    let done = recount(&["verify", "-q", &log, "--against", &table]);
    assert_eq!((done.code, done.stdout.ends_with("they agree\n")), (Some(0), true), "{}", done.stdout);
    let done = recount(&["verify", &log, "--tolerance", "1"]);
    assert_eq!(done.code, Some(2), "needs --against: {}", done.stderr);
}
