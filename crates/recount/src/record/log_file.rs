//! The log as the recorder sees it: the writer, and the marks that others leave for it.

use std::collections::HashSet;
use std::ffi::OsString;
use std::io;
use std::path::PathBuf;

use recount_capture::{Inbox, LogWriter, mark_event, take_in_last};
use recount_model::{Event, Facts, Sink, Timestamp};
use recount_record::Log;

/// A writer as the recorder sees it.
pub(super) struct LogFile {
    writer: LogWriter,
    path: PathBuf,
    /// Where others leave marks for it.
    inbox: Inbox,
    /// Marks that were already read.
    known: HashSet<OsString>,
}

impl LogFile {
    /// The log at a path, which was just begun.
    pub(super) fn new(writer: LogWriter, path: PathBuf) -> LogFile {
        LogFile { writer, inbox: Inbox::of(&path), known: HashSet::new(), path }
    }

    /// Writes the marks that were left next to the log. Failures don't end the recording: they are tried again with the
    /// next sample, and a full disk is reported when that is written.
    fn take_marks(&mut self) {
        let waiting = self.inbox.look(&self.known);
        let requests = waiting.for_log(self.writer.tag());
        let num_written = requests
            .iter()
            .take_while(|request| self.writer.event(&mark_event(&request.mark)).is_ok())
            .count();
        let (written, left) = requests.split_at(num_written);
        if !written.is_empty() {
            self.inbox.remove(written);
        }
        // A mark that can't be deleted must not be written again with every sample.
        let is_left = |name: &OsString| left.iter().any(|left| left.path.file_name() == Some(name));
        self.known.extend(waiting.names().filter(|name| !is_left(name)));
    }
}

impl Sink for LogFile {
    fn facts(&mut self, facts: &Facts) -> io::Result<()> {
        self.writer.facts(facts)
    }

    fn texts(&mut self, language: &str, texts: &mut dyn Iterator<Item = (u32, &str)>) -> io::Result<()> {
        self.writer.texts(language, texts)
    }

    fn block(&mut self, time: Timestamp, block: &[u8]) -> io::Result<()> {
        self.take_marks();
        self.writer.block(time, block)
    }

    fn message(&mut self, time: Timestamp, message: &[u8]) -> io::Result<()> {
        self.take_marks();
        self.writer.message(time, message)
    }

    fn event(&mut self, event: &Event) -> io::Result<()> {
        self.take_marks();
        self.writer.event(event)
    }

    fn flush(&mut self) -> io::Result<()> {
        self.writer.flush()
    }
}

impl Log for LogFile {
    fn len_file(&self) -> u64 {
        self.writer.len_file()
    }

    fn finish(self: Box<Self>) -> io::Result<u64> {
        let len = self.writer.finish()?;
        if self.inbox.directory().exists() {
            // Marks that can't be added stay where they are; readers find them there.
            let _ = take_in_last(&self.path);
        }
        if self.path.symlink_metadata().is_err() {
            let what = format!("{} was removed or renamed while it was being written", self.path.display());
            return Err(io::Error::new(io::ErrorKind::NotFound, what));
        }
        // Including marks that were left while the log was being closed.
        Ok(self.path.metadata().map_or(len, |metadata| metadata.len()))
    }
}
