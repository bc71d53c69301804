//! `recount diff` of two captures, and of the same ones exchanged.

use serde_json::Value;

use super::run::{Outputs, recount};
use super::series::{capture, every};

const PATHS: [&str; 3] =
    [r"Processor(_Total)\% Processor Time", r"Memory\Available MBytes", r"Process(Idle)\% Processor Time"];

/// Rows in which processors are at a level, and memory is too; what no process used is the rest.
fn rows(levels: &[(f64, f64, usize)]) -> Vec<Vec<f64>> {
    let mut state = 5_u64;
    let mut noise = || {
        state = state.wrapping_mul(6_364_136_223_846_793_005).wrapping_add(1_442_695_040_888_963_407);
        (state >> 40) as f64 / f64::from(1_u32 << 24) - 0.5
    };
    let stretches = levels.iter().flat_map(|(busy, free, num)| std::iter::repeat_n((*busy, *free), *num));
    stretches
        .map(|(busy, free)| {
            let busy = busy + 2.0 * noise();
            vec![busy, free + 20.0 * noise(), 100.0 - busy]
        })
        .collect()
}

fn changes(base: &str, new: &str) -> Vec<Value> {
    let done = recount(&["-q", "diff", base, new, "--json", "-"]);
    let found: Value = serde_json::from_str(&done.stdout).expect("JSON");
    found["changes"].as_array().expect("changes").clone()
}

/// It was at two levels, of which one is far above all that the other capture has: few independent values.
#[test]
fn a_difference_is_one_whichever_is_the_base() {
    let (one, other) = (Outputs::new(), Outputs::new());
    let quiet = capture(&one, &PATHS, &every(5, &rows(&[(5.0, 4000.0, 600)])));
    let loud = capture(&other, &PATHS, &every(5, &rows(&[(6.0, 4000.0, 200), (90.0, 500.0, 400)])));
    let (there, back) = (changes(&quiet, &loud), changes(&loud, &quiet));
    assert_eq!((there.len(), back.len()), (3, 3));
    for change in &there {
        let same = back.iter().find(|other| other["path"] == change["path"]).expect("the same counter");
        assert_eq!(change["probability"], same["probability"], "{change}");
        let is_idle = change["path"].as_str().is_some_and(|path| path.contains("(Idle)"));
        let expected = if is_idle { ["change", "change"] } else { ["regression", "improvement"] };
        assert_eq!([&change["verdict"], &same["verdict"]], expected, "{change}");
    }
}

#[test]
fn a_capture_of_several_machines_is_named() {
    let (one, other) = (Outputs::new(), Outputs::new());
    let row = rows(&[(5.0, 4000.0, 60)]);
    let single = capture(&one, &PATHS, &every(5, &row));
    let named: Vec<String> =
        ["B", "C"].iter().map(|host| format!(r"\\{host}\Processor(_Total)\% Processor Time")).collect();
    let named: Vec<&str> = named.iter().map(String::as_str).collect();
    let rows: Vec<Vec<f64>> = row.iter().map(|row| vec![row[0]; 2]).collect();
    let several = capture(&other, &named, &every(5, &rows));
    let error = recount(&["diff", &single, &several]).failed();
    assert!(
        error.contains("no counter has values in both captures: the new one has several machines (B, C)"),
        "{error}"
    );
    let error = recount(&["diff", &several, &single]).failed();
    assert!(error.contains(": the base has several machines (B, C)"), "{error}");
}

/// Beyond what a tolerance allows, but nobody knows for certain.
#[test]
fn what_is_perhaps_beyond_a_tolerance_is_counted() {
    let (one, other) = (Outputs::new(), Outputs::new());
    let base = capture(&one, &PATHS, &every(5, &rows(&[(5.0, 4000.0, 150), (20.0, 4000.0, 450)])));
    let new = capture(&other, &PATHS, &every(5, &rows(&[(5.0, 4000.0, 150), (40.0, 4000.0, 450)])));
    let tolerance = one.write(
        "t.toml",
        "[set]\nname = \"t\"\ntitle = \"T\"\nversion = 1\n[[tolerance]]\nid = \"cpu\"\n\
         counter = '\\Processor(_Total)\\% Processor Time'\nmetric = \"mean\"\nallow = \"+5%\"\n\
         severity = \"critical\"\n",
    );
    let text = recount(&["diff", &base, &new, "--rules", &tolerance]).fine();
    assert!(text.contains("\n0 beyond tolerance, 1 perhaps; without tolerances: "), "{text}");
}
