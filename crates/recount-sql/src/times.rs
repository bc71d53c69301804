//! Times that a query writes as text: `'2026-11-25T14:00:33Z'`, `TIMESTAMP '2026-11-25 15:00:33 Europe/Berlin'`.
//!
//! Tables have times in UTC. Wherever a time is meant, its text becomes a number of nanoseconds since 1970, so that polars
//! neither guesses formats nor compares times with zones and times without.

mod reading;

use std::collections::HashSet;
use std::ops::ControlFlow;

use reading::{nanoseconds, states_zone};
use sqlparser::ast::{
    BinaryOperator, CastKind, DataType, Expr, FunctionArg, FunctionArgExpr, FunctionArguments, Ident, Query,
    Select, SelectItem, SetExpr, TableAlias, TableFactor, TimezoneInfo, TypedString, UnaryOperator, Value,
    Visit, VisitMut, Visitor, VisitorMut,
};

use crate::QueryError;

/// Which texts of times a query has.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct TimeTexts {
    /// Any.
    pub is_any: bool,
    /// Some name an offset or a zone, or mean the present.
    pub is_zoned: bool,
}

/// Replaces the texts of times. Returns whether there are any.
pub(crate) fn timed(query: &mut Query) -> Result<TimeTexts, QueryError> {
    let mut times = Times {
        names: HashSet::from(["time".to_owned()]),
        others: HashSet::new(),
        texts: TimeTexts::default(),
    };
    // An alias may be defined by another one.
    loop {
        let num = times.names.len();
        let _ = Visit::visit(query, &mut Aliases(&mut times));
        if times.names.len() == num {
            break;
        }
    }
    match VisitMut::visit(query, &mut times) {
        ControlFlow::Break(what) => Err(QueryError::Sql(what)),
        ControlFlow::Continue(()) => Ok(times.texts),
    }
}

struct Times {
    /// Names of columns that are times, in lower case.
    names: HashSet<String>,
    /// Other names that the query gives, in lower case: they may be anything.
    others: HashSet<String>,
    texts: TimeTexts,
}

/// Finds the names that a query gives to times.
struct Aliases<'a>(&'a mut Times);

impl Visitor for Aliases<'_> {
    type Break = ();

    fn pre_visit_select(&mut self, select: &sqlparser::ast::Select) -> ControlFlow<()> {
        for item in &select.projection {
            if let SelectItem::ExprWithAlias { expr, alias } = item {
                let is_time = self.0.is_time(expr);
                let names = if is_time { &mut self.0.names } else { &mut self.0.others };
                names.insert(alias.value.to_lowercase());
            }
        }
        ControlFlow::Continue(())
    }

    /// Names of columns behind the name of a table: `AS t (began, x)`.
    fn pre_visit_query(&mut self, query: &Query) -> ControlFlow<()> {
        let named = query.with.iter().flat_map(|with| &with.cte_tables).map(|table| &table.alias);
        named.for_each(|alias| self.add(alias));
        ControlFlow::Continue(())
    }

    fn pre_visit_table_factor(&mut self, table: &TableFactor) -> ControlFlow<()> {
        if let TableFactor::Derived { alias: Some(alias), .. }
        | TableFactor::Table { alias: Some(alias), .. } = table
        {
            self.add(alias);
        }
        ControlFlow::Continue(())
    }
}

impl Aliases<'_> {
    fn add(&mut self, alias: &TableAlias) {
        self.0.others.extend(alias.columns.iter().map(|column| column.name.value.to_lowercase()));
    }
}

impl VisitorMut for Times {
    type Break = String;

    /// In one column there are times or other values, which polars would turn into numbers.
    fn pre_visit_query(&mut self, query: &mut Query) -> ControlFlow<String> {
        let mut selects = Vec::new();
        collect_selects(&query.body, &mut selects);
        let columns = |select: &Select| -> Vec<Expr> {
            let column = |item: &SelectItem| match item {
                SelectItem::UnnamedExpr(expr) | SelectItem::ExprWithAlias { expr, .. } => Some(expr.clone()),
                _ => None,
            };
            select.projection.iter().map_while(column).collect()
        };
        let Some((first, others)) = selects.split_first() else { return ControlFlow::Continue(()) };
        let first = columns(first);
        for other in others {
            for (one, other) in first.iter().zip(columns(other)) {
                let is_mixed = (self.is_time(one) && self.is_no_time(&other))
                    || (self.is_time(&other) && self.is_no_time(one));
                if is_mixed {
                    let what = format!("one column would have times and other values: {one} and {other}");
                    return ControlFlow::Break(what);
                }
            }
        }
        ControlFlow::Continue(())
    }

    /// A time and its zone are one text, so they come before the text alone.
    fn pre_visit_expr(&mut self, expr: &mut Expr) -> ControlFlow<String> {
        let Expr::AtTimeZone { timestamp, time_zone } = expr else { return ControlFlow::Continue(()) };
        let (Some(time), Some(zone)) = (time_text(timestamp), text_of(time_zone)) else {
            let what = "AT TIME ZONE is only understood after the text of a time; columns are in UTC";
            return ControlFlow::Break(what.to_owned());
        };
        let text = format!("{time} {zone}");
        self.put(expr, &text)
    }

    fn post_visit_expr(&mut self, expr: &mut Expr) -> ControlFlow<String> {
        if let Some(text) = time_text(expr) {
            return self.put(expr, &text);
        }
        if let Some(text) = date_text(expr) {
            return self.put_day(expr, &text);
        }
        match expr {
            Expr::BinaryOp { left, op, right } if compares(op) => {
                if self.is_time(left) {
                    self.compared(right)
                } else if self.is_time(right) {
                    self.compared(left)
                } else {
                    ControlFlow::Continue(())
                }
            }
            Expr::Between { expr, low, high, .. } => {
                let is_time = [&*expr, &*low, &*high].into_iter().any(|one| self.is_time(one));
                [expr, low, high].into_iter().filter(|_| is_time).try_for_each(|one| self.compared(one))
            }
            Expr::InList { expr, list, .. } if self.is_time(expr) => {
                list.iter_mut().try_for_each(|one| self.compared(one))
            }
            _ => ControlFlow::Continue(()),
        }
    }
}

impl Times {
    /// What is compared with a time.
    fn compared(&mut self, expr: &mut Expr) -> ControlFlow<String> {
        if let Some(time) = time_of_day(expr) {
            *expr = time;
            return ControlFlow::Continue(());
        }
        match text_of(expr).or_else(|| date_text(expr)) {
            Some(text) => self.put(expr, &text),
            None if self.is_no_time(expr) => ControlFlow::Break(format!(
                "a time is compared with {expr}, which isn't a time; write times as '2026-11-25T14:00:33Z'"
            )),
            None => ControlFlow::Continue(()),
        }
    }

    /// Whether an expression is certainly no time. polars would take numbers for nanoseconds.
    fn is_no_time(&self, expr: &Expr) -> bool {
        let is_column = |name: &Ident| {
            let name = name.value.to_lowercase();
            // `column:table` is polars' name for a column that joined tables share.
            let own = name.split(':').next().unwrap_or_default();
            ![name.as_str(), own].iter().any(|name| self.names.contains(*name) || self.others.contains(*name))
        };
        match expr {
            Expr::Value(value) => matches!(value.value, Value::Number(..) | Value::Boolean(_)),
            Expr::Identifier(name) => is_column(name),
            Expr::CompoundIdentifier(parts) => parts.last().is_some_and(is_column),
            Expr::Nested(inner) | Expr::UnaryOp { expr: inner, .. } => self.is_no_time(inner),
            Expr::BinaryOp { left, op, right } => {
                use BinaryOperator::{Divide, Minus, Modulo, Multiply, Plus};
                matches!(op, Divide | Modulo | Multiply | Minus | Plus)
                    && self.is_no_time(left)
                    && self.is_no_time(right)
            }
            Expr::Cast { data_type, .. } => {
                !is_timestamp(data_type) && !matches!(data_type, DataType::Date | DataType::Custom(..))
            }
            Expr::Function(function) => {
                const NUMBERS: [&str; 16] = [
                    "abs", "avg", "ceil", "count", "exp", "floor", "ln", "log", "pow", "round", "sqrt",
                    "stddev", "sum", "variance", "length", "extract",
                ];
                NUMBERS.contains(&function.name.to_string().to_lowercase().as_str())
            }
            Expr::Extract { .. } | Expr::Ceil { .. } | Expr::Floor { .. } => true,
            _ => false,
        }
    }

    fn put(&mut self, expr: &mut Expr, text: &str) -> ControlFlow<String> {
        match nanoseconds(text) {
            Ok(number) => {
                *expr = constant(number);
                self.texts.is_any = true;
                self.texts.is_zoned |= states_zone(text);
                ControlFlow::Continue(())
            }
            Err(what) => ControlFlow::Break(what),
        }
    }

    /// A date that isn't compared with a time. polars' own way from text to a date is deprecated.
    fn put_day(&mut self, expr: &mut Expr, text: &str) -> ControlFlow<String> {
        let is_date = text.trim().parse::<jiff::civil::Date>().is_ok();
        match nanoseconds(text) {
            Ok(number) if is_date => {
                *expr = day(number);
                self.texts.is_any = true;
                ControlFlow::Continue(())
            }
            _ => ControlFlow::Break(format!("expected a date such as '2026-11-25', found '{text}'")),
        }
    }

    fn is_time(&self, expr: &Expr) -> bool {
        let is_name = |name: &str| self.names.contains(&name.to_lowercase());
        match expr {
            Expr::Identifier(name) => is_name(&name.value),
            Expr::CompoundIdentifier(parts) => parts.last().is_some_and(|name| is_name(&name.value)),
            Expr::Nested(inner) => self.is_time(inner),
            Expr::Cast { data_type, .. } | Expr::TypedString(TypedString { data_type, .. }) => {
                is_timestamp(data_type)
            }
            Expr::BinaryOp { left, op: BinaryOperator::Plus | BinaryOperator::Minus, right } => {
                self.is_time(left) && matches!(**right, Expr::Interval(_))
            }
            Expr::Function(function) => {
                const KEEPING: [&str; 6] = ["min", "max", "first", "last", "date_trunc", "time_bucket"];
                let FunctionArguments::List(list) = &function.args else { return false };
                let last = list.args.last();
                KEEPING.contains(&function.name.to_string().to_lowercase().as_str())
                    && matches!(last, Some(FunctionArg::Unnamed(FunctionArgExpr::Expr(one))) if self.is_time(one))
            }
            _ => false,
        }
    }
}

/// The queries that `UNION` and its like put together.
fn collect_selects<'q>(body: &'q SetExpr, selects: &mut Vec<&'q Select>) {
    match body {
        SetExpr::Select(select) => selects.push(select),
        SetExpr::Query(query) => collect_selects(&query.body, selects),
        SetExpr::SetOperation { left, right, .. } => {
            collect_selects(left, selects);
            collect_selects(right, selects);
        }
        _ => {}
    }
}

fn compares(op: &BinaryOperator) -> bool {
    use BinaryOperator::{Eq, Gt, GtEq, Lt, LtEq, NotEq, Spaceship};
    matches!(op, Eq | Gt | GtEq | Lt | LtEq | NotEq | Spaceship)
}

fn is_timestamp(data_type: &DataType) -> bool {
    matches!(
        data_type,
        DataType::Timestamp(..)
            | DataType::TimestampNtz(..)
            | DataType::Datetime(..)
            | DataType::Datetime64(..)
    )
}

/// `TIMESTAMP '...'`, `CAST('...' AS TIMESTAMP)`, `'...'::timestamp`.
fn time_text(expr: &Expr) -> Option<String> {
    match expr {
        Expr::TypedString(typed) if is_timestamp(&typed.data_type) => text_of_value(&typed.value.value),
        Expr::Cast { data_type, expr, .. } if is_timestamp(data_type) => {
            text_of(expr).or_else(|| date_text(expr))
        }
        Expr::Nested(inner) => time_text(inner),
        _ => None,
    }
}

/// `DATE '...'`, `CAST('...' AS DATE)`.
fn date_text(expr: &Expr) -> Option<String> {
    match expr {
        Expr::TypedString(typed) if typed.data_type == DataType::Date => text_of_value(&typed.value.value),
        Expr::Cast { data_type: DataType::Date, expr, .. } => text_of(expr),
        Expr::Nested(inner) => date_text(inner),
        _ => None,
    }
}

fn text_of(expr: &Expr) -> Option<String> {
    match expr {
        Expr::Value(value) => text_of_value(&value.value),
        Expr::Nested(inner) => text_of(inner),
        _ => None,
    }
}

fn text_of_value(value: &Value) -> Option<String> {
    match value {
        Value::SingleQuotedString(text) => Some(text.clone()),
        _ => None,
    }
}

/// The time that a day of [`day`] begins with.
fn time_of_day(expr: &Expr) -> Option<Expr> {
    match expr {
        Expr::Cast { data_type: DataType::Date, expr: inner, .. } => match &**inner {
            Expr::Cast { data_type, expr: number, .. } if is_timestamp(data_type) => {
                let is_number = |expr: &Expr| matches!(expr, Expr::Value(_) | Expr::UnaryOp { .. });
                is_number(number).then(|| (**inner).clone())
            }
            _ => None,
        },
        Expr::Nested(inner) => time_of_day(inner),
        _ => None,
    }
}

/// The day of a time.
pub(crate) fn day(nanoseconds: i64) -> Expr {
    const DAY: i64 = 86_400_000_000_000;
    Expr::Cast {
        kind: CastKind::Cast,
        expr: Box::new(constant(nanoseconds - nanoseconds.rem_euclid(DAY))),
        data_type: DataType::Date,
        array: false,
        format: None,
    }
}

/// A time for polars, as `date_trunc` and `time_bucket` make them.
pub(crate) fn constant(nanoseconds: i64) -> Expr {
    let digits = Expr::value(Value::Number(nanoseconds.unsigned_abs().to_string(), false));
    let number = match nanoseconds {
        0.. => digits,
        _ => Expr::UnaryOp { op: UnaryOperator::Minus, expr: Box::new(digits) },
    };
    Expr::Cast {
        kind: CastKind::Cast,
        expr: Box::new(number),
        data_type: DataType::Timestamp(Some(9), TimezoneInfo::None),
        array: false,
        format: None,
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::statement::{parsed, time_texts};

    #[test]
    fn what_names_a_zone_is_known() {
        for (condition, is_any, is_zoned) in [
            ("a > 1", false, false),
            ("time > '2026-11-25'", true, false),
            ("time > '2026-11-25 14:00:33'", true, false),
            ("time > '2026-11-25 14:00:33 -05'", true, true),
            ("time > '2026-11-25T14:00:33Z'", true, true),
            ("time > timestamp '2026-11-25 14:00:33 Europe/Berlin'", true, true),
            ("time > '2026-11-25T14:00:33[Europe/Berlin]'", true, true),
            ("time > now() - interval '1 hour'", true, true),
        ] {
            let found = time_texts(&format!("SELECT a FROM t WHERE {condition}"));
            assert_eq!((found.is_any, found.is_zoned), (is_any, is_zoned), "{condition}");
        }
    }

    /// 2026-11-25T14:00:33Z.
    const NANOS: i64 = 1_795_615_233_000_000_000;

    fn rewritten(condition: &str) -> Result<String, QueryError> {
        let sql = format!("SELECT min(time) AS began, a FROM t WHERE {condition}");
        let sqlparser::ast::Statement::Query(mut query) = parsed(&sql)? else { panic!("{sql}") };
        timed(&mut query)?;
        Ok(query.to_string().split_once(" WHERE ").expect("a condition").1.to_owned())
    }

    #[test]
    fn only_texts_that_mean_times_are_replaced() {
        let time = format!("CAST({NANOS} AS TIMESTAMP(9))");
        let day = "CAST(1795564800000000000 AS TIMESTAMP(9))";
        for (condition, wanted) in [
            ("time > '2026-11-25T14:00:33Z'", format!("time > {time}")),
            ("'2026-11-25 14:00:33' <= t.\"Time\"", format!("{time} <= t.\"Time\"")),
            ("time > cast('2026-11-25T14:00:33Z' AS timestamp)", format!("time > {time}")),
            ("time > '2026-11-25T14:00:33Z'::timestamp", format!("time > {time}")),
            ("time > TIMESTAMP WITH TIME ZONE '2026-11-25 15:00:33+01'", format!("time > {time}")),
            ("time > timestamp '2026-11-25 15:00:33' AT TIME ZONE 'Europe/Berlin'", format!("time > {time}")),
            ("began BETWEEN '2026-11-25 14:00:33' AND time", format!("began BETWEEN {time} AND time")),
            (
                "date_trunc('minute', time) = '2026-11-25 14:00:33'",
                format!("date_trunc('minute', time) = {time}"),
            ),
            ("time IN ('2026-11-25 14:00:33')", format!("time IN ({time})")),
            ("time > DATE '2026-11-25'", format!("time > {day}")),
            ("time > CAST('2026-11-25' AS DATE)", format!("time > {day}")),
            ("time::DATE = DATE '2026-11-25'", format!("time::DATE = CAST({day} AS DATE)")),
            ("CAST(time AS VARCHAR) > '2026'", "CAST(time AS VARCHAR) > '2026'".to_owned()),
            ("a = '2026-11-25 14:00:33'", "a = '2026-11-25 14:00:33'".to_owned()),
        ] {
            assert_eq!(rewritten(condition).expect(condition), wanted);
        }
        for condition in [
            "time > 5",
            "5 < time",
            "time > -5",
            "time > 1.5e9 + 2",
            "time > a",
            "time > t.a",
            "time > a * 2 + 1",
            "time IN ('2026-01-01', 5)",
            "time BETWEEN 5 AND '2026-01-01'",
            "time > CAST('5' AS BIGINT)",
            "began > 7",
            "min(time) = count(a)",
            "time > abs(a)",
        ] {
            let said = rewritten(condition).expect_err(condition).to_string();
            assert!(said.contains("isn't a time"), "{condition}: {said}");
        }
        for condition in
            ["time > began", "time = t2.time", "began - INTERVAL '1 hour' < time", "time > \"time:b\""]
        {
            rewritten(condition).expect(condition);
        }
        assert!(rewritten("time > 'noon'").is_err() && rewritten("a > DATE '2026-13-45'").is_err());
        assert!(rewritten("time AT TIME ZONE 'UTC' > '2026-01-01'").is_err());
    }
}
