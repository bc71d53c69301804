//! Parses a query like polars.

use sqlparser::ast::{self, ObjectName, ShowStatementOptions};
use sqlparser::dialect::GenericDialect;
use sqlparser::parser::{Parser, ParserError, ParserOptions};
use sqlparser::tokenizer::Token;

use crate::QueryError;
use crate::bucket::bucketed;
use crate::defaults::settled;
use crate::information::merged;
use crate::intervals::spelled;
use crate::joins::checked;
use crate::needs::{Needs, name_of};
use crate::qualify::{qualify, table_of};
use crate::standard::{answerable, present, user_column};
use crate::times::{TimeTexts, constant, day, timed};

/// A parsed statement.
#[derive(Debug)]
pub(crate) enum Statement {
    /// Values.
    Select {
        /// What it reads.
        needs: Needs,
        /// The text for polars.
        sql: String,
    },
    /// The tables: `SHOW TABLES`.
    Tables,
    /// The columns of a table, as the query writes it: `DESCRIBE T`, `SHOW COLUMNS FROM T`.
    Columns(String),
}

/// `SHOW` without any condition.
const PLAIN: ShowStatementOptions = ShowStatementOptions {
    show_in: None,
    starts_with: None,
    limit: None,
    limit_from: None,
    filter_position: None,
};

impl Statement {
    /// Parses a statement over captures with these names; no names: over a single unnamed capture.
    pub(crate) fn parse(sql: &str, captures: &[&str]) -> Result<Statement, QueryError> {
        match parsed(sql)? {
            ast::Statement::Query(mut query) => {
                let has_user = user_column(&mut query);
                checked(&query)?;
                answerable(&query)?;
                let is_qualified = !captures.is_empty();
                let is_merged = merged(&mut query, is_qualified);
                if is_qualified {
                    qualify(&mut query, captures)?;
                }
                let is_present =
                    present(&mut query, &|now, is_day| if is_day { day(now) } else { constant(now) });
                let is_spelled = spelled(&mut query)? | is_present;
                let before = query.clone();
                timed(&mut query)?;
                let is_timed = *query != *before;
                let is_bucketed = bucketed(&mut query)? | is_spelled;
                let is_rewritten = is_bucketed || is_timed || is_qualified || is_merged || has_user;
                let text = if is_rewritten { query.to_string() } else { sql.to_owned() };
                Ok(Statement::Select { needs: Needs::of(&query)?, sql: settled(&query).unwrap_or(text) })
            }
            ast::Statement::ShowTables { show_options, .. } if show_options == PLAIN => Ok(Statement::Tables),
            ast::Statement::ShowColumns { show_options, .. } => columns(show_options, captures),
            ast::Statement::ExplainTable { table_name, .. } => named(&table_name, captures),
            _ => Err(unanswered()),
        }
    }
}

/// Which texts of times a query has, if it can be parsed.
pub fn time_texts(sql: &str) -> TimeTexts {
    let Ok(ast::Statement::Query(mut query)) = parsed(sql) else { return TimeTexts::default() };
    let is_present = present(&mut query, &|now, _| constant(now));
    let texts = timed(&mut query).unwrap_or_default();
    TimeTexts { is_any: texts.is_any || is_present, is_zoned: texts.is_zoned || is_present }
}

/// Parses a text that has to be a single statement.
pub(crate) fn parsed(sql: &str) -> Result<ast::Statement, QueryError> {
    let options = ParserOptions::new().with_trailing_commas(true);
    let parser = Parser::new(&GenericDialect).with_options(options).try_with_sql(sql);
    let statements = parser.and_then(|mut parser| all(&mut parser)).map_err(|error| match error {
        ParserError::TokenizerError(text) | ParserError::ParserError(text) => QueryError::Sql(reserved(text)),
        error @ ParserError::RecursionLimitExceeded => QueryError::Sql(error.to_string()),
    })?;
    let num_statements = statements.len();
    let mut statements = statements.into_iter();
    match (statements.next(), statements.next()) {
        (Some(statement), None) => Ok(statement),
        _ => Err(QueryError::Sql(format!("expected one statement, found {num_statements}"))),
    }
}

/// All statements of a text. The parser stops at `END`, as if it were that of a block.
fn all(parser: &mut Parser<'_>) -> Result<Vec<ast::Statement>, ParserError> {
    let statements = parser.parse_statements()?;
    let next = parser.peek_token();
    if next.token == Token::EOF {
        return Ok(statements);
    }
    Err(ParserError::ParserError(format!("Expected: end of statement, found: {next}")))
}

/// What the parser says, and how a column of `_processes` is written whose name is a word of SQL.
fn reserved(mut said: String) -> String {
    const WORDS: [&str; 3] = ["end", "start", "user"];
    let found = said.split_once("found: ").and_then(|(_, rest)| rest.split_whitespace().next());
    let word = found.and_then(|found| WORDS.into_iter().find(|word| word.eq_ignore_ascii_case(found)));
    if let Some(word) = word {
        said.push_str(&format!("; the column of _processes is written \"{word}\", in double quotes"));
    }
    said
}

fn columns(mut options: ShowStatementOptions, captures: &[&str]) -> Result<Statement, QueryError> {
    let table = options.show_in.take().and_then(|place| place.parent_name);
    match table {
        Some(table) if options == PLAIN => named(&table, captures),
        _ => Err(unanswered()),
    }
}

fn named(table: &ObjectName, captures: &[&str]) -> Result<Statement, QueryError> {
    if !captures.is_empty() {
        return table_of(table, captures).map(Statement::Columns);
    }
    name_of(table).map(|name| Statement::Columns(name.to_owned())).ok_or_else(unanswered)
}

fn unanswered() -> QueryError {
    let known = "only SELECT, WITH, SHOW TABLES, SHOW COLUMNS FROM and DESCRIBE are answered";
    QueryError::Sql(known.to_owned())
}

#[cfg(test)]
mod tests {
    use super::*;

    fn columns_of(sql: &str) -> String {
        match Statement::parse(sql, &[]).expect(sql) {
            Statement::Columns(table) => table,
            other => panic!("{sql}: {other:?}"),
        }
    }

    #[test]
    fn statements_are_distinguished() {
        for sql in ["SHOW TABLES", "show tables;"] {
            assert!(matches!(Statement::parse(sql, &[]), Ok(Statement::Tables)), "{sql}");
        }
        for sql in ["SELECT 1", "WITH a AS (SELECT 1) SELECT * FROM a", "(SELECT 1)", "FROM memory"] {
            assert!(matches!(Statement::parse(sql, &[]), Ok(Statement::Select { .. })), "{sql}");
        }
        for sql in
            [r#"DESCRIBE "Logical Disk""#, r#"desc "Logical Disk""#, r#"SHOW COLUMNS FROM "Logical Disk""#]
        {
            assert_eq!(columns_of(sql), "Logical Disk", "{sql}");
        }
        for object in ["Memory", "System", "Cache", "Server", "Process", "TCPv4"] {
            assert_eq!(columns_of(&format!("DESCRIBE {object}")), object);
        }
    }

    #[test]
    fn the_rest_is_refused() {
        for sql in [
            "",
            "SELEC x",
            "SELECT 1; SELECT 2",
            "DROP TABLE memory",
            "SHOW COLUMNS",
            "SHOW TABLES LIKE 'a%'",
            "DESCRIBE SELECT 1",
            "SELECT 'open",
        ] {
            assert!(matches!(Statement::parse(sql, &[]), Err(QueryError::Sql(_))), "{sql}");
        }
    }
}
