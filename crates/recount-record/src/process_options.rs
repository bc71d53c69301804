//! What is recorded of processes besides their counters.

use std::fmt;
use std::str::FromStr;

/// What is recorded of processes besides their counters. By default nothing is.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct ProcessOptions {
    /// Whether processes that ended are recorded by their exit records.
    pub exits: ExitsWanted,
    /// How processes are described.
    pub describe: Describe,
}

impl ProcessOptions {
    /// What a recording has by default.
    pub const RECORDED: ProcessOptions =
        ProcessOptions { exits: ExitsWanted::Auto, describe: Describe::Full };
}

/// Whether exit records are wanted.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum ExitsWanted {
    /// If this user may have them.
    Auto,
    /// Nothing is recorded without them.
    On,
    /// No.
    #[default]
    Off,
}

/// How processes are described.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum Describe {
    /// Not at all.
    #[default]
    None,
    /// By their programs, without command lines.
    Exe,
    /// By their programs and command lines, with secrets masked.
    Full,
}

/// A word that isn't one of those expected.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
#[error("expected {expected}, found {found:?}")]
pub struct UnknownWord {
    expected: &'static str,
    found: String,
}

impl ExitsWanted {
    /// The word for it.
    pub const fn as_str(self) -> &'static str {
        match self {
            ExitsWanted::Auto => "auto",
            ExitsWanted::On => "on",
            ExitsWanted::Off => "off",
        }
    }
}

impl FromStr for ExitsWanted {
    type Err = UnknownWord;

    fn from_str(word: &str) -> Result<ExitsWanted, UnknownWord> {
        let all = [ExitsWanted::Auto, ExitsWanted::On, ExitsWanted::Off];
        let found = all.into_iter().find(|wanted| wanted.as_str().eq_ignore_ascii_case(word));
        found.ok_or_else(|| UnknownWord { expected: "auto, on or off", found: word.to_owned() })
    }
}

impl fmt::Display for ExitsWanted {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(self.as_str())
    }
}

impl Describe {
    /// The word for it.
    pub const fn as_str(self) -> &'static str {
        match self {
            Describe::None => "none",
            Describe::Exe => "exe",
            Describe::Full => "full",
        }
    }
}

impl FromStr for Describe {
    type Err = UnknownWord;

    fn from_str(word: &str) -> Result<Describe, UnknownWord> {
        let all = [Describe::None, Describe::Exe, Describe::Full];
        let found = all.into_iter().find(|describe| describe.as_str().eq_ignore_ascii_case(word));
        found.ok_or_else(|| UnknownWord { expected: "none, exe or full", found: word.to_owned() })
    }
}

impl fmt::Display for Describe {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(self.as_str())
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn words_read_back() {
        for wanted in [ExitsWanted::Auto, ExitsWanted::On, ExitsWanted::Off] {
            assert_eq!(wanted.to_string().parse(), Ok(wanted));
        }
        for describe in [Describe::None, Describe::Exe, Describe::Full] {
            assert_eq!(describe.to_string().to_uppercase().parse(), Ok(describe));
        }
        let error = "yes".parse::<ExitsWanted>().expect_err("no such word");
        assert_eq!(error.to_string(), "expected auto, on or off, found \"yes\"");
    }
}
