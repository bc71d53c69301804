//! What happened in a capture, in one pass over it: findings, figures and charts.

pub(crate) mod blob;
mod facts;
mod health;
mod html;
mod json;
mod junit;
mod markdown;
mod observe;
mod overview;
pub(crate) mod points;

pub use facts::CaptureFacts;
pub use html::{PageError, html};
pub use json::json;
pub use junit::{JunitError, junit};
pub use markdown::markdown;
pub use observe::{Observed, ReportOptions, observe};

pub(crate) use health::ms;
pub(crate) use html::{CaptureText, Frame, MAX_LEN_BLOB};
