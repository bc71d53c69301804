//! `> 100 MiB/h`: a comparison, a number and its unit.

use std::fmt;

use crate::amount::Amount;

/// How a value is compared.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Comparison {
    /// `>`
    Above,
    /// `>=`
    AtLeast,
    /// `<`
    Below,
    /// `<=`
    AtMost,
}

/// A limit. For trends, the number is per hour.
#[derive(Clone, Debug, PartialEq)]
pub struct Threshold {
    /// The comparison.
    pub comparison: Comparison,
    /// The number, in the counter's unit.
    pub number: f64,
    amount: Amount,
    /// A trend's: to one hour.
    per: f64,
    /// As written in the rule.
    pub text: String,
}

impl Threshold {
    /// Reads a threshold. With `is_trend` it may name a time unit; without one it is per hour.
    pub fn parse(text: &str, is_trend: bool) -> Result<Threshold, String> {
        let trimmed = text.trim();
        let comparisons = [
            (">=", Comparison::AtLeast),
            ("<=", Comparison::AtMost),
            (">", Comparison::Above),
            ("<", Comparison::Below),
        ];
        let found =
            comparisons.iter().find_map(|(sign, comparison)| Some((trimmed.strip_prefix(sign)?, comparison)));
        let Some((rest, comparison)) = found else {
            return Err(format!(
                "{text:?} is not a threshold: it begins with >, >=, < or <=, as in \"> 90\""
            ));
        };
        let (quantity, per) = match rest.rsplit_once('/') {
            Some((quantity, per)) if is_trend => (quantity, per_hour(per.trim())?),
            Some(_) => return Err(format!("{text:?}: only the threshold of a trend is per time")),
            None => (rest, 1.0),
        };
        let amount = Amount::parse(quantity)?;
        let mut threshold =
            Threshold { comparison: *comparison, number: 0.0, amount, per, text: trimmed.to_owned() };
        threshold.number = amount.for_counters(std::iter::empty())? * per;
        Ok(threshold)
    }

    /// The same for values of counters, in the unit that their names tell.
    pub(super) fn for_counters<'c>(
        self,
        counters: impl Iterator<Item = &'c str>,
    ) -> Result<Threshold, String> {
        let number = self.amount.for_counters(counters).map_err(|what| format!("{:?}: {what}", self.text))?;
        Ok(Threshold { number: number * self.per, ..self })
    }

    /// The same for a share, in per cent.
    pub(super) fn of_share(self) -> Result<Threshold, String> {
        if self.amount.is_share() {
            Ok(self)
        } else {
            Err(format!("{:?} is no share, as in \"> 25 %\"", self.text))
        }
    }

    /// Whether a value is beyond the limit.
    pub fn holds(&self, value: f64) -> bool {
        match self.comparison {
            Comparison::Above => value > self.number,
            Comparison::AtLeast => value >= self.number,
            Comparison::Below => value < self.number,
            Comparison::AtMost => value <= self.number,
        }
    }

    /// Whether larger values are worse.
    pub fn is_upper(&self) -> bool {
        matches!(self.comparison, Comparison::Above | Comparison::AtLeast)
    }
}

impl fmt::Display for Threshold {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(&self.text)
    }
}

fn per_hour(per: &str) -> Result<f64, String> {
    match per {
        "h" => Ok(1.0),
        "min" => Ok(60.0),
        "s" => Ok(3600.0),
        other => Err(format!("a trend is per /h, /min or /s, not /{other}")),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn thresholds_have_units() {
        let number = |text: &str, is_trend| Threshold::parse(text, is_trend).map(|t| t.number);
        for (text, expected) in [
            ("> 90", 90.0),
            (">=1.5e3", 1500.0),
            ("< 10 %", 10.0),
            ("> 2 MiB", 2_097_152.0),
            ("<= 15ms", 0.015),
            ("> -3", -3.0),
        ] {
            assert_eq!(number(text, false), Ok(expected), "{text}");
        }
        assert_eq!(number("> 100 MB/h", true), Ok(1e8));
        assert_eq!(number("> 1 KB/s", true), Ok(3_600_000.0));
        assert_eq!(number("> 7", true), Ok(7.0));
        for bad in ["90", "> ", "> x", "> 5 parsecs", "> 5/h", "> 1e999", "> nan"] {
            assert!(number(bad, false).is_err(), "{bad}");
        }
        assert!(number("> 5/day", true).is_err());
    }

    #[test]
    fn limits_hold() {
        let holds = |text: &str, value| Threshold::parse(text, false).expect(text).holds(value);
        assert!(holds("> 1", 1.1) && !holds("> 1", 1.0) && holds(">= 1", 1.0));
        assert!(holds("< 1", 0.9) && !holds("< 1", 1.0) && holds("<= 1", 1.0));
        assert!(!holds("> 1", f64::NAN) && !holds("<= 1", f64::NAN));
    }
}
