//! MS-PCQ sessions: the meaning of a capture's messages.
//!
//! [`crate::structure`] reads the buffers. Here they are combined: registrations and texts become
//! [`Counterset`]s, the identifiers of a query describe each block of an answer, and successive answers
//! become [`Run`](recount_model::Run)s.
//!
//! - [`Session`] keeps the information about countersets and queries, and from which message on it applies.
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
pub use decoder::MessageDecoder;
pub use history::Session;
pub use links::Links;
pub use source::SessionSource;
