//! What happened in a capture, in one pass over it: findings, figures and charts.

pub(crate) mod blob;
mod boots;
mod candidate;
mod checked;
mod coverage;
mod days;
mod facts;
mod famous;
mod health;
mod html;
mod json;
mod junit;
mod markdown;
mod missing;
mod noted;
mod observe;
mod overview;
pub(crate) mod points;
mod together;
mod view_file;

pub use candidate::{Candidate, Charted, MAX_SERIES as MAX_CHART_SERIES};
pub use coverage::Unchecked;
pub use days::{Day, Days, WorstHour};
pub use facts::{CaptureFacts, HostGaps};
pub use html::{PageError, ReportParts, figures_of_view, html, html_of_view, parts};
pub use json::json;
pub(crate) use junit::unread;
pub use junit::{JunitError, junit};
pub use markdown::markdown;
pub use noted::{AgainstBaseline, MAX_CHANGED, Noted};
pub use observe::{Observed, ReportOptions, observe, observe_with};
pub use overview::charted;
pub use view_file::{ViewChart, ViewFile, ViewFileError, ViewHead};

pub(crate) use coverage::groups_of_area;
pub(crate) use health::{HealthText, health, ms};
pub(crate) use together::{Event, together};

pub(crate) use html::{CaptureText, Frame, MAX_LEN_BLOB};
