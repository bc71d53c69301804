//! Chooses the live source of this system.

use std::cell::RefCell;

use recount_model::Selection;

use crate::countersets::CountersetSource;
use crate::{LiveSource, ProcessOptions, Profile, SampleForm, TakeError, is_wanted};

/// Why there is no live source.
#[derive(Debug, thiserror::Error)]
#[non_exhaustive]
pub enum LiveError {
    /// This system isn't supported.
    #[error("live recording isn't supported on {}, only on Linux and Windows", std::env::consts::OS)]
    Unsupported,
    /// No object of the source was selected.
    #[error("no object matches what was asked for; there are: {}", names.join(", "))]
    NoObject {
        /// Names of the available objects.
        names: Vec<String>,
    },
    /// The source can't be opened.
    #[error(transparent)]
    Source(#[from] TakeError),
}

/// Opens the live source of this system for the objects that are wanted ([`is_wanted`]), as classic blocks or
/// as messages of an in-process server of the second generation.
pub fn open_live(
    profile: Option<Profile>,
    selection: &Selection,
    form: SampleForm,
    processes: ProcessOptions,
) -> Result<Box<dyn LiveSource>, LiveError> {
    let seen = RefCell::new((Vec::new(), false));
    let wanted = |object: &str, default_on: bool| {
        let is_wanted = is_wanted(profile, selection, object, default_on);
        let mut seen = seen.borrow_mut();
        // A source may call this twice.
        if !seen.0.iter().any(|name| name == object) {
            seen.0.push(object.to_owned());
        }
        seen.1 |= is_wanted;
        is_wanted
    };
    let source = open(&wanted, processes)?;
    let (names, is_any) = seen.into_inner();
    if !is_any {
        return Err(LiveError::NoObject { names });
    }
    match form {
        SampleForm::Block => Ok(source),
        SampleForm::Message => Ok(Box::new(CountersetSource::new(source, std::env::consts::OS)?)),
    }
}

#[cfg(target_os = "linux")]
fn open(
    wanted: &dyn Fn(&str, bool) -> bool,
    processes: ProcessOptions,
) -> Result<Box<dyn LiveSource>, LiveError> {
    Ok(Box::new(crate::linux::LinuxSource::with_processes(wanted, processes)?))
}

#[cfg(windows)]
fn open(
    wanted: &dyn Fn(&str, bool) -> bool,
    _processes: ProcessOptions,
) -> Result<Box<dyn LiveSource>, LiveError> {
    Ok(Box::new(crate::windows::WindowsSource::new(wanted)?))
}

#[cfg(not(any(windows, target_os = "linux")))]
fn open(
    _wanted: &dyn Fn(&str, bool) -> bool,
    _processes: ProcessOptions,
) -> Result<Box<dyn LiveSource>, LiveError> {
    Err(LiveError::Unsupported)
}
