//! MS-PCQ sessions: what the messages of a capture mean.
//!
//! [`crate::structure`] reads the buffers. Here they are put together: registrations and texts become [`Counterset`]s, the
//! identifiers of a query say what each block of an answer holds, and successive answers become
//! [`Run`](recount_model::Run)s.
//!
//! - [`Session`] keeps what the messages of a capture say about countersets and queries, and from which message on.
//! - [`MessageDecoder`] turns answers of `PerflibV2QueryCounterData` into runs.
//! - [`SessionSource`] does so for a stream of messages (`.pcq`), as a [`Source`](recount_model::Source).

mod budget;
mod checks;
mod counterset;
mod decoder;
mod gather;
mod history;
mod identifiers;
mod layout;
mod links;
mod plan;
mod query;
mod rows;
mod source;
mod start;
mod stream;
mod table;
mod texts;
mod view;

pub use counterset::Counterset;
pub use decoder::{MessageDecoder, NOT_AT_HAND};
pub use history::Session;
pub use links::Links;
pub use source::SessionSource;
