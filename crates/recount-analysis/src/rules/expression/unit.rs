//! The unit of an expression's value, by those of its counters.

use super::{Expression, Node, Operator, Over};

/// What a part of an expression counts.
#[derive(Clone, Copy, Debug, PartialEq)]
enum Unit<'a> {
    /// A quantity in a unit; an empty one may be any.
    Of(&'a str),
    /// A number of things, or a ratio of equal units: times it, a quantity is still in its unit.
    Plain,
    /// A number with a factor in it: times it, nobody knows what a quantity is in.
    Scale,
    /// Anything else.
    Unknown,
}

impl Expression {
    /// The unit of its value, for operands with these; empty if it has none, or if nobody knows.
    pub(in crate::rules) fn unit<'a>(&self, operands: &[&'a str]) -> &'a str {
        match unit(&self.root, operands) {
            Unit::Of(unit) => unit,
            Unit::Plain | Unit::Scale | Unit::Unknown => "",
        }
    }
}

fn unit<'a>(node: &Node, operands: &[&'a str]) -> Unit<'a> {
    match node {
        Node::Number(_) => {
            if is_one(node) {
                Unit::Plain
            } else {
                Unit::Scale
            }
        }
        Node::Counter(operand) => operands.get(*operand).map_or(Unit::Unknown, |unit| Unit::Of(unit)),
        Node::Binary(operator, left, right) => {
            let (of_left, of_right) = (unit(left, operands), unit(right, operands));
            match operator {
                Operator::Multiply => product(of_left, of_right),
                Operator::Divide => quotient(of_left, of_right),
                // A weight, as in `x * min(1, y / 10)`.
                Operator::Min if is_one(left) || is_one(right) => Unit::Plain,
                _ => alike(of_left, of_right),
            }
        }
        Node::Over(Over::Count, _) => Unit::Plain,
        Node::Abs(inner) | Node::Over(_, inner) => unit(inner, operands),
        Node::If(_, then, otherwise) => alike(unit(then, operands), unit(otherwise, operands)),
    }
}

#[expect(clippy::float_cmp, reason = "1 is exact")]
fn is_one(node: &Node) -> bool {
    matches!(node, Node::Number(number) if *number == 1.0)
}

/// Of a sum, or of one of the two. A number is in the unit of the other.
fn alike<'a>(left: Unit<'a>, right: Unit<'a>) -> Unit<'a> {
    match (left, right) {
        (left, right) if left == right => left,
        (Unit::Of(unit), Unit::Plain | Unit::Scale) | (Unit::Plain | Unit::Scale, Unit::Of(unit)) => {
            Unit::Of(unit)
        }
        (Unit::Plain, Unit::Scale) | (Unit::Scale, Unit::Plain) => Unit::Scale,
        _ => Unit::Unknown,
    }
}

fn product<'a>(left: Unit<'a>, right: Unit<'a>) -> Unit<'a> {
    match (left, right) {
        (other, Unit::Plain) | (Unit::Plain, other) => other,
        (Unit::Scale, Unit::Scale) => Unit::Scale,
        _ => Unit::Unknown,
    }
}

fn quotient<'a>(left: Unit<'a>, right: Unit<'a>) -> Unit<'a> {
    match (left, right) {
        (left, Unit::Plain) => left,
        (Unit::Plain | Unit::Scale, Unit::Scale) => Unit::Scale,
        (Unit::Of(one), Unit::Of(other)) if one == other => Unit::Plain,
        // Bytes per second by requests per second are bytes per request.
        (Unit::Of(one), Unit::Of("/sec")) => one.strip_suffix("/sec").map_or(Unit::Unknown, Unit::Of),
        _ => Unit::Unknown,
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn units_follow_the_arithmetic() {
        for (text, operands, expected) in [
            (r"A(*)\x", &["bytes"][..], "bytes"),
            (r"count(A(*)\x)", &["bytes"], ""),
            (r"sum(A(*)\x)", &["bytes"], "bytes"),
            (r"sum(A(*)\x) / count(A(*)\x)", &["bytes"], "bytes"),
            (r"sum(A(*)\x) / B(_Total)\y", &["%", "%"], ""),
            (r"sum(A(*)\x) / B(_Total)\y * 100", &["%", "%"], ""),
            (r"largest(A(*)\x) - smallest(A(*)\x)", &["sec"], "sec"),
            (r"100 - A(*)\x", &["%"], "%"),
            (r"A\x - (count(B(*)\y) * 3)", &["bytes", "sec"], "bytes"),
            (r"A\x / 1048576", &["bytes"], ""),
            (r"A\x * 8", &["bytes/sec"], ""),
            (r"A\x * min(1, A\y / 10)", &["sec", "/sec"], "sec"),
            (r"A\x * A\y", &["sec", "/sec"], ""),
            (r"A\x * (A\y / B\z)", &["sec", "%", "%"], "sec"),
            (r"A\x / A\y", &["bytes/sec", "/sec"], "bytes"),
            (r"A\x / A\y", &["bytes", ""], ""),
            (r"A\x + A\y", &["bytes", "sec"], ""),
            (r"max(A\x, A\y)", &["bytes", "bytes"], "bytes"),
            (r"abs(A\x - 5)", &["sec"], "sec"),
            (r"if(A\x > 5, A\y, 0)", &["sec", "bytes"], "bytes"),
            (r"if(A\x > 5, A\y, A\x)", &["sec", "bytes"], ""),
        ] {
            let expression = Expression::parse(text).expect(text);
            assert_eq!(expression.unit(operands), expected, "{text}");
        }
    }
}
