//! Threads for a kind of work.

use rayon::{ThreadPool, ThreadPoolBuildError, ThreadPoolBuilder};

/// A pool of threads; in a browser, where there is one thread per worker, the thread that asks.
pub(super) struct Threads(Option<ThreadPool>);

impl Threads {
    /// As many threads as there are processors, with numbered names.
    pub(super) fn new(name: &'static str) -> Result<Threads, ThreadPoolBuildError> {
        if cfg!(target_family = "wasm") {
            return Ok(Threads(None));
        }
        let pool = ThreadPoolBuilder::new().thread_name(move |at| format!("{name}-{at}")).build()?;
        Ok(Threads(Some(pool)))
    }

    /// Does work on these threads.
    pub(super) fn install<T: Send>(&self, work: impl FnOnce() -> T + Send) -> T {
        match &self.0 {
            Some(pool) => pool.install(work),
            None => work(),
        }
    }

    pub(super) fn number(&self) -> usize {
        self.0.as_ref().map_or(1, ThreadPool::current_num_threads)
    }
}
