//! Runs work without the interpreter's lock, so that Ctrl-C can end it.

use std::ops::ControlFlow;
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, AtomicU32, AtomicU64, Ordering};
use std::sync::mpsc::{Receiver, RecvTimeoutError, sync_channel};
use std::time::Duration;

use pyo3::exceptions::PyRuntimeError;
use pyo3::prelude::*;
use recount::Progress;

use crate::errors::recount_error;

/// Time between checks for interrupts in Python.
pub(crate) const BETWEEN_LOOKS: Duration = Duration::from_millis(20);

/// Whether the result of a piece of work is still wanted, and how far it is.
#[derive(Clone, Debug, Default)]
pub(crate) struct Cancel {
    is_cancelled: Arc<AtomicBool>,
    num_samples: Arc<AtomicU64>,
}

/// A function of Python that is called with the samples read so far, and those there are. Work that reads captures more than once
/// begins anew.
pub(crate) struct Watcher {
    pub(crate) function: Py<PyAny>,
    pub(crate) num_samples: u64,
}

impl Watcher {
    /// Of a function, if there is one, for some samples.
    pub(crate) fn of(function: Option<Py<PyAny>>, num_samples: u64) -> Option<Watcher> {
        function.map(|function| Watcher { function, num_samples })
    }

    fn call(&self, py: Python<'_>, done: u64) -> PyResult<()> {
        self.function.call1(py, (done.min(self.num_samples), self.num_samples)).map(|_| ())
    }
}

impl Cancel {
    /// For the callbacks of the library: breaks once the result is no longer wanted.
    pub(crate) fn decide(&self) -> ControlFlow<()> {
        if self.is_cancelled.load(Ordering::Relaxed) {
            ControlFlow::Break(())
        } else {
            ControlFlow::Continue(())
        }
    }

    /// Like `decide`, and notes how far the work is.
    pub(crate) fn step(&self, progress: Progress) -> ControlFlow<()> {
        self.num_samples.store(progress.num_samples, Ordering::Relaxed);
        self.decide()
    }

    pub(crate) fn cancel(&self) {
        self.is_cancelled.store(true, Ordering::Relaxed);
    }
}

/// The process that used recount first; 0: none yet.
static USER: AtomicU32 = AtomicU32::new(0);

/// Fails in a child that was forked after the first use: it would wait for threads that only the parent has.
pub(crate) fn check_process() -> PyResult<()> {
    let this = std::process::id();
    match USER.compare_exchange(0, this, Ordering::Relaxed, Ordering::Relaxed) {
        Err(first) if first != this => Err(PyRuntimeError::new_err(
            "recount was used before this process was forked, and its threads stayed behind: use the start method \
             \"spawn\" or \"forkserver\" of multiprocessing",
        )),
        _ => Ok(()),
    }
}

/// Does work on a separate thread, without the interpreter's lock. A signal whose handler raises (Ctrl-C) ends the wait
/// immediately, and the work at its next step.
pub(crate) fn work<T: Send + 'static>(
    py: Python<'_>,
    job: impl FnOnce(&Cancel) -> T + Send + 'static,
) -> PyResult<T> {
    work_watched(py, None, job)
}

/// Like [`work`], and calls a function while it waits, and once at the end. An exception of the function ends the work.
pub(crate) fn work_watched<T: Send + 'static>(
    py: Python<'_>,
    watcher: Option<Watcher>,
    job: impl FnOnce(&Cancel) -> T + Send + 'static,
) -> PyResult<T> {
    check_process()?;
    let cancel = Cancel::default();
    let (sender, receiver) = sync_channel(1);
    let inside = cancel.clone();
    let run = move || {
        let done = job(&inside);
        // The receiver may be gone.
        let _ = sender.send(done);
    };
    std::thread::Builder::new().name("recount".into()).spawn(run)?;
    let mut reported = 0;
    let report = |py: Python<'_>| match (&watcher, cancel.num_samples.load(Ordering::Relaxed)) {
        (Some(watcher), done) if done != reported => {
            reported = done;
            watcher.call(py, done)
        }
        _ => Ok(()),
    };
    let done = wait_reporting(py, receiver, || cancel.cancel(), report)?.1;
    if let (Some(watcher), Some(_)) = (&watcher, &done) {
        watcher.call(py, watcher.num_samples)?;
    }
    done.ok_or_else(|| {
        recount_error(py, "recount failed: a defect, whose place was printed on standard error")
    })
}

/// Waits for the next message without the interpreter's lock; `None`: the sender is gone. `on_signal` is called before
/// an interrupt is raised.
pub(crate) fn wait<T: Send>(
    py: Python<'_>,
    receiver: Receiver<T>,
    on_signal: impl Fn(),
) -> PyResult<(Receiver<T>, Option<T>)> {
    wait_reporting(py, receiver, on_signal, |_| Ok(()))
}

/// Like [`wait`], and calls `report` from time to time.
fn wait_reporting<T: Send>(
    py: Python<'_>,
    mut receiver: Receiver<T>,
    on_signal: impl Fn(),
    mut report: impl FnMut(Python<'_>) -> PyResult<()>,
) -> PyResult<(Receiver<T>, Option<T>)> {
    loop {
        let (back, message) = py.detach(move || {
            let message = receiver.recv_timeout(BETWEEN_LOOKS);
            (receiver, message)
        });
        receiver = back;
        match message {
            Ok(message) => return Ok((receiver, Some(message))),
            Err(RecvTimeoutError::Disconnected) => return Ok((receiver, None)),
            Err(RecvTimeoutError::Timeout) => {
                if let Err(interrupt) = py.check_signals().and_then(|()| report(py)) {
                    on_signal();
                    return Err(interrupt);
                }
            }
        }
    }
}
