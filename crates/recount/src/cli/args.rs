//! Arguments that several commands share, as typed.

use std::path::PathBuf;

use anyhow::{Context, bail};
use clap::Args;
use jiff::SignedDuration;
use jiff::civil::DateTime;
use jiff::tz::Offset;
use recount::{Capture, NameTable, Pattern, Selection, Span, TimeBound, Timestamp, UnknownMark};

/// Which captures to read.
#[derive(Debug, Args)]
pub(super) struct Inputs {
    /// Captures: files, directories of files, or - for standard input. The format is recognised by content
    #[arg(required = true, value_name = "INPUT")]
    pub inputs: Vec<PathBuf>,
    #[command(flatten)]
    pub names: Names,
}

/// Names for raw dumps.
#[derive(Debug, Args)]
pub(super) struct Names {
    /// Names of objects and counters for raw dumps: the registry value "Counter 009", saved as it is or as text
    #[arg(long, value_name = "FILE")]
    pub names: Option<PathBuf>,
}

impl Names {
    /// Reads the table; an empty one if none is named.
    pub(super) fn read(&self) -> anyhow::Result<NameTable> {
        let Some(path) = &self.names else { return Ok(NameTable::new()) };
        let bytes = std::fs::read(path).with_context(|| path.display().to_string())?;
        let table = NameTable::parse(&bytes);
        if table.is_empty() {
            bail!("{}: no name table: pairs of a decimal index and a name were expected", path.display());
        }
        Ok(table)
    }
}

/// Which counters to use.
#[derive(Debug, Default, Args)]
pub(super) struct Counters {
    /// Counters to use: a path with wildcards (\Process(svc*)\% *), or any part of a path. Repeatable; @FILE reads
    /// patterns from a file, one a line
    #[arg(long = "counter", short, value_name = "PATTERN")]
    pub counters: Vec<String>,
}

impl Counters {
    /// The selection; everything if there are no patterns.
    pub(super) fn selection(&self) -> anyhow::Result<Selection> {
        let mut patterns = Vec::new();
        for counter in &self.counters {
            match counter.strip_prefix('@') {
                None => patterns.push(pattern(counter)?),
                Some(file) => {
                    let text =
                        std::fs::read_to_string(file).with_context(|| format!("patterns of -c @{file}"))?;
                    for (number, line) in text.lines().enumerate() {
                        let line = line.trim().trim_matches('"');
                        if !line.is_empty() && !line.starts_with('#') {
                            patterns
                                .push(pattern(line).with_context(|| format!("{file}, line {}", number + 1))?);
                        }
                    }
                    if patterns.is_empty() {
                        bail!("{file}: no patterns in it");
                    }
                }
            }
        }
        Ok(Selection { patterns })
    }
}

/// Patterns as typed; everything if there are none.
pub(crate) fn selection(patterns: &[String]) -> anyhow::Result<Selection> {
    let patterns = patterns.iter().map(|text| pattern(text)).collect::<anyhow::Result<_>>()?;
    Ok(Selection { patterns })
}

/// A pattern as typed.
fn pattern(text: &str) -> anyhow::Result<Pattern> {
    Ok(text.parse()?)
}

/// Which samples to use.
#[derive(Debug, Default, Args)]
pub(super) struct Samples {
    /// First time to use: RFC 3339 (2013-02-20T02:55:00Z), local time of the capture (2013-02-19T18:55), an offset from
    /// the first (+5m) or last sample (-5m), or a mark (mark:TEXT, or mark+5m:TEXT, mark-30s:TEXT)
    #[arg(long, value_name = "TIME", allow_hyphen_values = true, value_parser = time_bound)]
    pub begin: Option<TimeBound>,
    /// Last time to use, in the same forms
    #[arg(long, value_name = "TIME", allow_hyphen_values = true, value_parser = time_bound)]
    pub end: Option<TimeBound>,
    /// Use every N-th sample; values then span N intervals
    #[arg(long, value_name = "N", default_value_t = 1, value_parser = clap::value_parser!(u32).range(1..), conflicts_with = "interval")]
    pub every: u32,
    /// Use one sample per interval (15s, 5m, 1h); values then span it
    #[arg(long, value_name = "DURATION", value_parser = duration)]
    pub interval: Option<SignedDuration>,
}

impl Samples {
    /// The span of time in these captures.
    pub(super) fn span(&self, captures: &[Capture]) -> Result<Span, UnknownMark> {
        self.span_to_come().resolve(captures)
    }

    /// The span of time in a capture that is being written: what is marked may be yet to come.
    pub(super) fn span_to_come(&self) -> Span {
        Span { begin: self.begin.clone(), end: self.end.clone(), every: self.every, interval: self.interval }
    }
}

/// A duration longer than zero.
pub(super) fn duration(text: &str) -> Result<SignedDuration, String> {
    match text.parse::<SignedDuration>() {
        Ok(duration) if duration > SignedDuration::ZERO => Ok(duration),
        Ok(_) => Err("an interval is longer than zero".to_owned()),
        Err(error) => Err(format!("{error}; write it like 15s, 5m or 1h30m")),
    }
}

/// A time as typed.
pub(super) fn time_bound(text: &str) -> Result<TimeBound, String> {
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
    match local {
        Some(time) => Ok(TimeBound::Local(Timestamp::from_jiff(time))),
        None => {
            Err("neither a time (2013-02-20T02:55:00Z, or local 2013-02-19T18:55), nor an offset (+5m, -30s), nor \
                 a mark (mark:TEXT, mark+5m:TEXT)"
                .into())
        }
    }
}

/// `mark:TEXT`, or with an offset before the colon, so that any text can be named; `None`: something else.
fn mark_bound(text: &str) -> Option<Result<TimeBound, String>> {
    let (offset, text) = text.strip_prefix("mark")?.split_once(':')?;
    let offset = match offset.split_at_checked(1) {
        None if offset.is_empty() => Ok(SignedDuration::ZERO),
        Some(("+", after)) => interval_or_zero(after),
        Some(("-", before)) => interval_or_zero(before).map(|before| -before),
        _ => return None,
    };
    Some(offset.and_then(|offset| match text {
        "" => Err("which mark? write mark:TEXT, with the text as recount info shows it".to_owned()),
        text => Ok(TimeBound::Mark { text: text.to_owned(), offset }),
    }))
}

fn interval_or_zero(text: &str) -> Result<SignedDuration, String> {
    let duration =
        text.parse::<SignedDuration>().map_err(|error| format!("{error}; write it like +5m or -30s"))?;
    if duration.is_negative() { Err("write the sign in front: +5m or -5m".to_owned()) } else { Ok(duration) }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn times_are_told_apart() {
        let ticks = |text: &str| Timestamp::from_jiff(text.parse().expect(text));
        assert_eq!(time_bound("2013-02-20T02:55:00Z"), Ok(TimeBound::Utc(ticks("2013-02-20T02:55:00Z"))));
        assert_eq!(
            time_bound("2013-02-19T18:55:00-08:00"),
            Ok(TimeBound::Utc(ticks("2013-02-20T02:55:00Z")))
        );
        assert_eq!(time_bound("2013-02-19T18:55"), Ok(TimeBound::Local(ticks("2013-02-19T18:55:00Z"))));
        assert_eq!(time_bound("2013-02-19 18:55:07"), Ok(TimeBound::Local(ticks("2013-02-19T18:55:07Z"))));
        assert_eq!(time_bound("+5m"), Ok(TimeBound::FromStart(SignedDuration::from_mins(5))));
        assert_eq!(time_bound("-1h30m"), Ok(TimeBound::FromEnd(SignedDuration::from_mins(90))));
        let mark = |text: &str, seconds| {
            Ok(TimeBound::Mark { text: text.to_owned(), offset: SignedDuration::from_secs(seconds) })
        };
        assert_eq!(time_bound("mark:deploy v42"), mark("deploy v42", 0));
        assert_eq!(time_bound("mark+5m:deploy"), mark("deploy", 300));
        assert_eq!(time_bound("mark-1h30m:a:b +5m"), mark("a:b +5m", -5_400));
        for bad in [
            "",
            "yesterday",
            "+",
            "5",
            "+x",
            "mark",
            "mark:",
            "mark+5m:",
            "mark+:x",
            "mark5m:x",
            "mark+-5m:x",
            "märk:x",
        ] {
            assert!(time_bound(bad).is_err(), "{bad}");
        }
        assert!(duration("0s").is_err() && duration("15s").is_ok());
    }
}
