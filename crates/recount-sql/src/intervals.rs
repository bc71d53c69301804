//! Intervals: `INTERVAL '1 hour'`, `INTERVAL '1' HOUR`, `INTERVAL '1 day 2 h'`. polars panics at some that it can't read, so they
//! are read here, and written as it expects them.

use std::ops::ControlFlow;

use sqlparser::ast::{Expr, Interval, Query, Value, VisitMut, VisitorMut};

use crate::QueryError;

const SECOND: i64 = 1_000_000_000;
const DAY: i64 = 86_400 * SECOND;
/// Names of units: the first is that of polars, the others are abbreviations. With their lengths, at most, in nanoseconds.
const UNITS: [(&[&str], i64); 11] = [
    (&["nanosecond", "ns"], 1),
    (&["microsecond", "us"], 1_000),
    (&["millisecond", "ms"], 1_000_000),
    (&["second", "s", "sec"], SECOND),
    (&["minute", "m", "min"], 60 * SECOND),
    (&["hour", "h", "hr"], 3_600 * SECOND),
    (&["day", "d"], DAY),
    (&["week", "w"], 7 * DAY),
    (&["month", "mo", "mon"], 31 * DAY),
    (&["quarter", "q"], 92 * DAY),
    (&["year", "y", "yr"], 366 * DAY),
];

/// Rewrites the intervals of a query. Returns whether any is changed.
pub(crate) fn spelled(query: &mut Query) -> Result<bool, QueryError> {
    let mut spell = Spell(false);
    match VisitMut::visit(query, &mut spell) {
        ControlFlow::Break(what) => Err(QueryError::Sql(what)),
        ControlFlow::Continue(()) => Ok(spell.0),
    }
}

struct Spell(bool);

impl VisitorMut for Spell {
    type Break = String;

    fn post_visit_expr(&mut self, expr: &mut Expr) -> ControlFlow<String> {
        let Expr::Interval(interval) = expr else { return ControlFlow::Continue(()) };
        let Some(text) = text_of(interval) else {
            return ControlFlow::Break(format!("{interval} isn't understood; write INTERVAL '90 minutes'"));
        };
        let Some(spelled) = in_words(&text) else {
            return ControlFlow::Break(format!(
                "expected an interval of whole numbers and units, such as INTERVAL '90 minutes' or INTERVAL '1 day 2 hours', \
                 found '{text}'; to go back, subtract it"
            ));
        };
        let value = Expr::value(Value::SingleQuotedString(spelled));
        let plain = Interval { value: Box::new(value), ..no_fields(interval) };
        self.0 |= *interval != plain;
        *interval = plain;
        ControlFlow::Continue(())
    }
}

fn no_fields(interval: &Interval) -> Interval {
    Interval {
        leading_field: None,
        leading_precision: None,
        last_field: None,
        fractional_seconds_precision: None,
        ..interval.clone()
    }
}

/// Number and unit, from within or behind the quotes.
fn text_of(interval: &Interval) -> Option<String> {
    let Expr::Value(value) = &*interval.value else { return None };
    let (Value::SingleQuotedString(text) | Value::Number(text, _)) = &value.value else { return None };
    if interval.last_field.is_some() || interval.leading_precision.is_some() {
        return None;
    }
    Some(match &interval.leading_field {
        Some(unit) => format!("{text} {unit}"),
        None => text.clone(),
    })
}

/// `1 hour 30 minutes`; `None` if that isn't what it says, or if it is longer than times can be apart.
fn in_words(text: &str) -> Option<String> {
    let (mut words, mut total, mut rest) = (Vec::new(), 0_i64, text.trim());
    while !rest.is_empty() {
        let digits = rest.find(|c: char| !c.is_ascii_digit())?;
        let number: i64 = rest[..digits].parse().ok()?;
        rest = rest[digits..].trim_start();
        let len = rest.find(|c: char| !c.is_ascii_alphabetic()).unwrap_or(rest.len());
        let (name, len_unit) = unit(&rest[..len])?;
        total = total.checked_add(number.checked_mul(len_unit)?)?;
        words.push(format!("{number} {name}"));
        rest = rest[len..].trim_start_matches(|c: char| c == ',' || c.is_whitespace());
    }
    (!words.is_empty()).then(|| words.join(" "))
}

fn unit(written: &str) -> Option<(&'static str, i64)> {
    let written = written.to_lowercase();
    let is_it =
        |name: &&str| written == **name || (name.len() > 1 && written.strip_suffix('s') == Some(name));
    UNITS.iter().find(|(names, _)| names.iter().any(&is_it)).map(|(names, len)| (names[0], *len))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn intervals_are_read_or_refused() {
        for (text, words) in [
            ("1 hour", "1 hour"),
            ("90m", "90 minute"),
            ("1 Day, 2 hrs", "1 day 2 hour"),
            ("5 MINUTE", "5 minute"),
            ("1 mon", "1 month"),
            ("10 ms", "10 millisecond"),
            ("3 mins 4 s", "3 minute 4 second"),
        ] {
            assert_eq!(in_words(text).as_deref(), Some(words), "{text}");
        }
        for text in [
            "",
            "1",
            "hour",
            "1 foo",
            "1:00",
            "1.5 hours",
            "-1 hour",
            "1 week ago",
            "99999999999999 hours",
            "1 é",
        ] {
            assert_eq!(in_words(text), None, "{text}");
        }
    }
}
