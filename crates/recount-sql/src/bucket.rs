//! Times rounded down, for `GROUP BY`: `date_trunc('minute', time)` and `time_bucket('5 minutes', time)`, which polars lacks.

use std::ops::ControlFlow;

use sqlparser::ast::{
    Expr, Function, FunctionArg, FunctionArgExpr, FunctionArguments, Interval, Query, Value, VisitMut,
    VisitorMut,
};
use sqlparser::dialect::GenericDialect;
use sqlparser::parser::Parser;

use crate::QueryError;

/// Writes both functions with those that polars has. Returns whether the query calls any of them.
///
/// Buckets are of UTC, counted from a Monday, 2000-01-03.
pub(crate) fn bucketed(query: &mut Query) -> Result<bool, QueryError> {
    let mut bucket = Bucket { is_used: false };
    match VisitMut::visit(query, &mut bucket) {
        ControlFlow::Break(what) => Err(QueryError::Sql(what)),
        ControlFlow::Continue(()) => Ok(bucket.is_used),
    }
}

/// Nanoseconds of the units, by the beginnings of their names.
const UNITS: [(&str, i64); 6] = [
    ("milliseconds", 1_000_000),
    ("seconds", SECOND),
    ("minutes", 60 * SECOND),
    ("hours", 3_600 * SECOND),
    ("days", 86_400 * SECOND),
    ("weeks", 7 * 86_400 * SECOND),
];
const SECOND: i64 = 1_000_000_000;
/// 2000-01-03T00:00:00Z.
const ORIGIN: i64 = 946_857_600 * SECOND;

struct Bucket {
    is_used: bool,
}

impl VisitorMut for Bucket {
    type Break = String;

    fn post_visit_expr(&mut self, expr: &mut Expr) -> ControlFlow<String> {
        let Expr::Function(function) = expr else { return ControlFlow::Continue(()) };
        let length = match function.name.to_string().to_lowercase().as_str() {
            "date_trunc" => unit,
            "time_bucket" => length,
            _ => return ControlFlow::Continue(()),
        };
        match rounded(function, length) {
            Ok(rounded) => {
                *expr = rounded;
                self.is_used = true;
                ControlFlow::Continue(())
            }
            Err(what) => ControlFlow::Break(what),
        }
    }
}

fn rounded(function: &Function, length: fn(&str) -> Option<i64>) -> Result<Expr, String> {
    let name = &function.name;
    let (text, time) = arguments(function).ok_or_else(|| {
        format!("expected {name}('5 minutes', time) or {name}('minute', time), found {function}")
    })?;
    let len = length(&text).ok_or_else(|| {
        format!("{name}: expected a unit from millisecond to week, and for time_bucket a number before it, found '{text}'")
    })?;
    let origin = ORIGIN % len;
    let sql = format!(
        "CAST((CAST(CAST({time} AS TIMESTAMP(9)) AS BIGINT) - {origin}) // {len} * {len} + {origin} AS TIMESTAMP(9))"
    );
    let parsed = Parser::new(&GenericDialect).try_with_sql(&sql).and_then(|mut parser| parser.parse_expr());
    parsed.map_err(|error| error.to_string())
}

/// The first argument as text, and the second.
fn arguments(function: &Function) -> Option<(String, &Expr)> {
    let FunctionArguments::List(list) = &function.args else { return None };
    let [
        FunctionArg::Unnamed(FunctionArgExpr::Expr(first)),
        FunctionArg::Unnamed(FunctionArgExpr::Expr(time)),
    ] = &*list.args
    else {
        return None;
    };
    let text = match first {
        Expr::Interval(Interval { value, leading_field: Some(unit), .. }) => {
            format!("{} {unit}", literal(value)?)
        }
        Expr::Interval(Interval { value, .. }) => literal(value)?,
        other => literal(other)?,
    };
    Some((text, time))
}

fn literal(expr: &Expr) -> Option<String> {
    let Expr::Value(value) = expr else { return None };
    match &value.value {
        Value::Number(number, _) => Some(number.clone()),
        Value::SingleQuotedString(text) => Some(text.clone()),
        _ => None,
    }
}

/// `minute` or `minutes`, and their beginnings: `m` and `min`, but `ms` for milliseconds.
fn unit(text: &str) -> Option<i64> {
    let text = text.trim().to_lowercase();
    if text == "ms" {
        return Some(1_000_000);
    }
    // The beginnings of `minutes` are those of `milliseconds`, too.
    let found = UNITS.iter().rev().find(|(name, _)| !text.is_empty() && name.starts_with(&text));
    found.map(|(_, len)| *len)
}

/// `5 minutes`, `5m`.
fn length(text: &str) -> Option<i64> {
    let text = text.trim();
    let (number, name) = text.split_at(text.find(|c: char| !c.is_ascii_digit())?);
    number.parse::<i64>().ok().filter(|number| *number > 0)?.checked_mul(unit(name)?)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn units_and_lengths_are_read() {
        for (text, seconds) in [("minute", 60), ("Hours", 3_600), ("s", 1), ("m", 60), ("day", 86_400)] {
            assert_eq!(unit(text), Some(seconds * SECOND), "{text}");
        }
        for (text, nanoseconds) in [
            ("5 minutes", 300 * SECOND),
            ("5m", 300 * SECOND),
            ("15 MIN", 900 * SECOND),
            ("250ms", 250_000_000),
            ("1 week", 7 * 86_400 * SECOND),
        ] {
            assert_eq!(length(text), Some(nanoseconds), "{text}");
        }
        for text in
            ["", "minute", "5", "0 minutes", "-5 minutes", "5 months", "1.5 hours", "99999999999 weeks"]
        {
            assert_eq!(length(text), None, "{text}");
        }
        assert_eq!(unit("month"), None);
    }
}
