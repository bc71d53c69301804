//! Exit records: what the kernel says of every task that ends (`taskstats`, `Documentation/accounting/taskstats.rst` of the kernel).
//!
//! Only those with `CAP_NET_ADMIN` in the machine's first namespaces get them. A thread collects them between samples, so that the
//! kernel's buffer doesn't overflow; [`ExitRecords::take`] gives those since the previous sample.

mod ended;
mod listener;
mod netlink;
mod taskstats;

use std::io;
use std::os::unix::net::UnixStream;
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};
use std::thread::JoinHandle;
use std::time::Duration;

pub(crate) use ended::Ended;
use listener::Listener;
use rustix::event::{PollFd, PollFlags, poll};
use rustix::io::Errno;
pub(crate) use taskstats::ExitIo;

/// Records are left to the kernel for this long, so that many of them are taken at once.
const PAUSE: Duration = Duration::from_millis(50);

/// Why there are no exit records.
#[derive(Debug, thiserror::Error)]
pub(crate) enum ExitsError {
    /// The system refused.
    #[error("{0}")]
    Refused(&'static str),
    /// A call failed.
    #[error("{call}: {source}")]
    System {
        /// What was called.
        call: &'static str,
        /// Its error.
        source: Errno,
    },
    /// The kernel's answer can't be read.
    #[error("the kernel's answer to {0} can't be read")]
    Answer(&'static str),
    /// The kernel's records don't say enough.
    #[error("exit records of this kernel don't say to which process a thread belongs (since 5.19 they do)")]
    TooOld,
    /// There is no thread to collect them.
    #[error("no thread can be started: {0}")]
    Thread(io::Error),
}

/// The exit records of this machine, from when it was made.
#[derive(Debug)]
pub(crate) struct ExitRecords {
    listener: Arc<Mutex<Listener>>,
    /// The thread ends when this is closed.
    stop: Option<UnixStream>,
    thread: Option<JoinHandle<()>>,
}

/// What ended since the previous sample.
#[derive(Debug, Default)]
pub(crate) struct TakenExits {
    /// In the order of their ends.
    pub(crate) ended: Vec<Ended>,
    /// How often the kernel had no room for a record.
    pub(crate) num_overruns: u64,
    /// Processes that are missing because there were too many of different kinds.
    pub(crate) num_dropped: u64,
}

impl ExitRecords {
    pub(crate) fn open() -> Result<ExitRecords, ExitsError> {
        let listener = Listener::open()?;
        let socket = listener.socket();
        let listener = Arc::new(Mutex::new(listener));
        let (stop, stopped) = UnixStream::pair().map_err(ExitsError::Thread)?;
        let collected = Arc::clone(&listener);
        let run = move || {
            let mut fds = [PollFd::new(&socket, PollFlags::IN), PollFd::new(&stopped, PollFlags::IN)];
            loop {
                let polled = poll(&mut fds, None);
                if !fds[1].revents().is_empty() || polled.is_err_and(|error| error != Errno::INTR) {
                    return;
                }
                std::thread::sleep(PAUSE);
                locked(&collected).drain();
            }
        };
        let thread = std::thread::Builder::new().name("exit records".to_owned()).spawn(run);
        let thread = thread.map_err(ExitsError::Thread)?;
        Ok(ExitRecords { listener, stop: Some(stop), thread: Some(thread) })
    }

    /// What ended since the previous sample; `since_boot_100ns` is the time of this one. Of processes that only lost threads, parts are
    /// kept unless they are gone.
    pub(crate) fn take(&self, since_boot_100ns: i64, is_alive: impl Fn(u32) -> bool) -> TakenExits {
        let mut listener = locked(&self.listener);
        listener.drain();
        listener.take(since_boot_100ns, is_alive)
    }
}

impl Drop for ExitRecords {
    fn drop(&mut self) {
        self.stop = None;
        if let Some(thread) = self.thread.take() {
            let _ = thread.join();
        }
    }
}

fn locked(listener: &Mutex<Listener>) -> MutexGuard<'_, Listener> {
    listener.lock().unwrap_or_else(PoisonError::into_inner)
}

/// The name of an error that has a better explanation than the system's.
fn explained(call: &'static str, error: Errno) -> ExitsError {
    match error {
        Errno::PERM | Errno::ACCESS => ExitsError::Refused("not permitted: they need root, or CAP_NET_ADMIN"),
        Errno::INVAL => ExitsError::Refused(
            "not available in a container: they need the machine's own process and user ids",
        ),
        Errno::NOENT | Errno::PROTONOSUPPORT | Errno::AFNOSUPPORT => {
            ExitsError::Refused("this kernel was built without them (CONFIG_TASKSTATS)")
        }
        source => ExitsError::System { call, source },
    }
}
