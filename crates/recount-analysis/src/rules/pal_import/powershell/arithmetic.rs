//! Arithmetic of constants, as PowerShell computes it within parentheses.

use super::super::obstacle::Obstacle;
use super::super::text::{LEN_NAME, one_line};
use super::number;
use super::scanner::{is_dash, syntax};

/// Deeper nesting is no one's threshold, and would exhaust the stack in the end.
const MAX_DEPTH: u32 = 32;

/// The value of an expression up to its closing parenthesis, and what stands behind that.
pub(super) fn evaluate(text: &str) -> Result<(f64, &str), Obstacle> {
    let mut expression = Expression { rest: text, depth: 0 };
    let number = expression.closed()?;
    if number.is_finite() { Ok((number, expression.rest)) } else { Err(Obstacle::NoResult) }
}

/// The name of the variable at the beginning of a text, and what stands behind it.
pub(super) fn variable(text: &str) -> Option<(&str, &str)> {
    let behind = text.strip_prefix('$')?;
    let (name, rest) = if let Some(behind) = behind.strip_prefix('{') {
        behind.split_once('}')?
    } else {
        behind.split_at(behind.find(|c: char| !c.is_alphanumeric() && c != '_').unwrap_or(behind.len()))
    };
    (!name.is_empty()).then_some((name, rest))
}

struct Expression<'a> {
    rest: &'a str,
    depth: u32,
}

impl Expression<'_> {
    /// A sum and the parenthesis that closes it.
    fn closed(&mut self) -> Result<f64, Obstacle> {
        let number = self.deeper(Self::sum)?;
        self.skip_blanks();
        self.rest = self.rest.strip_prefix(')').ok_or_else(|| syntax(self.rest))?;
        Ok(number)
    }

    fn deeper(&mut self, read: fn(&mut Self) -> Result<f64, Obstacle>) -> Result<f64, Obstacle> {
        self.depth += 1;
        if self.depth > MAX_DEPTH {
            return Err(Obstacle::Nesting(MAX_DEPTH));
        }
        let number = read(self)?;
        self.depth -= 1;
        Ok(number)
    }

    fn sum(&mut self) -> Result<f64, Obstacle> {
        let mut sum = self.product()?;
        loop {
            match self.operator(|c| c == '+' || is_dash(c)) {
                Some('+') => sum += self.product()?,
                Some(_) => sum -= self.product()?,
                None => return Ok(sum),
            }
        }
    }

    fn product(&mut self) -> Result<f64, Obstacle> {
        let mut product = self.operand()?;
        while let Some(operator) = self.operator(|c| matches!(c, '*' | '/' | '%')) {
            let operand = self.operand()?;
            // Division by zero is an error in PowerShell between integers, and no number else.
            product = match operator {
                '*' => product * operand,
                _ if operand == 0.0 => return Err(Obstacle::NoResult),
                '/' => product / operand,
                _ => product % operand,
            };
        }
        Ok(product)
    }

    fn operand(&mut self) -> Result<f64, Obstacle> {
        match self.operator(|c| c == '+' || is_dash(c)) {
            Some('+') => return self.deeper(Self::operand),
            Some(_) => return Ok(-self.deeper(Self::operand)?),
            None => {}
        }
        let start = self.rest;
        if let Some(behind) = start.strip_prefix('(').or_else(|| start.strip_prefix("$(")) {
            self.rest = behind;
            return self.closed();
        }
        if start.starts_with('[') {
            return self.cast();
        }
        if let Some((name, _)) = variable(start) {
            return Err(Obstacle::Variable(one_line(name, LEN_NAME)));
        }
        let (number, rest) = number::prefix(start)?.ok_or_else(|| syntax(start))?;
        self.rest = rest;
        Ok(number)
    }

    /// `[double] 5`. A whole type takes the nearest number, halves the even one, and refuses what is too large.
    fn cast(&mut self) -> Result<f64, Obstacle> {
        let start = self.rest;
        let (name, rest) = start.trim_start_matches('[').split_once(']').ok_or_else(|| syntax(start))?;
        self.rest = rest;
        let name = name.trim().to_ascii_lowercase();
        let bits = match name.strip_prefix("system.").unwrap_or(&name) {
            "double" | "decimal" => None,
            "int" | "int32" => Some(31),
            "long" | "int64" => Some(63),
            _ => return Err(syntax(start)),
        };
        let number = self.deeper(Self::operand)?;
        let Some(bits) = bits else { return Ok(number) };
        let whole = number.round_ties_even();
        let end = 2.0_f64.powi(bits);
        if whole >= -end && whole < end { Ok(whole) } else { Err(Obstacle::NoResult) }
    }

    /// The next character, taken, if it is the operator that is looked for.
    fn operator(&mut self, is_wanted: impl Fn(char) -> bool) -> Option<char> {
        self.skip_blanks();
        let operator = self.rest.chars().next().filter(|&c| is_wanted(c))?;
        self.rest = self.rest.get(operator.len_utf8()..).unwrap_or_default();
        Some(operator)
    }

    fn skip_blanks(&mut self) {
        self.rest = self.rest.trim_start();
    }
}
