//! Command lines that print the values on screen: `POST api/command`.

use std::path::Path;

use recount::Timestamp;
use recount_model::shell_word;
use serde::{Deserialize, Serialize};

use super::points::SeriesAsked;
use super::{Refusal, side_of, span_of};
use crate::engine::Engine;

#[derive(Debug, Deserialize)]
pub(crate) struct CommandRequest {
    charts: Vec<ChartAsked>,
    from: f64,
    to: f64,
    sql: Option<String>,
}

#[derive(Debug, Deserialize)]
struct ChartAsked {
    series: Vec<SeriesAsked>,
}

#[derive(Debug, Serialize)]
pub(crate) struct CommandAnswer {
    commands: Vec<String>,
}

/// Maximum number of counters in one command.
const MAX_PATHS: usize = 64;

impl Engine {
    pub(crate) fn commands(&self, request: &CommandRequest) -> Result<CommandAnswer, Refusal> {
        let mut commands = Vec::new();
        for number in 0..self.sides().len() {
            let side = side_of(self, number)?;
            let span = span_of(&side, request.from, request.to)?;
            let files: Vec<&Path> = match number {
                0 => self.opening.inputs.iter().map(|input| &**input).collect(),
                _ => self.opening.compared.as_deref().into_iter().collect(),
            };
            let files = files.iter().map(shell_word).collect::<Vec<_>>().join(" ");
            let mut paths: Vec<&str> = Vec::new();
            for one in request.charts.iter().flat_map(|chart| &chart.series).filter(|one| one.side == number)
            {
                if !paths.contains(&&*one.path) && paths.len() < MAX_PATHS {
                    paths.push(&one.path);
                }
            }
            let stated = |time: i64| side.facts.stated(Timestamp(time));
            let whole = side.span().unwrap_or(span);
            let mut times = String::new();
            if side.facts.times.first().is_some_and(|first| first.utc.0 < span.from) {
                times.push_str(&format!(" --begin {}", stated(span.from)));
            }
            if span.to < whole.to {
                times.push_str(&format!(" --end {}", stated(span.to)));
            }
            if !paths.is_empty() {
                if number > 0 || self.opening.inputs.len() == 1 {
                    let patterns = paths.iter().map(shell_word).collect::<Vec<_>>().join(" ");
                    commands.push(format!("recount show {files} {patterns}{times}"));
                }
                let counters = paths.iter().fold(String::new(), |all, path| all + " -c " + &shell_word(path));
                commands.push(format!("recount stats {files}{counters}{times}"));
            }
            if number > 0 {
                continue;
            }
            let view = self.opening.view.as_ref().map(|(path, _)| format!(" --view {}", shell_word(path)));
            commands
                .push(format!("recount report {files} -o report.html{}{times}", view.unwrap_or_default()));
            if let Some(sql) = request.sql.as_deref().filter(|sql| !sql.trim().is_empty()) {
                commands.push(format!("recount query {files} {}", shell_word(sql)));
            }
        }
        Ok(CommandAnswer { commands })
    }
}
