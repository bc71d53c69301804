//! Statements and arguments of PowerShell in command mode: `Name -Parameter value 'text' $variable (1 + 2)`.

use std::fmt;

use super::super::obstacle::Obstacle;
use super::super::text::{LEN_NAME, LEN_SNIPPET, one_line};
use super::arithmetic;
use super::number;

/// What stands behind the name of a command.
#[derive(Clone, Debug, PartialEq)]
pub(super) enum Argument {
    /// `-Name`
    Name(String),
    /// `$name`
    Variable(String),
    /// `$True`, `$False`
    Truth(bool),
    /// A number, or arithmetic of numbers within parentheses.
    Number(f64),
    /// A word, or a text in quotes.
    Text(String),
}

impl fmt::Display for Argument {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Argument::Name(name) => write!(f, "-{name}"),
            Argument::Variable(name) => write!(f, "${name}"),
            Argument::Truth(truth) => write!(f, "${truth}"),
            Argument::Number(number) => write!(f, "{number}"),
            Argument::Text(text) => write!(f, "'{}'", one_line(text, LEN_SNIPPET)),
        }
    }
}

/// Walks over code.
pub(super) struct Scanner<'a> {
    rest: &'a str,
}

impl<'a> Scanner<'a> {
    pub(super) fn new(code: &'a str) -> Scanner<'a> {
        Scanner { rest: code }
    }

    /// What hasn't been read.
    pub(super) fn rest(&self) -> &'a str {
        self.rest
    }

    /// The first word of the next statement; none at the end.
    pub(super) fn next_command(&mut self) -> Result<Option<&'a str>, Obstacle> {
        loop {
            self.skip_blanks(true)?;
            match self.rest.strip_prefix(';') {
                Some(rest) => self.rest = rest,
                None => break,
            }
        }
        let word = self.take_while(|c| !ends_word(c));
        match (word.is_empty(), self.rest.is_empty()) {
            (true, true) => Ok(None),
            (true, false) => Err(Obstacle::OwnCode(one_line(first_line(self.rest), LEN_SNIPPET))),
            (false, _) => Ok(Some(word)),
        }
    }

    /// The next argument of a statement; none at its end.
    pub(super) fn next_argument(&mut self) -> Result<Option<Argument>, Obstacle> {
        self.skip_blanks(false)?;
        let start = self.rest;
        let Some(first) = start.chars().next().filter(|c| !['\n', '\r', ';'].contains(c)) else {
            return Ok(None);
        };
        let argument = match first {
            '$' => self.dollar()?,
            '\'' | '"' => self.quoted(first)?,
            '(' => Argument::Number(self.parentheses(1)?),
            c if is_dash(c) && second(start).is_some_and(char::is_alphabetic) => {
                self.rest = start.get(c.len_utf8()..).unwrap_or_default();
                let name = one_line(self.take_while(char::is_alphanumeric), LEN_NAME);
                // `-Name:value`, too.
                self.rest = self.rest.strip_prefix(':').unwrap_or(self.rest);
                return Ok(Some(Argument::Name(name)));
            }
            _ => self.word()?,
        };
        match self.rest.chars().next() {
            Some(c) if !c.is_whitespace() && c != ';' => Err(syntax(start)),
            _ => Ok(Some(argument)),
        }
    }

    fn word(&mut self) -> Result<Argument, Obstacle> {
        let start = self.rest;
        let word = self.take_while(|c| !ends_word(c));
        // A word with `$`, a backtick, or what means something else at its beginning isn't what it looks like.
        if word.is_empty() || word.contains(['$', '`', '\'', '"']) || word.starts_with(['@', '#', '[', '%']) {
            return Err(syntax(start));
        }
        Ok(match number::whole(word)? {
            Some(number) => Argument::Number(number),
            None => Argument::Text(word.into()),
        })
    }

    fn dollar(&mut self) -> Result<Argument, Obstacle> {
        let start = self.rest;
        if start.starts_with("$(") {
            return Ok(Argument::Number(self.parentheses(2)?));
        }
        let (name, rest) = arithmetic::variable(start).ok_or_else(|| syntax(start))?;
        self.rest = rest;
        // A member or an element of it is a value that only PAL knows, too.
        if self.rest.starts_with(['.', '[', ':']) {
            let behind = self.take_while(|c| !ends_word(c));
            return Err(Obstacle::Variable(one_line(&format!("{name}{behind}"), LEN_SNIPPET)));
        }
        Ok(match name {
            name if name.eq_ignore_ascii_case("true") => Argument::Truth(true),
            name if name.eq_ignore_ascii_case("false") => Argument::Truth(false),
            name => Argument::Variable(one_line(name, LEN_NAME)),
        })
    }

    fn quoted(&mut self, quote: char) -> Result<Argument, Obstacle> {
        let start = self.rest;
        let behind = start.strip_prefix(quote).unwrap_or_default();
        let (text, rest) = behind.split_once(quote).ok_or_else(|| syntax(start))?;
        if quote == '"' && text.contains(['$', '`']) {
            return Err(syntax(start));
        }
        self.rest = rest;
        Ok(Argument::Text(text.into()))
    }

    fn parentheses(&mut self, len_open: usize) -> Result<f64, Obstacle> {
        let inner = self.rest.get(len_open..).unwrap_or_default();
        let (number, rest) = arithmetic::evaluate(inner)?;
        self.rest = rest;
        Ok(number)
    }

    /// Blanks, continued lines and comments; line ends, too, if wanted.
    fn skip_blanks(&mut self, with_line_ends: bool) -> Result<(), Obstacle> {
        loop {
            let before = self.rest;
            self.take_while(|c| c.is_whitespace() && (with_line_ends || !['\n', '\r'].contains(&c)));
            if let Some(behind) = self.rest.strip_prefix('`') {
                let line_end = behind.strip_prefix("\r\n").or_else(|| behind.strip_prefix('\n'));
                self.rest = line_end.ok_or_else(|| syntax(self.rest))?;
            } else if let Some(behind) = self.rest.strip_prefix("<#") {
                self.rest = behind.split_once("#>").ok_or_else(|| syntax(self.rest))?.1;
            } else if self.rest.starts_with('#') {
                self.take_while(|c| !['\n', '\r'].contains(&c));
            }
            if self.rest.len() == before.len() {
                return Ok(());
            }
        }
    }

    fn take_while(&mut self, is_wanted: impl Fn(char) -> bool) -> &'a str {
        let end = self.rest.find(|c| !is_wanted(c)).unwrap_or(self.rest.len());
        let (taken, rest) = self.rest.split_at(end);
        self.rest = rest;
        taken
    }
}

pub(super) fn syntax(rest: &str) -> Obstacle {
    Obstacle::Syntax(one_line(first_line(rest), LEN_SNIPPET))
}

fn first_line(text: &str) -> &str {
    text.lines().next().unwrap_or_default()
}

fn second(text: &str) -> Option<char> {
    text.chars().nth(1)
}

/// PowerShell takes the dashes that word processors make for a hyphen.
pub(super) fn is_dash(c: char) -> bool {
    matches!(c, '-' | '\u{2013}' | '\u{2014}' | '\u{2015}')
}

fn ends_word(c: char) -> bool {
    c.is_whitespace() || matches!(c, ';' | '(' | ')' | '{' | '}' | ',' | '|' | '&' | '<' | '>')
}
