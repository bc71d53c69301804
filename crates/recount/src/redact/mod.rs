//! Captures without the names of whose they are: hosts, users, processes, instances, paths, command lines and texts become
//! pseudonyms; values, times, and the names of objects and counters stay (docs/send-a-capture.md).
//!
//! ```text
//! .rcap, .blg, dumps   every structure is read and written anew, with other names: raw values keep every bit
//! PDH text, Parquet    a source with other names, converted to the same form
//! a packed file        unpacked, then as above, and packed again
//! ```
//!
//! No stretch of the input is copied unless its meaning is known, so that nothing is left over in padding, indexes or comments.

mod blg;
mod block;
mod capture_log;
mod computed;
mod error;
mod facts;
mod job;
mod kept;
mod names;
mod pseudonym;

use std::path::{Path, PathBuf};

use recount_capture::new_id;
use recount_model::Health;
use recount_output::check_not_input;

pub use error::RedactError;

use job::Job;
use names::Names;
use pseudonym::Pseudonyms;

/// Bytes of the shortest key: 128 bits, if they are random.
const MIN_LEN_KEY: usize = 16;

/// How names are replaced.
#[derive(Clone, Debug, Default)]
#[non_exhaustive]
pub struct RedactOptions {
    /// The key of the pseudonyms, 16 bytes or more: captures with the same key fit together. `None`: a random one, which isn't kept.
    pub key: Option<Vec<u8>>,
    /// Names that stay, with `*` for any number of characters. Case doesn't matter.
    pub keep: Vec<String>,
    /// Replace an output that exists.
    pub force: bool,
}

/// What was replaced.
#[derive(Clone, Debug, Default)]
#[non_exhaustive]
pub struct Redacted {
    /// The output.
    pub path: PathBuf,
    /// How many different names of each kind (`host`, `process`, ...) have a pseudonym.
    pub replaced: Vec<(&'static str, u64)>,
    /// What could not be read, or was left out.
    pub health: Health,
}

/// Writes a capture in its own form with pseudonyms in place of names: `process-4f2a91c07d` for `sqlservr`, and the same for
/// `sqlservr` in every capture that is redacted with the same key.
///
/// The result is read back: it has the same samples, without those that can't be read. MS-PCQ and the logs of sysstat, PCP and atop are
/// refused: they can be converted first.
pub fn redact(input: &Path, output: &Path, options: &RedactOptions) -> Result<Redacted, RedactError> {
    let key = match &options.key {
        Some(key) => key.clone(),
        None => new_id().map_err(RedactError::NoKey)?.to_vec(),
    };
    let too_short = RedactError::ShortKey { len: key.len() };
    let long_enough = Some(&key).filter(|key| key.len() >= MIN_LEN_KEY);
    let pseudonyms = long_enough.and_then(|key| Pseudonyms::new(key)).ok_or(too_short)?;
    if output.exists() {
        check_not_input(output, [input])?;
    }
    let names = Names::new(pseudonyms, &options.keep);
    let job = Job::new(input, output, names, options.force)?;
    let health = job.run()?;
    Ok(Redacted { path: output.to_path_buf(), replaced: job.replaced(), health })
}
