//! Fills in what a query leaves open, as users mean it: missing values come last, and two columns get
//! different names.

use std::ops::ControlFlow;

use sqlparser::ast::{
    Expr, Ident, OrderByKind, Query, SelectItem, SetExpr, Visit, VisitMut, Visitor, VisitorMut,
};

/// The query with these choices made; `None` if it leaves nothing open.
pub(crate) fn settled(query: &Query) -> Option<String> {
    let mut settled = query.clone();
    let _ = VisitMut::visit(&mut settled, &mut Settle);
    (settled != *query).then(|| settled.to_string())
}

struct Settle;

impl VisitorMut for Settle {
    type Break = ();

    fn pre_visit_query(&mut self, query: &mut Query) -> ControlFlow<()> {
        if let Some(order) = &mut query.order_by {
            let options = match &mut order.kind {
                OrderByKind::Expressions(all) => all.iter_mut().map(|one| &mut one.options).collect(),
                OrderByKind::All(options) => vec![options],
            };
            for options in options {
                options.nulls_first.get_or_insert(false);
            }
        }
        if let SetExpr::Select(select) = &mut *query.body {
            name_apart(&mut select.projection);
        }
        ControlFlow::Continue(())
    }
}

/// Polars names both `min(x)` and `max(x)` `x`. If that would give two columns the same name, they are named as they
/// are written.
fn name_apart(projection: &mut [SelectItem]) {
    let names: Vec<Option<String>> = projection.iter().map(name).collect();
    let mut given: Vec<String> = Vec::new();
    for (item, name) in projection.iter_mut().zip(&names) {
        let is_shared = name.is_some() && names.iter().filter(|other| *other == name).count() > 1;
        if let SelectItem::UnnamedExpr(expr) = item
            && is_shared
            && !matches!(expr, Expr::Identifier(_) | Expr::CompoundIdentifier(_))
        {
            let written = expr.to_string().replace('"', "");
            let num_before = given.iter().filter(|name| **name == written).count();
            let alias = match num_before {
                0 => Ident::with_quote('"', &written),
                _ => Ident::with_quote('"', format!("{written} ({})", num_before + 1)),
            };
            given.push(written);
            *item = SelectItem::ExprWithAlias { expr: expr.clone(), alias };
        }
    }
}

/// The name that polars gives a column: that of the first column in its expression, or `literal`.
fn name(item: &SelectItem) -> Option<String> {
    match item {
        SelectItem::ExprWithAlias { alias, .. } => Some(alias.value.clone()),
        SelectItem::UnnamedExpr(expr) => {
            let mut first = FirstColumn(None);
            let _ = expr.visit(&mut first);
            let is_count = || expr.to_string().to_lowercase().starts_with("count(*)");
            first.0.or_else(|| Some(if is_count() { "len" } else { "literal" }.to_owned()))
        }
        _ => None,
    }
}

struct FirstColumn(Option<String>);

impl Visitor for FirstColumn {
    type Break = ();

    fn pre_visit_expr(&mut self, expr: &Expr) -> ControlFlow<()> {
        let found = match expr {
            Expr::Identifier(name) => Some(name),
            Expr::CompoundIdentifier(parts) => parts.last(),
            _ => None,
        };
        match found {
            Some(name) => {
                self.0 = Some(name.value.clone());
                ControlFlow::Break(())
            }
            None => ControlFlow::Continue(()),
        }
    }
}

#[cfg(test)]
mod tests {
    use sqlparser::ast::Statement;
    use sqlparser::dialect::GenericDialect;
    use sqlparser::parser::Parser;

    use super::settled;

    fn of(sql: &str) -> String {
        match Parser::parse_sql(&GenericDialect, sql).expect(sql).remove(0) {
            Statement::Query(query) => settled(&query).unwrap_or_else(|| sql.to_owned()),
            other => panic!("{other:?}"),
        }
    }

    #[test]
    fn missing_values_come_last_unless_the_query_says_where() {
        for (sql, wanted) in [
            (
                "SELECT a FROM t ORDER BY a DESC, 2",
                "SELECT a FROM t ORDER BY a DESC NULLS LAST, 2 NULLS LAST",
            ),
            ("SELECT a FROM t ORDER BY a NULLS FIRST", "SELECT a FROM t ORDER BY a NULLS FIRST"),
            (
                "WITH x AS (SELECT a FROM t ORDER BY a LIMIT 3) SELECT * FROM x",
                "WITH x AS (SELECT a FROM t ORDER BY a NULLS LAST LIMIT 3) SELECT * FROM x",
            ),
        ] {
            assert_eq!(of(sql), wanted);
        }
    }

    #[test]
    fn columns_of_one_name_are_called_as_they_are_written() {
        for (sql, wanted) in [
            (
                r#"SELECT min("% x"), max("% x") FROM t"#,
                r#"SELECT min("% x") AS "min(% x)", max("% x") AS "max(% x)" FROM t"#,
            ),
            ("SELECT time, min(time) FROM t", r#"SELECT time, min(time) AS "min(time)" FROM t"#),
            ("SELECT 1, 2, count(*)", r#"SELECT 1 AS "1", 2 AS "2", count(*)"#),
            ("SELECT count(*), count(*)", r#"SELECT count(*) AS "count(*)", count(*) AS "count(*) (2)""#),
            ("SELECT a, max(b) FROM t", "SELECT a, max(b) FROM t"),
            ("SELECT max(b) AS x, min(b) FROM t", "SELECT max(b) AS x, min(b) FROM t"),
        ] {
            assert_eq!(of(sql), wanted);
        }
    }
}
