//! Client and server of MS-PCQ against each other, and each against hostile input.

mod browsing;
mod example;
mod hostile;
mod model;
mod population;
mod refusals;
mod requests;
mod return_codes;
mod sampler;
mod script;
mod statuses;
mod wire;
