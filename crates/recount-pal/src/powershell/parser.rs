//! Parses text into statements.

use super::super::obstacle::Obstacle;
use super::super::text::{LEN_SNIPPET, one_line};
use super::number::whole;
use super::syntax::{Argument, Block, Command, Expression, Operator, Relation, Statement};
use super::value::Collections;

/// No threshold nests deeper; the limit protects the stack.
pub(super) const MAX_DEPTH: u32 = 32;
/// The longest code in PAL's own files has 10 KB.
const MAX_LEN: usize = 64 << 10;
/// The longest code has 200 statements.
const MAX_STATEMENTS: usize = 2_000;

/// Unsupported statements.
const UNSUPPORTED: [&str; 11] =
    ["foreach", "while", "do", "function", "return", "break", "continue", "try", "throw", "filter", "until"];

pub(super) fn parse(code: &str, collections: &Collections) -> Result<Block, Obstacle> {
    if code.len() > MAX_LEN {
        return Err(Obstacle::TooComplex);
    }
    let mut parser = Parser { rest: code, depth: 0, in_parentheses: false, num_statements: 0, collections };
    let block = parser.statements()?;
    if parser.rest.is_empty() { Ok(block) } else { Err(syntax(parser.rest)) }
}

pub(super) struct Parser<'a> {
    pub(super) rest: &'a str,
    depth: u32,
    /// Inside parentheses, line ends are blanks.
    pub(super) in_parentheses: bool,
    num_statements: usize,
    /// Some variables in PAL's own files have names that aren't valid in PowerShell.
    pub(super) collections: &'a Collections,
}

impl<'a> Parser<'a> {
    /// Up to a closing brace or the end.
    fn statements(&mut self) -> Result<Block, Obstacle> {
        let mut block = Block::new();
        loop {
            self.blanks(true)?;
            if let Some(rest) = self.rest.strip_prefix(';') {
                self.rest = rest;
            } else if self.rest.is_empty() || self.rest.starts_with('}') {
                return Ok(block);
            } else {
                self.num_statements += 1;
                if self.num_statements > MAX_STATEMENTS {
                    return Err(Obstacle::TooComplex);
                }
                block.push(self.statement()?);
            }
        }
    }

    fn block(&mut self) -> Result<Block, Obstacle> {
        self.blanks(true)?;
        self.expect('{')?;
        let outer = std::mem::replace(&mut self.in_parentheses, false);
        let block = self.deeper(Self::statements)?;
        self.in_parentheses = outer;
        self.expect('}')?;
        Ok(block)
    }

    fn statement(&mut self) -> Result<Statement, Obstacle> {
        let start = self.rest;
        if start.starts_with(|c: char| c.is_alphabetic()) {
            let word = self.take_while(|c| c.is_alphanumeric() || matches!(c, '_' | '-'));
            match word.to_ascii_lowercase().as_str() {
                "if" => return self.if_statement(),
                "switch" => return self.switch_statement(),
                "for" => return self.for_statement(start),
                word if UNSUPPORTED.contains(&word) => return Err(own_code(start)),
                _ => {}
            }
            self.rest = start;
            return Ok(Statement::Run(Expression::Command(self.command()?)));
        }
        let target = self.expression()?;
        self.blanks(false)?;
        let is_assignment = self.rest.starts_with('=') && !self.rest.starts_with("==");
        if !is_assignment {
            return if self.is_at_end() { Ok(Statement::Run(target)) } else { Err(own_code(start)) };
        }
        self.rest = self.rest.get(1..).unwrap_or_default();
        self.blanks(true)?;
        let value = if self.rest.starts_with(|c: char| c.is_alphabetic()) {
            Expression::Command(self.command()?)
        } else {
            self.expression()?
        };
        self.blanks(false)?;
        if !self.is_at_end() {
            return Err(syntax(self.rest));
        }
        match target {
            Expression::Variable(name) => Ok(Statement::Assign(name, value)),
            Expression::Cast(kind, inner) => match *inner {
                Expression::Variable(name) => {
                    Ok(Statement::Assign(name, Expression::Cast(kind, Box::new(value))))
                }
                _ => Err(own_code(start)),
            },
            _ => Err(own_code(start)),
        }
    }

    fn if_statement(&mut self) -> Result<Statement, Obstacle> {
        let mut arms = vec![(self.condition()?, self.block()?)];
        loop {
            let before = self.rest;
            self.blanks(true)?;
            let word = self.take_while(char::is_alphabetic).to_ascii_lowercase();
            match word.as_str() {
                "elseif" => arms.push((self.condition()?, self.block()?)),
                "else" => return Ok(Statement::If(arms, self.block()?)),
                _ => {
                    self.rest = before;
                    return Ok(Statement::If(arms, Block::new()));
                }
            }
        }
    }

    fn switch_statement(&mut self) -> Result<Statement, Obstacle> {
        let value = self.condition()?;
        self.blanks(true)?;
        self.expect('{')?;
        let mut arms = Vec::new();
        loop {
            self.blanks(true)?;
            if let Some(rest) = self.rest.strip_prefix('}') {
                self.rest = rest;
                return Ok(Statement::Switch(value, arms));
            }
            let is_default = self.rest.get(..7).is_some_and(|word| word.eq_ignore_ascii_case("default"));
            let label = if is_default {
                self.rest = self.rest.get(7..).unwrap_or_default();
                None
            } else {
                Some(self.expression()?)
            };
            arms.push((label, self.block()?));
        }
    }

    /// The start and the step don't matter: the body is run once, for an arbitrary element.
    fn for_statement(&mut self, start: &str) -> Result<Statement, Obstacle> {
        self.blanks(true)?;
        self.expect('(')?;
        let header = self.rest;
        let end = header.find('{').ok_or_else(|| syntax(header))?;
        let (_, rest) =
            header.split_once(';').filter(|(first, _)| first.len() < end).ok_or_else(|| syntax(header))?;
        self.rest = rest;
        let test = self.expression()?;
        self.blanks(true)?;
        self.expect(';')?;
        let step = self.take_while(|c| c != ')');
        self.expect(')')?;
        let body = self.block()?;
        let Expression::Binary(Operator::Compare(Relation::Less), variable, all) = test else {
            return Err(own_code(start));
        };
        match (*variable, *all) {
            (Expression::Variable(name), Expression::Member(all, count))
                if count.eq_ignore_ascii_case("Count") && step.trim().ends_with("++") =>
            {
                Ok(Statement::For(name, *all, body))
            }
            _ => Err(own_code(start)),
        }
    }

    /// An expression in parentheses.
    fn condition(&mut self) -> Result<Expression, Obstacle> {
        self.blanks(true)?;
        self.expect('(')?;
        self.closed()
    }

    /// The contents of parentheses, after the opening one.
    pub(super) fn closed(&mut self) -> Result<Expression, Obstacle> {
        let outer = std::mem::replace(&mut self.in_parentheses, true);
        self.blanks(true)?;
        let inner = if self.rest.starts_with(|c: char| c.is_alphabetic()) {
            Expression::Command(self.command()?)
        } else {
            self.deeper(Self::expression)?
        };
        self.blanks(true)?;
        self.expect(')')?;
        self.in_parentheses = outer;
        Ok(inner)
    }

    pub(super) fn deeper<T>(
        &mut self,
        read: impl FnOnce(&mut Self) -> Result<T, Obstacle>,
    ) -> Result<T, Obstacle> {
        self.depth += 1;
        if self.depth > MAX_DEPTH {
            return Err(Obstacle::Nesting(MAX_DEPTH));
        }
        let read = read(self)?;
        self.depth -= 1;
        Ok(read)
    }

    pub(super) fn expression(&mut self) -> Result<Expression, Obstacle> {
        self.level(0)
    }

    /// A name and its arguments, to the end of the statement or the closing parenthesis.
    pub(super) fn command(&mut self) -> Result<Command, Obstacle> {
        let start = self.rest;
        let name = self.take_while(|c| !ends_word(c)).to_owned();
        let mut arguments = Vec::new();
        loop {
            self.blanks(false)?;
            if self.is_at_end() || self.rest.starts_with(')') {
                let code = start.get(..start.len() - self.rest.len()).unwrap_or_default().trim_end();
                return Ok(Command { name, arguments, code: code.to_owned() });
            }
            // A brace belongs to an unknown statement.
            if self.rest.starts_with('{') {
                return Err(own_code(start));
            }
            arguments.push(self.argument()?);
        }
    }

    fn argument(&mut self) -> Result<Argument, Obstacle> {
        let start = self.rest;
        let first = start.chars().next().unwrap_or_default();
        let behind = start.get(first.len_utf8()..).unwrap_or_default();
        if is_dash(first) && behind.starts_with(|c: char| c.is_alphabetic()) {
            self.rest = behind;
            let name = self.take_while(char::is_alphanumeric).to_owned();
            // `-Name:value`, too.
            self.rest = self.rest.strip_prefix(':').unwrap_or(self.rest);
            return Ok(Argument::Name(name));
        }
        let value = match first {
            '$' | '\'' | '"' | '(' => self.postfix()?,
            _ => self.word()?,
        };
        match self.rest.chars().next() {
            Some(c) if !c.is_whitespace() && !matches!(c, ';' | ')' | '}') => Err(syntax(start)),
            _ => Ok(Argument::Value(value)),
        }
    }

    fn word(&mut self) -> Result<Expression, Obstacle> {
        let start = self.rest;
        let word = self.take_while(|c| !ends_word(c));
        // A word with `$` or a backtick, or one that begins with a special character, isn't a plain word.
        if word.is_empty() || word.contains(['$', '`', '\'', '"']) || word.starts_with(['@', '#', '[', '%']) {
            return Err(syntax(start));
        }
        Ok(whole(word)?.map_or_else(|| Expression::Text(word.to_owned()), Expression::Number))
    }

    fn is_at_end(&self) -> bool {
        self.rest.is_empty() || self.rest.starts_with(['\n', '\r', ';', '}'])
    }

    pub(super) fn expect(&mut self, c: char) -> Result<(), Obstacle> {
        self.rest = self.rest.strip_prefix(c).ok_or_else(|| syntax(self.rest))?;
        Ok(())
    }

    /// Blanks, continued lines and comments; optionally also line ends.
    pub(super) fn blanks(&mut self, with_line_ends: bool) -> Result<(), Obstacle> {
        loop {
            let before = self.rest.len();
            self.take_while(|c| c.is_whitespace() && (with_line_ends || !['\n', '\r'].contains(&c)));
            if let Some(behind) = self.rest.strip_prefix('`') {
                let line_end = behind.strip_prefix("\r\n").or_else(|| behind.strip_prefix('\n'));
                self.rest = line_end.ok_or_else(|| syntax(self.rest))?;
            } else if let Some(behind) = self.rest.strip_prefix("<#") {
                self.rest = behind.split_once("#>").ok_or_else(|| syntax(self.rest))?.1;
            } else if self.rest.starts_with('#') {
                self.take_while(|c| !['\n', '\r'].contains(&c));
            }
            if self.rest.len() == before {
                return Ok(());
            }
        }
    }

    pub(super) fn take_while(&mut self, is_wanted: impl Fn(char) -> bool) -> &'a str {
        let end = self.rest.find(|c| !is_wanted(c)).unwrap_or(self.rest.len());
        let (taken, rest) = self.rest.split_at(end);
        self.rest = rest;
        taken
    }
}

pub(super) fn syntax(rest: &str) -> Obstacle {
    Obstacle::Syntax(first_line(rest))
}

pub(super) fn own_code(rest: &str) -> Obstacle {
    Obstacle::OwnCode(first_line(rest))
}

fn first_line(code: &str) -> String {
    one_line(code.trim_start().lines().next().unwrap_or_default(), LEN_SNIPPET)
}

/// PowerShell accepts the dashes that word processors produce as hyphens.
pub(super) fn is_dash(c: char) -> bool {
    matches!(c, '-' | '\u{2013}' | '\u{2014}' | '\u{2015}')
}

fn ends_word(c: char) -> bool {
    c.is_whitespace() || matches!(c, ';' | '(' | ')' | '{' | '}' | ',' | '|' | '&' | '<' | '>')
}
