//! Parses text into an expression.
//!
//! Counter names contain spaces, slashes, hyphens and parentheses. So an operator must be between two spaces,
//! and a path extends to the next operator.

use recount_model::CounterPath;

use super::{Expression, Node, Operator, Over, Relation, path_of};
use crate::amount::quantity_of;

/// Deeper expressions are refused, because the parser is recursive.
const MAX_DEPTH: usize = 64;

/// People don't write longer expressions.
const MAX_LEN: usize = 10_000;

struct Parser<'a> {
    rest: &'a str,
    operands: Vec<CounterPath>,
    depth: usize,
    /// Whether this is the first argument of `if`, where paths end at comparisons and at `and`.
    in_condition: bool,
}

pub(super) fn parse(text: &str) -> Result<Expression, String> {
    if text.len() > MAX_LEN {
        return Err(format!("it is longer than {MAX_LEN} bytes"));
    }
    let mut parser = Parser { rest: text.trim(), operands: Vec::new(), depth: 0, in_condition: false };
    let root = parser.sum()?;
    if !parser.rest.is_empty() {
        return Err(format!("unexpected {:?} at the end: an operator stands between spaces", parser.rest));
    }
    if parser.operands.is_empty() {
        return Err("it names no counter".to_owned());
    }
    Ok(Expression { operands: parser.operands, root })
}

impl<'a> Parser<'a> {
    fn sum(&mut self) -> Result<Node, String> {
        self.depth += 1;
        if self.depth > MAX_DEPTH {
            return Err(format!("it is nested deeper than {MAX_DEPTH}"));
        }
        let mut left = self.product()?;
        loop {
            let operator = match self.operator(&['+', '-']) {
                Some('+') => Operator::Add,
                Some(_) => Operator::Subtract,
                None => break,
            };
            left = Node::Binary(operator, Box::new(left), Box::new(self.product()?));
        }
        self.depth -= 1;
        Ok(left)
    }

    fn product(&mut self) -> Result<Node, String> {
        let mut left = self.primary()?;
        loop {
            let operator = match self.operator(&['*', '/']) {
                Some('*') => Operator::Multiply,
                Some(_) => Operator::Divide,
                None => return Ok(left),
            };
            left = Node::Binary(operator, Box::new(left), Box::new(self.primary()?));
        }
    }

    /// An operator between spaces.
    fn operator(&mut self, of: &[char]) -> Option<char> {
        let trimmed = self.rest.trim_start();
        let found = trimmed.chars().next().filter(|c| of.contains(c))?;
        let behind = &trimmed[1..];
        // The text before it ended with a space or a parenthesis.
        let is_apart = behind.is_empty() || behind.starts_with(char::is_whitespace);
        is_apart.then(|| {
            self.rest = behind.trim_start();
            found
        })
    }

    fn primary(&mut self) -> Result<Node, String> {
        self.rest = self.rest.trim_start();
        if let Some(inner) = self.rest.strip_prefix('(') {
            self.rest = inner;
            let node = self.sum()?;
            self.expect(')')?;
            return Ok(node);
        }
        for (name, function) in FUNCTIONS {
            if let Some(inner) = self.rest.strip_prefix(name).and_then(|rest| rest.strip_prefix('(')) {
                self.rest = inner;
                let node = self.call(function)?;
                self.expect(')')?;
                return Ok(node);
            }
        }
        if let Some(quoted) = self.rest.strip_prefix('"') {
            let end = quoted.find('"').ok_or("a quotation mark is not closed")?;
            self.rest = &quoted[end + 1..];
            return self.counter(&quoted[..end]);
        }
        let text = self.bare();
        if text.is_empty() {
            return Err("a counter or a number is missing".to_owned());
        }
        if text.contains('\\') {
            return self.counter(text);
        }
        quantity_of(text).map(Node::Number).map_err(|_| {
            format!(
                "{text:?} is neither a number nor a counter (Object\\Counter or Object(instance)\\Counter)"
            )
        })
    }

    fn call(&mut self, function: Function) -> Result<Node, String> {
        if matches!(function, Function::If) {
            let tests = self.condition()?;
            self.expect(',')?;
            let then = Box::new(self.sum()?);
            self.expect(',')?;
            return Ok(Node::If(tests, then, Box::new(self.sum()?)));
        }
        let first = Box::new(self.sum()?);
        Ok(match function {
            Function::If | Function::Abs => Node::Abs(first),
            Function::Over(over) => Node::Over(over, first),
            Function::Pair(operator) => {
                self.expect(',')?;
                Node::Binary(operator, first, Box::new(self.sum()?))
            }
        })
    }

    /// `a > b`, or several of them joined by `and`.
    fn condition(&mut self) -> Result<Vec<(Relation, Node, Node)>, String> {
        let outer = std::mem::replace(&mut self.in_condition, true);
        let mut tests = Vec::new();
        loop {
            let left = self.sum()?;
            let relation = self.relation()?;
            tests.push((relation, left, self.sum()?));
            self.rest = self.rest.trim_start();
            match self.rest.strip_prefix("and ") {
                Some(rest) => self.rest = rest,
                None => break,
            }
        }
        self.in_condition = outer;
        Ok(tests)
    }

    fn relation(&mut self) -> Result<Relation, String> {
        self.rest = self.rest.trim_start();
        let found = RELATIONS.iter().find_map(|(sign, relation)| {
            let rest = self.rest.strip_prefix(sign)?;
            rest.starts_with(char::is_whitespace).then_some((rest, *relation))
        });
        let (rest, relation) = found.ok_or_else(|| {
            format!("a comparison (>, >=, <, <=, =, !=) between spaces is missing before {:?}", self.rest)
        })?;
        self.rest = rest;
        Ok(relation)
    }

    fn counter(&mut self, text: &str) -> Result<Node, String> {
        let path = path_of(text)?;
        let known = self.operands.iter().position(|operand| *operand == path);
        let operand = known.unwrap_or_else(|| {
            self.operands.push(path);
            self.operands.len() - 1
        });
        Ok(Node::Counter(operand))
    }

    fn expect(&mut self, c: char) -> Result<(), String> {
        self.rest = self.rest.trim_start();
        match self.rest.strip_prefix(c) {
            Some(rest) => {
                self.rest = rest;
                Ok(())
            }
            None => Err(format!("a {c:?} is missing before {:?}", self.rest)),
        }
    }

    /// Up to the next operator between spaces, comma, or closing parenthesis that isn't part of the path.
    fn bare(&mut self) -> &'a str {
        let mut depth = 0_usize;
        let mut end = self.rest.len();
        for (at, c) in self.rest.char_indices() {
            match c {
                '(' => depth += 1,
                ')' if depth > 0 => depth -= 1,
                ')' | ',' if depth == 0 => {
                    end = at;
                    break;
                }
                ' ' if depth == 0 && begins_with_operator(&self.rest[at + 1..], self.in_condition) => {
                    end = at;
                    break;
                }
                _ => {}
            }
        }
        let (text, rest) = self.rest.split_at(end);
        self.rest = rest;
        text.trim()
    }
}

/// What follows a space.
fn begins_with_operator(text: &str, in_condition: bool) -> bool {
    let word = text.split(char::is_whitespace).next().unwrap_or_default();
    let is_comparison = || word == "and" || RELATIONS.iter().any(|(sign, _)| *sign == word);
    ["+", "-", "*", "/"].contains(&word) || (in_condition && is_comparison())
}

const RELATIONS: [(&str, Relation); 6] = [
    (">=", Relation::AtLeast),
    ("<=", Relation::AtMost),
    ("!=", Relation::Different),
    (">", Relation::Above),
    ("<", Relation::Below),
    ("=", Relation::Equal),
];

#[derive(Clone, Copy)]
enum Function {
    If,
    Abs,
    Pair(Operator),
    Over(Over),
}

const FUNCTIONS: [(&str, Function); 9] = [
    ("if", Function::If),
    ("abs", Function::Abs),
    ("min", Function::Pair(Operator::Min)),
    ("max", Function::Pair(Operator::Max)),
    ("sum", Function::Over(Over::Sum)),
    ("avg", Function::Over(Over::Average)),
    ("largest", Function::Over(Over::Largest)),
    ("smallest", Function::Over(Over::Smallest)),
    ("count", Function::Over(Over::Count)),
];

#[cfg(test)]
mod tests {
    use super::*;

    fn shown(text: &str) -> String {
        fn show(node: &Node, operands: &[CounterPath]) -> String {
            match node {
                Node::Number(number) => number.to_string(),
                Node::Counter(operand) => operands[*operand].to_string(),
                Node::Binary(operator, a, b) => {
                    format!("{operator:?}[{}, {}]", show(a, operands), show(b, operands))
                }
                Node::Abs(a) => format!("Abs[{}]", show(a, operands)),
                Node::Over(over, a) => format!("{over:?}[{}]", show(a, operands)),
                Node::If(tests, a, b) => {
                    let test = |(relation, a, b): &(Relation, Node, Node)| {
                        format!("{relation:?}[{}, {}]", show(a, operands), show(b, operands))
                    };
                    let tests: Vec<String> = tests.iter().map(test).collect();
                    format!("If[{}, {}, {}]", tests.join(" and "), show(a, operands), show(b, operands))
                }
            }
        }
        let expression = parse(text).expect(text);
        show(&expression.root, &expression.operands)
    }

    #[test]
    fn names_hold_what_looks_like_operators() {
        for (text, expected) in [
            (
                r"Process(*)\Working Set / Memory\Physical Total * 100",
                r"Multiply[Divide[\Process(*)\Working Set, \Memory\Physical Total], 100]",
            ),
            (r"\Disk(0 C:)\Avg. Disk sec/Read - 5ms", r"Subtract[\Disk(0 C:)\Avg. Disk sec/Read, 0.005]"),
            (r"Process(*)\Working Set - Private", r"Subtract[\Process(*)\Working Set, "),
            (r#""Process(*)\Working Set - Private" / 2"#, r"Divide[\Process(*)\Working Set - Private, 2]"),
            (r"sum(Process(*)\% Processor Time) / count(Processor(*)\% Idle Time)", r"Divide[Sum["),
            (r"max(A\x, min(B\y, 3 MB))", r"Max[\A\x, Min[\B\y, 3000000]]"),
            (r"(A\x + B\y) * 2 + A\x", r"Add[Multiply[Add[\A\x, \B\y], 2], \A\x]"),
            (
                r#"if(A\x >= 1 and "C\y and z" != 2 KiB, D\v > 3, 0) * 2"#,
                r"Multiply[If[AtLeast[\A\x, 1] and Different[\C\y and z, 2048], \D\v > 3, 0], 2]",
            ),
            (r"abs(A\x - B(i - j)\y)", r"Abs[Subtract[\A\x, \B(i - j)\y]]"),
        ] {
            if text.ends_with("- Private") {
                // Paths that look like expressions must be quoted, and the message says how they were parsed.
                assert!(parse(text).expect_err(text).contains("Private"));
                continue;
            }
            let found = shown(text);
            assert!(found.starts_with(expected), "{text}: {found}");
        }
    }

    #[test]
    fn nonsense_is_reported() {
        for bad in [
            "",
            "5",
            r"if(A\x, 1, 2)",
            r"if(A\x > 1, 2)",
            r"if(A\x > 1 and, 2, 3)",
            r"A\x +",
            r"(A\x",
            r"max(A\x)",
            r"A\x / ",
            "% Processor Time",
            r"A\x) + 1",
            "\"A",
        ] {
            assert!(parse(bad).is_err(), "{bad}");
        }
        assert!(parse(&"(".repeat(10_000)).expect_err("deep").contains("nested"));
    }
}
