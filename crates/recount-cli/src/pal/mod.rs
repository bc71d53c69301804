//! Threshold files of PAL, if this program was built with what reads them.

#[cfg(feature = "pal")]
mod translate;
#[cfg(not(feature = "pal"))]
mod without;

#[cfg(feature = "pal")]
pub(super) use translate::{import, is_pal, translated};
#[cfg(not(feature = "pal"))]
pub(super) use without::{import, is_pal, translated};
