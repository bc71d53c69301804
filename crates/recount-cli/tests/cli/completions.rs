//! `recount completions`

use super::run::recount;

#[test]
fn every_shell_has_completions() {
    for (shell, begins) in [
        ("bash", "_recount() {"),
        ("zsh", "#compdef recount"),
        ("fish", "# Print an optspec"),
        ("powershell", "\nusing namespace System.Management.Automation"),
    ] {
        let script = recount(&["completions", shell]).fine();
        assert!(script.starts_with(begins), "{shell}: {}", &script[..80]);
        for word in ["convert", "partition-by", "interval"] {
            assert!(script.contains(word), "{shell}: {word}");
        }
    }
}

#[test]
fn an_unknown_shell_is_refused() {
    let error = recount(&["completions", "tcsh"]).failed();
    assert!(error.contains("invalid value 'tcsh' for '<SHELL>'"), "{error}");
}
