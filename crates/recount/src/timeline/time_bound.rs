//! Parses the bounds of a span of time as people write them.

use std::fmt;
use std::str::FromStr;

use jiff::SignedDuration;
use jiff::civil::{DateTime, Time};
use jiff::tz::Offset;
use recount_model::{Period, PeriodError, Timestamp};

use crate::{Span, TimeBound};

/// Why a text is not a [`TimeBound`].
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
#[error("{0}")]
pub struct TimeBoundError(String);

impl FromStr for TimeBound {
    type Err = TimeBoundError;

    /// Accepts a moment (`2013-02-20T02:55:00Z`), a local time of the capture (`2013-02-19T18:55`), a local time of its
    /// first day that has it (`18:55`), an offset from the first (`+5m`) or the last sample (`-30s`), or a mark (`mark:TEXT`,
    /// `mark+5m:TEXT`).
    fn from_str(text: &str) -> Result<TimeBound, TimeBoundError> {
        if let Some(bound) = mark_bound(text) {
            return bound;
        }
        if let Some(after) = text.strip_prefix('+') {
            return Ok(TimeBound::FromStart(interval_or_zero(after)?));
        }
        if let Some(before) = text.strip_prefix('-') {
            return Ok(TimeBound::FromEnd(interval_or_zero(before)?));
        }
        if let Ok(time) = text.parse::<jiff::Timestamp>() {
            return Ok(TimeBound::Utc(Timestamp::from_jiff(time)));
        }
        let local = text.parse::<DateTime>().ok().and_then(|civil| Offset::UTC.to_timestamp(civil).ok());
        if let Some(time) = local {
            return Ok(TimeBound::Local(Timestamp::from_jiff(time)));
        }
        match text.parse::<Time>() {
            Ok(time) if text.contains(':') => Ok(TimeBound::TimeOfDay(time.duration_since(Time::midnight()))),
            _ => Err(TimeBoundError(
                "expected a time (2013-02-20T02:55:00Z, or local 2013-02-19T18:55, or just 18:55), an \
                 offset (+5m, -30s) or a mark (mark:TEXT, mark+5m:TEXT)"
                    .to_owned(),
            )),
        }
    }
}

impl FromStr for Span {
    type Err = TimeBoundError;

    /// Accepts two times with `..` between them: `14:00..14:10`, `mark:a..mark:b`. Without the first it is from the beginning, without
    /// the second to the end.
    fn from_str(text: &str) -> Result<Span, TimeBoundError> {
        let bound = |text: &str| match text {
            "" => Ok(None),
            text => text.parse::<TimeBound>().map(Some),
        };
        let mut error = None;
        // The text of a mark may have dots.
        for (at, dots) in text.match_indices("..") {
            match (bound(&text[..at]), bound(&text[at + dots.len()..])) {
                (Ok(None), Ok(None)) => {}
                (Ok(begin), Ok(end)) => return Ok(Span { begin, end, ..Span::default() }),
                (Err(found), _) | (_, Err(found)) => drop(error.get_or_insert(found)),
            }
        }
        Err(error.unwrap_or_else(|| {
            TimeBoundError("expected two times with .. between them: 14:00..14:10, mark:a..mark:b".to_owned())
        }))
    }
}

impl fmt::Display for Span {
    /// As [`FromStr`] reads it. How samples are thinned out isn't written.
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let text = |bound: &Option<TimeBound>| bound.as_ref().map_or_else(String::new, ToString::to_string);
        write!(f, "{}..{}", text(&self.begin), text(&self.end))
    }
}

impl fmt::Display for TimeBound {
    /// As [`FromStr`] reads it.
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            TimeBound::Utc(time) => time.fmt(f),
            TimeBound::Local(time) => f.write_str(&time.without_zone()),
            TimeBound::TimeOfDay(since_midnight) => {
                let (seconds, nanos) = (since_midnight.as_secs(), since_midnight.subsec_nanos());
                write!(f, "{:02}:{:02}:{:02}", seconds / 3_600, seconds / 60 % 60, seconds % 60)?;
                if nanos == 0 { Ok(()) } else { write!(f, ".{nanos:09}") }
            }
            TimeBound::FromStart(after) => write!(f, "+{after:#}"),
            TimeBound::FromEnd(before) => write!(f, "-{before:#}"),
            TimeBound::Mark { text, offset } if offset.is_zero() => write!(f, "mark:{text}"),
            TimeBound::Mark { text, offset } => {
                let sign = if offset.is_negative() { '-' } else { '+' };
                write!(f, "mark{sign}{:#}:{text}", offset.abs())
            }
        }
    }
}

/// Parses `mark:TEXT`, possibly with an offset before the colon, so that any text can follow. `None`: it
/// isn't a mark.
fn mark_bound(text: &str) -> Option<Result<TimeBound, TimeBoundError>> {
    let (offset, text) = text.strip_prefix("mark")?.split_once(':')?;
    let offset = match offset.split_at_checked(1) {
        None if offset.is_empty() => Ok(SignedDuration::ZERO),
        Some(("+", after)) => interval_or_zero(after),
        Some(("-", before)) => interval_or_zero(before).map(|before| -before),
        _ => return None,
    };
    Some(offset.and_then(|offset| match text {
        "" => Err(TimeBoundError(
            "which mark? write mark:TEXT, with the text as recount info shows it".to_owned(),
        )),
        text => Ok(TimeBound::Mark { text: text.to_owned(), offset }),
    }))
}

fn interval_or_zero(text: &str) -> Result<SignedDuration, TimeBoundError> {
    Period::parse_or_zero(text).map_err(|error| {
        let text = match error {
            PeriodError::Negative => "an offset needs a sign: +5m or -5m",
            _ => "expected an offset such as +5m or -30s",
        };
        TimeBoundError(text.to_owned())
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_time_of_day_is_neither_a_date_nor_an_offset() {
        let parse = |text: &str| text.parse::<TimeBound>();
        assert_eq!(parse("18:55"), Ok(TimeBound::TimeOfDay(SignedDuration::from_mins(18 * 60 + 55))));
        assert_eq!(parse("00:00:07"), Ok(TimeBound::TimeOfDay(SignedDuration::from_secs(7))));
        assert!(matches!(parse("2013-02-19T18:55"), Ok(TimeBound::Local(_))));
        assert!(parse("18").is_err() && parse("25:00").is_err());
    }

    #[test]
    fn a_span_is_two_times() {
        let bound = |text: &str| Some(text.parse::<TimeBound>().expect(text));
        for (text, begin, end) in [
            ("14:00..14:10", bound("14:00"), bound("14:10")),
            ("mark:a..mark:b", bound("mark:a"), bound("mark:b")),
            ("mark:v1..2..mark+5m:b", bound("mark:v1..2"), bound("mark+5m:b")),
            ("+5m..-30s", bound("+5m"), bound("-30s")),
            ("2013-02-20T02:55:00Z..", bound("2013-02-20T02:55:00Z"), None),
            ("..18:55", None, bound("18:55")),
        ] {
            let span = Span { begin, end, ..Span::default() };
            assert_eq!(text.parse::<Span>(), Ok(span.clone()), "{text}");
            assert_eq!(span.to_string().parse::<Span>(), Ok(span), "{text}");
        }
        for bad in ["", "..", "14:00", "14:00..x", "14:00-14:10", "x..14:00"] {
            let error = bad.parse::<Span>().expect_err(bad).to_string();
            assert!(error.starts_with("expected"), "{bad}: {error}");
        }
    }

    #[test]
    fn bounds_are_written_as_they_are_read() {
        for text in [
            "2013-02-20T02:55:00Z",
            "2013-02-19T18:55",
            "2013-02-19 18:55:07.5",
            "18:55",
            "18:55:01.25",
            "+5m",
            "-1h30m",
            "+0s",
            "mark:deploy v42",
            "mark+5m:deploy",
            "mark-1h30m:a:b +5m",
        ] {
            let bound: TimeBound = text.parse().expect(text);
            assert_eq!(bound.to_string().parse(), Ok(bound.clone()), "{text}: {bound}");
        }
        assert_eq!(
            "mark-90s:x".parse().map(|bound: TimeBound| bound.to_string()),
            Ok("mark-1m 30s:x".to_owned())
        );
    }
}
