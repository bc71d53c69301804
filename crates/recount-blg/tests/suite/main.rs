//! `.blg` files: read, written, and as a source.

mod from_runs;
mod re_emission;
mod several_machines;
mod stored_real_log;
mod support;
mod suspects;
mod written_log;
