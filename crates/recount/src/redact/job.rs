//! One capture: what it is, and what its result is compared with.

use std::fs::File;
use std::io::{BufWriter, Write};
use std::path::Path;
use std::sync::Arc;

use recount_capture::{CaptureError, Log, PackedFile, open_log_file, open_with_marks};
use recount_compute::unwatched;
use recount_model::{Changed, Content, FindingKind, Health, NameTable, Source};
use recount_output::{Access, Aside};
use recount_perf_data::{BlockItem, blocks};
use recount_tables::Layout;

use super::RedactError;
use super::blg::{BlgFault, redact_blg};
use super::block::rename_block;
use super::capture_log::{has_messages, redact_log};
use super::computed::Renamed;
use super::names::Names;
use crate::files::archive_files::open_plain;
use crate::files::content::{Pieces, map_file};
use crate::files::spool::unpacked_content;
use crate::formats::{BLG, PARQUET, PDH_TEXT, PERF_DATA_BLOCK};
use crate::open::open_plain_as;
use crate::pack::pack_content;
use crate::{
    Capture, ConvertOptions, Format, OpenError, OutputFormat, Span, Target, Timeline, convert, convert_to,
    is_stdio,
};

/// A table that a directory of tables by object has.
const CATALOGUE: &str = "_counters.parquet";

pub(super) struct Job<'a> {
    input: &'a Path,
    output: &'a Path,
    name: String,
    names: Arc<Names>,
    force: bool,
    /// The input as it is read.
    capture: Capture,
}

impl<'a> Job<'a> {
    pub(super) fn new(
        input: &'a Path,
        output: &'a Path,
        names: Names,
        force: bool,
    ) -> Result<Job<'a>, RedactError> {
        let name = input.display().to_string();
        let is_pipe = input.metadata().is_ok_and(|found| !found.is_file() && !found.is_dir());
        if is_pipe || is_stdio(input) || is_stdio(output) {
            return Err(RedactError::Format { name, format: "a pipe, where a file is needed".to_owned() });
        }
        Ok(Job { input, output, capture: crate::open(input)?, name, names: Arc::new(names), force })
    }

    pub(super) fn replaced(&self) -> Vec<(&'static str, u64)> {
        self.names.replaced()
    }

    pub(super) fn run(&self) -> Result<Health, RedactError> {
        if self.input.is_dir() {
            return self.tables();
        }
        let failed = |source| RedactError::Input { name: self.name.clone(), source };
        if let Some(file) = open_log_file(self.input).map_err(failed)? {
            return self.log(&open_with_marks(self.input, &file).map_err(|error| self.log_error(error))?);
        }
        let mut notes = Health::default();
        let content = open_plain(self.input, &mut notes).map_err(failed)?;
        let mut health = if Log::recognise(content.head()) {
            self.log(&Log::open(Box::new(Pieces(content))).map_err(|error| self.log_error(error))?)?
        } else {
            let aside = self.aside()?;
            let health = self.content(&content, &aside.file()?)?;
            self.compare(&aside.file()?, &health)?;
            aside.into_place()?;
            health
        };
        health.absorb(notes);
        Ok(health)
    }

    fn log_error(&self, source: CaptureError) -> RedactError {
        RedactError::Log { name: self.name.clone(), source }
    }

    fn refused(&self, format: &dyn std::fmt::Display) -> RedactError {
        RedactError::Format { name: self.name.clone(), format: format.to_string() }
    }

    fn aside(&self) -> Result<Aside, RedactError> {
        Ok(Aside::new(self.output, self.force, &Access::of([self.input]))?)
    }

    /// A log that was recorded, or one with a packed file.
    fn log(&self, log: &Log) -> Result<Health, RedactError> {
        if PackedFile::of(log).is_some() {
            return self.packed(log);
        }
        if has_messages(log) {
            return Err(self.refused(&"a recording of Performance Library 2.0"));
        }
        let aside = self.aside()?;
        let health = redact_log(log, self.capture.marks(), &self.names, aside.file()?)
            .map_err(|error| self.log_error(error))?;
        self.compare(&aside.file()?, &health)?;
        aside.into_place()?;
        Ok(health)
    }

    fn packed(&self, log: &Log) -> Result<Health, RedactError> {
        let mut health = log.health().clone();
        let content = unpacked_content(log, &mut health).map_err(|error| self.log_error(error))?;
        let content = content.unwrap_or_else(|| Arc::new(Vec::new()));
        let failed = |source| RedactError::Input { name: self.name.clone(), source };
        let file = tempfile::tempfile().map_err(failed)?;
        health.absorb(self.content(&content, &file)?);
        self.compare(&file, &health)?;
        let extension = self.extension(self.format(&*content)?);
        pack_content(
            map_file(&file).map_err(failed)?,
            format!("redacted.{extension}"),
            self.output,
            self.force,
            self.input,
        )?;
        Ok(health)
    }

    fn format(&self, content: &dyn Content) -> Result<&'static Format, RedactError> {
        if Log::recognise(content.head()) {
            return Err(self.refused(&"a capture log in a capture log"));
        }
        let known: [&Format; 4] = [&BLG, &PERF_DATA_BLOCK, &PDH_TEXT, &PARQUET];
        let format = self.capture.format;
        if known.contains(&format) { Ok(format) } else { Err(self.refused(format)) }
    }

    fn extension(&self, format: &Format) -> &'static str {
        match format {
            format if *format == BLG => "blg",
            format if *format == PERF_DATA_BLOCK => "bin",
            format if *format == PDH_TEXT => self.text_format().extension(),
            _ => "parquet",
        }
    }

    fn text_format(&self) -> OutputFormat {
        if self.capture.source.info().format.contains("TSV") { OutputFormat::Tsv } else { OutputFormat::Csv }
    }

    /// Writes the bytes of a file with other names.
    fn content(&self, content: &Arc<dyn Content>, out: &File) -> Result<Health, RedactError> {
        let format = self.format(&**content)?;
        if *format == BLG {
            let written = redact_blg(&**content, &self.names, out);
            return written.map_err(|fault| match fault {
                BlgFault::Read(source) => OpenError::format(&self.name, format, source.into()).into(),
                BlgFault::Write(source) => self.unwritten(source),
            });
        }
        if *format == PERF_DATA_BLOCK {
            return self.blocks(&**content, out).map_err(|source| self.unwritten(source));
        }
        let capture = self.renamed();
        let timeline = Timeline::of(std::slice::from_ref(&capture), &Span::default())?;
        let output = if *format == PDH_TEXT { self.text_format() } else { OutputFormat::Parquet };
        let options = ConvertOptions { format: output, ..ConvertOptions::default() };
        let stream = out.try_clone().map_err(|source| self.unwritten(source))?;
        Ok(convert_to(&timeline, Box::new(stream), &options, &unwatched)?.health)
    }

    fn unwritten(&self, source: std::io::Error) -> RedactError {
        recount_output::OutputError::Io { path: self.output.to_path_buf(), source }.into()
    }

    fn blocks(&self, content: &dyn Content, out: &File) -> std::io::Result<Health> {
        let (mut health, texts) = (Health::default(), NameTable::new());
        let mut out = BufWriter::with_capacity(1 << 20, out);
        let mut left_out =
            |what: String| health.note(FindingKind::Dropped, None, format!("left out: {what}"));
        for item in blocks(content.bytes()) {
            match item {
                BlockItem::Block(block) => {
                    let renamed = rename_block(&block, &texts, &self.names);
                    if let Some(fault) = renamed.fault {
                        left_out(format!("an object: {fault}"));
                    }
                    out.write_all(&renamed.bytes)?;
                }
                BlockItem::Unreadable(error) => left_out(error.to_string()),
                BlockItem::Skipped { ofs, len } => {
                    left_out(format!("{len} bytes at byte {ofs:#x} between two blocks"));
                }
            }
        }
        out.flush()?;
        Ok(health)
    }

    /// The capture with other names. Tables name the capture that they come from.
    fn renamed(&self) -> Capture {
        let source = Changed::of(Arc::clone(&self.capture.source), Renamed::new(Arc::clone(&self.names)));
        Capture::new(vec!["redacted".to_owned()], self.capture.format, source)
    }

    /// A directory of tables, one per object.
    fn tables(&self) -> Result<Health, RedactError> {
        if *self.capture.format != PARQUET || !self.input.join(CATALOGUE).is_file() {
            return Err(self.refused(&format!("a directory, {}", self.capture.format)));
        }
        let capture = self.renamed();
        let timeline = Timeline::of(std::slice::from_ref(&capture), &Span::default())?;
        let options =
            ConvertOptions { layout: Layout::Objects, force: self.force, ..ConvertOptions::default() };
        Ok(convert(&timeline, &Target::Path(self.output.to_path_buf()), &options, &unwatched)?.health)
    }

    /// Reads the result, whose samples have to be those of the input without what is left out.
    fn compare(&self, file: &File, health: &Health) -> Result<(), RedactError> {
        let failed = |source| RedactError::Input { name: self.name.clone(), source };
        let content = map_file(file).map_err(failed)?;
        let written = open_plain_as(self.name.clone(), content)?;
        match difference(&*self.capture.source, written.source.as_ref(), health.is_complete()) {
            None => Ok(()),
            Some(what) => Err(RedactError::Differs { name: self.name.clone(), what }),
        }
    }
}

/// How the samples of a result differ from those of its input; `None`: they don't, or only in that some are left out.
fn difference(input: &dyn Source, result: &dyn Source, is_whole: bool) -> Option<String> {
    let (times, written) = (input.times(), result.times());
    if is_whole && times.len() != written.len() {
        return Some(format!("{} instead of {}", written.len(), times.len()));
    }
    let mut at = 0;
    let mut before: Option<(u32, u32)> = None;
    for (sample, time) in written.iter().enumerate() {
        let found = times.get(at..).and_then(|rest| rest.iter().position(|own| own.utc == time.utc));
        let Some(found) = found else { return Some(format!("one at {}", time.utc)) };
        let epochs = (input.epoch(at + found), result.epoch(sample));
        // No value may be computed that the input doesn't give.
        if before.is_some_and(|before| before.1 == epochs.1 && before.0 != epochs.0) {
            return Some(format!("no change of the clock before {}", time.utc));
        }
        before = Some(epochs);
        at += found + 1;
    }
    None
}
