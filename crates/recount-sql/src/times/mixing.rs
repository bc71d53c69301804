//! Times beside other values: compared, added, subtracted, or in one expression. Texts become times; the rest is refused.

use std::ops::ControlFlow;

use sqlparser::ast::{BinaryOperator, DateTimeField, Expr, Function};
use sqlparser::dialect::GenericDialect;
use sqlparser::parser::Parser;

use super::kinds::{Kind, arguments_mut, gives_an_argument};
use super::{Times, date_text, text_of, time_of_day};

const DONE: ControlFlow<String> = ControlFlow::Continue(());

impl Times {
    pub(super) fn binary(
        &mut self,
        left: &mut Expr,
        op: &BinaryOperator,
        right: &mut Expr,
    ) -> ControlFlow<String> {
        use BinaryOperator::{
            Divide, Eq, Gt, GtEq, Lt, LtEq, Minus, Modulo, Multiply, NotEq, Plus, Spaceship,
        };
        match op {
            Eq | Gt | GtEq | Lt | LtEq | NotEq | Spaceship => self.compared([left, right]),
            Plus | Minus => self.added(left, op, right),
            Multiply | Divide | Modulo => {
                let is_time = [&*left, &*right].iter().any(|one| self.kind(one) == Kind::Time);
                if is_time {
                    let what = format!(
                        "{left} {op} {right}: a time isn't multiplied or divided; extract(EPOCH FROM time) is a number"
                    );
                    return ControlFlow::Break(what);
                }
                DONE
            }
            _ => DONE,
        }
    }

    /// Values that are compared with each other.
    pub(super) fn compared<const N: usize>(&mut self, values: [&mut Expr; N]) -> ControlFlow<String> {
        let kinds = values.each_ref().map(|one| self.kind(one));
        if kinds.contains(&Kind::Time) {
            return values.into_iter().try_for_each(|one| self.beside_time(one, "compared"));
        }
        if kinds.contains(&Kind::Length) {
            let is_wrong = |kind: &Kind| matches!(kind, Kind::Other | Kind::Text | Kind::Day);
            return match kinds.iter().position(is_wrong) {
                Some(place) => ControlFlow::Break(format!(
                    "the length between two times is compared with {}, which isn't one; write INTERVAL '33 seconds', \
                     or compare extract(EPOCH FROM ...), which is in seconds",
                    values[place]
                )),
                None => DONE,
            };
        }
        if kinds.contains(&Kind::Day) {
            for one in values {
                if let Some(text) = text_of(one) {
                    self.put_day(one, &text)?;
                }
            }
        }
        DONE
    }

    /// What is compared with a time, or takes its place.
    pub(super) fn beside_time(&mut self, expr: &mut Expr, how: &str) -> ControlFlow<String> {
        if let Some(time) = time_of_day(expr) {
            *expr = time;
            return DONE;
        }
        match text_of(expr).or_else(|| date_text(expr)) {
            Some(text) => self.put(expr, &text),
            None if self.is_no_time(expr) => ControlFlow::Break(format!(
                "a time is {how} with {expr}, which isn't a time; write times as '2026-11-25T14:00:33Z'"
            )),
            None => DONE,
        }
    }

    /// Sums and differences.
    fn added(&mut self, left: &mut Expr, op: &BinaryOperator, right: &mut Expr) -> ControlFlow<String> {
        use Kind::{Length, Other, Text, Time};
        let is_minus = *op == BinaryOperator::Minus;
        match (self.kind(left), self.kind(right)) {
            (Text, Length) => self.put_operand(left),
            (Text, Time) if is_minus => self.put_operand(left),
            (Length, Text) if !is_minus => self.put_operand(right),
            (Time, Text) if is_minus => self.put_operand(right),
            (Time | Length, Other | Text) | (Other | Text, Time) | (Other, Length) => {
                ControlFlow::Break(format!(
                    "{left} {op} {right}: a number or a text isn't added to a time or subtracted from it; \
                     write time {op} INTERVAL '90 minutes', and times as timestamp '2026-11-25T14:00:33Z'"
                ))
            }
            (Time, Time) if !is_minus => {
                ControlFlow::Break(format!("{left} {op} {right}: two times aren't added; subtract them"))
            }
            (Length, Time) if is_minus => ControlFlow::Break(format!(
                "{left} {op} {right}: a time isn't subtracted from an interval; write time - INTERVAL '90 minutes'"
            )),
            _ => DONE,
        }
    }

    fn put_operand(&mut self, expr: &mut Expr) -> ControlFlow<String> {
        let Some(text) = text_of(expr) else { return DONE };
        match self.put(expr, &text) {
            ControlFlow::Break(what) => ControlFlow::Break(format!(
                "{what}; write times as timestamp '2026-11-25T14:00:33Z', and intervals as INTERVAL '90 minutes'"
            )),
            ControlFlow::Continue(()) => DONE,
        }
    }

    /// Functions that give one of their arguments, and functions of times.
    pub(super) fn function(&mut self, function: &mut Function) -> ControlFlow<String> {
        let name = function.name.to_string().to_lowercase();
        if gives_an_argument(&name) {
            return self.mixed(arguments_mut(function).collect());
        }
        match name.as_str() {
            "date_part" => match arguments_mut(function).find(|one| self.kind(one) == Kind::Length) {
                Some(length) => ControlFlow::Break(format!(
                    "date_part takes a time, and {length} is the length between two; write extract(EPOCH FROM {length})"
                )),
                None => DONE,
            },
            "if" => self.mixed(arguments_mut(function).skip(1).collect()),
            "date_trunc" | "time_bucket" => {
                let written = function.to_string();
                let mut all = arguments_mut(function);
                let (Some(first), Some(time)) = (all.next(), all.next()) else { return DONE };
                match (self.kind(first), self.kind(time)) {
                    // The arguments are the wrong way around, which is refused later.
                    (Kind::Time, _) => DONE,
                    (_, Kind::Text | Kind::Day) => self.beside_time(time, "mixed"),
                    (_, Kind::Other | Kind::Length) => ControlFlow::Break(format!(
                        "{written} rounds {time}, which isn't a time; write {name}({first}, time)"
                    )),
                    _ => DONE,
                }
            }
            _ => DONE,
        }
    }

    /// Values of which one is given: if one is a time, all are.
    pub(super) fn mixed(&mut self, values: Vec<&mut Expr>) -> ControlFlow<String> {
        if values.iter().any(|one| self.kind(one) == Kind::Time) {
            return values.into_iter().try_for_each(|one| self.beside_time(one, "mixed"));
        }
        DONE
    }

    /// A part of the length between two times, which polars doesn't know: seconds only.
    pub(super) fn extracted(&self, field: &DateTimeField, of: &Expr) -> ControlFlow<String, Option<Expr>> {
        if self.kind(of) != Kind::Length {
            return ControlFlow::Continue(None);
        }
        if *field != DateTimeField::Epoch {
            return ControlFlow::Break(format!(
                "extract({field} FROM {of}): of the length between two times, only extract(EPOCH FROM ...) is answered: seconds"
            ));
        }
        let sql = format!("(CAST(({of}) AS BIGINT) / 1000000000.0)");
        let parsed = Parser::new(&GenericDialect).try_with_sql(&sql).and_then(|mut sql| sql.parse_expr());
        parsed.map_or_else(
            |error| ControlFlow::Break(error.to_string()),
            |expr| ControlFlow::Continue(Some(expr)),
        )
    }
}
