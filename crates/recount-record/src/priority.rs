//! The recorder's priority, and how many files it may have open: it has to take samples above all when the machine is busy
//! and has many processes.

#[cfg(target_os = "linux")]
use crate::open_files::OpenFiles;

/// The highest priority of ordinary processes, as atop uses it.
#[cfg(target_os = "linux")]
const NICE: i32 = -20;

/// Twice what the source keeps open at most.
#[cfg(target_os = "linux")]
const MAX_FILES: u64 = 32 << 10;

/// A raised priority of the calling thread, and a raised limit on open files, which dropping it resets.
#[derive(Debug)]
pub(crate) struct Priority {
    /// As before; `None` if it isn't allowed to raise it.
    #[cfg(target_os = "linux")]
    nice_before: Option<i32>,
    #[cfg(target_os = "linux")]
    files: OpenFiles,
}

impl Priority {
    /// Raises it as far as it is allowed: by root, with `CAP_SYS_NICE`, or within `RLIMIT_NICE`. A failure isn't reported:
    /// then the recorder has its turn like any other process, and samples may be late, which the log says.
    #[cfg(target_os = "linux")]
    pub(crate) fn raise() -> Priority {
        let nice_before = nice().filter(|nice| *nice > NICE).filter(|_| set_nice(NICE));
        Priority { nice_before, files: OpenFiles::raise(MAX_FILES) }
    }

    #[cfg(not(target_os = "linux"))]
    pub(crate) fn raise() -> Priority {
        Priority {}
    }

    /// Does something with the priority as before: a command that is started inherits it.
    #[cfg(target_os = "linux")]
    pub(crate) fn as_before<T>(&self, act: impl FnOnce() -> T) -> T {
        self.files.as_before(|| {
            let Some(nice) = self.nice_before else { return act() };
            set_nice(nice);
            let done = act();
            set_nice(NICE);
            done
        })
    }

    #[cfg(not(target_os = "linux"))]
    #[expect(clippy::unused_self, reason = "nothing is raised here")]
    pub(crate) fn as_before<T>(&self, act: impl FnOnce() -> T) -> T {
        act()
    }
}

impl Drop for Priority {
    fn drop(&mut self) {
        #[cfg(target_os = "linux")]
        if let Some(nice) = self.nice_before {
            set_nice(nice);
        }
    }
}

/// On Linux, "process 0" is the calling thread.
#[cfg(target_os = "linux")]
fn nice() -> Option<i32> {
    rustix::process::getpriority_process(None).ok()
}

#[cfg(target_os = "linux")]
fn set_nice(nice: i32) -> bool {
    rustix::process::setpriority_process(None, nice).is_ok()
}

#[cfg(all(test, target_os = "linux"))]
mod tests {
    use super::*;

    #[test]
    fn it_is_raised_where_allowed_and_then_as_before() {
        std::thread::spawn(|| {
            let before = nice().expect("known");
            // Going back up is allowed only to those who may raise it.
            let is_allowed = set_nice(NICE) && set_nice(before);
            let priority = Priority::raise();
            assert_eq!(nice(), Some(if is_allowed { NICE } else { before }));
            assert_eq!(priority.as_before(nice), Some(before));
            assert_eq!(nice(), Some(if is_allowed { NICE } else { before }));
            drop(priority);
            assert_eq!(nice(), Some(before));
        })
        .join()
        .expect("no panic");
    }
}
