//! `recount mcp`, driven by other implementations of the protocol: the clients of `PyPI`'s `mcp` and of npm's SDK, with every tool, and 1,000
//! requests in which something is wrong; and the protocol's own checks of servers.

use std::path::{Path, PathBuf};
use std::process::Command;

use recount_testdata::shared_path;

#[path = "browser/npm.rs"]
mod npm;
mod python;

fn sources() -> PathBuf {
    Path::new(env!("CARGO_MANIFEST_DIR")).join("tests/mcp")
}

fn samples() -> PathBuf {
    Path::new(env!("CARGO_MANIFEST_DIR")).join("../../samples")
}

fn recount() -> &'static Path {
    Path::new(env!("CARGO_BIN_EXE_recount"))
}

fn python() -> python::Python {
    python::Python::install(&sources().join("requirements.txt"))
}

/// Answers have at most 2,000 tokens, and the tools' descriptions together less than 3,000.
#[test]
fn another_client_drives_every_tool() {
    let out = tempfile::tempdir().expect("a temporary folder");
    let shared = shared_path("");
    let arguments = [recount(), &shared, &samples(), out.path(), Path::new("1000")];
    python().run(&sources().join("drive.py"), &arguments);
}

#[test]
fn cases_are_solved_by_what_answers_say() {
    python().run(&sources().join("cases.py"), &[recount(), &shared_path(""), &samples()]);
}

#[test]
fn the_sdk_of_npm_drives_every_tool_over_both_transports() {
    let out = tempfile::tempdir().expect("a temporary folder");
    node("drive.mjs", &[recount(), &samples(), out.path()]);
}

#[test]
fn the_protocols_own_checks_pass() {
    node("conformance.mjs", &[recount(), &samples()]);
}

fn node(script: &str, arguments: &[&Path]) {
    let packages = npm::install(&sources(), "mcp-clients");
    let mut node = Command::new("node");
    npm::run(node.arg(sources().join(script)).args(arguments).env("RECOUNT_MCP_CLIENTS", packages));
}
