//! The words of a command line.

use std::ffi::{OsStr, OsString};
use std::path::PathBuf;

use recount_model::shell_word;

use crate::plain;
use crate::refusal::Refusal;

/// The longest text that a tool takes.
const MAX_TEXT: usize = 8 << 10;

/// Arguments of the command: a subcommand, options, then inputs.
#[derive(Clone, Debug, Eq, PartialEq)]
pub(crate) struct Words(Vec<OsString>);

impl Words {
    /// A subcommand.
    pub(crate) fn new(command: &str) -> Words {
        Words(command.split(' ').map(OsString::from).collect())
    }

    /// A flag.
    pub(crate) fn flag(mut self, flag: &str) -> Words {
        self.0.push(flag.into());
        self
    }

    /// An option with its value, in one word: so the value is never an option of its own.
    pub(crate) fn option(mut self, option: &str, value: impl AsRef<OsStr>) -> Words {
        let mut word = OsString::from(option);
        word.push("=");
        word.push(value);
        self.0.push(word);
        self
    }

    /// An option, if it has a value.
    pub(crate) fn maybe(self, option: &str, value: Option<impl AsRef<OsStr>>) -> Words {
        match value {
            Some(value) => self.option(option, value),
            None => self,
        }
    }

    /// Paths, and texts after them.
    pub(crate) fn inputs(mut self, paths: impl IntoIterator<Item = PathBuf>) -> Words {
        self.0.push("--".into());
        self.0.extend(paths.into_iter().map(OsString::from));
        self
    }

    /// A text after the inputs.
    pub(crate) fn text(mut self, text: &str) -> Words {
        self.0.push(text.into());
        self
    }

    /// As arguments of a process, if they can be.
    pub(crate) fn arguments(&self) -> Result<&[OsString], Refusal> {
        for word in &self.0 {
            let bytes = word.as_encoded_bytes();
            if bytes.contains(&0) {
                return Err(Refusal::new("a parameter has a character NUL"));
            }
            if bytes.len() > MAX_TEXT {
                return Err(Refusal::new(format!("a parameter is longer than {MAX_TEXT} bytes")));
            }
        }
        Ok(&self.0)
    }

    /// As typed in a shell.
    pub(crate) fn shown(&self) -> String {
        let words = self.0.iter().map(shell_word);
        let line = std::iter::once("recount".to_owned()).chain(words).collect::<Vec<_>>().join(" ");
        plain::line(&line, 4 * MAX_TEXT)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn commands_can_be_copied_to_a_shell() {
        let words =
            Words::new("stats").option("--counter", r"\Process(*)\% Processor Time").option("--begin", "-5m");
        let words = words.inputs([PathBuf::from("/a/it's.blg")]).text("--json");
        let shown =
            r"recount stats '--counter=\Process(*)\% Processor Time' --begin=-5m -- '/a/it'\''s.blg' --json";
        assert_eq!(words.shown(), shown);
    }

    #[test]
    fn words_that_no_process_can_have_are_refused() {
        assert!(Words::new("stats").option("--counter", "a\0b").arguments().is_err());
        assert!(Words::new("stats").option("--counter", "a".repeat(MAX_TEXT)).arguments().is_err());
        assert!(Words::new("stats").option("--counter", "a").arguments().is_ok());
    }
}
