//! Requests to a running recording, by signals or through a handle.

mod terminal;

use std::io;
#[cfg(unix)]
use std::io::Read;
#[cfg(unix)]
use std::os::unix::net::UnixStream;
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, AtomicUsize, Ordering};
use std::time::Duration;

use signal_hook::consts::{SIGINT, SIGTERM};
use signal_hook::flag;

/// Asks a recording to end or to begin a new log, and wakes it. Clones share the same state.
#[derive(Clone, Debug)]
pub struct Interrupts {
    /// 0, or who requested the end: a signal number, [`BY_HANDLE`] or [`BY_TERMINAL`].
    end: Arc<AtomicUsize>,
    rotate: Arc<AtomicBool>,
    /// `SIGHUP` was received since the last look.
    hung_up: Arc<AtomicBool>,
    /// Whether the first signal ends the process.
    ends_at_once: Arc<AtomicBool>,
    /// Whether closing the terminal ends the recording.
    ends_with_terminal: Arc<AtomicBool>,
    /// Signals and the handle write to the second; waits poll the first.
    #[cfg(unix)]
    wake: Arc<(UnixStream, UnixStream)>,
}

/// Not the number of any signal.
const BY_HANDLE: usize = usize::MAX;
/// Not one either: `SIGHUP` alone doesn't say that the terminal was closed.
const BY_TERMINAL: usize = usize::MAX - 1;
/// Added to a signal's number, the exit code of a process that the signal ended.
const BY_SIGNAL: i32 = 128;

/// Who requested the end.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum EndedBy {
    /// `SIGINT`: Ctrl-C.
    Interrupt,
    /// `SIGTERM`.
    Terminate,
    /// `SIGHUP`, because the terminal was closed.
    Terminal,
    /// [`Interrupts::end`].
    Handle,
}

/// What was requested: [`Interrupts::take_requests`].
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Requests {
    /// Who requested the end, if anyone. From then on it stays requested.
    pub ended_by: Option<EndedBy>,
    /// Whether a new log was requested since the last look.
    pub rotate: bool,
}

/// What `SIGINT` means.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum OnInterrupt {
    /// The first requests the end; the second ends the process immediately with exit code 130. Data already
    /// written is safe.
    End,
    /// Nothing: it is meant for the recorded command, which also receives it from the terminal.
    Ignore,
}

impl Interrupts {
    /// A handle without connected signals.
    pub fn new() -> io::Result<Interrupts> {
        Ok(Interrupts {
            end: Arc::default(),
            rotate: Arc::default(),
            hung_up: Arc::default(),
            ends_at_once: Arc::default(),
            ends_with_terminal: Arc::default(),
            #[cfg(unix)]
            wake: Arc::new(wake_pair()?),
        })
    }

    /// Connects the signals: `SIGTERM` ends, `SIGINT` acts as given, `SIGHUP` rotates, and `SIGCHLD` only
    /// wakes. They stay connected for the rest of the process's life.
    ///
    /// `SIGHUP` is also sent when the terminal is closed, and a forgotten recording should not run forever.
    /// So the recording ends if it had a terminal that is now gone, unless the signal was already ignored, as
    /// by `nohup`.
    pub fn on_signals(&self, on_interrupt: OnInterrupt) -> io::Result<()> {
        flag::register_conditional_shutdown(SIGINT, BY_SIGNAL + SIGINT, Arc::clone(&self.ends_at_once))?;
        flag::register_conditional_shutdown(SIGTERM, BY_SIGNAL + SIGTERM, Arc::clone(&self.ends_at_once))?;
        // The handler that exits must be registered before the one that arms it.
        let armed = Arc::new(AtomicBool::new(false));
        if on_interrupt == OnInterrupt::End {
            flag::register_conditional_shutdown(SIGINT, BY_SIGNAL + SIGINT, Arc::clone(&armed))?;
            flag::register(SIGINT, armed)?;
            flag::register_usize(SIGINT, Arc::clone(&self.end), SIGINT as usize)?;
        } else {
            flag::register(SIGINT, armed)?;
        }
        flag::register_usize(SIGTERM, Arc::clone(&self.end), SIGTERM as usize)?;
        #[cfg(unix)]
        {
            use signal_hook::consts::{SIGCHLD, SIGHUP, SIGXFSZ};
            // Exceeding a file size limit is then a write error, reported like a full disk.
            flag::register(SIGXFSZ, Arc::default())?;
            // Check before the handler hides the previous setting.
            let ends_with_terminal = terminal::is_there() && !terminal::is_hangup_ignored();
            self.ends_with_terminal.store(ends_with_terminal, Ordering::SeqCst);
            flag::register(SIGHUP, Arc::clone(&self.hung_up))?;
            for signal in [SIGINT, SIGTERM, SIGHUP, SIGCHLD] {
                signal_hook::low_level::pipe::register(signal, self.wake.1.try_clone()?)?;
            }
        }
        Ok(())
    }

    /// Sets whether `SIGINT` and `SIGTERM` end the process immediately: while there is nothing to lose, and something to wait
    /// for, as when connecting to another machine.
    pub fn set_ends_at_once(&self, ends_at_once: bool) {
        self.ends_at_once.store(ends_at_once, Ordering::SeqCst);
    }

    /// Requests the end.
    pub fn end(&self) {
        self.end.store(BY_HANDLE, Ordering::SeqCst);
        self.wake();
    }

    /// Requests a new log.
    pub fn rotate(&self) {
        self.rotate.store(true, Ordering::SeqCst);
        self.wake();
    }

    /// What was requested since the last call.
    ///
    /// The end and a new log are one look, because `SIGHUP` may mean either. With a look for each, the signal of a
    /// closed terminal could arrive between the two and be taken for a request for a new log.
    pub fn take_requests(&self) -> Requests {
        self.take_requests_with(terminal::is_there)
    }

    fn take_requests_with(&self, is_terminal_there: impl FnOnce() -> bool) -> Requests {
        let is_rotate = self.rotate.swap(false, Ordering::SeqCst);
        // First take the signal, then look for the terminal: a signal that arrives later is left for the next call.
        let is_hung_up = self.hung_up.swap(false, Ordering::SeqCst);
        let is_closed = is_hung_up && self.ends_with_terminal.load(Ordering::SeqCst) && !is_terminal_there();
        if is_closed {
            // Whoever requested the end before remains the reason.
            let _ = self.end.compare_exchange(0, BY_TERMINAL, Ordering::SeqCst, Ordering::SeqCst);
        }
        let ended_by = match self.end.load(Ordering::SeqCst) {
            0 => None,
            BY_HANDLE => Some(EndedBy::Handle),
            BY_TERMINAL => Some(EndedBy::Terminal),
            signal if signal == SIGINT as usize => Some(EndedBy::Interrupt),
            _ => Some(EndedBy::Terminate),
        };
        Requests { ended_by, rotate: is_rotate || (is_hung_up && !is_closed) }
    }

    /// Waits until there is a request, a child has ended, or `timeout` is over.
    #[cfg(unix)]
    pub fn wait(&self, timeout: Duration) {
        use rustix::event::{PollFd, PollFlags, poll};

        let mut fds = [PollFd::new(&self.wake.0, PollFlags::IN)];
        // An interrupted poll ends the wait early, which callers expect.
        let timeout = timeout.try_into().ok();
        if poll(&mut fds, timeout.as_ref()).is_ok_and(|num_ready| num_ready > 0) {
            // All wake-ups so far count as one. The socket is non-blocking.
            let mut bytes = [0; 64];
            while (&self.wake.0).read(&mut bytes).is_ok_and(|len| len == bytes.len()) {}
        }
    }

    /// Waits until there is a request, a child may have ended, or `timeout` is over.
    #[cfg(not(unix))]
    pub fn wait(&self, timeout: Duration) {
        // Nothing can wake a sleep here, so it is short, and requests wait no longer than that.
        const SLICE: Duration = Duration::from_millis(50);
        // Requests aren't taken here: that is for the caller.
        if self.end.load(Ordering::SeqCst) == 0 {
            std::thread::sleep(timeout.min(SLICE));
        }
    }

    #[cfg(unix)]
    fn wake(&self) {
        use std::io::Write;
        // If the socket is full, it already contains a wake-up.
        let _ = (&self.wake.1).write(&[0]);
    }

    #[cfg(not(unix))]
    #[expect(clippy::unused_self, reason = "nothing needs waking: waits are short")]
    fn wake(&self) {}
}

/// Calls `act` when `SIGINT`, `SIGTERM` or `SIGHUP` comes, and then ends the process as the signal would.
/// Ignored signals stay ignored. This holds for the rest of the process's life.
#[cfg(unix)]
pub fn before_termination(act: impl FnOnce() + Send + 'static) -> io::Result<()> {
    use signal_hook::consts::SIGHUP;
    use signal_hook::iterator::Signals;

    let mut wanted = vec![SIGINT, SIGTERM];
    if !terminal::is_hangup_ignored() {
        wanted.push(SIGHUP);
    }
    let mut signals = Signals::new(wanted)?;
    std::thread::spawn(move || {
        if let Some(signal) = signals.forever().next() {
            act();
            // This doesn't return for these signals.
            let _ = signal_hook::low_level::emulate_default_handler(signal);
        }
    });
    Ok(())
}

/// Does nothing: here consoles end a process without a signal.
#[cfg(not(unix))]
pub fn before_termination(_act: impl FnOnce() + Send + 'static) -> io::Result<()> {
    Ok(())
}

/// Calls `act`, which should end the process, when a page of a mapped file can't be read: the file became shorter
/// after it was mapped, or its disk failed (`SIGBUS`). The thread that reads it never goes on.
#[cfg(unix)]
#[expect(unsafe_code, reason = "what runs in a signal handler must be safe there")]
pub fn on_lost_page(act: impl FnOnce() + Send + 'static) -> io::Result<()> {
    use signal_hook::consts::SIGBUS;

    let (mut read, write) = UnixStream::pair()?;
    signal_hook::low_level::pipe::register(SIGBUS, write)?;
    let wait = || {
        loop {
            rustix::event::pause();
        }
    };
    // SAFETY: it is a system call and nothing else. Actions run in the order in which they were registered.
    unsafe { signal_hook::low_level::register(SIGBUS, wait) }?;
    std::thread::spawn(move || {
        if read.read_exact(&mut [0]).is_ok() {
            act();
        }
    });
    Ok(())
}

/// There is no such signal here: reading a lost page ends the process.
#[cfg(not(unix))]
pub fn on_lost_page(_act: impl FnOnce() + Send + 'static) -> io::Result<()> {
    Ok(())
}

#[cfg(unix)]
fn wake_pair() -> io::Result<(UnixStream, UnixStream)> {
    let (read, write) = UnixStream::pair()?;
    read.set_nonblocking(true)?;
    write.set_nonblocking(true)?;
    Ok((read, write))
}

#[cfg(test)]
mod tests {
    use std::time::Instant;

    use super::*;

    const NOTHING: Requests = Requests { ended_by: None, rotate: false };
    const ROTATE: Requests = Requests { ended_by: None, rotate: true };
    const CLOSED: Requests = Requests { ended_by: Some(EndedBy::Terminal), rotate: false };

    /// It has no limit of its own: if nothing wakes a wait, it hangs, and the test runner ends it.
    #[test]
    fn a_request_wakes_a_wait_that_is_under_way() {
        let interrupts = Interrupts::new().expect("a pair");
        assert_eq!(interrupts.take_requests(), NOTHING);
        let other = interrupts.clone();
        let thread = std::thread::spawn(move || other.rotate());
        while !interrupts.take_requests().rotate {
            interrupts.wait(Duration::MAX);
        }
        thread.join().expect("no panic");
        interrupts.end();
        interrupts.wait(Duration::MAX);
        let ended = Requests { ended_by: Some(EndedBy::Handle), rotate: false };
        assert_eq!(interrupts.take_requests(), ended);
    }

    /// Started from a terminal, and `SIGHUP` was received.
    fn hung_up() -> Interrupts {
        let interrupts = Interrupts::new().expect("a pair");
        interrupts.ends_with_terminal.store(true, Ordering::SeqCst);
        interrupts.hung_up.store(true, Ordering::SeqCst);
        interrupts
    }

    #[test]
    fn a_hangup_is_the_end_if_the_terminal_is_gone_and_else_a_new_log() {
        let interrupts = hung_up();
        assert_eq!(interrupts.take_requests_with(|| true), ROTATE);
        // Without another signal the terminal doesn't matter.
        assert_eq!(interrupts.take_requests_with(|| false), NOTHING);
        interrupts.hung_up.store(true, Ordering::SeqCst);
        assert_eq!(interrupts.take_requests_with(|| false), CLOSED);
        assert_eq!(interrupts.take_requests_with(|| false), CLOSED, "the end stays requested");
        let without_terminal = hung_up();
        without_terminal.ends_with_terminal.store(false, Ordering::SeqCst);
        assert_eq!(without_terminal.take_requests_with(|| false), ROTATE);
        let ended_before = hung_up();
        ended_before.end();
        assert_eq!(ended_before.take_requests_with(|| false).ended_by, Some(EndedBy::Handle));
    }

    /// The terminal is closed just after it was found to be there, because of an earlier `SIGHUP`. A look for the end
    /// and then one for a new log would use up both signals for one new log, and the recording would never end.
    #[test]
    fn a_terminal_that_is_closed_during_a_look_is_seen_by_the_next() {
        let interrupts = hung_up();
        let is_there_and_closed_then = || {
            interrupts.hung_up.store(true, Ordering::SeqCst);
            true
        };
        assert_eq!(interrupts.take_requests_with(is_there_and_closed_then), ROTATE);
        assert_eq!(interrupts.take_requests_with(|| false), CLOSED);
    }

    /// Many wake-ups don't fill a pipe or block anyone, and leave nothing that would end the next wait.
    #[test]
    fn wake_ups_do_not_pile_up() {
        let interrupts = Interrupts::new().expect("a pair");
        for _ in 0..1_000_000 {
            interrupts.rotate();
        }
        interrupts.wait(Duration::from_mins(1));
        let started = Instant::now();
        interrupts.wait(Duration::from_millis(20));
        assert!(started.elapsed() >= Duration::from_millis(15));
    }
}
