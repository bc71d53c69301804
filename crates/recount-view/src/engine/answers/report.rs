//! The report of what was counted: `GET api/report`.

use serde::Serialize;

use super::Refusal;
use crate::engine::Engine;

/// The sections of the report's page, and the values behind them.
#[derive(Serialize)]
pub(crate) struct ReportAnswer {
    html: String,
    blob: String,
}

impl Engine {
    pub(crate) fn report_answer(&self) -> Result<ReportAnswer, Refusal> {
        if let Some(report) = self.report().filter(|_| self.state().is_done) {
            return Ok(ReportAnswer { html: report.html.clone(), blob: report.blob.clone() });
        }
        Err(Refusal::new(503, "the capture is still being counted"))
    }
}
