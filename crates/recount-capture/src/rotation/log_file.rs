//! The log as the recorder sees it: the writer, and the marks that others leave for it.

use std::cell::RefCell;
use std::collections::HashSet;
use std::ffi::OsString;
use std::fs::File;
use std::io;
use std::path::{Path, PathBuf};
use std::rc::Rc;

use recount_model::{ClosedLog, Event, Facts, LogSink, LostLog, ProcessNote, Sink, Source, Timestamp};
use recount_pcq::Message;

use crate::{CaptureSource, FileState, Inbox, LogWriter, mark_event, open_log, take_in_last};

/// A log of this recording: where it is now, since others may rename it.
#[derive(Debug)]
pub(super) struct Made {
    pub(super) path: PathBuf,
    /// Samples that can be read in it.
    pub(super) num_samples: u64,
    /// Whether another program removed or emptied it, or nothing in it can be read.
    pub(super) is_gone: bool,
}

/// A writer as the recorder sees it.
pub(super) struct LogFile {
    /// `None` once the log is gone.
    writer: Option<LogWriter>,
    made: Rc<RefCell<Made>>,
    /// Where others leave marks for it.
    inbox: Inbox,
    /// Marks that were already read.
    known: HashSet<OsString>,
}

impl LogFile {
    /// A log that was just begun.
    pub(super) fn new(writer: LogWriter, made: Rc<RefCell<Made>>) -> LogFile {
        let inbox = Inbox::of(&made.borrow().path);
        LogFile { writer: Some(writer), inbox, known: HashSet::new(), made }
    }

    fn writer(&mut self) -> io::Result<&mut LogWriter> {
        self.writer.as_mut().ok_or_else(|| io::Error::new(io::ErrorKind::NotFound, "the log is gone"))
    }

    /// Looks what other programs have done to the file. If it was renamed, it is written under its new name, as programs that
    /// rotate logs expect; if it can't be read anymore, says why.
    fn look(&mut self) -> Option<LostLog> {
        let writer = self.writer.as_ref()?;
        let path = self.made.borrow().path.clone();
        // What can't be looked at is written on: if something is wrong with it, writing fails.
        let state = writer.state_of_file(&path).unwrap_or(FileState::Sound);
        let what = match state {
            FileState::Moved(Some(name)) => {
                self.take_marks();
                self.inbox = Inbox::of(&name);
                self.made.borrow_mut().path = name;
                return None;
            }
            FileState::Removed => "was removed",
            FileState::Emptied => "was emptied",
            FileState::Cut => "was cut short",
            _ => return None,
        };
        // The name is free for the next log, which is why the log isn't kept as it is.
        let writer = self.writer.take()?;
        if state == FileState::Emptied {
            // If that fails, the next log gets another name.
            let _ = writer.empty();
        } else {
            drop(writer);
        }
        let num_readable = if state == FileState::Cut { num_readable(&path) } else { 0 };
        let mut made = self.made.borrow_mut();
        (made.num_samples, made.is_gone) = (num_readable, num_readable == 0);
        Some(LostLog { what: format!("{} {what} by another program", path.display()), num_readable })
    }

    /// Writes the marks that were left next to the log. Failures don't end the recording: they are tried again with the
    /// next sample, and a full disk is reported when that is written.
    fn take_marks(&mut self) {
        let Some(writer) = &mut self.writer else { return };
        let waiting = self.inbox.look(&self.known);
        let requests = waiting.for_log(writer.tag());
        let num_written =
            requests.iter().take_while(|request| writer.event(&mark_event(&request.mark)).is_ok()).count();
        let (written, left) = requests.split_at(num_written);
        if !written.is_empty() {
            self.inbox.remove(written);
        }
        // A mark that can't be deleted must not be written again with every sample.
        let is_left = |name: &OsString| left.iter().any(|left| left.path.file_name() == Some(name));
        self.known.extend(waiting.names().filter(|name| !is_left(name)));
    }
}

/// How many samples a log has that isn't written anymore.
fn num_readable(path: &Path) -> u64 {
    let opened = File::open(path).ok().and_then(|file| CaptureSource::new(open_log(&file).ok()?).ok());
    opened.map_or(0, |source| source.times().len() as u64)
}

impl Sink for LogFile {
    fn facts(&mut self, facts: &Facts) -> io::Result<()> {
        self.writer()?.facts(facts)
    }

    fn texts(&mut self, language: &str, texts: &mut dyn Iterator<Item = (u32, &str)>) -> io::Result<()> {
        self.writer()?.texts(language, texts)
    }

    fn block(&mut self, time: Timestamp, block: &[u8]) -> io::Result<()> {
        self.take_marks();
        self.writer()?.block(time, block)?;
        self.made.borrow_mut().num_samples += 1;
        Ok(())
    }

    fn message(&mut self, time: Timestamp, message: &[u8]) -> io::Result<()> {
        self.take_marks();
        self.writer()?.message(time, message)?;
        let is_sample = Message::parse(message, 0).is_ok_and(|message| message.is_sample());
        self.made.borrow_mut().num_samples += u64::from(is_sample);
        Ok(())
    }

    fn event(&mut self, event: &Event) -> io::Result<()> {
        self.take_marks();
        self.writer()?.event(event)
    }

    fn processes(&mut self, time: Timestamp, notes: &[ProcessNote]) -> io::Result<()> {
        self.writer()?.processes(time, notes)
    }

    fn flush(&mut self) -> io::Result<()> {
        self.writer()?.flush()
    }
}

impl LogSink for LogFile {
    fn len_file(&self) -> u64 {
        self.writer.as_ref().map_or(0, LogWriter::len_file)
    }

    fn len_to_close(&self) -> u64 {
        self.writer.as_ref().map_or(0, LogWriter::len_to_close)
    }

    fn compact(&mut self) {
        if let Some(writer) = &mut self.writer {
            writer.compact();
        }
    }

    fn gone(&mut self) -> Option<LostLog> {
        self.look()
    }

    fn finish(mut self: Box<Self>) -> io::Result<ClosedLog> {
        if let Some(gone) = self.look() {
            return Err(io::Error::new(io::ErrorKind::NotFound, gone.what));
        }
        self.take_marks();
        let Some(writer) = self.writer.take() else {
            return Err(io::Error::new(io::ErrorKind::NotFound, "the log is gone"));
        };
        let closed = writer.close()?;
        let path = self.made.borrow().path.clone();
        if self.inbox.directory().exists() {
            // Marks that can't be added stay where they are; readers find them there.
            let _ = take_in_last(&path);
        }
        // Including marks that were left while the log was being closed.
        let len = path.metadata().map_or(closed.len, |metadata| metadata.len().max(closed.len));
        let damage = closed.damage.map(|damage| format!("{}: {damage}", path.display()));
        Ok(ClosedLog { len, fault: closed.fault, damage })
    }
}
