//! Answers the page's requests.

mod answers;
mod buckets;
mod cancel;
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
mod rates;
mod repeated;
mod saved_view;
mod side;
mod start;
mod state;
mod store;
mod time;
mod turns;
mod watch;

pub(crate) use answers::{
    CommandRequest, InstancesRequest, MarkRequest, PointsRequest, QueryAnswer, QueryRequest, Refusal,
    TopRequest,
};
pub(crate) use cancel::Cancel;
pub use opening::{Align, Opener, Opening, ViewError};
pub(crate) use side::Side;
pub(crate) use start::start;
pub(crate) use state::Engine;
