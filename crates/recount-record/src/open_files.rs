//! How many files the recorder may have open: those of processes stay open from sample to sample, which halves the cost of a
//! sample.

use rustix::process::{Resource, Rlimit, getrlimit, setrlimit};

/// A raised limit on open files, which dropping it resets. It holds for the whole process.
#[derive(Debug)]
pub(crate) struct OpenFiles {
    before: Rlimit,
    raised: Rlimit,
}

impl OpenFiles {
    /// Raises the limit as far as the hard limit allows, but not beyond `max`.
    pub(crate) fn raise(max: u64) -> OpenFiles {
        let before = getrlimit(Resource::Nofile);
        let wanted = before.maximum.map_or(max, |maximum| maximum.min(max));
        let is_less = before.current.is_some_and(|current| current < wanted);
        let current = if is_less { Some(wanted) } else { before.current };
        let raised = Rlimit { current, maximum: before.maximum };
        set(&raised);
        OpenFiles { before, raised }
    }

    /// Does something with the limit as before: a command that is started inherits it.
    pub(crate) fn as_before<T>(&self, act: impl FnOnce() -> T) -> T {
        set(&self.before);
        let done = act();
        set(&self.raised);
        done
    }
}

impl Drop for OpenFiles {
    fn drop(&mut self) {
        set(&self.before);
    }
}

/// A failure leaves the limit as it is: then fewer files stay open.
fn set(limit: &Rlimit) {
    let _ = setrlimit(Resource::Nofile, *limit);
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn it_is_raised_and_then_as_before() {
        let current = || getrlimit(Resource::Nofile).current;
        let before = current().expect("a limit");
        let files = OpenFiles::raise(before - 1);
        assert_eq!(current(), Some(before), "never lowered");
        drop(files);
        let low = Rlimit { current: Some(before - 5), maximum: getrlimit(Resource::Nofile).maximum };
        setrlimit(Resource::Nofile, low).expect("lowered");
        let files = OpenFiles::raise(before - 2);
        assert_eq!(current(), Some(before - 2));
        assert_eq!(files.as_before(current), Some(before - 5));
        drop(files);
        assert_eq!(current(), Some(before - 5));
    }
}
