//! The scripts of `docs/ci/`, run as a CI system would: plain shell, exit codes 0, 1, 2 and 3, each for its reason.
#![cfg(target_os = "linux")]

use std::fs;
use std::path::{Path, PathBuf};
use std::process::{Command, Output};

fn script(name: &str) -> PathBuf {
    Path::new(env!("CARGO_MANIFEST_DIR")).join("../../docs/ci").join(name)
}

/// A load, recorded and reported.
fn record(out: &Path, settings: &[(&str, &str)], load: &str) -> Output {
    let mut command = Command::new("sh");
    command.arg(script("record-and-report.sh")).arg(out).args(["--", "sh", "-c", load]);
    command.env("RECOUNT", env!("CARGO_BIN_EXE_recount")).env("INTERVAL", "250ms");
    command.envs(settings.iter().copied()).output().expect("running sh")
}

fn compare(base: &Path, new: &Path, out: &Path, tolerances: &Path) -> Output {
    let mut command = Command::new("sh");
    command.arg(script("compare.sh")).args([base, new, out]);
    command.env("RECOUNT", env!("CARGO_BIN_EXE_recount")).env("TOLERANCES", tolerances);
    command.output().expect("running sh")
}

fn said(output: &Output) -> String {
    format!("{}{}", String::from_utf8_lossy(&output.stdout), String::from_utf8_lossy(&output.stderr))
}

/// A rule that fires on anything, of a severity.
fn always(folder: &Path, severity: &str) -> String {
    let path = folder.join(format!("{severity}.toml"));
    let text = format!(
        "[set]\nname = \"always\"\ntitle = \"Always\"\nversion = 1\n\n[[rule]]\nid = \"memory-is-there\"\ntitle = \"There is memory\"\n\
         group = \"memory\"\nseverity = \"{severity}\"\ncounter = '\\Memory\\Physical Bytes'\nthreshold = \"> 1\"\n\
         explanation = \"It is a test.\"\n"
    );
    fs::write(&path, text).expect("writing");
    path.display().to_string()
}

#[test]
fn a_report_ends_with_the_code_that_its_findings_ask_for() {
    let folder = tempfile::tempdir().expect("a folder");
    let folder = folder.path();
    let (warning, critical) = (always(folder, "warning"), always(folder, "critical"));

    let fine = record(&folder.join("fine"), &[("RULES", &warning)], "sleep 1");
    assert_eq!(fine.status.code(), Some(0), "{}", said(&fine));
    let markdown = fs::read_to_string(folder.join("fine/report.md")).expect("Markdown");
    assert!(markdown.contains("**0 critical, 1 warning, 0 notes**"), "{markdown}");

    let settings = [("RULES", warning.as_str()), ("FAIL_ON", "warning")];
    let warned = record(&folder.join("warned"), &settings, "sleep 1");
    assert_eq!(warned.status.code(), Some(1), "{}", said(&warned));

    let load = "\"$RECOUNT\" mark \"$RECOUNT_CAPTURE\" 'half way'; sleep 1";
    let found = record(&folder.join("found"), &[("RULES", &critical)], load);
    assert_eq!(found.status.code(), Some(1), "{}", said(&found));
    let junit = fs::read_to_string(folder.join("found/report.junit.xml")).expect("JUnit");
    assert!(junit.contains("failures=\"1\"") && junit.contains("memory-is-there"), "{junit}");
    let json = fs::read_to_string(folder.join("found/report.json")).expect("JSON");
    let json: serde_json::Value = serde_json::from_str(&json).expect("JSON");
    assert_eq!(json["findings"][0]["rule"], "memory-is-there");
    assert_eq!(json["capture"]["marks"][0]["text"], "half way");
    let page = fs::read_to_string(folder.join("found/report.html")).expect("HTML");
    assert!(page.contains("There is memory") && page.contains("half way"));

    let failed = record(&folder.join("failed"), &[("RULES", &warning)], "exit 7");
    assert_eq!(failed.status.code(), Some(2), "{}", said(&failed));
    let mistaken = record(&folder.join("mistaken"), &[("RULES", "no-such-set")], "true");
    assert_eq!(mistaken.status.code(), Some(2), "{}", said(&mistaken));
    assert!(said(&mistaken).contains("unknown rule set \"no-such-set\""), "{}", said(&mistaken));
}

/// A capture of a machine's processor time: around a level, with noise that has a memory.
fn capture(path: &Path, level: f64, seed: u64) {
    let mut text =
        String::from("\"(PDH-CSV 4.0) (UTC)(0)\",\"\\\\CI\\Processor(_Total)\\% Processor Time\"\n");
    let mut state = seed;
    let mut noise = 0.0;
    for second in 0..300 {
        state = state.wrapping_mul(6_364_136_223_846_793_005).wrapping_add(1_442_695_040_888_963_407);
        noise = 0.8 * noise + (state >> 40) as f64 / f64::from(1_u32 << 24) - 0.5;
        let (minute, second) = (second / 60, second % 60);
        text.push_str(&format!("\"11/21/2026 10:{minute:02}:{second:02}.000\",\"{}\"\n", level + noise));
    }
    fs::write(path, text).expect("writing");
}

#[test]
fn a_comparison_ends_with_1_on_a_regression_only() {
    let folder = tempfile::tempdir().expect("a folder");
    let folder = folder.path();
    let file = |name: &str| folder.join(name);
    capture(&file("base.csv"), 20.0, 1);
    capture(&file("same.csv"), 20.0, 2);
    capture(&file("worse.csv"), 40.0, 3);
    capture(&file("better.csv"), 10.0, 4);
    let tolerances = script("tolerances.toml");
    for (new, code) in [("same.csv", 0), ("better.csv", 0), ("worse.csv", 1)] {
        let done = compare(&file("base.csv"), &file(new), &file("out"), &tolerances);
        assert_eq!(done.status.code(), Some(code), "{new}: {}", said(&done));
        let junit = fs::read_to_string(file("out").join("diff.junit.xml")).expect("JUnit");
        assert_eq!(junit.contains("type=\"regression\""), code == 1, "{new}: {junit}");
        assert!(junit.contains("<testcase name=\"machine-cpu\""), "{new}: {junit}");
    }
    let markdown = fs::read_to_string(file("out").join("diff.md")).expect("Markdown");
    assert!(markdown.contains("**Beyond tolerance:**") && markdown.contains("allowed is +10"), "{markdown}");
    let mut torn = fs::read(file("same.csv")).expect("a capture");
    torn.truncate(torn.len() - 4);
    fs::write(file("torn.csv"), torn).expect("writing");
    let done = compare(&file("base.csv"), &file("torn.csv"), &file("out"), &tolerances);
    assert_eq!(done.status.code(), Some(3), "{}", said(&done));
    // Those for a process that the captures lack.
    let text =
        fs::read_to_string(&tolerances).expect("tolerances").replace("\n# ", "\n").replace("\n#\n", "\n\n");
    let (_, of_app) = text.split_once("[[tolerance]]\nid = \"app-cpu\"").expect("tolerances of a process");
    let of_app =
        format!("[set]\nname = \"a\"\ntitle = \"A\"\nversion = 1\n[[tolerance]]\nid = \"app-cpu\"{of_app}");
    fs::write(file("app.toml"), of_app).expect("writing");
    let done = compare(&file("base.csv"), &file("same.csv"), &file("out"), &file("app.toml"));
    assert_eq!(done.status.code(), Some(2), "{}", said(&done));
    assert!(said(&done).contains("no counter has values on both sides for app-cpu"), "{}", said(&done));
    for (base, new, reason) in
        [("base.csv", "missing.csv", "no such file"), ("base.csv", "out/diff.md", "exit code 2")]
    {
        let done = compare(&file(base), &file(new), &file("none"), &tolerances);
        assert_eq!(done.status.code(), Some(2), "{}", said(&done));
        assert!(said(&done).contains(reason), "{}", said(&done));
    }
}

/// The commands in the snippets exist, and are those that the test above ran.
#[test]
fn the_snippets_call_these_scripts() {
    for name in ["github-actions.yml", "gitlab-ci.yml"] {
        let text = fs::read_to_string(script(name)).expect(name);
        for called in ["record-and-report.sh", "compare.sh"] {
            assert!(text.contains(called), "{name} doesn't call {called}");
            assert!(script(called).exists());
        }
    }
}
