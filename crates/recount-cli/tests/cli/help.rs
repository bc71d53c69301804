//! Help, version and the manual page.

use super::run::{command, recount};

const WITH_EXAMPLES: [&str; 14] = [
    "info", "list", "show", "top", "stats", "query", "report", "diff", "convert", "dump", "pack", "unpack",
    "verify", "repair",
];
const ALL: [&str; 19] = [
    "stats",
    "query",
    "report",
    "diff",
    "rules",
    "mark",
    "info",
    "list",
    "show",
    "top",
    "convert",
    "record",
    "pack",
    "unpack",
    "verify",
    "repair",
    "dump",
    "completions",
    "man",
];

#[test]
fn every_subcommand_has_help() {
    let whole = recount(&["--help"]).fine();
    for name in ALL {
        let help = recount(&[name, "--help"]).fine();
        assert!(help.contains(&format!("\nUsage: recount {name}")), "{help}");
        let about = help.lines().next().expect("a line");
        assert!(whole.contains(&about[..40.min(about.len())]), "{whole}: {about}");
        assert_eq!(recount(&["help", name]).fine(), help);
    }
}

#[test]
fn examples_are_in_the_help() {
    for name in WITH_EXAMPLES {
        let help = recount(&[name, "--help"]).fine();
        let (_, examples) = help.split_once("Examples:\n").expect("examples");
        let lines: Vec<&str> = examples.lines().take_while(|line| line.starts_with("  ")).collect();
        assert!(lines.len() >= 2, "{examples}");
        for line in lines {
            assert!(line.starts_with(&format!("  recount {name} ")), "{line}");
        }
    }
    let help = recount(&["--help"]).fine();
    assert!(help.contains("Exit codes: 0 done; 1 done with findings"), "{help}");
}

/// The examples' options parse. The files in them don't exist.
#[test]
fn examples_parse() {
    let mut num_run = 0;
    for name in WITH_EXAMPLES {
        let help = recount(&[name, "--help"]).fine();
        for line in help.lines().filter_map(|line| line.trim().strip_prefix("recount ")) {
            let line = line.split(['|', '(']).next().expect("a part").trim();
            // Quoted patterns are several words to this test, and a build without SQL answers no query.
            if line.contains("'\\") || (line.starts_with("query") && !cfg!(feature = "sql")) {
                continue;
            }
            let arguments: Vec<String> = line.split_whitespace().map(|word| word.replace('\'', "")).collect();
            let directory = tempfile::tempdir().expect("a directory");
            let output = command().args(&arguments).current_dir(&directory).output().expect("running");
            let errors = String::from_utf8_lossy(&output.stderr);
            assert!(
                errors.contains("No such file or directory") || errors.contains("os error"),
                "{line}: {errors}"
            );
            num_run += 1;
        }
    }
    assert!(num_run >= 10, "{num_run}");
}

#[test]
fn version() {
    assert_eq!(recount(&["--version"]).fine(), format!("recount {}\n", env!("CARGO_PKG_VERSION")));
    assert_eq!(recount(&["-V"]).fine(), recount(&["--version"]).fine());
}

#[test]
fn the_manual_page_is_roff() {
    let page = recount(&["man"]).fine();
    assert!(page.contains("\n.TH recount 1"), "{page}");
    for section in ["NAME", "SYNOPSIS", "DESCRIPTION", "OPTIONS"] {
        assert!(page.contains(&format!("\n.SH {section}\n")), "{section}");
    }
    for name in ALL {
        assert!(page.contains(&format!(r"\fBrecount {name}\fR")), "{name}: {page}");
    }
}
