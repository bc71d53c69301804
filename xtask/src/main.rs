//! `cargo xtask STEP...`: what a contributor runs before a commit, step by step. `.ci/run` runs the same steps.
//!
//! It has no dependencies, so that it builds in a second.

#![expect(clippy::print_stdout, clippy::print_stderr, reason = "a program that reports what it runs")]

mod dist;
mod live;
mod page;
mod process;
mod toolchain;

use std::env;
use std::path::Path;
use std::process::{Command, ExitCode};

/// A step: its name, what it is for, and the commands that it runs, until one fails.
struct Step {
    name: &'static str,
    what: &'static str,
    commands: &'static [StepCommand],
}

/// A command with its variables of the environment. Its words have no blanks within.
struct StepCommand {
    variables: &'static [(&'static str, &'static str)],
    line: &'static str,
}

const fn run(line: &'static str) -> StepCommand {
    StepCommand { variables: &[], line }
}

const fn with(variables: &'static [(&'static str, &'static str)], line: &'static str) -> StepCommand {
    StepCommand { variables, line }
}

/// Tests write what they found instead of comparing it.
const BLESS: &[(&str, &str)] = &[("RECOUNT_BLESS", "1")];

const STEPS: &[Step] = &[
    Step {
        name: "formatting",
        what: "is everything formatted? (cargo fmt --all formats it)",
        commands: &[run("cargo fmt --all --check")],
    },
    Step {
        name: "lints",
        what: "clippy over everything",
        commands: &[run("cargo clippy --workspace --all-targets --all-features --locked -- -D warnings")],
    },
    Step {
        name: "features",
        what: "clippy over the library with each of its features alone, but sql and remote, which lints builds",
        commands: &[
            run(
                "cargo clippy --package recount --lib --examples --no-default-features --locked -- -D warnings",
            ),
            run(
                "cargo clippy --package recount --lib --examples --no-default-features --features analysis --locked -- -D warnings",
            ),
            run(
                "cargo clippy --package recount --lib --examples --no-default-features --features record --locked -- -D warnings",
            ),
        ],
    },
    Step {
        name: "documentation",
        what: "cargo doc without warnings",
        commands: &[with(
            &[("RUSTDOCFLAGS", "-D warnings")],
            "cargo doc --workspace --no-deps --all-features --locked",
        )],
    },
    Step {
        name: "packages",
        // Offline, or it asks the registry for each of our own crates, which aren't there.
        what: "every crate that is published packs into an archive of its own",
        commands: &[
            run("cargo fetch --locked"),
            run(
                "cargo package --workspace --exclude recount-bench --exclude recount-web --no-verify --allow-dirty --locked --quiet --offline",
            ),
        ],
    },
    Step {
        // Without advisories: their database is on GitHub, which CI cannot reach. Offline, cargo-deny needs every crate of the lock
        // file for all systems.
        name: "dependencies",
        what: "licences, owners and sources of dependencies (needs cargo-deny)",
        commands: &[
            run("cargo fetch --locked"),
            run("cargo deny --offline check --hide-inclusion-graph bans licenses sources"),
        ],
    },
    Step {
        name: "stored",
        what: "the tests that read the shared captures (needs cargo-nextest)",
        commands: &[run("cargo nextest run --locked --run-ignored only --profile stored --no-fail-fast")],
    },
    Step {
        name: "commit",
        what: "what to run before a commit: formatting, lints of what is built by default, the tests of the first tier",
        commands: &[
            run("cargo fmt --all --check"),
            run("cargo clippy --all-targets --locked -- -D warnings"),
            run("cargo test --locked"),
        ],
    },
    Step {
        name: "bless",
        what: "renews outputs in README.md and docs/, tables in formats/, and samples' dumps and values: look at the diff",
        commands: &[
            with(BLESS, "cargo test --locked --package recount-record document"),
            with(BLESS, "cargo test --locked --package recount-sysstat document"),
            with(BLESS, "cargo test --locked --package recount-pcp document"),
            with(BLESS, "cargo test --locked --package recount-cli --test docs --test samples"),
        ],
    },
];

/// What is more than commands, with its arguments.
type Other = (&'static str, &'static str, fn(&Path, &[String]) -> Result<(), String>);

const OTHERS: &[Other] = &[
    (
        "live",
        "tests of this machine and with other programs, by groups: --list shows them, with what they cover; all runs all",
        live::live,
    ),
    (
        "page",
        "builds target/page/recount.html; --check looks at it in browsers (docs/open-without-installing.md)",
        page::page,
    ),
    (
        "dist",
        "builds a release in target/dist, or --only parts of it; --check installs and uses it (RELEASE.md)",
        dist::dist,
    ),
];

fn main() -> ExitCode {
    let names: Vec<String> = env::args().skip(1).collect();
    if let Some((name, arguments)) = names.split_first()
        && let Some((_, _, run)) = OTHERS.iter().find(|(other, _, _)| other == name)
    {
        let root = Path::new(env!("CARGO_MANIFEST_DIR")).join("..");
        return match run(&root, arguments) {
            Ok(()) => ExitCode::SUCCESS,
            Err(why) => {
                eprintln!("cargo xtask {name}: {why}");
                ExitCode::FAILURE
            }
        };
    }
    let mut steps = Vec::new();
    for name in &names {
        let Some(step) = STEPS.iter().find(|step| step.name == name.replace('-', "_")) else {
            eprintln!("cargo xtask: there is no step {name}\n");
            return listed();
        };
        steps.push(step);
    }
    if steps.is_empty() {
        return listed();
    }
    for command in steps.iter().flat_map(|step| step.commands) {
        if let Err(why) = execute(command) {
            eprintln!("cargo xtask: {}: {why}", command.line);
            return ExitCode::FAILURE;
        }
    }
    ExitCode::SUCCESS
}

/// Shows the steps. Nothing was run, so that isn't a success.
fn listed() -> ExitCode {
    eprintln!("cargo xtask STEP...\n");
    for Step { name, what, .. } in STEPS {
        eprintln!("    {name:<15} {what}");
    }
    for (name, what, _) in OTHERS {
        eprintln!("    {name:<15} {what}");
    }
    ExitCode::from(2)
}

/// Runs a command in the root of the workspace; its output is that of this program.
fn execute(command: &StepCommand) -> Result<(), String> {
    let mut words = command.line.split(' ');
    let program = words.next().unwrap_or_default();
    let root = Path::new(env!("CARGO_MANIFEST_DIR")).join("..");
    let variables = command.variables.iter().copied();
    let status = Command::new(program).args(words).envs(variables).current_dir(root).status();
    match status {
        Ok(status) if status.success() => Ok(()),
        Ok(status) => Err(status.to_string()),
        Err(error) => Err(error.to_string()),
    }
}
