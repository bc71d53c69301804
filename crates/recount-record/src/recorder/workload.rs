//! The command that is recorded.

use std::io;
use std::process::{Child, Command, ExitStatus};

/// A command that runs while samples are taken.
pub(super) struct Workload {
    child: Child,
    is_told_to_end: bool,
}

impl Workload {
    /// Starts it. Its standard streams are ours, unless the caller made them otherwise.
    pub(super) fn start(command: &mut Command) -> io::Result<Workload> {
        Ok(Workload { child: command.spawn()?, is_told_to_end: false })
    }

    /// How it ended; `None` while it runs.
    pub(super) fn ended(&mut self) -> io::Result<Option<ExitStatus>> {
        self.child.try_wait()
    }

    /// Waits until it has ended.
    pub(super) fn wait(&mut self) {
        // There is nobody to tell: what matters is that it isn't left behind.
        let _ = self.child.wait();
    }

    /// Asks it to end, once: whoever asks the recorder to, means both.
    pub(super) fn end(&mut self) {
        if !std::mem::replace(&mut self.is_told_to_end, true) {
            terminate(&mut self.child);
        }
    }
}

#[cfg(unix)]
fn terminate(child: &mut Child) {
    use rustix::process::{Pid, Signal, kill_process};
    // The child isn't waited for yet, so the number is still its own. It may have ended just now.
    if let Some(pid) = Pid::from_raw(child.id() as i32) {
        let _ = kill_process(pid, Signal::TERM);
    }
}

#[cfg(not(unix))]
fn terminate(child: &mut Child) {
    let _ = child.kill();
}
