//! The page, rendered once.

use axum::http::HeaderValue;
use recount_analysis::shown::short;
use recount_page::{Entry, hash, render, script, style};
use serde::Serialize;

/// The page's text, and its content security policy.
#[derive(Clone, Debug)]
pub(super) struct Page {
    pub(super) html: String,
    pub(super) policy: HeaderValue,
}

/// The variables of the template.
#[derive(Serialize)]
struct Frame {
    title: String,
    generator: &'static str,
    style: String,
    script: String,
    style_hash: String,
    script_hash: String,
}

impl Page {
    /// The viewer's page; `None` if this program was built without it.
    pub(super) fn new(title: &str) -> Option<Page> {
        let (style, script) = (style(), script(Entry::View));
        let frame = Frame {
            title: short(title),
            generator: concat!("recount ", env!("CARGO_PKG_VERSION")),
            style_hash: hash(&style),
            script_hash: hash(&script),
            style,
            script,
        };
        let policy = format!(
            "default-src 'none'; script-src 'sha256-{}'; style-src 'sha256-{}'; connect-src 'self'; img-src data:; form-action 'none'; \
             base-uri 'none'; frame-ancestors 'none'",
            frame.script_hash, frame.style_hash
        );
        Some(Page { html: render("view.html", &frame).ok()?, policy: HeaderValue::from_str(&policy).ok()? })
    }
}
