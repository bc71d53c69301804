//! Lengths of time as people write them.

use std::fmt;
use std::str::FromStr;

use jiff::SignedDuration;

use crate::Timestamp;

/// A length of time as people write it: `15s`, `5m`, `1h30m`. It is longer than zero.
///
/// ```
/// use recount_model::Period;
///
/// let period: Period = "1h30m".parse()?;
/// assert_eq!(period.duration().as_secs(), 5_400);
/// assert!("0s".parse::<Period>().is_err());
/// # Ok::<(), recount_model::PeriodError>(())
/// ```
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub struct Period(SignedDuration);

/// Why a text isn't a length of time.
#[derive(Clone, Copy, Debug, PartialEq, Eq, thiserror::Error)]
#[non_exhaustive]
pub enum PeriodError {
    /// Not a duration.
    #[error("expected a duration such as 15s, 5m or 1h30m")]
    Unknown,
    /// Below zero.
    #[error("a duration can't be negative")]
    Negative,
    /// Zero.
    #[error("a duration must be longer than zero")]
    Zero,
}

impl Period {
    /// As a duration.
    pub fn duration(self) -> SignedDuration {
        self.0
    }

    /// In ticks of 100 ns.
    pub fn ticks(self) -> i64 {
        const NANOS_PER_TICK: i128 = 1_000_000_000 / Timestamp::TICKS_PER_SECOND as i128;
        i64::try_from(self.0.as_nanos() / NANOS_PER_TICK).unwrap_or(i64::MAX)
    }

    /// Reads a length of time that may also be zero.
    pub fn parse_or_zero(text: &str) -> Result<SignedDuration, PeriodError> {
        match text.parse::<SignedDuration>() {
            Ok(duration) if duration.is_negative() => Err(PeriodError::Negative),
            Ok(duration) => Ok(duration),
            Err(_) => Err(PeriodError::Unknown),
        }
    }
}

impl FromStr for Period {
    type Err = PeriodError;

    fn from_str(text: &str) -> Result<Period, PeriodError> {
        let duration = Period::parse_or_zero(text)?;
        if duration.is_zero() { Err(PeriodError::Zero) } else { Ok(Period(duration)) }
    }
}

impl fmt::Display for Period {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{:#}", self.0)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn periods_are_longer_than_zero() {
        for (text, seconds) in [("15s", 15), ("5m", 300), ("1h30m", 5_400), ("PT2M", 120)] {
            let period: Period = text.parse().expect(text);
            assert_eq!(
                (period.duration().as_secs(), period.ticks()),
                (seconds, seconds * 10_000_000),
                "{text}"
            );
            assert_eq!(period.to_string().parse(), Ok(period), "{period}");
        }
        for (text, error) in [
            ("", PeriodError::Unknown),
            ("5", PeriodError::Unknown),
            ("soon", PeriodError::Unknown),
            ("-5m", PeriodError::Negative),
            ("5m ago", PeriodError::Negative),
            ("0s", PeriodError::Zero),
        ] {
            assert_eq!(text.parse::<Period>(), Err(error), "{text}");
        }
        assert_eq!(Period::parse_or_zero("0s"), Ok(SignedDuration::ZERO));
        assert_eq!(Period::parse_or_zero("-1s"), Err(PeriodError::Negative));
        assert_eq!("9000000000h".parse::<Period>().map(Period::ticks), Ok(i64::MAX));
    }
}
