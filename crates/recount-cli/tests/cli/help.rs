//! Help, version and the manual page.

use super::run::recount;

/// The subcommands that the help lists.
fn subcommands() -> Vec<String> {
    let help = recount(&["--help"]).fine();
    let (_, list) = help.split_once("\nCommands:\n").expect("a list");
    let (list, _) = list.split_once("\n\n").expect("its end");
    // Further lines of a description are indented more.
    let entries =
        list.lines().filter_map(|line| line.strip_prefix("  ")).filter(|line| !line.starts_with(' '));
    let names = entries.map(|line| line.split(' ').next().unwrap_or_default().to_owned());
    let names: Vec<String> = names.filter(|name| name != "help").collect();
    assert!(names.len() >= 21, "{names:?}");
    names
}

#[test]
fn every_subcommand_has_help() {
    let whole = recount(&["--help"]).fine();
    for name in subcommands() {
        let help = recount(&[&name, "--help"]).fine();
        assert!(help.contains(&format!("\nUsage: recount {name}")), "{help}");
        let about = help.lines().next().expect("a line");
        assert!(whole.contains(&about[..40.min(about.len())]), "{whole}: {about}");
        assert_eq!(recount(&["help", &name]).fine(), help);
    }
}

#[test]
fn examples_are_in_the_help() {
    for name in subcommands().iter().filter(|name| !["completions", "man"].contains(&name.as_str())) {
        let help = recount(&[name, "--help"]).fine();
        let (_, examples) = help.split_once("Examples:\n").expect(name);
        let lines: Vec<&str> = examples.lines().take_while(|line| line.starts_with("  ")).collect();
        assert!(lines.len() >= 2, "{examples}");
        assert!(lines[0].starts_with(&format!("  recount {name} ")), "{examples}");
    }
    let help = recount(&["--help"]).fine();
    assert!(help.contains("Exit codes: 0 done; 1 done with findings"), "{help}");
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
    for name in subcommands() {
        assert!(page.contains(&format!(r"\fBrecount {name}\fR")), "{name}: {page}");
    }
}
