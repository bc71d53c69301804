//! A capture in a few thousand bytes: for programs and models that read answers, and for people in a hurry.

mod answer;
mod condense;
mod load;
mod next;
mod options;
mod processes;
mod resources;
mod series;
mod text;

pub use answer::{
    Digest, DigestCapture, DigestChange, DigestFinding, DigestGap, DigestHealth, DigestMissing, Question,
};
pub use condense::{DEFAULT_MAX_BYTES, LEAST_MAX_BYTES, digest};
pub use load::{Load, LoadColumn, LoadRow, LoadTable};
pub use options::DigestOptions;
pub use processes::{Processes, Used, UsedMost};
pub use resources::{Measure, Resource};
