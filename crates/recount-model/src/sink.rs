//! What a recorder writes to, and what it tells.

use std::collections::BTreeMap;
use std::io;

use crate::Timestamp;

/// Facts about the machine and the recording, by name: `formats/rcap.md#facts` lists the names (`host`, `os`,
/// `boot-time`, ...).
pub type Facts = BTreeMap<String, String>;

/// Something that happened while recording and that the samples alone don't tell.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Event {
    /// When, UTC.
    pub time: Timestamp,
    /// What.
    pub kind: EventKind,
    /// How long it lasted or how far it went, in 100 ns; 0 if that has no meaning. A clock set back is negative.
    pub extent: i64,
    /// How many (samples, readings); 0 if that has no meaning.
    pub count: u64,
    /// For people.
    pub text: String,
}

/// What an [`Event`] is about. The numbers stand in files (`formats/rcap.md#event`).
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
#[non_exhaustive]
#[repr(u16)]
pub enum EventKind {
    /// Recording began; the text says with what settings.
    Begin = 1,
    /// Recording ended as it should; the text says why.
    End = 2,
    /// The next sample was taken late: `extent` behind its time.
    Late = 3,
    /// `count` samples were not taken: `extent` is the time without any.
    Missed = 4,
    /// The clock was set by `extent`.
    ClockStep = 5,
    /// The machine slept for `extent`.
    Suspended = 6,
    /// From the next sample on readings fail: `count` of the next, of which the text names the first. 0: no more.
    Unreadable = 7,
    /// The source says that it lost something, or a sample failed as a whole.
    Lost = 8,
    /// Somebody marked this time; the text says as what ([`Mark`](crate::Mark)).
    Mark = 9,
}

impl EventKind {
    /// Every kind, in the order of the numbers.
    pub const ALL: [EventKind; 9] = [
        EventKind::Begin,
        EventKind::End,
        EventKind::Late,
        EventKind::Missed,
        EventKind::ClockStep,
        EventKind::Suspended,
        EventKind::Unreadable,
        EventKind::Lost,
        EventKind::Mark,
    ];

    /// The kind of a number; `None` for one that a later version knows.
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
        }
    }
}

/// Takes what a recorder records, in the order of time. A log is one.
///
/// Once a method has failed, what was taken before is still there, and the caller may try again or give up.
pub trait Sink {
    /// The facts; once before the first sample, and again as a whole when they change.
    fn facts(&mut self, facts: &Facts) -> io::Result<()>;

    /// Names and help texts by index, of a language (`009` is English, as Windows counts them). Before the first
    /// sample that needs them; more may follow.
    fn texts(&mut self, language: &str, texts: &mut dyn Iterator<Item = (u32, &str)>) -> io::Result<()>;

    /// A sample: the bytes of a `PERF_DATA_BLOCK`, taken at `time`.
    fn block(&mut self, time: Timestamp, block: &[u8]) -> io::Result<()>;

    /// An MS-PCQ message (`formats/ms-pcq.md#messages`), received at `time`: a sample if it is the answer of
    /// `PerflibV2QueryCounterData`, and otherwise something that later samples need.
    fn message(&mut self, time: Timestamp, message: &[u8]) -> io::Result<()>;

    /// An event.
    fn event(&mut self, event: &Event) -> io::Result<()>;

    /// Makes sure that everything taken so far outlives this process, and the machine as far as the sink's durability
    /// setting says.
    fn flush(&mut self) -> io::Result<()>;
}
