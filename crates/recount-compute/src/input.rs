//! Inputs of the pipeline.

use std::collections::HashMap;
use std::sync::Arc;

use recount_model::Source;

/// A capture and which of its samples to use.
#[derive(Clone)]
pub struct Input {
    /// The capture.
    pub source: Arc<dyn Source>,
    /// Samples to use, by index, ascending.
    pub samples: Vec<u32>,
    /// Samples of the capture before those, ascending: with the last of them, the first one used is compared. Their own values aren't used.
    pub before: Vec<u32>,
    /// The input, by index, whose samples this one continues: same machine, same boot, later samples. The interval
    /// between the two is computed like any other.
    pub continues: Option<usize>,
}

impl Input {
    /// All of these samples, compared with nothing before them.
    pub fn new(source: Arc<dyn Source>, samples: Vec<u32>) -> Input {
        Input { source, samples, before: Vec::new(), continues: None }
    }
}

/// The capture that each input is of: the first input that has the same source.
pub(crate) fn captures(inputs: &[Input]) -> Vec<usize> {
    let mut known: HashMap<*const (), usize> = HashMap::new();
    let number =
        |(at, input): (usize, &Input)| *known.entry(Arc::as_ptr(&input.source).cast::<()>()).or_insert(at);
    inputs.iter().enumerate().map(number).collect()
}

/// The first of the inputs that continue each other: values are computed across all that have the same first
/// one.
pub fn chain_of(inputs: &[Input], mut input: usize) -> usize {
    // An input only continues an earlier one, so this terminates.
    while let Some(before) = inputs[input].continues.filter(|before| *before < input) {
        input = before;
    }
    input
}
