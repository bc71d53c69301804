//! `cargo xtask live GROUP...`: the tests that need this machine, other programs, a network or other machines, or libraries that take
//! long to build. Each group installs what it needs (Debian), and runs by itself; within it, one test after the other.

mod groups;
mod packages;

use std::path::Path;
use std::process::Command;

use groups::{GROUPS, Group, Tests};

use crate::process::{cargo, succeed};

/// Runs groups; `arguments` are those behind its name.
pub(crate) fn live(root: &Path, arguments: &[String]) -> Result<(), String> {
    let wanted: Vec<&Group> = match arguments {
        [] => return Err(format!("expected groups, or all:\n\n{}", listed())),
        [only] if only == "--list" => {
            println!("{}", listed());
            return Ok(());
        }
        [only] if only == "all" => GROUPS.iter().collect(),
        names => names.iter().map(|name| group(name)).collect::<Result<_, _>>()?,
    };
    packages::install(wanted.iter().flat_map(|group| group.needs))?;
    // One that fails doesn't hide the others.
    let built = if wanted.len() > 1 { Built::Workspace } else { Built::OfGroup };
    let failed: Vec<&str> =
        wanted.iter().filter(|group| run(root, group, built).is_err()).map(|group| group.name).collect();
    if failed.is_empty() { Ok(()) } else { Err(format!("failed: {}", failed.join(", "))) }
}

fn group(name: &str) -> Result<&'static Group, String> {
    let found = GROUPS.iter().find(|group| group.name == name);
    found.ok_or_else(|| format!("there is no group {name}:\n\n{}", listed()))
}

fn listed() -> String {
    let line = |group: &Group| format!("    {:<10} {:>3} min  {}\n", group.name, group.minutes, group.covers);
    let lines: String = GROUPS.iter().map(line).collect();
    format!("{lines}    {:<10} {:>7}  every group", "all", "")
}

/// What is built for a group.
#[derive(Clone, Copy, PartialEq, Eq)]
enum Built {
    /// Its own crates, in less time.
    OfGroup,
    /// All crates: each choice of crates has other features of libraries, which would be built again for the next group.
    Workspace,
}

fn run(root: &Path, group: &Group, built: Built) -> Result<(), String> {
    println!("\n== {}: {}", group.name, group.covers);
    let done = match group.tests {
        Tests::Script(script) => succeed(Command::new("bash").arg(script).current_dir(root)),
        Tests::Nextest { crates, filter } => {
            let mut nextest = cargo(root);
            nextest.args([
                "nextest",
                "run",
                "--locked",
                "--profile",
                "live",
                "--no-fail-fast",
                "--all-features",
            ]);
            match built {
                Built::Workspace => {
                    nextest.arg("--workspace");
                }
                Built::OfGroup => {
                    nextest.args(crates.iter().flat_map(|name| ["--package", name]));
                }
            }
            succeed(nextest.args(["--filterset", filter]))
        }
    };
    if let Err(why) = &done {
        eprintln!("cargo xtask live: {}: {why}", group.name);
    }
    done
}
