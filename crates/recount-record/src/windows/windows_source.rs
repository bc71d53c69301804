//! The source of this machine.

use recount_model::{Facts, NameTable};

use super::source::QuerySource;
use super::system::System;
use crate::{LiveSource, TakeError, Taken};

/// The performance objects of this machine, from Windows.
pub struct WindowsSource(QuerySource<System>);

impl WindowsSource {
    /// Finds the available objects and prepares to record the wanted ones. `wanted` is called with an
    /// object's name, in English and in the system's language, and with whether it is on by default. `Thread`
    /// isn't, nor are the objects that Windows calls costly.
    pub fn new(wanted: &dyn Fn(&str, bool) -> bool) -> Result<WindowsSource, TakeError> {
        QuerySource::new(System::new(), wanted).map(WindowsSource)
    }
}

impl LiveSource for WindowsSource {
    fn facts(&mut self) -> Facts {
        self.0.facts()
    }

    fn texts(&mut self) -> Vec<(String, NameTable)> {
        self.0.texts()
    }

    fn take(&mut self) -> Result<Option<Taken>, TakeError> {
        self.0.take()
    }

    fn sample(&self) -> &[u8] {
        self.0.block()
    }
}
