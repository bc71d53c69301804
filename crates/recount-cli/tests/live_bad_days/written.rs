//! A log of any storage, as the recorder wants it.

use std::io;

use recount_capture::{LogWriter, Storage};
use recount_model::{ClosedLog, Event, Facts, LogSink, Sink, Timestamp};

pub(crate) struct Written<S: Storage>(pub(crate) LogWriter<S>);

impl<S: Storage> Sink for Written<S> {
    fn facts(&mut self, facts: &Facts) -> io::Result<()> {
        self.0.facts(facts)
    }

    fn texts(&mut self, language: &str, texts: &mut dyn Iterator<Item = (u32, &str)>) -> io::Result<()> {
        self.0.texts(language, texts)
    }

    fn block(&mut self, time: Timestamp, block: &[u8]) -> io::Result<()> {
        self.0.block(time, block)
    }

    fn message(&mut self, time: Timestamp, message: &[u8]) -> io::Result<()> {
        self.0.message(time, message)
    }

    fn event(&mut self, event: &Event) -> io::Result<()> {
        self.0.event(event)
    }

    fn flush(&mut self) -> io::Result<()> {
        self.0.flush()
    }
}

impl<S: Storage> LogSink for Written<S> {
    fn len_file(&self) -> u64 {
        self.0.len_file()
    }

    /// Only a log in a file can be closed.
    fn finish(mut self: Box<Self>) -> io::Result<ClosedLog> {
        self.0.flush()?;
        Ok(ClosedLog { len: self.0.len_file(), fault: None, damage: None })
    }
}
