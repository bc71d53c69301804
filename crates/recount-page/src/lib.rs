//! The pages: the report of a capture, the comparison of two, and everything that they share.
//!
//! The pages are independent of Rust: they are templates, a style sheet and ES modules below `page/`, and
//! `README.md` is the contract with the code that fills them. This crate puts them together without Node.js: the
//! modules that an [`Entry`] needs become one script in one scope, so that a page is a single file that loads
//! nothing.

mod dense;
mod files;
mod link;
mod template;

#[cfg(test)]
mod faults;

use base64::Engine;
use base64::engine::general_purpose::STANDARD;
use sha2::{Digest, Sha256};

pub use dense::dense;
pub use template::{PageError, render};

use files::{CHART_SCRIPT, CHART_STYLE, MODULES, STYLES};

/// The entry of a page: the module that imports all others that it needs.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Entry {
    /// The report of a capture, and the comparison of two (`page.html`, `diff.html`).
    Report,
    /// The viewer of captures that a server on this machine has opened (`view.html`).
    View,
    /// The page that opens captures itself (`local.html`).
    Local,
    /// What its workers run.
    Worker,
}

impl Entry {
    /// All of them.
    pub const ALL: &[Entry] = &[Entry::Report, Entry::View, Entry::Local, Entry::Worker];

    /// Path of its module below `page/`.
    const fn module(self) -> &'static str {
        match self {
            Entry::Report => "report/page.js",
            Entry::View => "view/page.js",
            Entry::Local => "local/page.js",
            Entry::Worker => "local/worker.js",
        }
    }
}

/// The script of a page: the chart library and all modules that the entry needs, in one scope that leaves no global.
pub fn script(entry: Entry) -> String {
    let ours = link::linked(MODULES, entry.module());
    // A worker draws nothing.
    let charts = if entry == Entry::Worker { "" } else { CHART_SCRIPT };
    format!("(() => {{\n\"use strict\";\n{charts}\n{ours}}})();\n")
}

/// The style sheet of all pages.
pub fn style() -> String {
    let ours = STYLES.iter().map(|(_, text)| format!("{text}\n"));
    format!("{CHART_STYLE}\n{}", ours.collect::<String>())
}

/// The SHA-256 of a text in base64, as used in a content security policy after `sha256-`.
pub fn hash(text: &str) -> String {
    STANDARD.encode(Sha256::digest(text.as_bytes()))
}

/// The example of README.md compiles.
#[cfg(doctest)]
#[doc = include_str!("../README.md")]
struct Readme;

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn nothing_ends_the_elements_early() {
        for text in Entry::ALL.iter().map(|&entry| script(entry)).chain([style()]) {
            let text = text.to_lowercase();
            assert!(
                !text.contains("</script")
                    && !text.contains("</style")
                    && !text.contains("<!--")
                    && !text.contains('\r')
            );
        }
    }

    #[test]
    fn scripts_are_one_scope_without_imports() {
        for &entry in Entry::ALL {
            let script = script(entry);
            assert!(script.starts_with("(() => {\n\"use strict\";\n") && script.ends_with("})();\n"));
            for line in script.lines() {
                assert!(!line.starts_with("import ") && !line.starts_with("export "), "{line}");
            }
        }
    }

    #[test]
    fn the_hash_is_sha_256() {
        assert_eq!(hash(""), "47DEQpj8HBSa+/TImW+5JCeuQeRkm5NMpJWZG3hSuFU=");
    }
}
