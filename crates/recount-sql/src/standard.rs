//! What other databases answer, and polars doesn't, or wrongly: it is done here, or refused with what to write instead.

use std::ops::ControlFlow;
use std::time::{SystemTime, UNIX_EPOCH};

use sqlparser::ast::{
    Expr, FunctionArguments, GroupByExpr, Ident, Query, Select, SelectItem, SetExpr, SetQuantifier, Visit,
    VisitMut, Visitor, VisitorMut,
};

use crate::QueryError;

/// Refuses what isn't answered.
pub(crate) fn answerable(query: &Query) -> Result<(), QueryError> {
    match Visit::visit(query, &mut Refuse) {
        ControlFlow::Break(what) => Err(QueryError::Sql(what)),
        ControlFlow::Continue(()) => Ok(()),
    }
}

struct Refuse;

impl Visitor for Refuse {
    type Break = String;

    fn pre_visit_expr(&mut self, expr: &Expr) -> ControlFlow<String> {
        let what = match expr {
            Expr::Subquery(_) => {
                "a query in the place of a value isn't answered; join it: \
                 SELECT ... FROM a CROSS JOIN (SELECT max(x) AS m FROM a) AS b WHERE a.x = b.m"
            }
            Expr::Exists { .. } => "EXISTS isn't answered; write WHERE x IN (SELECT x FROM ...), or a join",
            Expr::AnyOp { .. } => {
                "ANY isn't answered; write WHERE x IN (SELECT x FROM ...), or compare with min(x) or max(x) of a join"
            }
            Expr::AllOp { .. } => "ALL isn't answered; compare with min(x) or max(x) of a join",
            _ => return ControlFlow::Continue(()),
        };
        ControlFlow::Break(what.to_owned())
    }

    fn pre_visit_select(&mut self, select: &Select) -> ControlFlow<String> {
        if select.from.is_empty() && select.selection.is_some() {
            // polars answers a row, whatever the condition.
            let what = "WHERE needs a table: SELECT ... FROM ... WHERE ...";
            return ControlFlow::Break(what.to_owned());
        }
        let is_grouped = match &select.group_by {
            GroupByExpr::All(_) => true,
            GroupByExpr::Expressions(keys, _) => !keys.is_empty(),
        };
        if select.having.is_some() && !is_grouped {
            let what = "HAVING is for groups: add GROUP BY, or write the condition into WHERE; \
                        for a condition on a total, SELECT * FROM (SELECT count(*) AS n FROM ...) WHERE n > 1";
            return ControlFlow::Break(what.to_owned());
        }
        match &select.selection {
            Some(condition) => Visit::visit(condition, &mut OfGroups { depth: 0 }),
            None => ControlFlow::Continue(()),
        }
    }

    fn pre_visit_query(&mut self, query: &Query) -> ControlFlow<String> {
        set_operation(&query.body)
    }
}

/// Refuses aggregates of the query that has this condition: polars would compare them with every row.
struct OfGroups {
    /// Queries within the condition.
    depth: usize,
}

impl Visitor for OfGroups {
    type Break = String;

    fn pre_visit_query(&mut self, _: &Query) -> ControlFlow<String> {
        self.depth += 1;
        ControlFlow::Continue(())
    }

    fn post_visit_query(&mut self, _: &Query) -> ControlFlow<String> {
        self.depth -= 1;
        ControlFlow::Continue(())
    }

    fn pre_visit_expr(&mut self, expr: &Expr) -> ControlFlow<String> {
        const AGGREGATES: [&str; 18] = [
            "avg",
            "count",
            "first",
            "last",
            "max",
            "mean",
            "median",
            "min",
            "quantile",
            "quantile_cont",
            "quantile_disc",
            "stddev",
            "stdev",
            "stddev_samp",
            "sum",
            "variance",
            "var",
            "var_samp",
        ];
        let Expr::Function(function) = expr else { return ControlFlow::Continue(()) };
        let name = function.name.to_string().to_lowercase();
        if self.depth > 0 || function.over.is_some() || !AGGREGATES.contains(&name.as_str()) {
            return ControlFlow::Continue(());
        }
        ControlFlow::Break(format!(
            "WHERE is for single rows, and {function} is of many: GROUP BY ... HAVING {function} > ... compares it for groups; \
             to compare rows with it, FROM a CROSS JOIN (SELECT {function} AS m FROM a) AS b WHERE a.x > b.m"
        ))
    }
}

fn set_operation(body: &SetExpr) -> ControlFlow<String> {
    let SetExpr::SetOperation { op, set_quantifier, left, right } = body else {
        return ControlFlow::Continue(());
    };
    let by_name = [SetQuantifier::ByName, SetQuantifier::AllByName, SetQuantifier::DistinctByName];
    if by_name.contains(set_quantifier) {
        return ControlFlow::Break(format!(
            "{op} BY NAME isn't answered; name the columns in the same order in both queries"
        ));
    }
    if let (Some(one), Some(other)) = (num_columns(left), num_columns(right))
        && one != other
    {
        return ControlFlow::Break(format!(
            "{op} needs as many columns on both sides, found {one} and {other}"
        ));
    }
    set_operation(left)?;
    set_operation(right)
}

/// If it can be known without the tables.
fn num_columns(body: &SetExpr) -> Option<usize> {
    use sqlparser::ast::SelectItem::{ExprWithAlias, UnnamedExpr};
    let SetExpr::Select(select) = body else { return None };
    let is_one = |item| matches!(item, &UnnamedExpr(_) | &ExprWithAlias { .. });
    select.projection.iter().all(is_one).then_some(select.projection.len())
}

/// Makes `user` a column: in the standard it is the user of the database, which captures don't have. Returns whether there is one.
pub(crate) fn user_column(query: &mut Query) -> bool {
    struct User {
        is_used: bool,
    }
    impl VisitorMut for User {
        type Break = ();

        fn post_visit_expr(&mut self, expr: &mut Expr) -> ControlFlow<()> {
            let Expr::Function(function) = &*expr else { return ControlFlow::Continue(()) };
            let name = function.name.to_string();
            if name.eq_ignore_ascii_case("user") && matches!(function.args, FunctionArguments::None) {
                *expr = Expr::Identifier(Ident::with_quote('"', "user"));
                self.is_used = true;
            }
            ControlFlow::Continue(())
        }
    }
    let mut user = User { is_used: false };
    let _ = VisitMut::visit(query, &mut user);
    user.is_used
}

/// Replaces `now()` and its like by the time of the query. Returns whether there are any.
pub(crate) fn present(query: &mut Query, constant: &dyn Fn(i64, bool) -> Expr) -> bool {
    let since = SystemTime::now().duration_since(UNIX_EPOCH).unwrap_or_default();
    let now = i64::try_from(since.as_nanos()).unwrap_or(i64::MAX);
    let mut present = Present { now, constant, is_used: false };
    let _ = VisitMut::visit(query, &mut present);
    present.is_used
}

struct Present<'c> {
    now: i64,
    /// The expression of a time in nanoseconds, or of its day.
    constant: &'c dyn Fn(i64, bool) -> Expr,
    is_used: bool,
}

impl VisitorMut for Present<'_> {
    type Break = ();

    /// Columns without a name would all be called the same.
    fn pre_visit_select(&mut self, select: &mut Select) -> ControlFlow<()> {
        for item in &mut select.projection {
            if let SelectItem::UnnamedExpr(expr) = item
                && let Some((name, _)) = present_name(expr)
            {
                *item = SelectItem::ExprWithAlias { expr: expr.clone(), alias: Ident::with_quote('"', name) };
            }
        }
        ControlFlow::Continue(())
    }

    fn post_visit_expr(&mut self, expr: &mut Expr) -> ControlFlow<()> {
        if let Some((_, is_day)) = present_name(expr) {
            *expr = (self.constant)(self.now, is_day);
            self.is_used = true;
        }
        ControlFlow::Continue(())
    }
}

/// The name of a function that gives the present, and whether it gives the day.
fn present_name(expr: &Expr) -> Option<(String, bool)> {
    const TIMES: [&str; 7] = [
        "now",
        "current_timestamp",
        "localtimestamp",
        "transaction_timestamp",
        "statement_timestamp",
        "clock_timestamp",
        "getdate",
    ];
    const DAYS: [&str; 3] = ["current_date", "curdate", "today"];
    let Expr::Function(function) = expr else { return None };
    let has_arguments = match &function.args {
        FunctionArguments::None => false,
        FunctionArguments::List(list) => !list.args.is_empty(),
        FunctionArguments::Subquery(_) => true,
    };
    let name = function.name.to_string().to_lowercase();
    let is_day = DAYS.contains(&name.as_str());
    (!has_arguments && (is_day || TIMES.contains(&name.as_str()))).then_some((name, is_day))
}

#[cfg(test)]
mod tests {
    use crate::statement::Statement;

    #[test]
    fn what_is_not_answered_says_what_to_write() {
        for (sql, part) in [
            ("SELECT a FROM t WHERE x = (SELECT max(x) FROM t)", "CROSS JOIN"),
            ("SELECT (SELECT max(x) FROM t) AS m", "CROSS JOIN"),
            ("SELECT a FROM t WHERE EXISTS (SELECT 1 FROM u)", "IN (SELECT"),
            ("SELECT a FROM t WHERE a = ANY(SELECT a FROM u)", "IN (SELECT"),
            ("SELECT count(*) FROM t HAVING count(*) > 1", "GROUP BY"),
            ("SELECT 1 AS a WHERE 1=0", "WHERE needs a table"),
            ("SELECT a FROM t UNION ALL SELECT 1 WHERE 1=0", "WHERE needs a table"),
            ("SELECT a FROM t WHERE max(time) > '2026-01-01'", "HAVING max(time)"),
            ("SELECT a FROM t WHERE a > 1 AND x > avg(x)", "CROSS JOIN"),
            ("SELECT a, b FROM t UNION SELECT a FROM t", "as many columns"),
            ("SELECT a FROM t UNION ALL BY NAME SELECT b FROM t", "same order"),
            ("SELECT time FROM t UNION SELECT a FROM t", "one column would have times"),
            ("SELECT a FROM t WHERE time > '2026-01-01' - interval '1 foo'", "expected an interval"),
        ] {
            let said = Statement::parse(sql, &[]).expect_err(sql).to_string();
            assert!(said.contains(part), "{sql}: {said}");
        }
        for sql in [
            "SELECT time FROM t UNION SELECT time FROM u",
            "SELECT a FROM t GROUP BY a HAVING count(*) > 1",
            "SELECT a FROM t WHERE a IN (SELECT a FROM u)",
            "SELECT a FROM t WHERE a IN (SELECT max(a) FROM u)",
            "SELECT time - INTERVAL '1' HOUR FROM t WHERE time < now() AND time > current_date",
        ] {
            Statement::parse(sql, &[]).expect(sql);
        }
    }

    #[test]
    fn the_present_is_that_of_the_query() {
        let parsed = |sql: &str| match Statement::parse(sql, &[]) {
            Ok(Statement::Select { sql, .. }) => sql,
            other => panic!("{sql}: {other:?}"),
        };
        let sql =
            parsed("SELECT a FROM t WHERE time > now() AND time < CURRENT_TIMESTAMP AND time > current_date");
        assert_eq!(sql.matches("AS TIMESTAMP(9)").count(), 3, "{sql}");
        let named = parsed("SELECT current_timestamp, current_date, now() AS n");
        for name in ["AS \"current_timestamp\",", "AS \"current_date\",", "AS n"] {
            assert!(named.contains(name), "{named}");
        }
        assert!(!sql.to_lowercase().contains("now") && !sql.to_lowercase().contains("current"), "{sql}");
    }
}
