//! What answers the page's requests.

mod answers;
mod buckets;
mod cancel;
mod counted;
mod gather;
mod glance;
mod index;
mod load;
mod name;
mod opening;
mod overview;
mod pass;
mod side;
mod state;
mod store;
mod time;
mod watch;

pub(crate) use answers::{
    CommandRequest, InstancesRequest, MarkRequest, PointsRequest, QueryAnswer, QueryRequest, Refusal,
    TopRequest,
};
pub(crate) use cancel::Cancel;
pub use opening::{Align, Opener, Opening, ViewError};
pub(crate) use state::Engine;
