//! The interface between readers and the pipeline: the reader of a format is a [`Source`], and the pipeline
//! knows nothing else about it.

use std::any::Any;
use std::borrow::Cow;
use std::collections::HashMap;
use std::ops::{ControlFlow, Range};
use std::sync::Arc;

use crate::{
    CaptureInfo, Cooked, CountsSince, Health, NameTable, ObjectDef, ProcessNote, Run, SampleTime, Selection,
    Timestamp,
};

/// The bytes of an input: in memory, mapped, or read when they are needed.
pub trait Content: Send + Sync {
    /// All bytes. If they aren't in memory yet, this reads all of them: a source that can ask for
    /// [parts](Content::part) never needs more memory than these.
    fn bytes(&self) -> &[u8];

    /// How many there are.
    fn len(&self) -> usize {
        self.bytes().len()
    }

    /// Whether there is none.
    fn is_empty(&self) -> bool {
        self.len() == 0
    }

    /// The bytes of a range, as far as they are there.
    fn part(&self, range: Range<usize>) -> Cow<'_, [u8]> {
        let bytes = self.bytes();
        let end = range.end.min(bytes.len());
        Cow::Borrowed(bytes.get(range.start..end).unwrap_or_default())
    }

    /// The first bytes, which say what it is; all of them if that costs nothing.
    fn head(&self) -> &[u8] {
        self.bytes()
    }

    /// Whether a part of the bytes could not be read, as the file became shorter: they are zeros instead.
    fn is_lost(&self) -> bool {
        false
    }

    /// Whether that can happen.
    fn may_be_lost(&self) -> bool {
        false
    }

    /// Says that a range isn't needed again soon, so that the pages of a mapped file needn't stay resident.
    fn release(&self, _range: Range<usize>) {}
}

impl dyn Content {
    /// Releases everything between the start of the first and the end of the last of some ranges, with one call: each call
    /// interrupts all other threads.
    pub fn release_all(&self, ranges: impl IntoIterator<Item = Range<usize>>) {
        let join =
            |one: Range<usize>, other: Range<usize>| one.start.min(other.start)..one.end.max(other.end);
        if let Some(range) = ranges.into_iter().reduce(join) {
            self.release(range);
        }
    }
}

impl Content for Vec<u8> {
    fn bytes(&self) -> &[u8] {
        self
    }
}

/// A decoded stretch of samples: runs, cooked values, or both.
#[derive(Debug, Default)]
pub struct Decoded {
    /// Raw samples; runs of one object and host in time order.
    pub runs: Vec<Run>,
    /// Values computed by the program that wrote the capture.
    pub cooked: Vec<Cooked>,
    /// What had to be left out.
    pub health: Health,
}

impl Decoded {
    /// Changes the definitions of processes and threads: only these have a start, in whichever language.
    #[must_use]
    pub fn redefined(mut self, change: impl Fn(&mut ObjectDef)) -> Decoded {
        // Runs share definitions, by which others see that they are the same.
        let mut known: HashMap<*const ObjectDef, Arc<ObjectDef>> = HashMap::new();
        for run in &mut self.runs {
            if run.instances.iter().all(|instance| instance.start.is_none()) {
                continue;
            }
            let object = Arc::clone(&run.object);
            let changed = || {
                let mut object = (*object).clone();
                change(&mut object);
                Arc::new(object)
            };
            run.object = Arc::clone(known.entry(Arc::as_ptr(&object)).or_insert_with(changed));
        }
        self
    }
}

/// What is known of every capture once it is opened.
#[derive(Clone, Debug, Default)]
pub struct Opened {
    /// What the capture says about itself.
    pub info: CaptureInfo,
    /// Findings from opening.
    pub health: Health,
    /// The time of every sample, ascending. Samples are addressed by their index here.
    pub times: Arc<[SampleTime]>,
}

/// An opened capture: the times of its samples are known, and any of them can be decoded.
///
/// Opening finds the samples without decoding them. Decoding takes `&self`, so that several threads can
/// decode stretches of samples in parallel.
pub trait Source: Any + Send + Sync {
    /// What was found out by opening it.
    fn opened(&self) -> &Opened;

    /// See [`Opened::info`].
    fn info(&self) -> &CaptureInfo {
        &self.opened().info
    }

    /// See [`Opened::health`].
    fn health(&self) -> &Health {
        &self.opened().health
    }

    /// See [`Opened::times`].
    fn times(&self) -> &[SampleTime] {
        &self.opened().times
    }

    /// Which stretch of the recording a sample belongs to. Samples of different epochs are not compared with
    /// each other: the clock was set back between them, so their times overlap although they were taken in
    /// sequence.
    fn epoch(&self, _sample: usize) -> u32 {
        0
    }

    /// Which epoch a sample would be in if losses ended none: epochs that only a loss parts have the same number. A capture that
    /// lacks nothing there knows that they are one.
    fn epoch_despite_losses(&self, sample: usize) -> u32 {
        self.epoch(sample)
    }

    /// Which round of the recorder a sample is of, if it doesn't take everything at once: samples of one round have
    /// the same counters. When samples are thinned out, each round keeps some.
    fn round(&self, _sample: usize) -> u32 {
        0
    }

    /// Since when the counters of a sample have been counting, which decides whether another capture continues them.
    /// One file of a day may contain a reboot that the next doesn't mention.
    fn counts_since(&self, _sample: usize) -> CountsSince {
        CountsSince { boot_time: self.info().boot_time, program: self.info().recording }
    }

    /// Size of a sample in the source, in bytes. Work is cut into slices by it.
    fn len_sample(&self, sample: usize) -> usize;

    /// Objects known without reading all samples, as (host, definition); the host is empty if unknown.
    fn objects(&self) -> Vec<(Arc<str>, Arc<ObjectDef>)> {
        Vec::new()
    }

    /// What the capture says about the processes that may have lived in a span of time, in the order in which it was recorded:
    /// every description from before its end, since it holds until the next one of the same process, and the processes that ended
    /// within it.
    ///
    /// They are read as they are given, so that memory stays bounded; it ends early if `take` breaks. Returns what had to be left out. Most
    /// captures say nothing.
    fn processes(
        &self,
        _span: (Timestamp, Timestamp),
        _take: &mut dyn FnMut(ProcessNote) -> ControlFlow<()>,
    ) -> Health {
        Health::default()
    }

    /// The counters that are sampled together, by name, for each kind of sample, if counters of one object may be sampled
    /// apart.
    fn sampled_together(&self) -> Vec<Vec<Arc<str>>> {
        Vec::new()
    }

    /// The capture with counters in runs of their own wherever the kinds of samples of others part them, so that its runs
    /// continue those of the others; `None` if they do already.
    fn sampled_like(&self, _others: &Arc<[Vec<Arc<str>>]>) -> Option<Arc<dyn Source>> {
        None
    }

    /// The capture with the names that Windows and our own recorder use, for counters of which the source knows the
    /// equivalent; `None` if it uses those names already, or doesn't know.
    fn canonical(&self) -> Option<Arc<dyn Source>> {
        None
    }

    /// The capture with these names for numbers of which it has no names; `None` if it doesn't know its counters by numbers.
    fn with_names(&self, names: &NameTable) -> Option<Arc<dyn Source>> {
        Some(self.around(self.inner()?.with_names(names)?))
    }

    /// The capture with raw values as they were recorded, if it corrects them by earlier samples: a capture that lacks some of
    /// these corrects the same values in another way. `None` if it corrects nothing.
    fn uncorrected(&self) -> Option<Arc<dyn Source>> {
        None
    }

    /// Captures, this one among them, that are corrected by all samples of the recordings of which they are parts: by their own
    /// samples, each would be corrected in another way, so that its values couldn't be compared with those of the others.
    ///
    /// `recordings` has the samples of each in the order of time, as (index in `parts`, sample). `None` if nothing is corrected.
    fn corrected_together(
        &self,
        _parts: &[Arc<dyn Source>],
        _recordings: &[Vec<(u32, u32)>],
    ) -> Option<Vec<Arc<dyn Source>>> {
        None
    }

    /// The source that this one changes; `None` if it reads a capture itself.
    fn inner(&self) -> Option<&Arc<dyn Source>> {
        None
    }

    /// What this one would be if it changed another source.
    fn around(&self, inner: Arc<dyn Source>) -> Arc<dyn Source> {
        inner
    }

    /// Like [`Source::decode`], but only to find out which objects and instances the samples contain. The
    /// samples and values returned are meaningless, so a source may do this without decoding samples.
    fn survey(&self, samples: &[u32], selection: &Selection) -> Decoded {
        self.decode(samples, selection)
    }

    /// Decodes the given samples (ascending indices). Objects that `selection` can't match may be left out of
    /// the runs; counters and instances are kept, since others may depend on them. Cooked values are limited
    /// to the selection.
    fn decode(&self, samples: &[u32], selection: &Selection) -> Decoded;
}
