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
    for folder in ["samples", "docs"] {
        std::os::unix::fs::symlink(root().join(folder), desk.path().join(folder)).expect("a link");
    }
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

/// The captures that the pages speak of, most with a row every 30 s from 08:30 to 15:29:30.
fn stocked() -> tempfile::TempDir {
    let desk = desk();
    let mut text = String::from("\"(PDH-CSV 4.0) (UTC)(0)\"");
    let counters = [
        r"Processor(_Total)\% Processor Time",
        r"PhysicalDisk(_Total)\Avg. Disk sec/Transfer",
        r"Memory\Available Bytes",
    ];
    text.extend(counters.map(|counter| format!(",\"\\\\WEB1\\{counter}\"")));
    for row in 0..840 {
        let (hour, minute, second) = (8 + (30 + row / 2) / 60, (30 + row / 2) % 60, row % 2 * 30);
        let (busy, latency, free) = (10 + row % 7, 4 + row % 3, 4_000_000_000 - i64::from(row % 11));
        let cells = format!("\"{busy}\",\"0.00{latency}\",\"{free}\"");
        text += &format!("\n\"11/23/2026 {hour:02}:{minute:02}:{second:02}.000\",{cells}");
    }
    for folder in ["captures", "january", "sa", "recount"] {
        fs::create_dir(desk.path().join(folder)).expect("a folder");
    }
    // The format is recognised by content.
    for name in
        ["monday.blg", "tuesday.blg", "today.blg", "db.blg", "load.csv", "captures/1.csv", "january/1.csv"]
    {
        fs::write(desk.path().join(name), &text).expect("a text");
    }
    for name in ["today", "web", "web1", "before", "after", "run1", "run2", "run3"] {
        run(&format!("recount pack load.csv -o {name}.rcap"), desk.path());
    }
    for name in ["monday", "recount/web1"] {
        let copied = format!("cp samples/moved/disk-writer.rcap {name}.rcap");
        run(&format!("{copied} && recount mark {name}.rcap deploy --at +90s"), desk.path());
    }
    for copied in
        ["samples/sysstat.sa sa", "docs/ci/tolerances.toml .", "docs/rules/big-process.toml our-disks.toml"]
    {
        run(&format!("cp {copied}"), desk.path());
    }
    desk
}

/// Whether a command looks at a machine, or goes on until it is ended.
fn is_live(command: &str) -> bool {
    ["record ", "serve ", "view ", "list --host "].iter().any(|begin| command.starts_with(begin))
}

#[test]
fn commands_without_output_are_run() {
    let desk = stocked();
    let (mut num_run, mut num_read) = (0, 0);
    for path in pages() {
        for command in commands(&fs::read_to_string(&path).expect("a page")) {
            let command = command.replace("/var/log/sa/", "sa/").replace("/var/lib/recount/", "recount/");
            if !is_live(&command) {
                run(&format!("recount {command}"), desk.path());
                num_run += 1;
            } else if cfg!(feature = "remote")
                || !command.starts_with("serve ") && !command.contains(" --host ")
            {
                // With `--help`, a command only looks at the words before.
                let help = run(&format!("recount {command} --help"), desk.path());
                assert!(help.iter().any(|line| line.starts_with("Usage: recount ")), "{command}: {help:?}");
                num_read += 1;
            }
        }
    }
    assert!(num_run > 20 && num_read >= 5, "{num_run} {num_read}");
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
