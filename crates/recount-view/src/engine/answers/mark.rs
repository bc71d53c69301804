//! Marks: `POST api/mark`.

use std::path::Path;
use std::sync::atomic::Ordering;

use recount::{MarkError, MarkLogError, TimeBound, Timestamp};
use serde::{Deserialize, Serialize};

use super::Refusal;
use crate::engine::Engine;
use crate::engine::time::ticks;

#[derive(Debug, Deserialize)]
pub(crate) struct MarkRequest {
    text: String,
    at: Option<f64>,
}

#[derive(Debug, Serialize)]
pub(crate) struct MarkAnswer {
    version: u64,
}

impl Engine {
    /// Marks a time in the log that contains it, or next to the log while it is being written.
    pub(crate) fn mark(&self, request: &MarkRequest) -> Result<MarkAnswer, Refusal> {
        let Some(side) = self.side(0) else { return Err(Refusal::bad("there is no capture")) };
        let at = request
            .at
            .map(|at| ticks(at).ok_or_else(|| Refusal::bad("`at` must be a time in milliseconds")))
            .transpose()?;
        let is_log = |capture: &&recount::Capture| {
            capture
                .names
                .first()
                .is_some_and(|name| Path::new(name).extension().is_some_and(|extension| extension == "rcap"))
        };
        let logs = || side.timeline.captures().iter().filter(is_log);
        let has = |capture: &&recount::Capture| {
            let times = capture.source.times();
            let ends = times.first().zip(times.last());
            at.zip(ends).is_some_and(|(at, (first, last))| (first.utc.0..=last.utc.0).contains(&at))
        };
        let chosen =
            logs().find(has).or_else(|| logs().next_back()).and_then(|capture| capture.names.first());
        let Some(path) = chosen else {
            return Err(Refusal::new(409, "only a capture log (.rcap) can be marked"));
        };
        let bound = at.map(|at| TimeBound::Utc(Timestamp(at)));
        recount::mark(Path::new(path), &request.text, bound.as_ref()).map_err(|error| match error {
            MarkError::Log(MarkLogError::Text { .. }) => Refusal::bad(error.to_string()),
            other => Refusal::new(409, other.to_string()),
        })?;
        let before = self.state().version;
        self.is_stale.store(true, Ordering::Release);
        Ok(MarkAnswer { version: self.wait_for_version(before) })
    }

    /// Waits for the version that includes what was just requested, for at most two seconds; returns the
    /// current one.
    fn wait_for_version(&self, before: u64) -> u64 {
        const STEP: std::time::Duration = std::time::Duration::from_millis(20);
        for _ in 0..100 {
            if self.state().version > before || !self.state().is_done {
                break;
            }
            std::thread::sleep(STEP);
        }
        self.state().version
    }
}
