//! Which tables and columns a `SELECT` needs.

use std::collections::{BTreeMap, BTreeSet, HashSet};
use std::ops::ControlFlow;

use sqlparser::ast::{
    Expr, Ident, Join, JoinConstraint, JoinOperator, ObjectName, ObjectNamePart, Query, Select, SelectItem,
    SetExpr, TableFactor, TableWithJoins, Visit, Visitor, visit_relations,
};

use crate::QueryError;

/// The tables and columns that a query names. If it doesn't name columns of a table, it needs all of them.
#[derive(Debug, Default)]
pub(crate) struct Needs {
    /// Tables as the query writes them, and whether it needs all of their columns.
    tables: BTreeMap<String, bool>,
    /// Columns of any table.
    columns: HashSet<String>,
}

impl Needs {
    pub(crate) fn of(query: &Query) -> Result<Needs, QueryError> {
        let mut walk = Walk::default();
        if let ControlFlow::Break(error) = query.visit(&mut walk) {
            return Err(*error);
        }
        let Walk { mut needs, given, aliases, words, needs_everything } = walk;
        // A whole row, written as the name of its table.
        let names_rows = words.iter().any(|word| aliases.contains(word));
        needs.tables.retain(|name, _| !given.contains(name));
        needs.tables.values_mut().for_each(|all| *all |= needs_everything || names_rows);
        needs.columns.extend(words);
        Ok(needs)
    }

    /// The tables, as the query writes them, except those that it defines itself (`WITH`).
    pub(crate) fn tables(&self) -> impl Iterator<Item = &str> {
        self.tables.keys().map(String::as_str)
    }

    /// The needs of some tables, with other names; `None` leaves a table out.
    pub(crate) fn of_tables<'t>(&'t self, own: impl Fn(&'t str) -> Option<&'t str>) -> Needs {
        let tables = self.tables.iter().filter_map(|(name, all)| Some((own(name)?.to_owned(), *all)));
        Needs { tables: tables.collect(), columns: self.columns.clone() }
    }

    /// The columns needed of a table that has any of these names in the query; `None`: all.
    pub(crate) fn columns_of(&self, names: &[&str]) -> Option<&HashSet<String>> {
        let needs_all = names.iter().any(|name| self.tables.get(*name).copied().unwrap_or_default());
        (!needs_all).then_some(&self.columns)
    }
}

/// The result of a walk through the query.
#[derive(Default)]
struct Walk {
    needs: Needs,
    /// Names that the query gives to queries (`WITH`).
    given: BTreeSet<String>,
    /// Names of tables, and their aliases.
    aliases: BTreeSet<String>,
    /// Unqualified names: columns, if they aren't tables.
    words: BTreeSet<String>,
    /// Columns are selected without naming them.
    needs_everything: bool,
}

impl Walk {
    fn table(&mut self, name: &ObjectName, needs_all: bool) {
        if let Some(name) = name_of(name) {
            *self.needs.tables.entry(name.to_owned()).or_default() |= needs_all;
            self.aliases.insert(name.to_owned());
        }
    }

    fn column(&mut self, ident: &Ident) {
        let name = &ident.value;
        // If joined tables share a column, polars names one of them `column:table`.
        let shared = name.match_indices(':').map(|(at, _)| name[..at].to_owned());
        self.needs.columns.extend(shared);
        self.needs.columns.insert(name.clone());
    }

    /// All columns of the tables from which a `SELECT` takes rows.
    fn all_of(&mut self, from: &TableWithJoins) {
        for factor in factors(from) {
            match factor {
                TableFactor::Table { name, args: None, .. } => self.table(name, true),
                TableFactor::NestedJoin { table_with_joins, .. } => self.all_of(table_with_joins),
                _ => {}
            }
        }
    }

    /// `TABLE T`
    fn whole_tables(&mut self, body: &SetExpr) {
        match body {
            SetExpr::Table(table) => {
                if let Some(name) = &table.table_name {
                    self.table(&ObjectName::from(vec![Ident::new(name)]), true);
                }
            }
            SetExpr::SetOperation { left, right, .. } => {
                self.whole_tables(left);
                self.whole_tables(right);
            }
            _ => {}
        }
    }

    /// Whether tables are joined by all columns that both have.
    fn joins_by_all(&mut self, from: &TableWithJoins) -> bool {
        let mut by_all = false;
        for join in &from.joins {
            match constraint(join) {
                Some(JoinConstraint::Using(columns)) => {
                    for column in
                        columns.iter().flat_map(|column| &column.0).filter_map(ObjectNamePart::as_ident)
                    {
                        self.column(column);
                    }
                }
                None | Some(JoinConstraint::Natural) => by_all = true,
                Some(JoinConstraint::On(_) | JoinConstraint::None) => {}
            }
        }
        by_all
    }
}

impl Visitor for Walk {
    type Break = Box<QueryError>;

    fn pre_visit_query(&mut self, query: &Query) -> ControlFlow<Self::Break> {
        for made in query.with.iter().flat_map(|with| &with.cte_tables) {
            let given = &made.alias.name.value;
            self.given.insert(given.clone());
            // polars would confuse the table with the `WITH` query of that name.
            let reads_itself = visit_relations(&made.query, |relation| match name_of(relation) {
                Some(name) if name == given => ControlFlow::Break(()),
                _ => ControlFlow::Continue(()),
            });
            // polars reports that it doesn't support recursion.
            if reads_itself.is_break() && !query.with.as_ref().is_some_and(|with| with.recursive) {
                return ControlFlow::Break(Box::new(QueryError::Shadowed(given.clone())));
            }
        }
        self.whole_tables(&query.body);
        ControlFlow::Continue(())
    }

    fn pre_visit_select(&mut self, select: &Select) -> ControlFlow<Self::Break> {
        let is_star =
            |item: &SelectItem| matches!(item, SelectItem::Wildcard(..) | SelectItem::QualifiedWildcard(..));
        // `FROM T` alone has no items.
        let has_star = select.projection.is_empty() || select.projection.iter().any(is_star);
        for from in &select.from {
            if self.joins_by_all(from) || has_star {
                self.all_of(from);
            }
        }
        ControlFlow::Continue(())
    }

    fn pre_visit_table_factor(&mut self, factor: &TableFactor) -> ControlFlow<Self::Break> {
        if let TableFactor::Table { name, alias, args: None, .. } = factor {
            // Aliases of columns refer to their positions.
            self.table(name, alias.as_ref().is_some_and(|alias| !alias.columns.is_empty()));
            self.aliases.extend(alias.iter().map(|alias| alias.name.value.clone()));
        }
        ControlFlow::Continue(())
    }

    fn pre_visit_expr(&mut self, expr: &Expr) -> ControlFlow<Self::Break> {
        match expr {
            Expr::Identifier(ident) => {
                self.column(ident);
                self.words.insert(ident.value.clone());
            }
            Expr::CompoundIdentifier(parts) => parts.iter().for_each(|part| self.column(part)),
            Expr::Wildcard(..) | Expr::QualifiedWildcard(..) => self.needs_everything = true,
            // `COLUMNS('a.*')`
            Expr::Function(function) if function.name.to_string().eq_ignore_ascii_case("columns") => {
                self.needs_everything = true;
            }
            _ => {}
        }
        ControlFlow::Continue(())
    }
}

/// The name of a table. There are no schemas: polars uses the first of several parts.
pub(crate) fn name_of(table: &ObjectName) -> Option<&str> {
    table.0.first()?.as_ident().map(|ident| ident.value.as_str())
}

fn factors(from: &TableWithJoins) -> impl Iterator<Item = &TableFactor> {
    std::iter::once(&from.relation).chain(from.joins.iter().map(|join| &join.relation))
}

/// The condition of a join; `None` for unknown kinds of joins.
fn constraint(join: &Join) -> Option<&JoinConstraint> {
    use JoinOperator as Op;
    match &join.join_operator {
        Op::Join(by)
        | Op::Inner(by)
        | Op::Left(by)
        | Op::LeftOuter(by)
        | Op::Right(by)
        | Op::RightOuter(by)
        | Op::FullOuter(by)
        | Op::CrossJoin(by)
        | Op::Semi(by)
        | Op::LeftSemi(by)
        | Op::RightSemi(by)
        | Op::Anti(by)
        | Op::LeftAnti(by)
        | Op::RightAnti(by) => Some(by),
        _ => None,
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::statement::Statement;

    fn needs(sql: &str) -> Needs {
        match Statement::parse(sql, &[]).expect(sql) {
            Statement::Select { needs, .. } => needs,
            other => panic!("{sql}: {other:?}"),
        }
    }

    /// Checks the tables (with a star if all columns are needed), and that of the others the columns `wanted` are
    /// needed and `spared` aren't.
    fn check(sql: &str, tables: &[&str], wanted: &[&str], spared: &[&str]) {
        let needs = needs(sql);
        let star = |(name, all): (&String, &bool)| if *all { format!("{name}*") } else { name.clone() };
        assert_eq!(needs.tables.iter().map(star).collect::<Vec<_>>(), tables, "{sql}");
        for column in wanted {
            assert!(needs.columns.contains(*column), "{sql}: {column}");
        }
        for column in spared {
            assert!(!needs.columns.contains(*column), "{sql}: {column}");
        }
    }

    #[test]
    fn columns_are_those_that_expressions_name() {
        check(
            r#"SELECT avg("% User Time") AS "% Idle Time", count(*), p."a""b" FROM Processor p
               WHERE instance = 'host' GROUP BY interval_s HAVING min(x) > 1 ORDER BY "y" -- "z" "#,
            &["Processor"],
            &["% User Time", "a\"b", "instance", "interval_s", "x", "y"],
            &["% Idle Time", "host", "z", "time"],
        );
    }

    #[test]
    fn a_star_needs_the_tables_of_its_own_select() {
        check("SELECT * FROM a", &["a*"], &[], &[]);
        check("SELECT x.* FROM a x JOIN b USING (time)", &["a*", "b*"], &["time"], &[]);
        check("SELECT * FROM (SELECT time FROM a) s", &["a"], &["time"], &[]);
        check("SELECT time FROM (SELECT * FROM a), b", &["a*", "b"], &["time"], &[]);
        check(
            "SELECT v AS m FROM (SELECT max(u) AS v FROM b) AS z, a WHERE w IN (SELECT * FROM c)",
            &["a", "b", "c*"],
            &["u", "v", "w"],
            &["m"],
        );
        check("FROM a", &["a*"], &[], &[]);
        check("SELECT x FROM b UNION ALL TABLE a", &["a*", "b"], &["x"], &[]);
        check("SELECT count(*) FROM (a JOIN b ON a.u = b.v)", &["a", "b"], &["u", "v"], &[]);
    }

    #[test]
    fn names_that_the_query_gives_are_no_tables() {
        check(
            r#"WITH busy AS (SELECT * FROM "Network Interface"), more AS (SELECT t FROM busy) SELECT * FROM more, Processor"#,
            &["Network Interface*", "Processor*"],
            &["t"],
            &[],
        );
        check("WITH memory AS (SELECT x FROM Memory) SELECT * FROM memory", &["Memory"], &["x"], &[]);
        let shadowed = Statement::parse("WITH Memory AS (SELECT x FROM Memory) SELECT * FROM Memory", &[]);
        assert!(matches!(shadowed, Err(QueryError::Shadowed(name)) if name == "Memory"));
    }

    #[test]
    fn in_doubt_all_columns_are_needed() {
        for sql in [
            "SELECT u FROM a NATURAL JOIN b",
            "SELECT COLUMNS('u.*') FROM a, b",
            "SELECT p FROM a p, b",
            "SELECT a FROM a, b",
            "SELECT u FROM a AS x (t, u), b AS y (v, w)",
        ] {
            check(sql, &["a*", "b*"], &[], &[]);
        }
    }

    #[test]
    fn polars_names_of_joined_columns_need_both() {
        check(
            r#"SELECT "host:b", "% x:y:b" FROM a JOIN b USING (time)"#,
            &["a", "b"],
            &["host", "% x", "% x:y", "time"],
            &[],
        );
    }
}
