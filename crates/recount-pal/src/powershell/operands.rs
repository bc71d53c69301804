//! Expressions: operators by precedence, and operands.

use super::super::obstacle::Obstacle;
use super::number;
use super::parser::{MAX_DEPTH, Parser, is_dash, syntax};
use super::syntax::{Expression, Operator, Relation};

impl<'a> Parser<'a> {
    /// Operators that bind more tightly have a higher level.
    pub(super) fn level(&mut self, level: usize) -> Result<Expression, Obstacle> {
        if level > 3 {
            return self.unary();
        }
        let mut left = self.level(level + 1)?;
        while let Some(operator) = self.operator(level)? {
            left = Expression::Binary(operator, Box::new(left), Box::new(self.level(level + 1)?));
        }
        Ok(left)
    }

    fn operator(&mut self, level: usize) -> Result<Option<Operator>, Obstacle> {
        self.blanks(self.in_parentheses)?;
        let Some(first) = self.rest.chars().next() else { return Ok(None) };
        let behind = self.rest.get(first.len_utf8()..).unwrap_or_default();
        let end = behind.find(|c: char| !c.is_alphabetic()).unwrap_or(behind.len());
        let (word, after_word) = behind.split_at(end);
        let is_word = is_dash(first) && !word.is_empty();
        let (found, rest) = match (level, first) {
            (0, _) if is_word && word.eq_ignore_ascii_case("and") => (Operator::And, after_word),
            (0, _) if is_word && word.eq_ignore_ascii_case("or") => (Operator::Or, after_word),
            (1, _) if is_word => match Relation::of_word(word) {
                Some(relation) => (Operator::Compare(relation), after_word),
                None => return Ok(None),
            },
            (2, '+') if !behind.starts_with(['+', '=']) => (Operator::Add, behind),
            (2, c) if is_dash(c) && !is_word && !behind.starts_with(['-', '=']) => {
                (Operator::Subtract, behind)
            }
            (3, '*') => (Operator::Multiply, behind),
            (3, '/') => (Operator::Divide, behind),
            (3, '%') => (Operator::Remainder, behind),
            _ => return Ok(None),
        };
        self.rest = rest;
        // A line may end after an operator.
        self.blanks(true)?;
        Ok(Some(found))
    }

    fn unary(&mut self) -> Result<Expression, Obstacle> {
        self.blanks(self.in_parentheses)?;
        let start = self.rest;
        let Some(first) = start.chars().next() else { return Err(syntax(start)) };
        let behind = start.get(first.len_utf8()..).unwrap_or_default();
        let is_not = is_dash(first) && behind.get(..3).is_some_and(|word| word.eq_ignore_ascii_case("not"));
        if is_not || first == '!' {
            self.rest = if is_not { behind.get(3..).unwrap_or_default() } else { behind };
            return Ok(Expression::Not(Box::new(self.deeper(Self::unary)?)));
        }
        if first == '+' || is_dash(first) {
            self.rest = behind;
            let inner = self.deeper(Self::unary)?;
            return Ok(if first == '+' { inner } else { Expression::Negative(Box::new(inner)) });
        }
        if first == '[' {
            return self.type_name(behind);
        }
        self.postfix()
    }

    /// `[Int] value` or `[Math]::Round(value)`.
    fn type_name(&mut self, behind: &'a str) -> Result<Expression, Obstacle> {
        let (name, rest) = behind.split_once(']').ok_or_else(|| syntax(self.rest))?;
        let name = name.trim().to_ascii_lowercase();
        let name = name.strip_prefix("system.").unwrap_or(&name).to_owned();
        self.rest = rest;
        let Some(rest) = rest.strip_prefix("::") else {
            return Ok(Expression::Cast(name, Box::new(self.deeper(Self::unary)?)));
        };
        self.rest = rest;
        let method = self.take_while(char::is_alphanumeric).to_owned();
        self.expect('(')?;
        let arguments = self.arguments_in_parentheses()?;
        Ok(Expression::Static(name, method, arguments))
    }

    fn arguments_in_parentheses(&mut self) -> Result<Vec<Expression>, Obstacle> {
        let outer = std::mem::replace(&mut self.in_parentheses, true);
        let mut arguments = Vec::new();
        self.blanks(true)?;
        if !self.rest.starts_with(')') {
            loop {
                arguments.push(self.deeper(Self::expression)?);
                self.blanks(true)?;
                match self.rest.strip_prefix(',') {
                    Some(rest) => self.rest = rest,
                    None => break,
                }
            }
        }
        self.expect(')')?;
        self.in_parentheses = outer;
        Ok(arguments)
    }

    /// A value, followed by members and indexes.
    pub(super) fn postfix(&mut self) -> Result<Expression, Obstacle> {
        let mut value = self.primary()?;
        for _ in 0..MAX_DEPTH {
            let is_member = self.rest.starts_with('.')
                && self.rest.get(1..).is_some_and(|rest| rest.starts_with(|c: char| c.is_alphabetic()));
            if is_member {
                self.rest = self.rest.get(1..).unwrap_or_default();
                let name = self.take_while(|c| c.is_alphanumeric() || c == '_').to_owned();
                value = match self.rest.strip_prefix('(') {
                    Some(rest) => {
                        self.rest = rest;
                        Expression::Method(Box::new(value), name, self.arguments_in_parentheses()?)
                    }
                    None => Expression::Member(Box::new(value), name),
                };
            } else if let Some(rest) = self.rest.strip_prefix('[') {
                self.rest = rest;
                let outer = std::mem::replace(&mut self.in_parentheses, true);
                let index = self.deeper(Self::expression)?;
                self.blanks(true)?;
                self.expect(']')?;
                self.in_parentheses = outer;
                value = Expression::Element(Box::new(value), Box::new(index));
            } else {
                return Ok(value);
            }
        }
        Err(Obstacle::Nesting(MAX_DEPTH))
    }

    fn primary(&mut self) -> Result<Expression, Obstacle> {
        let start = self.rest;
        if let Some(rest) = start.strip_prefix('(').or_else(|| start.strip_prefix("$(")) {
            self.rest = rest;
            return self.closed();
        }
        match start.chars().next() {
            Some('$') => self.variable(),
            Some(quote @ ('\'' | '"')) => self.quoted(quote),
            Some('@') if start.starts_with("@{}") => {
                self.rest = start.get(3..).unwrap_or_default();
                Ok(Expression::Table)
            }
            _ => {
                let (number, rest) = number::prefix(start)?.ok_or_else(|| syntax(start))?;
                self.rest = rest;
                Ok(Expression::Number(number))
            }
        }
    }

    fn variable(&mut self) -> Result<Expression, Obstacle> {
        let start = self.rest;
        let behind = start.get(1..).unwrap_or_default();
        let word =
            behind.split(|c: char| c.is_whitespace() || matches!(c, ';' | ')')).next().unwrap_or_default();
        let (name, rest) = if self.collections.contains_key(&word.to_lowercase()) {
            behind.split_at(word.len())
        } else if let Some(braced) = behind.strip_prefix('{') {
            braced.split_once('}').ok_or_else(|| syntax(start))?
        } else {
            let end = behind.find(|c: char| !c.is_alphanumeric() && !matches!(c, '_' | ':'));
            behind.split_at(end.unwrap_or(behind.len()))
        };
        if name.is_empty() {
            return Err(syntax(start));
        }
        self.rest = rest;
        Ok(Expression::Variable(name.rsplit(':').next().unwrap_or(name).to_owned()))
    }

    fn quoted(&mut self, quote: char) -> Result<Expression, Obstacle> {
        let start = self.rest;
        let text = start.get(1..).unwrap_or_default();
        let mut depth = 0_u32;
        let mut before = ' ';
        for (at, c) in text.char_indices() {
            match c {
                '(' if quote == '"' && (before == '$' || depth > 0) => depth += 1,
                ')' if depth > 0 => depth -= 1,
                c if c == quote && depth == 0 => {
                    let (text, rest) = text.split_at(at);
                    self.rest = rest.get(1..).unwrap_or_default();
                    let has_variables = quote == '"' && text.contains(['$', '`']);
                    return Ok(if has_variables {
                        Expression::Name
                    } else {
                        Expression::Text(text.to_owned())
                    });
                }
                _ => {}
            }
            before = c;
        }
        Err(syntax(start))
    }
}
