//! Looks into performance counter captures: a page in the browser, and the server on this machine that feeds it.
//!
//! [`Viewer::start`] opens the captures, takes a first look at them, and listens on 127.0.0.1 alone, under a token that nobody
//! can guess; [`Viewer::run`] answers until it is asked to end. Meanwhile everything is counted once in the background, by the
//! same pipeline that makes reports, so that every number is the one that `recount stats` prints.
//!
//! - `engine`: what answers. A side is a time line of captures; a series is named by its path. Values come from a store of
//!   decoded chunks, and from an index of what each series looks like from afar.
//! - `server`: who may ask. Every request needs the token, the right `Host`, and no foreign `Origin`.
//!
//! Nothing goes to the network, and nothing of the page comes from there.

mod browser;
mod engine;
mod server;

pub use browser::open_browser;
pub use engine::{Align, Opener, Opening, ViewError};
pub use server::{Quit, Viewer};
