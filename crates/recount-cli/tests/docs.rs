//! Runs the commands of README.md and docs/, and compares their output.
//!
//! In a fenced block of the language `console`, a line that begins with `$ ` is a command for `sh`; what follows it is
//! its output. `...` on a line of its own stands for any lines, `[..]` for any text within a line. The blocks of a page
//! share a directory with the samples. `RECOUNT_BLESS=1` writes the output of today into the pages.
#![cfg(unix)]

use std::fs;
use std::path::{Path, PathBuf};
use std::process::Command;

fn root() -> PathBuf {
    Path::new(env!("CARGO_MANIFEST_DIR")).join("../..").canonicalize().expect("the workspace")
}

/// A directory in which the commands of a page run.
fn desk() -> tempfile::TempDir {
    let desk = tempfile::tempdir().expect("a directory");
    std::os::unix::fs::symlink(root().join("samples"), desk.path().join("samples")).expect("a link");
    desk
}

/// Standard output and error of a command, which must succeed.
fn run(command: &str, desk: &Path) -> Vec<String> {
    let program = Path::new(env!("CARGO_BIN_EXE_recount"));
    let path = std::env::var_os("PATH").unwrap_or_default();
    let paths = program.parent().map(Path::to_path_buf).into_iter().chain(std::env::split_paths(&path));
    let output = Command::new("sh")
        .args(["-c", &format!("exec 2>&1\n{command}")])
        .current_dir(desk)
        .env("PATH", std::env::join_paths(paths).expect("paths"))
        .env("COLUMNS", "120")
        .env("NO_COLOR", "1")
        .output()
        .expect("running sh");
    let text = String::from_utf8_lossy(&output.stdout);
    assert!(output.status.success(), "{command}: {}\n{text}", output.status);
    text.lines().map(str::trim_end).map(str::to_owned).collect()
}

/// Whether lines match those of a page.
fn is_as_shown(shown: &[&str], lines: &[String]) -> bool {
    match shown.split_first() {
        None => lines.is_empty(),
        Some((&"...", rest)) => (0..=lines.len()).any(|skipped| is_as_shown(rest, &lines[skipped..])),
        Some((first, rest)) => {
            lines.first().is_some_and(|line| is_line_as_shown(first, line)) && is_as_shown(rest, &lines[1..])
        }
    }
}

fn is_line_as_shown(shown: &str, line: &str) -> bool {
    let Some((before, after)) = shown.split_once("[..]") else { return shown == line };
    let Some(rest) = line.strip_prefix(before) else { return false };
    (0..=rest.len()).filter(|at| rest.is_char_boundary(*at)).any(|at| is_line_as_shown(after, &rest[at..]))
}

/// Runs the commands of a page; returns the page with their current output, and the number of commands.
fn replayed(page: &str) -> (String, usize) {
    let desk = desk();
    let mut lines = page.lines().peekable();
    let (mut text, mut num_commands, mut is_console) = (String::new(), 0, false);
    while let Some(line) = lines.next() {
        text.extend([line, "\n"]);
        if line.starts_with("```") {
            is_console = line == "```console";
        }
        let Some(command) = line.strip_prefix("$ ").filter(|_| is_console) else { continue };
        let mut shown = Vec::new();
        while let Some(next) = lines.next_if(|next| !next.starts_with("$ ") && !next.starts_with("```")) {
            shown.push(next);
        }
        num_commands += 1;
        let found = run(command, desk.path());
        if is_as_shown(&shown, &found) {
            text.extend(shown.iter().flat_map(|line| [*line, "\n"]));
        } else {
            text.extend(found.iter().flat_map(|line| [line.as_str(), "\n"]));
        }
    }
    (text, num_commands)
}

/// README.md and docs/.
fn pages() -> Vec<PathBuf> {
    let mut pages: Vec<PathBuf> = fs::read_dir(root().join("docs"))
        .expect("docs")
        .map(|entry| entry.expect("an entry").path())
        .filter(|path| path.extension().is_some_and(|extension| extension == "md"))
        .collect();
    pages.sort();
    assert!(pages.len() >= 5, "{pages:?}");
    pages.push(root().join("README.md"));
    pages
}

/// The commands of recount in the blocks of the language `sh`, without what follows them on their lines.
fn commands(page: &str) -> Vec<String> {
    let mut is_sh = false;
    let mut commands = Vec::new();
    for line in page.lines() {
        if line.starts_with("```") {
            is_sh = line == "```sh";
        }
        let line = line.strip_prefix("sudo ").unwrap_or(line);
        let Some(words) = line.strip_prefix("recount ").filter(|_| is_sh) else { continue };
        let ends = [" #", " -- ", " | ", " > "].into_iter().filter_map(|end| words.find(end));
        commands.push(words[..ends.min().unwrap_or(words.len())].trim_end().replace("$(hostname)", "web1"));
    }
    commands
}

/// With `--help`, a command only looks at the words before.
#[test]
fn commands_without_output_are_taken() {
    let desk = desk();
    let mut num_commands = 0;
    for path in pages() {
        for command in commands(&fs::read_to_string(&path).expect("a page")) {
            let is_remote = command.starts_with("serve ") || command.contains(" --host ");
            if is_remote && !cfg!(feature = "remote") {
                continue;
            }
            let help = run(&format!("recount {command} --help"), desk.path());
            assert!(help.iter().any(|line| line.starts_with("Usage: recount ")), "{command}: {help:?}");
            num_commands += 1;
        }
    }
    assert!(num_commands > 20, "{num_commands}");
}

#[test]
fn pages_show_what_the_commands_print() {
    for path in pages() {
        let page = fs::read_to_string(&path).expect("a page");
        let (text, num_commands) = replayed(&page);
        assert!(num_commands > 0, "{}: no command", path.display());
        if std::env::var_os("RECOUNT_BLESS").is_some_and(|value| value == "1") {
            fs::write(&path, text).expect("renewed");
            continue;
        }
        for (number, (shown, found)) in (1..).zip(page.lines().zip(text.lines())) {
            assert_eq!(found, shown, "{}, line {number}: RECOUNT_BLESS=1 renews it", path.display());
        }
        assert_eq!(text.len(), page.len(), "{}", path.display());
    }
}

/// The example in the documentation of the library, which is compiled.
#[test]
fn the_rust_of_the_readme_is_that_of_the_library() {
    let readme = fs::read_to_string(root().join("README.md")).expect("a page");
    let library = fs::read_to_string(root().join("crates/recount/src/lib.rs")).expect("a source");
    let (_, code) = readme.split_once("```rust\n").expect("an example");
    let (code, _) = code.split_once("```").expect("its end");
    let in_docs: String =
        code.lines().map(|line| format!("//! {line}").trim_end().to_owned() + "\n").collect();
    assert!(
        code.lines().count() >= 5 && library.contains(&in_docs),
        "crates/recount/src/lib.rs has other code than\n{code}"
    );
}
