//! What the pipeline is fed with: raw sources, and sources whose values were cooked already.

use std::sync::Arc;

use recount_model::{CaptureInfo, Health, ObjectDef, SampleTime, Selection, Source};

use crate::Cooked;

/// A capture whose values are cooked already (PDH text, tables).
pub trait CookedSource: Send + Sync {
    /// What the capture says about itself.
    fn info(&self) -> &CaptureInfo;

    /// What was found amiss on opening.
    fn health(&self) -> &Health;

    /// The time of every sample, ascending.
    fn times(&self) -> &[SampleTime];

    /// Bytes that a sample takes in the source.
    fn len_sample(&self, sample: usize) -> usize;

    /// Objects known without reading samples, as (host, definition); the host is empty where it isn't known.
    fn objects(&self) -> Vec<(Arc<str>, Arc<ObjectDef>)> {
        Vec::new()
    }

    /// Whether the values were multiplied by their counters' default scales.
    fn is_scaled(&self) -> bool {
        false
    }

    /// Reads the given samples (ascending indices).
    fn read(&self, samples: &[u32], selection: &Selection) -> (Vec<Cooked>, Health);
}

/// An opened capture of either sort.
#[derive(Clone)]
pub enum Feed {
    /// Raw samples, to be decoded and cooked.
    Raw(Arc<dyn Source>),
    /// Cooked values.
    Cooked(Arc<dyn CookedSource>),
}

impl Feed {
    /// What the capture says about itself.
    pub fn info(&self) -> &CaptureInfo {
        match self {
            Feed::Raw(source) => source.info(),
            Feed::Cooked(source) => source.info(),
        }
    }

    /// What was found amiss on opening.
    pub fn health(&self) -> &Health {
        match self {
            Feed::Raw(source) => source.health(),
            Feed::Cooked(source) => source.health(),
        }
    }

    /// The time of every sample, ascending.
    pub fn times(&self) -> &[SampleTime] {
        match self {
            Feed::Raw(source) => source.times(),
            Feed::Cooked(source) => source.times(),
        }
    }

    /// Objects known without reading samples, as (host, definition); the host is empty where it isn't known.
    pub fn objects(&self) -> Vec<(Arc<str>, Arc<ObjectDef>)> {
        match self {
            Feed::Raw(source) => source.objects(),
            Feed::Cooked(source) => source.objects(),
        }
    }

    /// Whether its values come multiplied by their counters' default scales, whatever is asked for.
    pub fn is_scaled(&self) -> bool {
        match self {
            Feed::Raw(_) => false,
            Feed::Cooked(source) => source.is_scaled(),
        }
    }

    /// Bytes that a sample takes in the source.
    pub fn len_sample(&self, sample: usize) -> usize {
        match self {
            Feed::Raw(source) => source.len_sample(sample),
            Feed::Cooked(source) => source.len_sample(sample),
        }
    }
}

/// One capture and the samples of it to use.
#[derive(Clone)]
pub struct Input {
    /// The capture.
    pub feed: Feed,
    /// Samples to use, by index, ascending.
    pub samples: Vec<u32>,
    /// The input, by index, whose samples this one continues: same machine, same boot, later samples. The interval
    /// between the two is computed like any other.
    pub continues: Option<usize>,
}
