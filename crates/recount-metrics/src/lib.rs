//! Cooked values as texts that time series databases read: `OpenMetrics` (Prometheus) and line protocol (`InfluxDB`), by
//! `formats/openmetrics.md`.

mod error;
mod families;
mod labels;
mod line_protocol;
mod name;
mod number;
mod open_metrics;
mod points;

pub use error::MetricsError;
pub use line_protocol::LineProtocolWriter;
pub use open_metrics::{OpenMetricsWriter, Written};

/// The example of README.md compiles.
#[cfg(doctest)]
#[doc = include_str!("../README.md")]
struct Readme;
