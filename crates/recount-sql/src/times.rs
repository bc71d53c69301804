//! Times that a query writes as text: `'2026-11-25T14:00:33Z'`, `TIMESTAMP '2026-11-25 15:00:33 Europe/Berlin'`.
//!
//! Tables have times in UTC. Wherever a time is meant, its text becomes a number of nanoseconds since 1970, so that polars
//! neither guesses formats nor compares times with zones and times without.

mod kinds;
mod mixing;
mod reading;

use std::collections::HashSet;
use std::ops::ControlFlow;

use kinds::Kind;
use reading::{nanoseconds, states_zone};
use sqlparser::ast::{
    CastKind, DataType, Expr, Query, Select, SelectItem, SetExpr, TableAlias, TableFactor, TimezoneInfo,
    UnaryOperator, Value, Visit, VisitMut, Visitor, VisitorMut,
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

/// The columns of tables that are times; all but the first are of `_processes`.
const TIMES: [&str; 5] = ["time", "first_seen", "last_seen", "start", "end"];

/// Replaces the texts of times. Returns whether there are any.
pub(crate) fn timed(query: &mut Query) -> Result<TimeTexts, QueryError> {
    let mut times = Times {
        names: TIMES.map(str::to_owned).into(),
        days: HashSet::new(),
        lengths: HashSet::new(),
        others: HashSet::new(),
        texts: TimeTexts::default(),
    };
    // An alias may be defined by another one.
    loop {
        let num = |times: &Times| times.names.len() + times.days.len() + times.lengths.len();
        let before = num(&times);
        times.others.clear();
        let _ = Visit::visit(query, &mut Aliases(&mut times));
        if num(&times) == before {
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
    /// Names that the query gives to days, in lower case.
    days: HashSet<String>,
    /// Names that the query gives to lengths between times, in lower case.
    lengths: HashSet<String>,
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
                let names = match self.0.kind(expr) {
                    Kind::Time => &mut self.0.names,
                    Kind::Day => &mut self.0.days,
                    Kind::Length => &mut self.0.lengths,
                    _ => &mut self.0.others,
                };
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
            Expr::BinaryOp { left, op, right } => self.binary(left, op, right),
            Expr::IsDistinctFrom(left, right) | Expr::IsNotDistinctFrom(left, right) => {
                self.compared([left, right])
            }
            Expr::Between { expr, low, high, .. } => self.compared([expr, low, high]),
            Expr::InList { expr, list, .. } => list.iter_mut().try_for_each(|one| self.compared([expr, one])),
            Expr::Case { operand, conditions, else_result, .. } => {
                if let Some(operand) = operand {
                    conditions.iter_mut().try_for_each(|one| self.compared([operand, &mut one.condition]))?;
                }
                let results = conditions.iter_mut().map(|one| &mut one.result);
                self.mixed(results.chain(else_result.as_deref_mut()).collect())
            }
            Expr::Function(function) => self.function(function),
            Expr::Extract { field, expr: of, .. } => {
                if let Some(seconds) = self.extracted(field, of)? {
                    *expr = seconds;
                }
                ControlFlow::Continue(())
            }
            _ => ControlFlow::Continue(()),
        }
    }
}

impl Times {
    fn is_time(&self, expr: &Expr) -> bool {
        self.kind(expr) == Kind::Time
    }

    /// Whether an expression is certainly no time.
    fn is_no_time(&self, expr: &Expr) -> bool {
        matches!(self.kind(expr), Kind::Other | Kind::Length)
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

    #[test]
    fn texts_beside_times_become_times() {
        let time = format!("CAST({NANOS} AS TIMESTAMP(9))");
        let text = "'2026-11-25T14:00:33Z'";
        let day = "CAST(CAST(1795564800000000000 AS TIMESTAMP(9)) AS DATE)";
        for (condition, wanted) in [
            (format!("coalesce(time, {text}) > {text}"), format!("coalesce(time, {time}) > {time}")),
            (format!("greatest({text}, time) = {text}"), format!("greatest({time}, time) = {time}")),
            (format!("nullif(time, {text}) > {text}"), format!("nullif(time, {time}) > {time}")),
            (
                format!("CASE WHEN a > 1 THEN {text} ELSE time END > {text}"),
                format!("CASE WHEN a > 1 THEN {time} ELSE time END > {time}"),
            ),
            (
                format!("CASE time WHEN {text} THEN 1 END = 1"),
                format!("CASE time WHEN {time} THEN 1 END = 1"),
            ),
            (format!("time IS DISTINCT FROM {text}"), format!("time IS DISTINCT FROM {time}")),
            (
                format!("time > {text} - INTERVAL '10 second'"),
                format!("time > {time} - INTERVAL '10 second'"),
            ),
            (
                format!("time - {text} > INTERVAL '33 second'"),
                format!("time - {time} > INTERVAL '33 second'"),
            ),
            ("CAST(time AS DATE) > '2026-11-25'".to_owned(), format!("CAST(time AS DATE) > {day}")),
            (
                "extract(EPOCH FROM time - began) > 33".to_owned(),
                "(CAST((time - began) AS BIGINT) / 1000000000.0) > 33".to_owned(),
            ),
            (
                "(time - began) * 2 > INTERVAL '1 s'".to_owned(),
                "(time - began) * 2 > INTERVAL '1 s'".to_owned(),
            ),
            ("coalesce(a, 'x') > 'y'".to_owned(), "coalesce(a, 'x') > 'y'".to_owned()),
            (
                "CASE WHEN time > began THEN 'x' END = 'x'".to_owned(),
                "CASE WHEN time > began THEN 'x' END = 'x'".to_owned(),
            ),
            ("a - b > 5".to_owned(), "a - b > 5".to_owned()),
        ] {
            assert_eq!(rewritten(&condition).expect(&condition), wanted);
        }
    }

    #[test]
    fn what_is_no_time_beside_one_is_refused() {
        for (condition, part) in [
            ("coalesce(time, 'x') > '2026-01-01'", "expected a time such as"),
            ("least(time, 5) > '2026-01-01'", "isn't a time"),
            ("time - timestamp '2026-11-25 14:00:33' > 33", "INTERVAL '33 seconds'"),
            ("5 < max(time) - min(time)", "INTERVAL '33 seconds'"),
            ("time - began = a", "INTERVAL '33 seconds'"),
            ("time - began > '33 seconds'", "INTERVAL '33 seconds'"),
            ("time - began BETWEEN 1 AND 2", "INTERVAL '33 seconds'"),
            ("time > INTERVAL '1 hour'", "isn't a time"),
            ("time + 1 > began", "INTERVAL '90 minutes'"),
            ("time - a > began", "INTERVAL '90 minutes'"),
            ("time + '1 hour' > began", "INTERVAL '90 minutes'"),
            ("time - '1 hour' > began", "timestamp '2026-11-25T14:00:33Z'"),
            ("time + began > time", "aren't added"),
            ("time * 2 > a", "isn't multiplied"),
            ("date_trunc('minute', a) > time", "date_trunc('minute', time)"),
            ("CAST(time AS DATE) > '2026-02-30'", "expected a date such as"),
            ("extract(HOUR FROM time - began) > 1", "EPOCH"),
            ("date_part('epoch', time - began) > 1", "extract(EPOCH FROM time - began)"),
        ] {
            let said = rewritten(condition).expect_err(condition).to_string();
            assert!(said.contains(part), "{condition}: {said}");
        }
    }
}
