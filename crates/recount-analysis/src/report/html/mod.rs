//! The page: one file, nothing else (`README.md` beside this says what the template gets).

mod context;
mod page;
mod parts;
mod stock;

use minijinja::Environment;
use minijinja::value::{Serde, Value};
use serde::Serialize;

pub use page::html;

/// Why a page could not be made.
#[derive(Debug, thiserror::Error)]
#[error("the page can't be made: {0:#}")]
pub struct PageError(#[from] minijinja::Error);

/// Longest blob, in bytes: what is left of 5 MB.
pub(crate) const MAX_LEN_BLOB: usize = 4_400_000;

/// Fills a template in. What isn't markup of ours is escaped.
pub(crate) fn render(template: &str, context: &impl Serialize) -> Result<String, PageError> {
    let mut environment = Environment::new();
    environment.add_template("base.html", include_str!("base.html"))?;
    environment.add_template("page.html", include_str!("page.html"))?;
    environment.add_template("diff.html", include_str!("diff.html"))?;
    Ok(environment.get_template(template)?.render(Value::from(Serde(context)))?)
}

pub(crate) use context::{CaptureText, Frame};
