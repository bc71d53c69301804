//! The page, as a single file (`crates/recount-page/README.md` describes the template's data).

mod context;
mod drawing;
mod hundred;
mod page;
mod programs;
mod shading;
mod stock;
mod ticks;
mod value_axis;

pub use page::{ReportParts, figures_of_view, html, html_of_view, parts};
pub use recount_page::PageError;

/// Longest blob, in bytes: 5 MB minus the rest of the page.
pub(crate) const MAX_LEN_BLOB: usize = 4_400_000;

pub(crate) use context::{CaptureText, Frame};
