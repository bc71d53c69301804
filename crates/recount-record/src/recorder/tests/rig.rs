//! A recording in memory: a simulated clock, a scripted source, and logs kept for inspection.

use std::cell::RefCell;
use std::collections::VecDeque;
use std::io;
use std::rc::Rc;

use recount_model::{Event, EventKind, Facts, NameTable, Sink, Timestamp};

use crate::{
    Clock, Finished, Gone, Interrupts, LiveSource, Log, Moment, RecordError, RecordOptions, RecordReport,
    Recorder, TakeError, Taken,
};

pub(super) const MS: i64 = 1_000_000;

/// What a log received, in order.
#[derive(Clone, Debug, PartialEq)]
pub(super) enum Got {
    Began(Timestamp),
    Facts(Facts),
    Texts(String, Vec<(u32, String)>),
    Block(Timestamp, Vec<u8>),
    Message(Timestamp, Vec<u8>),
    Event(Event),
    Finished,
}

#[derive(Clone, Default)]
pub(super) struct Shelf {
    pub(super) got: Rc<RefCell<Vec<Got>>>,
    /// Number of block writes that succeed before one fails.
    pub(super) num_until_full: Option<usize>,
    /// After this number of blocks the log is gone.
    pub(super) gone_after: Option<usize>,
    /// Samples that can still be read in it then.
    pub(super) num_readable: u64,
    /// No other log can be begun.
    pub(super) begins_once: bool,
    /// Whether the disk is found broken when a log is closed.
    pub(super) fails_at_end: bool,
}

pub(super) struct Memory {
    pub(super) shelf: Shelf,
    pub(super) len: u64,
}

impl Shelf {
    pub(super) fn put(&self, got: Got) {
        self.got.borrow_mut().push(got);
    }

    pub(super) fn blocks(&self) -> Vec<(Timestamp, Vec<u8>)> {
        let got = self.got.borrow();
        got.iter()
            .filter_map(
                |got| if let Got::Block(time, block) = got { Some((*time, block.clone())) } else { None },
            )
            .collect()
    }

    pub(super) fn events(&self) -> Vec<(EventKind, String)> {
        let got = self.got.borrow();
        got.iter()
            .filter_map(|got| {
                if let Got::Event(event) = got { Some((event.kind, event.text.clone())) } else { None }
            })
            .collect()
    }

    pub(super) fn kinds(&self) -> Vec<EventKind> {
        self.events().into_iter().map(|(kind, _)| kind).collect()
    }

    /// Number of blocks of each log.
    pub(super) fn blocks_per_log(&self) -> Vec<usize> {
        let mut counts = Vec::new();
        for got in self.got.borrow().iter() {
            match got {
                Got::Began(_) => counts.push(0),
                Got::Block(..) => *counts.last_mut().expect("a log") += 1,
                _ => {}
            }
        }
        counts
    }
}

impl Sink for Memory {
    fn facts(&mut self, facts: &Facts) -> io::Result<()> {
        self.shelf.put(Got::Facts(facts.clone()));
        Ok(())
    }

    fn texts(&mut self, language: &str, texts: &mut dyn Iterator<Item = (u32, &str)>) -> io::Result<()> {
        let texts = texts.map(|(index, text)| (index, text.to_owned())).collect();
        self.shelf.put(Got::Texts(language.to_owned(), texts));
        Ok(())
    }

    fn block(&mut self, time: Timestamp, block: &[u8]) -> io::Result<()> {
        let num_blocks = self.shelf.blocks().len();
        if self.shelf.num_until_full.is_some_and(|num| num_blocks >= num) {
            return Err(io::ErrorKind::StorageFull.into());
        }
        self.len += block.len() as u64;
        self.shelf.put(Got::Block(time, block.to_vec()));
        Ok(())
    }

    fn message(&mut self, time: Timestamp, message: &[u8]) -> io::Result<()> {
        self.shelf.put(Got::Message(time, message.to_vec()));
        Ok(())
    }

    fn event(&mut self, event: &Event) -> io::Result<()> {
        self.shelf.put(Got::Event(event.clone()));
        Ok(())
    }

    fn flush(&mut self) -> io::Result<()> {
        Ok(())
    }
}

impl Log for Memory {
    fn len_file(&self) -> u64 {
        self.len
    }

    fn gone(&mut self) -> Option<Gone> {
        let num_blocks = self.shelf.blocks().len();
        let what = self
            .shelf
            .gone_after
            .take_if(|num| *num <= num_blocks)
            .map(|_| "a.log was removed".to_owned())?;
        Some(Gone { what, num_readable: self.shelf.num_readable })
    }

    fn finish(self: Box<Self>) -> io::Result<Finished> {
        self.shelf.put(Got::Finished);
        let fault = self.shelf.fails_at_end.then(|| io::Error::from_raw_os_error(5));
        Ok(Finished { len: self.len, fault, damage: None })
    }
}

pub(super) type Act = fn(&Interrupts);

/// A clock that advances only in waits. Each wait takes longer than requested by the time in the script.
#[derive(Default)]
pub(super) struct Simulated {
    pub(super) now: Moment,
    pub(super) overshoot_ns: VecDeque<i64>,
    /// Additional actions on the n-th wait.
    pub(super) on_wait: Vec<(usize, Act)>,
    pub(super) num_waits: usize,
}

impl Simulated {
    pub(super) fn advance(&mut self, ns: i64) {
        self.now.monotonic_ns += ns;
        self.now.boottime_ns += ns;
        self.now.realtime_ns += ns;
    }
}

impl Clock for Simulated {
    fn now(&mut self) -> Moment {
        self.now
    }

    fn wait(&mut self, monotonic_ns: i64, interrupts: &Interrupts) {
        assert!(monotonic_ns > self.now.monotonic_ns, "a wait for what has passed");
        self.num_waits += 1;
        if let Some((_, act)) = self.on_wait.iter().find(|(wait, _)| *wait == self.num_waits).copied() {
            // Woken halfway.
            self.advance((monotonic_ns - self.now.monotonic_ns) / 2);
            act(interrupts);
            return;
        }
        let over = self.overshoot_ns.pop_front().unwrap_or(0);
        self.advance(monotonic_ns - self.now.monotonic_ns + over);
    }
}

/// Returns the scripted results, then valid samples of 8 bytes.
#[derive(Default)]
pub(super) struct Fake {
    pub(super) script: VecDeque<Result<Option<Taken>, TakeError>>,
    pub(super) num_taken: u64,
    pub(super) block: Vec<u8>,
    /// The sample from which on names are others.
    pub(super) renamed_at: Option<u64>,
    pub(super) keeps_trying: bool,
}

impl LiveSource for Fake {
    fn facts(&mut self) -> Facts {
        [("host".to_owned(), "web1".to_owned()), ("recorder".to_owned(), "none".to_owned())].into()
    }

    fn texts(&mut self) -> Vec<(String, NameTable)> {
        let is_renamed = self.renamed_at.is_some_and(|at| at <= self.num_taken);
        let names = if is_renamed { "2\nSistema\n" } else { "2\nSystem\n" };
        vec![("009".to_owned(), NameTable::from_text(names))]
    }

    fn take_renamed(&mut self) -> bool {
        self.renamed_at == Some(self.num_taken)
    }

    fn keeps_trying(&self) -> bool {
        self.keeps_trying
    }

    fn take(&mut self) -> Result<Option<Taken>, TakeError> {
        self.num_taken += 1;
        self.block = self.num_taken.to_le_bytes().to_vec();
        let time = Timestamp(self.num_taken as i64);
        self.script.pop_front().unwrap_or(Ok(Some(Taken { time, ..Taken::default() })))
    }

    fn sample(&self) -> &[u8] {
        &self.block
    }
}

pub(super) fn failure() -> Result<Option<Taken>, TakeError> {
    Err(TakeError::System { function: "take", what: "not now".to_owned() })
}

/// A recording in memory.
pub(super) struct Rig {
    pub(super) shelf: Shelf,
    pub(super) source: Fake,
    pub(super) clock: Simulated,
    pub(super) interrupts: Interrupts,
}

impl Rig {
    pub(super) fn new() -> Rig {
        Rig {
            shelf: Shelf::default(),
            source: Fake::default(),
            clock: Simulated::default(),
            interrupts: Interrupts::new().expect("a pair"),
        }
    }

    pub(super) fn record(&mut self, options: RecordOptions) -> Result<RecordReport, RecordError> {
        let mut shelf = self.shelf.clone();
        let mut num_begun = 0;
        let mut begin = |time: Timestamp| -> io::Result<Box<dyn Log>> {
            num_begun += 1;
            if shelf.begins_once && num_begun > 1 {
                return Err(io::Error::from(io::ErrorKind::NotFound));
            }
            shelf.put(Got::Began(time));
            let log = Memory { shelf: shelf.clone(), len: 0 };
            // Only the first log.
            shelf.gone_after = None;
            Ok(Box::new(log))
        };
        let recorder = Recorder {
            source: &mut self.source,
            begin_log: &mut begin,
            clock: &mut self.clock,
            interrupts: &self.interrupts,
            on_progress: &mut |_| (),
        };
        recorder.record(options)
    }
}
