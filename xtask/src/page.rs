//! `cargo xtask page`: builds `target/page/recount.html`, and with `--check` looks at it in browsers (`docs/open-without-installing.md`).

use std::env;
use std::path::{Path, PathBuf};
use std::process::Command;

use crate::process::{cargo, succeed, tool};
use crate::toolchain::Toolchain;

const TARGET: &str = "wasm32-unknown-unknown";
/// Room for recursion, in bytes.
const STACK: &str = "link-arg=-zstack-size=4194304";
/// What the module uses of WebAssembly beyond its first version, as Rust's target has it: a feature that `wasm-opt` knows and browsers don't would make a
/// module that these refuse.
const WASM_FEATURES: [&str; 7] = [
    "bulk-memory",
    "bulk-memory-opt",
    "nontrapping-float-to-int",
    "sign-ext",
    "mutable-globals",
    "reference-types",
    "multivalue",
];
/// Debian's packages with a C compiler and a linker for it.
const PACKAGES: &str = "clang-19 lld-19 llvm-19";

/// Builds the page; `arguments` are those behind its name.
pub(crate) fn page(root: &Path, arguments: &[String]) -> Result<(), String> {
    let is_checked = match arguments {
        [] => false,
        [only] if only == "--check" => true,
        _ => return Err("expected nothing, or --check".to_owned()),
    };
    let module = module(root)?;
    let page = root.join("target/page/recount.html");
    std::fs::create_dir_all(root.join("target/page")).map_err(|error| error.to_string())?;
    let mut made = cargo(root);
    made.args(["run", "--quiet", "--locked", "--package", "recount-page", "--example", "recount-html", "--"]);
    succeed(made.arg(smaller(&module)?).arg(&page))?;
    if !is_checked {
        return Ok(());
    }
    check(root, &page)
}

/// Opens captures in browsers, and compares what the page writes with what the command writes.
fn check(root: &Path, page: &Path) -> Result<(), String> {
    succeed(cargo(root).args(["build", "--locked", "--package", "recount-cli"]))?;
    let browser = root.join("target/browser");
    if !browser.join("node_modules/playwright-core").is_dir() {
        let pinned = root.join("crates/recount-cli/tests/browser");
        std::fs::create_dir_all(&browser).map_err(|error| error.to_string())?;
        for name in ["package.json", "package-lock.json"] {
            std::fs::copy(pinned.join(name), browser.join(name))
                .map_err(|error| format!("{name}: {error}"))?;
        }
        let install = ["ci", "--no-audit", "--no-fund", "--ignore-scripts"];
        succeed(Command::new("npm").args(install).current_dir(&browser))?;
    }
    let shared = env::var_os("RECOUNT_SHARED").map_or_else(|| root.join("../shared/data"), PathBuf::from);
    for name in ["chromium", "firefox"] {
        let mut check = Command::new("node");
        check.current_dir(root).env("RECOUNT_BROWSER", &browser);
        check.arg("crates/recount-cli/tests/page/check.mjs").arg(page).arg("target/debug/recount");
        succeed(check.arg("samples").arg(&shared).args(["--browser", name]))?;
    }
    Ok(())
}

/// Builds the module of WebAssembly.
fn module(root: &Path) -> Result<PathBuf, String> {
    let folder = root.join("target/wasm");
    let toolchain = Toolchain::of(root, TARGET)?;
    let mut build = toolchain.cargo(root);
    if toolchain == Toolchain::Debian {
        let linker = tool(&["wasm-ld-19", "wasm-ld"], PACKAGES)?;
        build.env("CARGO_TARGET_WASM32_UNKNOWN_UNKNOWN_LINKER", linker);
    }
    // zstd is C.
    let compiler = tool(&["clang-19", "clang"], PACKAGES)?;
    let archiver = tool(&["llvm-ar-19", "llvm-ar"], PACKAGES)?;
    build.env("CC_wasm32_unknown_unknown", compiler).env("AR_wasm32_unknown_unknown", archiver);
    build.args(["rustc", "--locked", "--profile", "page", "--package", "recount-web", "--lib"]);
    build.args(["--crate-type", "cdylib", "--target", TARGET, "--target-dir"]).arg(&folder);
    build.args(toolchain.arguments("abort"));
    succeed(build.args(["--", "-C", STACK]))?;
    Ok(folder.join(TARGET).join("page/recount_web.wasm"))
}

/// The module as `wasm-opt` makes it, if that is installed.
fn smaller(module: &Path) -> Result<PathBuf, String> {
    let Ok(program) = tool(&["wasm-opt"], "binaryen") else { return Ok(module.to_path_buf()) };
    let small = module.with_extension("small.wasm");
    let features = WASM_FEATURES.map(|feature| format!("--enable-{feature}"));
    succeed(Command::new(program).args(["-O2", "-o"]).args(features).arg(&small).arg(module))?;
    Ok(small)
}
