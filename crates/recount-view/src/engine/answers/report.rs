//! The report on the samples counted so far: `GET api/report`.

use serde::Serialize;

use super::Refusal;
use crate::engine::Engine;
use crate::engine::time::ms_after;

/// The sections of the report's page, and their values.
#[derive(Serialize)]
pub(crate) struct ReportAnswer {
    html: String,
    blob: String,
    /// The last sample that it includes.
    end_ms: Option<f64>,
}

impl Engine {
    pub(crate) fn report_answer(&self) -> Result<ReportAnswer, Refusal> {
        if let Some(report) = self.report().filter(|_| self.state().is_done) {
            let (html, blob) = (report.parts.html.clone(), report.parts.blob.clone());
            return Ok(ReportAnswer { html, blob, end_ms: report.span.map(|span| ms_after(span.to)) });
        }
        Err(Refusal::new(503, "the capture is still being counted"))
    }
}
