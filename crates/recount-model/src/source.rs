//! What holds the parts apart: a reader of some format is a [`Source`], and the pipeline knows no more of it.

use std::ops::Range;
use std::sync::Arc;

use crate::{CaptureInfo, Cooked, Health, ObjectDef, Run, SampleTime, Selection};

/// The bytes of an input, in memory or mapped.
pub trait Content: Send + Sync {
    /// All bytes.
    fn bytes(&self) -> &[u8];

    /// Says that a range was read and isn't needed soon, so that a mapped file's pages needn't stay resident.
    fn release(&self, _range: Range<usize>) {}
}

impl Content for Vec<u8> {
    fn bytes(&self) -> &[u8] {
        self
    }
}

/// What a stretch of samples decodes to: runs, cooked values, or both.
#[derive(Debug, Default)]
pub struct Decoded {
    /// Raw samples; runs of one object and host in time order.
    pub runs: Vec<Run>,
    /// Values that were computed by the program that wrote the capture.
    pub cooked: Vec<Cooked>,
    /// What had to be left out.
    pub health: Health,
}

/// A capture, opened: its samples are known by time, and any of them can be decoded.
///
/// Opening finds the samples without decoding them. Decoding takes `&self`, so that stretches of samples can be
/// decoded at the same time on several threads.
pub trait Source: Send + Sync {
    /// What the capture says about itself.
    fn info(&self) -> &CaptureInfo;

    /// What was found amiss on opening.
    fn health(&self) -> &Health;

    /// The time of every sample, ascending. Samples are addressed by their index here.
    fn times(&self) -> &[SampleTime];

    /// Which stretch of the recording a sample belongs to. Samples of different epochs are not compared with each other:
    /// the clock was set back between them, so that their times interleave though they were taken one after the other.
    fn epoch(&self, _sample: usize) -> u32 {
        0
    }

    /// Bytes that a sample takes in the source: the measure by which work is cut into slices.
    fn len_sample(&self, sample: usize) -> usize;

    /// Objects known without reading all samples, as (host, definition); the host is empty where it isn't known.
    fn objects(&self) -> Vec<(Arc<str>, Arc<ObjectDef>)> {
        Vec::new()
    }

    /// As [`Source::decode`], but only to see which objects and instances the samples hold: samples and values of what
    /// it gives mean nothing, so that a source may do this without decoding samples.
    fn survey(&self, samples: &[u32], selection: &Selection) -> Decoded {
        self.decode(samples, selection)
    }

    /// Decodes the given samples (ascending indices). Objects that `selection` can't match may be left out of the runs;
    /// counters and instances are left in, since others may depend on them. Cooked values are only those selected.
    fn decode(&self, samples: &[u32], selection: &Selection) -> Decoded;
}
