//! Work that is ended before its result is complete.

use std::error::Error;
use std::fmt;
use std::ops::ControlFlow;

use crate::Progress;

/// A callback of long work, called at every step, on any thread. Once it breaks, the work ends with [`Cancelled`]: there is
/// no result, and no output.
pub type OnProgress<'a, P = Progress> = &'a (dyn Fn(P) -> ControlFlow<()> + Sync);

/// For work that nobody watches and nobody cancels.
pub fn unwatched<P>(_: P) -> ControlFlow<()> {
    ControlFlow::Continue(())
}

/// The work was ended by its callback.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Cancelled;

impl Cancelled {
    /// What a callback decided, as a result.
    pub fn check(decided: ControlFlow<()>) -> Result<(), Cancelled> {
        match decided {
            ControlFlow::Continue(()) => Ok(()),
            ControlFlow::Break(()) => Err(Cancelled),
        }
    }
}

impl fmt::Display for Cancelled {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("cancelled")
    }
}

impl Error for Cancelled {}
