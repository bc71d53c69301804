//! Answers the page's requests.

mod answers;
mod buckets;
mod cancel;
mod clock;
mod counted;
mod gather;
mod glance;
mod index;
mod load;
mod machines;
mod name;
mod opening;
mod overview;
mod pass;
mod question;
mod rates;
mod saved_view;
mod side;
#[cfg(feature = "server")]
mod start;
mod state;
mod store;
mod threads;
mod time;
mod together;
mod turns;
#[cfg(feature = "server")]
mod watch;

pub(crate) use answers::Refusal;
pub(crate) use cancel::Cancel;
#[cfg(target_family = "wasm")]
pub use clock::give_clock;
pub use opening::{Align, Opener, Opening, ViewError};
pub(crate) use pass::count;
#[cfg(feature = "server")]
pub(crate) use question::Answer;
pub(crate) use question::{JSON, Question};
#[cfg(feature = "server")]
pub(crate) use start::start;
pub(crate) use state::Engine;
