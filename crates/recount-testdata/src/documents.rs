//! Pages of `formats/` that have to agree with the code.

use std::path::{Path, PathBuf};

/// A page and its text.
#[expect(clippy::panic, reason = "tests fail by panicking")]
fn page(name: &str) -> (PathBuf, String) {
    let path = Path::new(env!("CARGO_MANIFEST_DIR")).join("../../formats").join(name);
    match std::fs::read_to_string(&path) {
        Ok(text) => (path, text),
        Err(error) => panic!("{}: {error}", path.display()),
    }
}

/// Asserts that the part of a page that begins with this line equals what the code generates; `RECOUNT_BLESS=1`
/// updates it.
///
/// # Panics
/// If it isn't, or if the page has no such part.
#[expect(clippy::panic, reason = "tests fail by panicking")]
pub fn assert_made(name: &str, begin: &str, made: &str) {
    const END: &str = "<!-- end -->";
    let (path, text) = page(name);
    let parts = text.split_once(begin).and_then(|(before, rest)| Some((before, rest.split_once(END)?.1)));
    let Some((before, after)) = parts else { panic!("formats/{name} has no part that begins with {begin}") };
    let expected = format!("{before}{begin}{made}{END}{after}");
    if std::env::var_os("RECOUNT_BLESS").is_none() {
        assert!(text == expected, "formats/{name} is out of date: {begin}");
    } else if let Err(error) = std::fs::write(&path, expected) {
        panic!("{}: {error}", path.display());
    }
}

/// Asserts that these are objects and counters of our own Linux source, whose names are those of Windows where Windows has the
/// same thing.
///
/// # Panics
/// If one isn't in `formats/linux-objects.md`.
#[expect(clippy::panic, reason = "tests fail by panicking")]
pub fn assert_names_are_ours<'n>(names: impl IntoIterator<Item = (&'n str, &'n str)>) {
    let (_, text) = page("linux-objects.md");
    for (object, counter) in names {
        let Some((_, section)) = text.split_once(&format!("\n### {object}\n")) else { panic!("no {object}") };
        let section = section.split("\n### ").next().unwrap_or_default();
        assert!(section.contains(&format!(" | {counter} | ")), "no {counter} of {object}");
    }
}
