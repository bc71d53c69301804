//! The page, as a single file (`README.md` in this directory describes the template's data).

mod context;
mod page;
mod parts;
mod stock;

use minijinja::Environment;
use minijinja::value::{Serde, Value};
use serde::Serialize;

pub use page::{ReportParts, html, parts};

/// Why a page could not be made.
#[derive(Debug, thiserror::Error)]
#[error("the page can't be made: {0:#}")]
pub struct PageError(#[from] minijinja::Error);

/// Longest blob, in bytes: 5 MB minus the rest of the page.
pub(crate) const MAX_LEN_BLOB: usize = 4_400_000;

/// Fills in a template. Everything that isn't our own markup is escaped.
pub(crate) fn render(template: &str, context: &impl Serialize) -> Result<String, PageError> {
    let mut environment = Environment::new();
    environment.add_template("base.html", include_str!("base.html"))?;
    environment.add_template("page.html", include_str!("page.html"))?;
    environment.add_template("sections.html", include_str!("sections.html"))?;
    environment.add_template("diff.html", include_str!("diff.html"))?;
    Ok(environment.get_template(template)?.render(Value::from(Serde(context)))?)
}

pub(crate) use context::{CaptureText, Frame};
