//! The engine without a server, on the thread that asks: for a page that opens captures itself.

use std::error::Error;
use std::io::Write;

use recount::analysis::report::{ReportOptions, html};
use recount::{ConvertOptions, Health, OutputFormat, convert_to, report, unwatched};

use crate::engine::{Cancel, Engine, JSON, Opening, Question, Refusal, ViewError, count};

/// Captures opened where they are looked into. Nothing of it starts a thread.
pub struct Local {
    engine: Engine,
}

/// An answer, as the server would send it.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Reply {
    /// HTTP's status: 200 for an answer, else the bytes are an error as JSON.
    pub status: u16,
    /// The media type.
    pub kind: &'static str,
    /// Its content.
    pub bytes: Vec<u8>,
}

impl Local {
    /// Opens the captures and takes a first look at them.
    pub fn open(opening: Opening) -> Result<Local, ViewError> {
        Ok(Local { engine: Engine::open(opening)? })
    }

    /// Counts everything once, after which every answer is known. `progressed` is given the answer to `progress` after every
    /// step.
    pub fn count(&self, progressed: &(dyn Fn(&[u8]) + Sync)) {
        let progress = || progressed(&self.answer(Question::Progress.name(), b"").bytes);
        count(&self.engine, &progress);
        progress();
    }

    /// Whether a question would better be asked where everything has been counted.
    pub fn should_wait(&self, question: &str, content: &[u8]) -> bool {
        !self.engine.has_counted() && known(question).is_some_and(|question| question.is_slow(content))
    }

    /// Answers a question of the page.
    pub fn answer(&self, question: &str, content: &[u8]) -> Reply {
        let answer = match known(question) {
            Some(Question::Mark) => {
                Err(Refusal::new(409, "this page only reads captures; recount mark adds a mark to a log"))
            }
            Some(question) => self.engine.ask(question, content, &Cancel::default()),
            None => Err(Refusal::new(404, "there is nothing here")),
        };
        match answer {
            Ok((kind, bytes)) => Reply { status: 200, kind, bytes },
            Err(refusal) => Reply { status: refusal.status, kind: JSON, bytes: refusal.json() },
        }
    }

    /// Writes a file of the captures: `csv`, `parquet`, or `report`, each as the command writes it. Returns what could not
    /// be read.
    pub fn save(
        &self,
        kind: &str,
        mut out: Box<dyn Write + Send>,
    ) -> Result<Health, Box<dyn Error + Send + Sync>> {
        let side = self.engine.side(0).ok_or("there is no capture")?;
        let mut options = ConvertOptions::default();
        options.format = match kind {
            "csv" => OutputFormat::Csv,
            "parquet" => OutputFormat::Parquet,
            "report" => {
                let opening = &self.engine.opening;
                let observed = report(&side.timeline, &opening.sets, &ReportOptions::default(), &unwatched)?;
                out.write_all(html(&observed, &opening.title)?.as_bytes())?;
                return Ok(observed.health);
            }
            _ => return Err(format!("there is no file of the kind {kind:?}").into()),
        };
        Ok(convert_to(&side.timeline, out, &options, &unwatched)?.health)
    }

    /// What could not be read, per time line: the findings of opening, and more once everything has been counted.
    pub fn health(&self) -> Vec<(String, Health)> {
        self.engine.health()
    }
}

fn known(name: &str) -> Option<Question> {
    Question::ALL.into_iter().find(|question| question.name() == name)
}
