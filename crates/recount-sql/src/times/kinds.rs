//! What an expression certainly gives: a time, a day, the length between two times, or something else.

use sqlparser::ast::{
    BinaryOperator, DataType, Expr, Function, FunctionArg, FunctionArgExpr, FunctionArguments, Ident,
    TypedString, Value,
};

use super::{Times, is_timestamp, text_of_value};

/// What an expression gives, as far as it can be known without the tables.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Kind {
    Time,
    Day,
    /// An interval, or a difference of times.
    Length,
    /// A text in quotes: it may mean a time.
    Text,
    /// Certainly no time. polars would take numbers for nanoseconds.
    Other,
    Unknown,
}

impl Times {
    pub(super) fn kind(&self, expr: &Expr) -> Kind {
        match expr {
            Expr::Value(value) => match &value.value {
                Value::Number(..) | Value::Boolean(_) => Kind::Other,
                value if text_of_value(value).is_some() => Kind::Text,
                _ => Kind::Unknown,
            },
            Expr::Identifier(name) => self.kind_of_column(name),
            Expr::CompoundIdentifier(parts) => {
                parts.last().map_or(Kind::Unknown, |name| self.kind_of_column(name))
            }
            Expr::Nested(inner) => self.kind(inner),
            Expr::UnaryOp { expr: inner, .. } => match self.kind(inner) {
                kind @ (Kind::Other | Kind::Length) => kind,
                _ => Kind::Unknown,
            },
            Expr::Cast { data_type, .. } => match data_type {
                data_type if is_timestamp(data_type) => Kind::Time,
                DataType::Date => Kind::Day,
                DataType::Custom(..) => Kind::Unknown,
                _ => Kind::Other,
            },
            Expr::TypedString(TypedString { data_type, .. }) => match data_type {
                data_type if is_timestamp(data_type) => Kind::Time,
                DataType::Date => Kind::Day,
                _ => Kind::Unknown,
            },
            Expr::Interval(_) => Kind::Length,
            Expr::BinaryOp { left, op, right } => combined(self.kind(left), op, self.kind(right)),
            Expr::Function(function) => self.kind_of_function(function),
            Expr::Case { conditions, else_result, .. } => {
                let results = conditions.iter().map(|one| &one.result).chain(else_result.as_deref());
                self.kind_of_any(results)
            }
            Expr::Extract { .. } | Expr::Ceil { .. } | Expr::Floor { .. } => Kind::Other,
            _ => Kind::Unknown,
        }
    }

    fn kind_of_column(&self, name: &Ident) -> Kind {
        let name = name.value.to_lowercase();
        if self.names.contains(&name) {
            return Kind::Time;
        }
        match (self.days.contains(&name), self.lengths.contains(&name), self.others.contains(&name)) {
            (true, false, false) => return Kind::Day,
            (false, true, false) => return Kind::Length,
            (false, false, false) => {}
            _ => return Kind::Unknown,
        }
        // `column:table` is polars' name for a column that joined tables share.
        let own = name.split(':').next().unwrap_or_default();
        if self.names.contains(own) || self.others.contains(own) { Kind::Unknown } else { Kind::Other }
    }

    fn kind_of_function(&self, function: &Function) -> Kind {
        const NUMBERS: [&str; 13] = [
            "ceil", "count", "exp", "floor", "ln", "log", "pow", "round", "sqrt", "stddev", "variance",
            "length", "extract",
        ];
        const KEEPING: [&str; 6] = ["min", "max", "first", "last", "lag", "lead"];
        let name = function.name.to_string().to_lowercase();
        match name.as_str() {
            "date_trunc" | "time_bucket" => Kind::Time,
            "abs" | "avg" | "sum" => match self.kind_of_any(arguments(function)) {
                Kind::Length => Kind::Length,
                _ => Kind::Other,
            },
            "if" => self.kind_of_any(arguments(function).skip(1)),
            name if NUMBERS.contains(&name) => Kind::Other,
            name if KEEPING.contains(&name) || gives_an_argument(name) => {
                self.kind_of_any(arguments(function))
            }
            _ => Kind::Unknown,
        }
    }

    /// One of these values; times come first.
    fn kind_of_any<'e>(&self, values: impl Iterator<Item = &'e Expr>) -> Kind {
        let kinds: Vec<Kind> = values.map(|one| self.kind(one)).collect();
        let known = [Kind::Time, Kind::Day, Kind::Length];
        known.into_iter().find(|kind| kinds.contains(kind)).unwrap_or(Kind::Unknown)
    }
}

fn combined(left: Kind, op: &BinaryOperator, right: Kind) -> Kind {
    use BinaryOperator::{Divide, Minus, Modulo, Multiply, Plus};
    use Kind::{Day, Length, Other, Text, Time, Unknown};
    match (left, op, right) {
        (Time | Text, Plus | Minus, Length) | (Length, Plus, Time | Text) => Time,
        (Time, Minus, Time | Day | Text)
        | (Day | Text, Minus, Time)
        | (Day, Minus, Day)
        | (Length, Plus | Minus, Length)
        | (Length, Multiply | Divide, Other)
        | (Other, Multiply, Length) => Length,
        (Length, Divide, Length) | (Other, Plus | Minus | Multiply | Divide | Modulo, Other) => Other,
        _ => Unknown,
    }
}

/// Functions that give one of their arguments.
pub(super) fn gives_an_argument(name: &str) -> bool {
    ["coalesce", "ifnull", "nvl", "greatest", "least", "nullif"].contains(&name)
}

fn arguments(function: &Function) -> impl Iterator<Item = &Expr> {
    let all = match &function.args {
        FunctionArguments::List(list) => list.args.as_slice(),
        _ => &[],
    };
    all.iter().filter_map(|argument| match argument {
        FunctionArg::Unnamed(FunctionArgExpr::Expr(expr)) => Some(expr),
        _ => None,
    })
}

pub(super) fn arguments_mut(function: &mut Function) -> impl Iterator<Item = &mut Expr> {
    let all = match &mut function.args {
        FunctionArguments::List(list) => list.args.as_mut_slice(),
        _ => &mut [],
    };
    all.iter_mut().filter_map(|argument| match argument {
        FunctionArg::Unnamed(FunctionArgExpr::Expr(expr)) => Some(expr),
        _ => None,
    })
}
