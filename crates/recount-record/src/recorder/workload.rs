//! The recorded command.

use std::io;
use std::process::{Child, Command, ExitStatus};

/// A command that runs while samples are taken.
pub(super) struct Workload {
    child: Child,
    is_told_to_end: bool,
}

impl Workload {
    /// Starts it. It inherits our standard streams, unless the caller set others.
    pub(super) fn start(command: &mut Command) -> io::Result<Workload> {
        Ok(Workload { child: command.spawn()?, is_told_to_end: false })
    }

    /// How it ended; `None` while it runs.
    pub(super) fn ended(&mut self) -> io::Result<Option<ExitStatus>> {
        self.child.try_wait()
    }

    /// Waits until it has ended.
    pub(super) fn wait(&mut self) {
        // Errors can't be reported here; what matters is that it doesn't keep running.
        let _ = self.child.wait();
    }

    /// Asks it to end, once: a request to end the recorder is meant for both.
    pub(super) fn end(&mut self) {
        if !std::mem::replace(&mut self.is_told_to_end, true) {
            terminate(&mut self.child);
        }
    }
}

#[cfg(unix)]
fn terminate(child: &mut Child) {
    use rustix::process::{Pid, Signal, kill_process};
    // The child hasn't been waited for, so the process id is still its own. It may have just ended.
    if let Some(pid) = Pid::from_raw(child.id() as i32) {
        let _ = kill_process(pid, Signal::TERM);
    }
}

#[cfg(not(unix))]
fn terminate(child: &mut Child) {
    let _ = child.kill();
}
