//! Command lines that print the values on screen: `POST api/command`.

use std::ffi::OsStr;
use std::path::{Path, PathBuf};

use recount::Timestamp;
use recount_model::shell_word;
use serde::{Deserialize, Serialize};

use super::points::SeriesAsked;
use super::{Refusal, side_of, span_of};
use crate::engine::side::Side;
use crate::engine::{Engine, Opening};

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
            let reading = self.reading_of(&side);
            if let Some(files) = self.files_of(number).filter(|_| !paths.is_empty()) {
                let files = words(&files);
                if number > 0 || self.opening.inputs.len() + self.opening.beside.len() == 1 {
                    commands.push(format!("recount show{files}{}{reading}{times}", words(&paths)));
                }
                let counters = paths.iter().fold(String::new(), |all, path| all + " -c " + &shell_word(path));
                commands.push(format!("recount stats{files}{counters}{reading}{times}"));
            }
            if number > 0 {
                continue;
            }
            let files = words(&self.opening.inputs) + &self.beside();
            let view = self.opening.view.as_ref().map(|(path, _)| format!(" --view {}", shell_word(path)));
            let view = view.unwrap_or_default();
            commands.push(format!("recount report{files} -o report.html{view}{reading}{times}"));
            if let Some(sql) = request.sql.as_deref().filter(|sql| !sql.trim().is_empty()) {
                commands.push(format!("recount query{files}{reading} {}", shell_word(sql)));
            }
        }
        Ok(CommandAnswer { commands })
    }

    /// The captures of a side, for commands that take a list of them; `None` if there is no such command, since the times of some are moved.
    fn files_of(&self, side: usize) -> Option<Vec<&Path>> {
        let Opening { inputs, beside, shift, compared, .. } = &self.opening;
        match side {
            0 if shift.is_some() => None,
            0 => Some(inputs.iter().chain(beside).map(PathBuf::as_path).collect()),
            _ => Some(compared.as_deref().into_iter().collect()),
        }
    }

    /// The captures beside the inputs, as options.
    fn beside(&self) -> String {
        let with = self.opening.beside.iter().map(|path| format!(" --with {}", shell_word(path)));
        let shift = self.opening.shift.iter().map(|shift| format!(" --shift {}", shell_word(shift)));
        with.chain(shift).collect::<Vec<_>>().concat()
    }

    /// The options by which a command reads a side as it is on screen.
    fn reading_of(&self, side: &Side) -> String {
        let reading = &self.opening.reading;
        let is_named = reading.iter().any(|word| ["windows", "en"].contains(&&**word));
        let names = if side.is_renamed && !is_named { " --names windows" } else { "" };
        format!("{names}{}", words(reading))
    }
}

/// Words of a command line, each after a blank.
fn words(words: &[impl AsRef<OsStr>]) -> String {
    words.iter().map(|word| format!(" {}", shell_word(word))).collect::<Vec<_>>().concat()
}
