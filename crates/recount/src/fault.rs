//! Errors for programs: what kind, of which input, at which byte, and what to try.

use std::error::Error;
use std::io;

use recount_output::OutputError;
use serde::Serialize;

use crate::hint::{NO_COUNTERS, causes};
use crate::{Cancelled, Hinted, NoSamples, OpenError, SpanError, hint_of};

/// An error in the form in which a program reads it: `formats/json/error.json`.
#[derive(Clone, Debug, PartialEq, Eq, Serialize)]
#[non_exhaustive]
pub struct Fault {
    /// What kind.
    pub kind: FaultKind,
    /// The error and its causes, in words.
    pub message: String,
    /// The input that it is about.
    pub path: Option<String>,
    /// The byte of the input, if it is a single place.
    pub offset: Option<u64>,
    /// What to try.
    pub hint: Option<String>,
}

/// What kind of error it is.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize)]
#[serde(rename_all = "kebab-case")]
#[non_exhaustive]
pub enum FaultKind {
    /// The command line has a mistake.
    Usage,
    /// There is no such file.
    NotFound,
    /// The system doesn't allow it.
    Permission,
    /// The system failed in another way.
    Io,
    /// The input isn't a capture.
    NotACapture,
    /// The input's format is known, but nothing of it can be read.
    Damaged,
    /// The output exists, or can't be written there.
    Output,
    /// No counter is selected.
    NoCounters,
    /// There are no samples in the span.
    NoSamples,
    /// A time has no meaning in the capture.
    Time,
    /// Somebody ended it.
    Cancelled,
    /// Anything else.
    Other,
}

/// A mistake in a command line that only the command finds: options that don't go together, names that don't exist.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
#[error("{0}")]
pub struct Mistake(pub String);

impl Fault {
    /// An error as a program reads it. `message` is its text, with its causes.
    pub fn of(error: &(dyn Error + 'static), message: String) -> Fault {
        let opening = causes(error).find_map(|cause| cause.downcast_ref::<OpenError>());
        Fault {
            kind: kind(error, opening),
            message,
            path: opening.map(|error| error.name().to_owned()),
            offset: opening.and_then(|error| error.place()).map(|place| place.ofs),
            hint: hint_of(error).map(str::to_owned),
        }
    }

    /// A mistake in a command line.
    pub fn usage(message: String) -> Fault {
        Fault { kind: FaultKind::Usage, message, path: None, offset: None, hint: None }
    }
}

fn kind(error: &(dyn Error + 'static), opening: Option<&OpenError>) -> FaultKind {
    fn has<E: Error + 'static>(error: &(dyn Error + 'static)) -> bool {
        causes(error).any(<dyn Error>::is::<E>)
    }
    let lacks_counters = |cause: &(dyn Error + 'static)| {
        cause.downcast_ref::<Hinted>().is_some_and(|hinted| hinted.hint == NO_COUNTERS)
    };
    #[cfg(feature = "analysis")]
    let lacks_column = |cause: &(dyn Error + 'static)| {
        matches!(cause.downcast_ref(), Some(recount_analysis::AnswerError::NoColumn { .. }))
    };
    match opening {
        Some(OpenError::Format { .. }) => FaultKind::Damaged,
        Some(OpenError::Io { source, .. }) => of_system(source),
        Some(OpenError::Twice { .. } | OpenError::Several { .. }) => FaultKind::Usage,
        Some(_) => FaultKind::NotACapture,
        None if has::<Mistake>(error) => FaultKind::Usage,
        #[cfg(feature = "analysis")]
        None if causes(error).any(lacks_column) => FaultKind::Usage,
        None if has::<OutputError>(error) => FaultKind::Output,
        None if has::<NoSamples>(error) => FaultKind::NoSamples,
        None if has::<SpanError>(error) => FaultKind::Time,
        None if has::<Cancelled>(error) => FaultKind::Cancelled,
        None if causes(error).any(lacks_counters) => FaultKind::NoCounters,
        #[cfg(feature = "sql")]
        None if causes(error).filter_map(|cause| cause.downcast_ref()).any(is_mistake) => FaultKind::Usage,
        None => {
            let system = causes(error).find_map(|cause| cause.downcast_ref::<io::Error>());
            system.map_or(FaultKind::Other, of_system)
        }
    }
}

/// Whether the query is wrong, not the capture.
#[cfg(feature = "sql")]
fn is_mistake(error: &crate::QueryError) -> bool {
    use crate::QueryError;
    matches!(
        error,
        QueryError::Sql(_)
            | QueryError::UnknownTable { .. }
            | QueryError::Unqualified { .. }
            | QueryError::UnknownCapture { .. }
            | QueryError::Ambiguous { .. }
            | QueryError::Shadowed(_)
            | QueryError::UnknownColumn { .. }
    )
}

fn of_system(error: &io::Error) -> FaultKind {
    match error.kind() {
        io::ErrorKind::NotFound => FaultKind::NotFound,
        io::ErrorKind::PermissionDenied => FaultKind::Permission,
        _ => FaultKind::Io,
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn kinds_are_those_of_the_cause() {
        let missing = crate::open("no such file").err().expect("an error");
        let fault = Fault::of(&missing, missing.to_string());
        assert_eq!((fault.kind, fault.path.as_deref()), (FaultKind::NotFound, Some("no such file")));
        assert_eq!(fault.hint.as_deref(), Some("check the path and its permissions"));
        let text = crate::open_bytes("a", b"not a capture".to_vec()).err().expect("an error");
        assert_eq!(Fault::of(&text, text.to_string()).kind, FaultKind::NotACapture);
        let none = Hinted::no_counters("no counter".to_owned());
        assert_eq!(Fault::of(&none, none.to_string()).kind, FaultKind::NoCounters);
        let mistake = Mistake("a goes with b".to_owned());
        assert_eq!(Fault::of(&mistake, mistake.to_string()).kind, FaultKind::Usage);
    }
}
