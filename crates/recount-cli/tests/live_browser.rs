//! Reports of real captures in a real browser, and of captures whose names are hostile in every place where they appear.
//!
//! `tests/browser/page.mjs` has the checks. Screenshots go to target/browser/shots.
#![cfg(target_os = "linux")]

#[path = "browser/chromium.rs"]
mod chromium;
#[path = "browser/forms.rs"]
mod forms;
#[path = "browser/hostile.rs"]
mod hostile;

use std::fmt::Write as _;
use std::path::{Path, PathBuf};
use std::process::Command;

use chromium::{Chromium, run};
use recount_testdata::shared_path;

/// Longest page.
const MAX_LEN_PAGE: u64 = 5_000_000;

/// Standard output of the command, which has to succeed.
fn recount<A: AsRef<std::ffi::OsStr>>(arguments: impl IntoIterator<Item = A>) -> String {
    run(Command::new(env!("CARGO_BIN_EXE_recount")).args(arguments).env_remove("CLICOLOR_FORCE"))
}

fn browser() -> PathBuf {
    // CARGO_TARGET_TMPDIR is target/tmp.
    Path::new(env!("CARGO_TARGET_TMPDIR")).with_file_name("browser")
}

/// A folder for a test's output, which is kept for inspection.
fn folder(name: &str) -> PathBuf {
    let folder = browser().join("pages").join(name);
    let _ = std::fs::remove_dir_all(&folder);
    std::fs::create_dir_all(&folder).expect("target/browser/pages");
    folder
}

fn text(path: &Path) -> &str {
    path.to_str().expect("UTF-8")
}

/// All checks of a page.
fn check(page: &Path) {
    let len = std::fs::metadata(page).expect("a page").len();
    assert!(len < MAX_LEN_PAGE, "{} has {len} bytes", page.display());
    let shots = browser().join("shots").join(page.file_stem().expect("a name"));
    Chromium::install().node("page.mjs", [page, &shots]);
}

#[test]
fn a_real_log() {
    let page = folder("log").join("tx-basic.html");
    recount(["report", text(&shared_path("blg/tx-basic.blg")), "-o", text(&page)]);
    check(&page);
}

#[test]
fn a_marked_capture_with_gaps_and_notes() {
    let folder = folder("marked");
    let (log, page) = (folder.join("closed.rcap"), folder.join("closed.html"));
    let sample = Path::new(env!("CARGO_MANIFEST_DIR")).join("../../samples/rcap-1/closed.rcap");
    std::fs::write(&log, std::fs::read(sample).expect("the sample")).expect("a copy");
    recount(["mark", text(&log), "deploy v42", "--at", "+5s"]);
    recount(["report", text(&log), "-o", text(&page)]);
    let html = std::fs::read_to_string(&page).expect("a page");
    assert!(html.contains("deploy v42") && html.contains("Gaps"), "neither the mark nor the gaps are shown");
    check(&page);
}

#[test]
fn a_comparison_of_two_captures() {
    let folder = folder("diff");
    let log = shared_path("blg/tx-basic.blg");
    let (base, new, page) = (folder.join("base.csv"), folder.join("new.csv"), folder.join("diff.html"));
    recount(["convert", "--quiet", text(&log), "-o", text(&base), "--end", "+5m"]);
    recount(["convert", "--quiet", text(&log), "-o", text(&new), "--begin", "+5m"]);
    // Its exit code says whether it got worse, which is not the matter here.
    let mut diff = Command::new(env!("CARGO_BIN_EXE_recount"));
    let done =
        diff.arg("diff").args([&base, &new]).arg("--html").arg(&page).output().expect("running recount");
    assert!(done.status.code() < Some(2), "{done:?}");
    check(&page);
}

/// No findings, no rules requested, and a single series that never changes.
#[test]
fn next_to_nothing() {
    let folder = folder("bare");
    let (capture, page) = (folder.join("bare.csv"), folder.join("bare.html"));
    let mut table = "\"(PDH-CSV 4.0) (UTC)(0)\",\"\\\\web1\\Memory\\Pages\"\n".to_owned();
    for second in 10..20 {
        writeln!(table, "\"11/20/2026 10:00:{second}.000\",\"3\"").expect("room");
    }
    std::fs::write(&capture, table).expect("a capture");
    recount(["report", text(&capture), "-o", text(&page), "--rules", "none"]);
    check(&page);
}

/// 10,000 series: the page is below 5 MB, and opens in the time that `page.mjs` bounds.
#[test]
fn ten_thousand_series() {
    const NUM_SERIES: usize = 10_000;
    let folder = folder("large");
    let (capture, page) = (folder.join("large.csv"), folder.join("large.html"));
    let mut table = r#""(PDH-CSV 4.0) (UTC)(0)""#.to_owned();
    for series in 0..NUM_SERIES {
        let counter = ["% Processor Time", "Working Set", "Handle Count", "IO Data Bytes/sec"][series % 4];
        write!(table, r#","\\web1\Process(worker-{})\{counter}""#, series / 4).expect("room");
    }
    for sample in 0..300_usize {
        let (minute, second) = (sample / 60, sample % 60);
        write!(table, "\n\"11/20/2026 10:{minute:02}:{second:02}.000\"").expect("room");
        for series in 0..NUM_SERIES {
            // Waves of all lengths, and noise.
            let wave = (sample * (1 + series % 13)) as f64 / 20.0;
            let noise = (sample * 7919 + series * 104_729) % 1009;
            write!(table, ",{:.3}", 20.0 * (1.0 + wave.sin()) + noise as f64 / 100.0).expect("room");
        }
    }
    std::fs::write(&capture, table + "\n").expect("a capture");
    recount(["report", text(&capture), "-o", text(&page)]);
    check(&page);
}

/// Charts as in `recount view`. The script has its own server, which can be as slow as a check needs.
#[test]
fn charts_of_a_slow_server() {
    Chromium::install().node("server_charts.mjs", [browser().join("shots/server-charts")]);
}

#[test]
fn hostile_names_in_a_report() {
    let folder = folder("hostile");
    let log = forms::hostile_log(&folder);
    let page = folder.join("hostile.html");
    recount(["report", text(&log), "-o", text(&page), "--title", &hostile::names()[1]]);
    forms::assert_nothing_hidden(&std::fs::read_to_string(&page).expect("a page"), "the page");
    check(&page);
}

#[test]
fn hostile_names_with_nul_in_a_comparison() {
    let folder = folder("hostile-diff");
    let (base, new, page) =
        (folder.join("base.csv"), folder.join("new.csv"), folder.join("hostile-diff.html"));
    std::fs::write(&base, hostile::pdh_text()).expect("a capture");
    std::fs::write(&new, hostile::pdh_text().replace(",\"90\"", ",\"45\"")).expect("a capture");
    let [markdown, junit, json] = ["md", "xml", "json"].map(|kind| page.with_extension(kind));
    let mut diff = Command::new(env!("CARGO_BIN_EXE_recount"));
    diff.arg("diff").args([&base, &new]).arg("--html").arg(&page);
    diff.arg("--markdown").arg(&markdown).arg("--junit").arg(&junit).arg("--json").arg(&json);
    let done = diff.output().expect("running recount");
    assert!(done.status.code() < Some(2), "{done:?}");
    forms::assert_nothing_hidden(&std::fs::read_to_string(&page).expect("a page"), "the page");
    // As many changes as are listed one by one; the rest is counted.
    forms::assert_plain_markdown(&markdown, 25);
    forms::assert_strict_xml(&junit);
    let json = std::fs::read_to_string(json).expect("JSON");
    serde_json::from_str::<serde_json::Value>(&json).expect("JSON");
    check(&page);
}
