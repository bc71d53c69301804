//! What `recount.html` runs in a worker of the browser: the library and the viewer's engine, as a module of WebAssembly
//! (`docs/open-without-installing.md`).
//!
//! - `session` opens the files that the page was given, and answers its questions.
//! - `host` is what the worker offers: ranges of files, a clock, and somewhere to put what is written.
//! - `exports` are the functions that the worker calls. A text or JSON goes in by [`exports::input`], and comes out by
//!   [`exports::output`].

pub mod exports;
mod host;
mod session;
