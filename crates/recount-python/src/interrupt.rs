//! Runs work without the interpreter's lock, so that Ctrl-C can end it.

use std::ops::ControlFlow;
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, AtomicU32, Ordering};
use std::sync::mpsc::{Receiver, RecvTimeoutError, sync_channel};
use std::time::Duration;

use pyo3::exceptions::PyRuntimeError;
use pyo3::prelude::*;

use crate::errors::told;

/// Time between checks for interrupts in Python.
pub(crate) const BETWEEN_LOOKS: Duration = Duration::from_millis(20);

/// Whether the result of a piece of work is still wanted.
#[derive(Clone, Debug, Default)]
pub(crate) struct Cancel(Arc<AtomicBool>);

impl Cancel {
    /// For the callbacks of the library: breaks once the result is no longer wanted.
    pub(crate) fn decide(&self) -> ControlFlow<()> {
        if self.0.load(Ordering::Relaxed) { ControlFlow::Break(()) } else { ControlFlow::Continue(()) }
    }

    pub(crate) fn cancel(&self) {
        self.0.store(true, Ordering::Relaxed);
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
    let done = wait(py, receiver, || cancel.cancel())?.1;
    done.ok_or_else(|| told(py, "recount failed: a defect, whose place was printed on standard error"))
}

/// Waits for the next message without the interpreter's lock; `None`: the sender is gone. `on_signal` is called before
/// an interrupt is raised.
pub(crate) fn wait<T: Send>(
    py: Python<'_>,
    mut receiver: Receiver<T>,
    on_signal: impl Fn(),
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
                if let Err(interrupt) = py.check_signals() {
                    on_signal();
                    return Err(interrupt);
                }
            }
        }
    }
}
