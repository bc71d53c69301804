//! What a case measured, and how it tells the process that started it.

use std::collections::BTreeMap;
use std::time::Duration;

use anyhow::{Context, Result};

/// Numbers by name.
#[derive(Clone, Debug, Default)]
pub(crate) struct Measured(BTreeMap<String, f64>);

impl Measured {
    pub(crate) fn set(&mut self, key: &str, value: f64) {
        self.0.insert(key.into(), value);
    }

    pub(crate) fn set_time(&mut self, key: &str, time: Duration) {
        self.set(key, time.as_secs_f64());
    }

    pub(crate) fn get(&self, key: &str) -> Result<f64> {
        self.0.get(key).copied().with_context(|| format!("the case did not measure {key:?}"))
    }

    /// Names that begin so, without what they begin with, and their numbers.
    pub(crate) fn with_prefix<'a>(&'a self, prefix: &'a str) -> impl Iterator<Item = (&'a str, f64)> {
        self.0.iter().filter_map(move |(key, value)| Some((key.strip_prefix(prefix)?, *value)))
    }

    /// One line per number: the number, a space, its name.
    pub(crate) fn to_lines(&self) -> String {
        self.0.iter().fold(String::new(), |lines, (key, value)| lines + &format!("{value} {key}\n"))
    }

    /// Reads [`Measured::to_lines`].
    pub(crate) fn from_lines(lines: &str) -> Result<Measured> {
        let mut measured = Measured::default();
        for line in lines.lines() {
            let (value, key) = line.split_once(' ').with_context(|| format!("a case printed {line:?}"))?;
            measured.set(key, value.parse().with_context(|| format!("a case printed {line:?}"))?);
        }
        Ok(measured)
    }
}
