//! The subject of a rule: a counter, or arithmetic over several (`formats/rules.md#expressions`).

mod parse;
mod unit;
mod value;

use recount_model::{CounterPath, Occurrence};

pub(super) use value::{Aligned, Value};

/// An expression over counters.
#[derive(Clone, Debug, PartialEq)]
pub(super) struct Expression {
    /// The counters in it, in order, without duplicates.
    pub(super) operands: Vec<CounterPath>,
    root: Node,
}

#[derive(Clone, Debug, PartialEq)]
enum Node {
    Number(f64),
    /// By number of operand.
    Counter(usize),
    Binary(Operator, Box<Node>, Box<Node>),
    Abs(Box<Node>),
    Over(Over, Box<Node>),
    /// The first if all comparisons hold, otherwise the second.
    If(Vec<(Relation, Node, Node)>, Box<Node>, Box<Node>),
}

/// A comparison of two values of the same instance and time.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Relation {
    Above,
    AtLeast,
    Below,
    AtMost,
    Equal,
    Different,
}

/// On two values of the same instance and time.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Operator {
    Add,
    Subtract,
    Multiply,
    Divide,
    Min,
    Max,
}

/// Over the values of all instances at one time.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Over {
    Sum,
    Average,
    Largest,
    Smallest,
    Count,
}

impl Expression {
    /// A single counter.
    pub(super) fn counter(path: CounterPath) -> Expression {
        Expression { operands: vec![path], root: Node::Counter(0) }
    }

    /// The same of another object; `None` if it has none of the first one.
    pub(super) fn with_object(&self, object: &str, other: &str) -> Option<Expression> {
        let mut expression = self.clone();
        let of_object = expression.operands.iter_mut().filter(|path| path.object == object);
        let num = of_object.map(|path| path.object = other.into()).count();
        (num > 0).then_some(expression)
    }

    /// Whether it is a single counter.
    pub(super) fn is_counter(&self) -> bool {
        self.root == Node::Counter(0)
    }

    /// Reads an expression.
    pub(super) fn parse(text: &str) -> Result<Expression, String> {
        parse::parse(text)
    }

    /// Its value at the times of a batch. `operands` has the values of each operand; NaN means no value.
    pub(super) fn evaluate(&self, operands: &[Value], names: &dyn Aligned) -> Value {
        evaluate(&self.root, operands, names)
    }
}

/// A value in the places of another, which says where there is something to be shown.
pub(super) fn in_place_of(value: Value, place: &Value, names: &dyn Aligned) -> Value {
    place.clone().with(value, &|there, value| if there.is_nan() { f64::NAN } else { value }, names)
}

/// Reads the path of an operand; the leading backslash is optional.
pub(crate) fn path_of(text: &str) -> Result<CounterPath, String> {
    let text = text.trim();
    let with_backslash = if text.starts_with('\\') { text.to_owned() } else { format!(r"\{text}") };
    let path: CounterPath = with_backslash.parse().map_err(|error| format!("{text:?}: {error}"))?;
    Ok(path)
}

/// Whether an operand names one instance, and so is combined with every instance of other operands.
pub(super) fn is_named(path: &CounterPath) -> bool {
    let plain = |text: &Option<String>| text.as_ref().is_none_or(|text| !text.contains('*'));
    path.instance.is_some()
        && plain(&path.instance)
        && plain(&path.parent)
        && path.index != Some(Occurrence::Any)
}

fn evaluate(node: &Node, operands: &[Value], names: &dyn Aligned) -> Value {
    match node {
        Node::Number(number) => Value::Number(*number),
        Node::Counter(operand) => operands.get(*operand).cloned().unwrap_or(Value::Number(f64::NAN)),
        Node::Binary(operator, left, right) => {
            let (left, right) = (evaluate(left, operands, names), evaluate(right, operands, names));
            left.with(right, &|a, b| operator.of(a, b), names)
        }
        Node::Abs(inner) => evaluate(inner, operands, names).map(&f64::abs),
        Node::Over(over, inner) => {
            evaluate(inner, operands, names).over(&|values| over.of(values), *over == Over::Count, names)
        }
        Node::If(tests, then, otherwise) => {
            let both = |a: f64, b: f64| if a.is_nan() || b.is_nan() { f64::NAN } else { a * b };
            let holds = tests.iter().fold(Value::Number(1.0), |all, (relation, left, right)| {
                let (left, right) = (evaluate(left, operands, names), evaluate(right, operands, names));
                all.with(left.with(right, &|a, b| relation.of(a, b), names), &both, names)
            });
            let where_it_is = |truth: bool| {
                move |holds: f64, value: f64| {
                    if (holds > 0.0) == truth && !holds.is_nan() { value } else { f64::NAN }
                }
            };
            let then = holds.clone().with(evaluate(then, operands, names), &where_it_is(true), names);
            let otherwise = holds.with(evaluate(otherwise, operands, names), &where_it_is(false), names);
            then.with(otherwise, &|a, b| if a.is_nan() { b } else { a }, names)
        }
    }
}

impl Relation {
    /// 1 if it holds, 0 if not, and no value if an operand has none.
    #[expect(clippy::float_cmp, reason = "a rule that asks for equality gets it")]
    fn of(self, a: f64, b: f64) -> f64 {
        if a.is_nan() || b.is_nan() {
            return f64::NAN;
        }
        let holds = match self {
            Relation::Above => a > b,
            Relation::AtLeast => a >= b,
            Relation::Below => a < b,
            Relation::AtMost => a <= b,
            Relation::Equal => a == b,
            Relation::Different => a != b,
        };
        f64::from(u8::from(holds))
    }
}

impl Operator {
    fn of(self, a: f64, b: f64) -> f64 {
        match self {
            Operator::Add => a + b,
            Operator::Subtract => a - b,
            Operator::Multiply => a * b,
            // Division by zero has no value, and `f64::min` would ignore a missing value.
            Operator::Divide if b == 0.0 => f64::NAN,
            Operator::Min | Operator::Max if a.is_nan() || b.is_nan() => f64::NAN,
            Operator::Divide => a / b,
            Operator::Min => a.min(b),
            Operator::Max => a.max(b),
        }
    }
}

impl Over {
    /// Over the values that exist at a time.
    fn of(self, values: &[f64]) -> f64 {
        let some = |value: f64| if values.is_empty() { f64::NAN } else { value };
        match self {
            Over::Sum => some(values.iter().sum()),
            Over::Average => some(values.iter().sum::<f64>() / values.len() as f64),
            Over::Largest => some(values.iter().copied().fold(f64::NEG_INFINITY, f64::max)),
            Over::Smallest => some(values.iter().copied().fold(f64::INFINITY, f64::min)),
            Over::Count => some(values.len() as f64),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    struct Apart;

    impl Aligned for Apart {
        fn counterpart(&self, _instance: u32, _of: usize, _object: usize) -> Option<u32> {
            None
        }

        fn is_total(&self, _instance: u32, _object: usize) -> bool {
            false
        }
    }

    #[test]
    fn conditions_choose_value_by_value() {
        let nan = f64::NAN;
        let expression =
            Expression::parse(r"if(A\x > 1 and A\x <= B(*)\y, B(*)\y / A\x, 0 - B(*)\y)").expect("sound");
        let single = Value::Single(vec![2.0, 0.0, nan, 8.0, 4.0]);
        let cells = vec![(3, vec![4.0, 4.0, 4.0, 4.0, nan])];
        let found = expression.evaluate(&[single, Value::PerInstance { object: 7, cells }], &Apart);
        let Value::PerInstance { object: 7, cells } = found else { panic!("{found:?}") };
        assert_eq!(cells[0].0, 3);
        let expected = [2.0, -4.0, nan, -4.0, nan];
        assert_eq!(
            cells[0]
                .1
                .iter()
                .map(|value| if value.is_nan() { nan } else { *value }.to_bits())
                .collect::<Vec<_>>(),
            expected.map(f64::to_bits)
        );
    }
}
