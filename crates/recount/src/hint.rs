//! What to try when something fails.

use std::error::Error;
use std::io;

use recount_capture::RepairError;
use recount_output::OutputError;
use recount_tables::TableError;

use crate::{
    BatchError, CatalogueError, ConvertError, MarkError, NoSamples, OpenError, PackError, RedactError,
    SpanError, UnknownMark,
};

/// An error that may know what to try.
pub trait Hint: Error {
    /// What to try, in a sentence without a full stop; `None`: the error says all that is known.
    fn hint(&self) -> Option<&'static str>;
}

/// What to try if no counter is selected.
pub(crate) const NO_COUNTERS: &str = "recount list FILE shows the counters of a capture; with --names windows, those of other \
    recorders and languages have the names that Windows gives them";

/// An error that is only a text and its hint.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
#[error("{text}")]
pub struct Hinted {
    /// What is wrong.
    pub text: String,
    /// What to try.
    pub hint: &'static str,
}

impl Hinted {
    /// No counter is selected, which a text says.
    pub fn no_counters(text: String) -> Hinted {
        Hinted { text, hint: NO_COUNTERS }
    }
}

impl Hint for Hinted {
    fn hint(&self) -> Option<&'static str> {
        Some(self.hint)
    }
}

/// What to try after an error of this library, or one caused by such an error or by the system. `None`: nothing that is
/// known here.
///
/// ```
/// let error = recount::open("no such file").err().expect("an error");
/// assert_eq!(recount::hint_of(&error), Some("check the path and its permissions"));
/// ```
pub fn hint_of(error: &(dyn Error + 'static)) -> Option<&'static str> {
    #[cfg(feature = "record")]
    let recording =
        causes(error).find_map(|cause| cause.downcast_ref::<crate::RecordError>()?.hint_of_disk());
    #[cfg(not(feature = "record"))]
    let recording = None;
    // What the system says comes first: a full disk isn't a matter of permissions.
    let system = || causes(error).find_map(|cause| hint_of_system(cause.downcast_ref()?));
    recording.or_else(system).or_else(|| causes(error).find_map(own_hint))
}

/// An error and its causes.
pub(crate) fn causes<'a>(
    error: &'a (dyn Error + 'static),
) -> impl Iterator<Item = &'a (dyn Error + 'static)> {
    std::iter::successors(Some(error), |&error| error.source())
}

/// The hint of an error whose type has one.
fn own_hint(error: &(dyn Error + 'static)) -> Option<&'static str> {
    fn of<E: Hint + 'static>(error: &(dyn Error + 'static)) -> Option<&'static str> {
        error.downcast_ref::<E>()?.hint()
    }
    let types: &[fn(&(dyn Error + 'static)) -> Option<&'static str>] = &[
        of::<OpenError>,
        of::<MarkError>,
        of::<SpanError>,
        of::<UnknownMark>,
        of::<CatalogueError>,
        of::<NoSamples>,
        of::<OutputError>,
        of::<PackError>,
        of::<RedactError>,
        of::<RepairError>,
        of::<ConvertError>,
        of::<BatchError>,
        of::<Hinted>,
        of::<crate::ledger::LedgerError>,
        #[cfg(feature = "analysis")]
        of::<crate::FollowError>,
        #[cfg(feature = "analysis")]
        of::<crate::BaselineFileError>,
        #[cfg(feature = "analysis")]
        of::<crate::MovedError>,
        #[cfg(feature = "analysis")]
        of::<crate::analysis::target::NoTarget>,
        #[cfg(feature = "analysis")]
        of::<crate::analysis::clock_offset::NoOffset>,
        #[cfg(feature = "record")]
        of::<crate::RecordError>,
    ];
    types.iter().find_map(|of| of(error))
}

/// If a disk is full, read-only or broken.
pub(crate) fn hint_of_system(error: &io::Error) -> Option<&'static str> {
    const EIO: i32 = 5;
    match error.kind() {
        io::ErrorKind::StorageFull => Some("make room on the disk"),
        io::ErrorKind::QuotaExceeded => Some("make room: your quota of this disk is used up"),
        io::ErrorKind::FileTooLarge => {
            Some("files may not be that large here: see ulimit -f, and the limits of the file system")
        }
        io::ErrorKind::ReadOnlyFilesystem => Some("the file system can only be read: choose another place"),
        _ if cfg!(unix) && error.raw_os_error() == Some(EIO) => {
            Some("the disk or its connection fails: look into the system's log, and save what is on it")
        }
        _ => None,
    }
}

impl Hint for OutputError {
    fn hint(&self) -> Option<&'static str> {
        match self {
            OutputError::Exists { .. } => Some("choose another name, or --force to replace it"),
            OutputError::NotReplaced { .. } | OutputError::ForeignFile { .. } => {
                Some("choose another name, or remove it first")
            }
            OutputError::NoDirectory { .. } => Some("create it first, or choose another place"),
            _ => None,
        }
    }
}

impl Hint for TableError {
    fn hint(&self) -> Option<&'static str> {
        if let TableError::Output(error) = self { error.hint() } else { None }
    }
}

impl Hint for RepairError {
    fn hint(&self) -> Option<&'static str> {
        match self {
            RepairError::Input { source, .. } if source.kind() == io::ErrorKind::IsADirectory => {
                Some("name the files in it")
            }
            RepairError::Input { .. } => Some("check the path and its permissions"),
            RepairError::Output(error) => error.hint(),
            RepairError::StillWritten { .. } => Some(
                "stop the recorder, or wait if there is none; -o OUT repairs into a copy, --force repairs it anyway",
            ),
            RepairError::InUse { .. } => Some("stop the recorder; -o OUT repairs into a copy"),
            RepairError::Log { .. } => Some("only capture logs (.rcap) can be repaired"),
            _ => None,
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::MarkLogError;

    #[derive(Debug, thiserror::Error)]
    #[error("while converting")]
    struct Outer(#[source] ConvertError);

    #[test]
    fn hints_are_found_within_other_errors() {
        let zone = || SpanError::ZoneUnknown { name: "a".into() };
        let hint = zone().hint();
        assert!(hint.is_some_and(|hint| hint.contains("--zone")), "{hint:?}");
        assert_eq!(hint_of(&zone()), hint);
        let denied =
            || ConvertError::Output(OutputError::NoDirectory { path: "b/a".into(), directory: "b".into() });
        assert!(denied().hint().is_some());
        assert_eq!(hint_of(&Outer(denied())), denied().hint());
        assert_eq!(hint_of(&BatchError::Span(zone())), hint);
        assert_eq!(hint_of(&Hinted { text: "no".into(), hint: "yes" }), Some("yes"));
        assert_eq!(hint_of(&Outer(ConvertError::NoCounters)), None);
    }

    /// A full disk isn't a matter of permissions.
    #[test]
    fn what_the_system_says_comes_first() {
        let full = || io::Error::from(io::ErrorKind::StorageFull);
        let marked = MarkError::Log(MarkLogError::Beside { directory: "a".into(), source: full() });
        assert_eq!(hint_of(&marked), Some("make room on the disk"));
        assert_eq!(hint_of(&full()), Some("make room on the disk"));
        let denied = MarkError::Log(MarkLogError::Beside {
            directory: "a".into(),
            source: io::ErrorKind::PermissionDenied.into(),
        });
        assert_eq!(hint_of(&denied), denied.hint());
        #[cfg(feature = "record")]
        {
            let recording = crate::RecordError::Io { name: "a".into(), source: full() };
            assert_eq!(
                hint_of(&recording),
                Some("make room on the disk, or keep fewer logs: --max-size with --keep")
            );
        }
    }
}
