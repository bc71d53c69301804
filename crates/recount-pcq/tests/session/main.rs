//! MS-PCQ sessions: from registrations, queries and answers to runs.

mod classic;
mod links;
mod mixed;
mod queries;
mod random;
mod registration;
mod runs;
mod stream;
mod support;
