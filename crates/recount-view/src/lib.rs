//! A viewer for performance counter captures: a page in the browser, and a local server that feeds it.
//!
//! [`Viewer::start`] opens the captures, takes a first look at them, and listens on 127.0.0.1 only, with a token that
//! can't be guessed; [`Viewer::run`] answers until it is asked to end. In the meantime everything is counted once in
//! the background, by the same pipeline that makes reports, so every number equals that of `recount stats`.
//!
//! - `engine` computes the answers. A side is a time line of captures; a series is named by its path. Values come from
//!   a store of decoded chunks, and from a coarse index of every series.
//! - `server` decides which requests are allowed. Every request needs the token and the right `Host`, and
//!   must not have a foreign `Origin`.
//!
//! - [`Local`] is the engine without the server, for a page that opens captures itself (`recount-web`).
//!
//! Nothing is sent to the network, and no part of the page comes from there.

#[cfg(feature = "server")]
mod browser;
#[cfg_attr(not(feature = "server"), allow(dead_code, reason = "only the server watches logs that grow"))]
mod engine;
mod local;
#[cfg(feature = "server")]
mod server;

#[cfg(feature = "server")]
pub use browser::{Redirect, open_browser};
#[cfg(target_family = "wasm")]
pub use engine::give_clock;
pub use engine::{Align, Opener, Opening, ViewError};
pub use local::{Local, Reply};
#[cfg(feature = "server")]
pub use server::{Quit, Viewer};

/// The example of README.md compiles.
#[cfg(doctest)]
#[doc = include_str!("../README.md")]
struct Readme;
