//! Which conditions of joins are answered.
//!
//! polars filters behind a join by every condition that doesn't compare both sides for equality. That is right for an
//! inner join only: an outer join would lose the rows without a partner, and an anti join would keep those that have one.

use std::ops::ControlFlow;

use sqlparser::ast::{
    BinaryOperator, Expr, Join, JoinConstraint, JoinOperator, Query, Select, TableFactor, Visit, Visitor,
};

use crate::QueryError;

/// Refuses joins that would be answered wrongly.
pub(crate) fn checked(query: &Query) -> Result<(), QueryError> {
    match query.visit(&mut Joins) {
        ControlFlow::Break(what) => Err(QueryError::Sql(what)),
        ControlFlow::Continue(()) => Ok(()),
    }
}

struct Joins;

impl Visitor for Joins {
    type Break = String;

    fn pre_visit_select(&mut self, select: &Select) -> ControlFlow<String> {
        select.from.iter().flat_map(|table| &table.joins).try_for_each(check)
    }

    fn pre_visit_table_factor(&mut self, table: &TableFactor) -> ControlFlow<String> {
        match table {
            TableFactor::NestedJoin { table_with_joins, .. } => {
                table_with_joins.joins.iter().try_for_each(check)
            }
            _ => ControlFlow::Continue(()),
        }
    }
}

fn check(join: &Join) -> ControlFlow<String> {
    use JoinOperator::{
        Anti, CrossJoin, FullOuter, Inner, Left, LeftAnti, LeftOuter, LeftSemi, Right, RightAnti, RightOuter,
        RightSemi, Semi, StraightJoin,
    };
    let (constraint, is_inner) = match &join.join_operator {
        JoinOperator::Join(constraint)
        | Inner(constraint)
        | CrossJoin(constraint)
        | StraightJoin(constraint) => (constraint, true),
        Left(constraint)
        | LeftOuter(constraint)
        | Right(constraint)
        | RightOuter(constraint)
        | FullOuter(constraint)
        | Semi(constraint)
        | LeftSemi(constraint)
        | RightSemi(constraint)
        | Anti(constraint)
        | LeftAnti(constraint)
        | RightAnti(constraint) => (constraint, false),
        // polars refuses these.
        _ => return ControlFlow::Continue(()),
    };
    let JoinConstraint::On(condition) = constraint else { return ControlFlow::Continue(()) };
    let mut conditions = Vec::new();
    split(condition, &mut conditions);
    let is_unfit = |one: &&Expr| match one {
        Expr::BinaryOp { left, op: BinaryOperator::Eq, right } => !compares_tables(left, right),
        _ => !is_inner,
    };
    let Some(unfit) = conditions.into_iter().find(is_unfit) else { return ControlFlow::Continue(()) };
    let instead = if is_inner {
        "put it into WHERE"
    } else {
        "put a condition on one table into a subselect: LEFT JOIN (SELECT ... WHERE ...) AS b ON a.time = b.time"
    };
    let kinds = if is_inner { "a join" } else { "an outer, semi or anti join" };
    ControlFlow::Break(format!(
        "the ON of {kinds} may only have equalities between its two tables, joined by AND; found {unfit}; {instead}"
    ))
}

/// The parts of a conjunction.
fn split<'e>(condition: &'e Expr, parts: &mut Vec<&'e Expr>) {
    match condition {
        Expr::BinaryOp { left, op: BinaryOperator::And, right } => {
            split(left, parts);
            split(right, parts);
        }
        Expr::Nested(inner) => split(inner, parts),
        one => parts.push(one),
    }
}

/// Whether two expressions are about different tables, as far as they say so.
fn compares_tables(left: &Expr, right: &Expr) -> bool {
    let (left, right) = (Tables::of(left), Tables::of(right));
    left.has_columns
        && right.has_columns
        && left.names.len() <= 1
        && right.names.len() <= 1
        && (left.names.is_empty() || left.names != right.names)
}

/// What the columns of an expression say of their tables.
#[derive(Default)]
struct Tables {
    has_columns: bool,
    /// In lower case, each once.
    names: Vec<String>,
}

impl Tables {
    fn of(expr: &Expr) -> Tables {
        let mut tables = Tables::default();
        let _ = expr.visit(&mut tables);
        tables
    }
}

impl Visitor for Tables {
    type Break = ();

    fn pre_visit_expr(&mut self, expr: &Expr) -> ControlFlow<()> {
        match expr {
            Expr::Identifier(_) => self.has_columns = true,
            Expr::CompoundIdentifier(parts) => {
                self.has_columns = true;
                let table =
                    parts[..parts.len().saturating_sub(1)].iter().map(|part| part.value.to_lowercase());
                let table = table.collect::<Vec<_>>().join(".");
                if !self.names.contains(&table) {
                    self.names.push(table);
                }
            }
            _ => {}
        }
        ControlFlow::Continue(())
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::statement::parsed;

    fn is_answered(join: &str) -> bool {
        let sql = format!("SELECT a.x FROM a {join}");
        let sqlparser::ast::Statement::Query(query) = parsed(&sql).expect("SQL") else { panic!("{sql}") };
        match checked(&query) {
            Ok(()) => true,
            Err(error) => {
                let said = error.to_string();
                assert!(said.contains("subselect") || said.contains("WHERE"), "{said}");
                false
            }
        }
    }

    #[test]
    fn outer_joins_have_equalities_only() {
        for kind in ["LEFT", "RIGHT", "FULL", "LEFT OUTER", "FULL OUTER", "LEFT ANTI", "ANTI", "SEMI"] {
            for on in ["a.time = b.time", "a.time = b.time AND a.x + 1 = b.y", "a.time = b.time AND x = y"] {
                assert!(is_answered(&format!("{kind} JOIN b ON {on}")), "{kind} {on}");
            }
            for on in [
                "a.time = b.time AND b.y > 5",
                "(a.time = b.time AND b.y > 5)",
                "a.x < b.y",
                "a.time = b.time AND b.y = 5",
                "a.time = b.time AND a.x = a.u",
                "a.time = b.time AND b.y <> 5",
                "a.time = b.time AND b.y IS NOT NULL",
                "a.time = b.time AND b.y BETWEEN 1 AND 2",
                "a.time = b.time OR b.y = 5",
                "a.time = b.time AND a.x + b.y = b.z",
            ] {
                assert!(!is_answered(&format!("{kind} JOIN b ON {on}")), "{kind} {on}");
                let nested = format!(
                    "JOIN (SELECT c.x FROM c {kind} JOIN b ON {}) d USING (time)",
                    on.replace("a.", "c.")
                );
                assert!(!is_answered(&nested), "{nested}");
            }
            assert!(is_answered(&format!("{kind} JOIN b USING (time)")));
        }
    }

    #[test]
    fn inner_joins_may_have_other_comparisons() {
        assert!(is_answered("JOIN b ON a.time = b.time AND b.y > 5"));
        assert!(is_answered("CROSS JOIN b"));
        assert!(!is_answered("JOIN b ON a.time = b.time AND b.y = 5"));
    }
}
