//! Merges the names of captures and tables: `monday.Processor` becomes one name, since polars has no schemas.

use std::collections::{BTreeMap, BTreeSet, HashSet};
use std::ops::ControlFlow;

use sqlparser::ast::{
    Expr, Ident, ObjectName, ObjectNamePart, Query, Select, SelectItem, SelectItemQualifiedWildcardKind,
    SetExpr, TableFactor, VisitMut, VisitorMut,
};

use crate::QueryError;
use crate::capture::joined;
use crate::information::is_information;

/// Rewrites a query over captures with these names.
pub(crate) fn qualify(query: &mut Query, captures: &[&str]) -> Result<(), QueryError> {
    let mut tables = OfTables { captures, ..OfTables::default() };
    if let ControlFlow::Break(error) = query.visit(&mut tables) {
        return Err(*error);
    }
    let mut columns = OfColumns { captures, tables };
    match query.visit(&mut columns) {
        ControlFlow::Break(error) => Err(*error),
        ControlFlow::Continue(()) => Ok(()),
    }
}

/// The merged name of a table in `DESCRIBE` or `FROM`.
pub(crate) fn table_of(name: &ObjectName, captures: &[&str]) -> Result<String, QueryError> {
    let known = || captures.iter().map(ToString::to_string).collect();
    let parts: Vec<&str> =
        name.0.iter().filter_map(ObjectNamePart::as_ident).map(|ident| ident.value.as_str()).collect();
    match (parts.as_slice(), captures) {
        ([table], [only]) => Ok(joined(only, table)),
        ([table], _) => Err(QueryError::Unqualified { name: (*table).to_owned(), captures: known() }),
        ([capture, table], _) => match named(capture, captures) {
            Some(capture) => Ok(joined(capture, table)),
            None => Err(QueryError::UnknownCapture { name: (*capture).to_owned(), captures: known() }),
        },
        _ => Err(QueryError::Sql(format!("{name}: a table is written as CAPTURE.TABLE"))),
    }
}

/// The capture with exactly this name, or with one that differs only in case.
fn named<'a>(name: &str, captures: &[&'a str]) -> Option<&'a str> {
    let same = |capture: &&&str| **capture == name;
    let alike = |capture: &&&str| capture.to_lowercase() == name.to_lowercase();
    captures.iter().find(same).or_else(|| captures.iter().find(alike)).copied()
}

/// The first pass: tables.
#[derive(Default)]
struct OfTables<'a> {
    captures: &'a [&'a str],
    /// Names that the query gives to queries (`WITH`).
    queries: HashSet<String>,
    /// Names that the query gives to tables (`AS`).
    aliases: HashSet<String>,
    /// Tables by their names within captures.
    tables: BTreeMap<String, BTreeSet<String>>,
}

impl VisitorMut for OfTables<'_> {
    type Break = Box<QueryError>;

    fn pre_visit_query(&mut self, query: &mut Query) -> ControlFlow<Self::Break> {
        let made = query.with.iter().flat_map(|with| &with.cte_tables);
        self.queries.extend(made.map(|made| made.alias.name.value.clone()));
        if has_whole_table(&query.body) {
            let instead = "with names of captures, write SELECT * FROM instead of TABLE";
            return ControlFlow::Break(Box::new(QueryError::Sql(instead.to_owned())));
        }
        ControlFlow::Continue(())
    }

    fn pre_visit_table_factor(&mut self, factor: &mut TableFactor) -> ControlFlow<Self::Break> {
        let TableFactor::Table { name, alias, args: None, .. } = factor else {
            return ControlFlow::Continue(());
        };
        self.aliases.extend(alias.iter().map(|alias| alias.name.value.clone()));
        let last = name.0.last().and_then(ObjectNamePart::as_ident).map(|part| part.value.clone());
        let last = last.unwrap_or_default();
        if name.0.len() == 1 && (self.queries.contains(&last) || is_information(&last)) {
            return ControlFlow::Continue(());
        }
        match table_of(name, self.captures) {
            Ok(full) => {
                if alias.is_none() {
                    self.tables.entry(last).or_default().insert(full.clone());
                }
                *name = ObjectName::from(vec![quoted(full)]);
                ControlFlow::Continue(())
            }
            Err(error) => ControlFlow::Break(Box::new(error)),
        }
    }
}

/// `TABLE T`, whose name can't be quoted.
fn has_whole_table(body: &SetExpr) -> bool {
    match body {
        SetExpr::Table(_) => true,
        SetExpr::SetOperation { left, right, .. } => has_whole_table(left) || has_whole_table(right),
        _ => false,
    }
}

fn quoted(name: String) -> Ident {
    Ident::with_quote('"', name)
}

/// The second pass: columns, once the query's names of tables are known.
struct OfColumns<'a> {
    captures: &'a [&'a str],
    tables: OfTables<'a>,
}

impl OfColumns<'_> {
    /// `monday.Processor` before a column or, if there is no other such table, `Processor`: returns the number of parts
    /// used, and the merged name.
    fn table(&self, parts: &[&str]) -> Option<(usize, String)> {
        let is_given =
            |name: &&&str| self.tables.queries.contains(**name) || self.tables.aliases.contains(**name);
        if let [capture, table, ..] = parts
            && !is_given(&capture)
            && let Some(capture) = named(capture, self.captures)
            && self.tables.tables.get(*table).is_some_and(|full| full.contains(&joined(capture, table)))
        {
            return Some((2, joined(capture, table)));
        }
        let first = parts.first().filter(|first| !is_given(first))?;
        let full = self.tables.tables.get(*first)?;
        full.first().filter(|_| full.len() == 1).map(|full| (1, full.clone()))
    }
}

impl VisitorMut for OfColumns<'_> {
    type Break = Box<QueryError>;

    fn pre_visit_select(&mut self, select: &mut Select) -> ControlFlow<Self::Break> {
        for item in &mut select.projection {
            let SelectItem::QualifiedWildcard(SelectItemQualifiedWildcardKind::ObjectName(name), _) = item
            else {
                continue;
            };
            let parts: Vec<&str> = name
                .0
                .iter()
                .filter_map(ObjectNamePart::as_ident)
                .map(|ident| ident.value.as_str())
                .collect();
            if let Some((len, full)) = self.table(&parts)
                && len == parts.len()
            {
                *name = ObjectName::from(vec![quoted(full)]);
            }
        }
        ControlFlow::Continue(())
    }

    fn pre_visit_expr(&mut self, expr: &mut Expr) -> ControlFlow<Self::Break> {
        if let Expr::CompoundIdentifier(parts) = expr {
            // The last part is the column.
            let names: Vec<&str> = parts.iter().map(|part| part.value.as_str()).collect();
            let before = &names[..names.len().saturating_sub(1)];
            if let Some((len, full)) = self.table(before) {
                parts.splice(..len, [quoted(full)]);
            }
        }
        ControlFlow::Continue(())
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::statement::parsed;

    fn qualified(sql: &str, captures: &[&str]) -> Result<String, QueryError> {
        let sqlparser::ast::Statement::Query(mut query) = parsed(sql)? else { panic!("{sql}") };
        qualify(&mut query, captures)?;
        Ok(query.to_string())
    }

    #[test]
    fn tables_and_columns_get_one_name() {
        for (sql, expected) in [
            ("SELECT x FROM a.T", r#"SELECT x FROM "a.T""#),
            (
                "SELECT a.T.x, T.y FROM A.T WHERE T.x > 1",
                r#"SELECT "a.T".x, "a.T".y FROM "a.T" WHERE "a.T".x > 1"#,
            ),
            (
                r#"SELECT a.T."% x", b.T."% x" FROM a.T JOIN b.T ON a.T.n = b.T.n"#,
                r#"SELECT "a.T"."% x", "b.T"."% x" FROM "a.T" JOIN "b.T" ON "a.T".n = "b.T".n"#,
            ),
            ("SELECT x.*, y.n FROM a.T x, b.T AS y", r#"SELECT x.*, y.n FROM "a.T" x, "b.T" AS y"#),
            (r#"SELECT a."The T".* FROM a."The T""#, r#"SELECT "a.The T".* FROM "a.The T""#),
            (
                "WITH T AS (SELECT * FROM b.U) SELECT T.x FROM T",
                r#"WITH T AS (SELECT * FROM "b.U") SELECT T.x FROM T"#,
            ),
        ] {
            assert_eq!(qualified(sql, &["a", "b"]).expect(sql), expected);
        }
        assert_eq!(qualified("SELECT T.x FROM T", &["a"]).expect("a query"), r#"SELECT "a.T".x FROM "a.T""#);
        assert_eq!(qualified("SELECT x FROM a.T", &["a"]).expect("a query"), r#"SELECT x FROM "a.T""#);
    }

    #[test]
    fn tables_of_no_capture_are_refused() {
        let refused = |sql: &str| qualified(sql, &["a", "b"]).expect_err(sql).to_string();
        assert_eq!(refused("SELECT x FROM T"), r#""T" is ambiguous: there are "a.T", "b.T""#);
        assert_eq!(refused("SELECT x FROM c.T"), r#"there is no capture "c"; there are "a", "b""#);
        assert!(refused("SELECT x FROM a.T UNION ALL TABLE T").contains("SELECT * FROM"));
        assert!(refused("SELECT x FROM a.b.T").contains("CAPTURE.TABLE"));
    }
}
