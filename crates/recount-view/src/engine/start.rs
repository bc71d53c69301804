//! Starts the engine: the first charts immediately, the rest in the background.

use std::sync::Arc;

use super::opening::{Opening, ViewError};
use super::pass::count_after_charts;
use super::state::Engine;
use super::watch::watch;

/// Opens the captures, takes a first look, and begins to count.
pub(crate) fn start(opening: Opening) -> Result<Arc<Engine>, ViewError> {
    let engine = Arc::new(Engine::open(opening)?);
    let shared = Arc::clone(&engine);
    let work = move || {
        count_after_charts(&shared);
        watch(&shared);
    };
    let spawned = std::thread::Builder::new().name("view-count".into()).spawn(work);
    spawned.map_err(|error| ViewError::Start(error.to_string()))?;
    Ok(engine)
}
