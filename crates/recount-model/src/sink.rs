//! What a recorder writes, and where to.

use std::collections::BTreeMap;
use std::io;

use crate::{ProcessNote, Timestamp};

/// Facts about the machine and the recording, by name: `formats/rcap.md#facts` lists the names (`host`, `os`,
/// `boot-time`, ...).
pub type Facts = BTreeMap<String, String>;

/// Something that happened while recording and that can't be seen in the samples.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Event {
    /// When, UTC.
    pub time: Timestamp,
    /// What.
    pub kind: EventKind,
    /// A duration or difference in 100 ns; 0 if not applicable. Negative if the clock was set back.
    pub extent: i64,
    /// How many (samples, readings); 0 if not applicable.
    pub count: u64,
    /// A text for people.
    pub text: String,
}

/// What an [`Event`] is about. The numbers are stored in files (`formats/rcap.md#event`).
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
#[non_exhaustive]
#[repr(u16)]
pub enum EventKind {
    /// Recording began; the text gives the settings.
    Begin = 1,
    /// Recording ended normally; the text says why.
    End = 2,
    /// The next sample was taken `extent` late.
    Late = 3,
    /// `count` samples were missed; `extent` is the time without samples.
    Missed = 4,
    /// The clock was set by `extent`.
    ClockStep = 5,
    /// The machine slept for `extent`.
    Suspended = 6,
    /// From the next sample on, `count` readings fail per sample; the text names the first. 0: they work
    /// again.
    Unreadable = 7,
    /// The source reports a loss, or a whole sample failed.
    Lost = 8,
    /// A user marked this time with the text ([`Mark`](crate::Mark)).
    Mark = 9,
    /// The connection to a remote machine was restored after `extent`.
    Reconnected = 10,
}

impl EventKind {
    /// Every kind, in numerical order.
    pub const ALL: [EventKind; 10] = [
        EventKind::Begin,
        EventKind::End,
        EventKind::Late,
        EventKind::Missed,
        EventKind::ClockStep,
        EventKind::Suspended,
        EventKind::Unreadable,
        EventKind::Lost,
        EventKind::Mark,
        EventKind::Reconnected,
    ];

    /// The kind with this number; `None` for numbers of later versions.
    pub fn from_number(number: u16) -> Option<EventKind> {
        EventKind::ALL.into_iter().find(|kind| *kind as u16 == number)
    }

    /// Lower-case name.
    pub const fn as_str(self) -> &'static str {
        match self {
            EventKind::Begin => "begin",
            EventKind::End => "end",
            EventKind::Late => "late",
            EventKind::Missed => "missed",
            EventKind::ClockStep => "clock-step",
            EventKind::Suspended => "suspended",
            EventKind::Unreadable => "unreadable",
            EventKind::Lost => "lost",
            EventKind::Mark => "mark",
            EventKind::Reconnected => "reconnected",
        }
    }
}

/// Receives what a recorder records, in time order. A log is a sink.
///
/// After a method has failed, everything received before is still kept, and the caller may retry or give up.
pub trait Sink {
    /// The facts: once before the first sample, and again in full when they change.
    fn facts(&mut self, facts: &Facts) -> io::Result<()>;

    /// Names and help texts of a language by index (`009` is English, as in Windows). They come before the
    /// first sample that needs them; more may follow.
    fn texts(&mut self, language: &str, texts: &mut dyn Iterator<Item = (u32, &str)>) -> io::Result<()>;

    /// A sample: the bytes of a `PERF_DATA_BLOCK`, taken at `time`.
    fn block(&mut self, time: Timestamp, block: &[u8]) -> io::Result<()>;

    /// An MS-PCQ message (`formats/ms-pcq.md#messages`), received at `time`: a sample if it is the answer of
    /// `PerflibV2QueryCounterData`, otherwise data that later samples need.
    fn message(&mut self, time: Timestamp, message: &[u8]) -> io::Result<()>;

    /// An event.
    fn event(&mut self, event: &Event) -> io::Result<()>;

    /// What is known of processes besides the values of the sample at `time`, before which it comes. A sink may ignore it.
    fn processes(&mut self, _time: Timestamp, _notes: &[ProcessNote]) -> io::Result<()> {
        Ok(())
    }

    /// Makes sure that everything received so far survives a crash of this process and, as far as the sink's
    /// durability setting says, of the machine.
    fn flush(&mut self) -> io::Result<()>;
}
