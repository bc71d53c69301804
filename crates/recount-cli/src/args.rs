//! Arguments that several commands share, as typed.

use std::ffi::OsStr;
use std::path::{Path, PathBuf};

use anyhow::{Context, bail};
use clap::Args;
use jiff::SignedDuration;
use recount::analysis::report::ViewFile;
use recount::{
    Capture, CodePage, NameTable, OpenError, OpenOptions, Pattern, Period, Selection, Span, SpanError,
    TimeBound, TimeBoundError, Timeline, Translations, ZoneName, clock_offset, open_with,
};

use crate::exit::report_cooked;

/// Which captures to read.
#[derive(Clone, Debug, Args)]
pub(super) struct Inputs {
    /// Captures: files, directories of files, or - for standard input. The format is recognised by content
    #[arg(required = true, value_name = "INPUT")]
    pub inputs: Vec<PathBuf>,
    #[command(flatten)]
    reading: ReadingOptions,
}

impl Inputs {
    /// Opens them, with the names that they have unless English ones are asked for.
    pub(super) fn open(&self) -> anyhow::Result<Vec<Capture>> {
        self.reading.open(&self.inputs)
    }

    /// How they are to be read.
    pub(super) fn reading(&self) -> &ReadingOptions {
        &self.reading
    }

    /// As words of a command line.
    pub(super) fn words(&self) -> Vec<String> {
        let paths = self.inputs.iter().map(|path| path.display().to_string());
        paths.chain(self.reading.words()).collect()
    }

    /// Opens them, with English names unless their own are asked for.
    pub(super) fn open_in_english(&self) -> anyhow::Result<Vec<Capture>> {
        self.reading.open_in_english(&self.inputs)
    }
}

/// Captures beside the others, on the same time line: of another machine, or of the program that made the load.
#[derive(Clone, Debug, Default, Args)]
pub(super) struct Beside {
    /// Another capture, of any format, on the same time line: the log of a load generator, or of another machine. Repeatable
    #[arg(long, value_name = "INPUT")]
    with: Vec<PathBuf>,
    /// How far the clock of the captures of --with was behind: their times are moved later by it (3s, 1h), or earlier (-3s).
    /// auto: by counters that both have
    #[arg(long, value_name = "DURATION", allow_hyphen_values = true, value_parser = shift, requires = "with")]
    shift: Option<Shift>,
}

/// By how much times are moved.
#[derive(Clone, Debug, PartialEq, Eq)]
enum Shift {
    /// By this, and why.
    By(SignedDuration, String),
    /// By counters that both sides have.
    Auto,
}

impl Beside {
    /// The captures.
    pub(super) fn paths(&self) -> &[PathBuf] {
        &self.with
    }

    /// Whether the offset of their clocks has to be found.
    pub(super) fn is_auto(&self) -> bool {
        self.shift == Some(Shift::Auto)
    }

    /// By how much their times are moved, as a word of a command line.
    pub(super) fn shift_word(&self) -> Option<String> {
        let sign = |shift: &SignedDuration| if shift.is_negative() { "-" } else { "" };
        match self.shift.as_ref()? {
            Shift::By(by, _) if by.is_zero() => None,
            Shift::By(by, _) => Some(format!("{}{:#}", sign(by), by.abs())),
            Shift::Auto => Some("auto".to_owned()),
        }
    }

    /// All inputs: those named first, and these.
    pub(super) fn inputs(&self, first: &[PathBuf]) -> Vec<PathBuf> {
        first.iter().chain(&self.with).cloned().collect()
    }

    /// Adds them to captures, opened by `open`.
    pub(super) fn add_to(
        &self,
        captures: Vec<Capture>,
        open: impl FnOnce(&[PathBuf]) -> anyhow::Result<Vec<Capture>>,
    ) -> anyhow::Result<Vec<Capture>> {
        if self.with.is_empty() {
            return Ok(captures);
        }
        let others = open(&self.with)?;
        Ok(self.settled(&captures, &others)?.join(captures, others))
    }

    /// With the offset of the clocks, if it is to be found.
    pub(super) fn settled(&self, captures: &[Capture], others: &[Capture]) -> anyhow::Result<Beside> {
        if !self.is_auto() {
            return Ok(self.clone());
        }
        let found = clock_offset(captures, others).context("--shift auto")?;
        let millis = |seconds: f64| SignedDuration::from_millis((1_000.0 * seconds).round() as i64);
        let more = match found.num_others {
            0 => String::new(),
            num => format!(" and {num} more"),
        };
        let why = format!("by {}{more} in both (± {:#})", found.counter, millis(found.error_s));
        Ok(Beside { shift: Some(Shift::By(millis(found.behind_s), why)), ..self.clone() })
    }

    /// Lays them beside captures.
    pub(super) fn join(&self, captures: Vec<Capture>, others: Vec<Capture>) -> Vec<Capture> {
        let (by, why) = match &self.shift {
            Some(Shift::By(by, why)) => (*by, &**why),
            Some(Shift::Auto) | None => (SignedDuration::ZERO, ""),
        };
        captures.into_iter().chain(others.into_iter().map(|other| other.shifted(by, why))).collect()
    }
}

/// A duration with an optional sign, or `auto`.
fn shift(text: &str) -> Result<Shift, String> {
    if text == "auto" {
        return Ok(Shift::Auto);
    }
    let (is_back, length) = match text.strip_prefix(['+', '-']) {
        Some(length) => (text.starts_with('-'), length),
        None => (false, text),
    };
    let duration = Period::parse_or_zero(length).map_err(|error| error.to_string())?;
    Ok(Shift::By(if is_back { -duration } else { duration }, "as asked".to_owned()))
}

/// Whether a program reads the answer.
#[derive(Clone, Copy, Debug, Default, Args)]
pub(super) struct Json {
    /// As JSON (formats/json/README.md), and errors as JSON on standard error
    #[arg(long)]
    pub json: bool,
}

/// A span as words of a command line.
pub(super) fn span_words(begin: Option<&TimeBound>, end: Option<&TimeBound>) -> Vec<String> {
    let bound = |option: &str, time: Option<&TimeBound>| {
        time.map(|time| [option.to_owned(), time.to_string()]).into_iter().flatten().collect::<Vec<_>>()
    };
    [bound("--begin", begin), bound("--end", end)].concat()
}

/// How to read inputs that don't state it themselves.
#[derive(Clone, Debug, Args)]
pub(super) struct ReadingOptions {
    #[command(flatten)]
    names: Names,
    #[expect(clippy::doc_markdown, reason = "help, shown as it is")]
    /// Encoding of text files that have no byte order mark (windows-1251, shift_jis, 28605) [default: detected]
    #[arg(long, value_name = "NAME")]
    encoding: Option<CodePage>,
    /// Time zone for captures that don't record one, and for PDH text whose header has the same offset at the first row, or a bias that
    /// isn't its zone's (Europe/Moscow, Russian Standard Time, +03:00)
    #[arg(long, value_name = "ZONE", allow_hyphen_values = true)]
    zone: Option<ZoneName>,
    /// Processes and threads of Windows that began since the previous sample have values, from their start on; PDH gives them none
    #[arg(long)]
    since_start: bool,
}

impl ReadingOptions {
    /// As options of the library.
    pub(super) fn options(&self) -> anyhow::Result<OpenOptions> {
        let (names, translations) = self.names.read_with_translations()?;
        let mut options = OpenOptions::with_names(names);
        options.translations = translations.into();
        (options.code_page, options.zone) = (self.encoding, self.zone.clone());
        options.since_start = self.since_start;
        options.name_files = self.names.files().map(PathBuf::from).collect();
        Ok(options)
    }

    /// As words of a command line.
    pub(super) fn words(&self) -> Vec<String> {
        let mut words = Vec::new();
        let mut add = |option: &str, value: String| words.extend([option.to_owned(), value]);
        for name in &self.names.names {
            add("--names", name.display().to_string());
        }
        if let Some(encoding) = &self.encoding {
            add("--encoding", encoding.to_string());
        }
        if let Some(zone) = &self.zone {
            add("--zone", zone.to_string());
        }
        words.extend(self.since_start.then(|| "--since-start".to_owned()));
        words
    }

    /// Whether any of them was given.
    #[cfg(feature = "remote")]
    pub(super) fn is_set(&self) -> bool {
        !self.names.names.is_empty() || self.encoding.is_some() || self.zone.is_some() || self.since_start
    }

    /// Whether English names are asked for.
    pub(super) fn is_in_english(&self) -> bool {
        self.names.has_windows()
    }

    /// Opens captures, with the names that they have unless English ones are asked for.
    pub(super) fn open(&self, paths: &[PathBuf]) -> anyhow::Result<Vec<Capture>> {
        self.named(paths, self.is_in_english())
    }

    /// Opens captures, with English names unless their own are asked for: for rules and comparisons.
    pub(super) fn open_in_english(&self, paths: &[PathBuf]) -> anyhow::Result<Vec<Capture>> {
        self.named(paths, !self.names.has("own"))
    }

    /// The answer to a question about counters, and the captures of which it is: where none has a counter by the name that was asked for, those
    /// with English names, unless the caller says which names are meant. Reports and documents use these names for every format.
    pub(super) fn answered<A>(
        &self,
        captures: Vec<Capture>,
        answer: impl Fn(&[Capture]) -> anyhow::Result<A>,
        is_empty: impl Fn(&A) -> bool,
    ) -> anyhow::Result<(A, Vec<Capture>)> {
        let found = answer(&captures)?;
        if !is_empty(&found) || self.names.has_windows() || self.names.has("own") {
            return Ok((found, captures));
        }
        let in_english: Vec<Capture> = captures.iter().cloned().map(Capture::in_english).collect();
        let other = answer(&in_english)?;
        Ok(if is_empty(&other) { (found, captures) } else { (other, in_english) })
    }

    /// Opens captures with English names unless their own are asked for, as often as it is called.
    pub(super) fn opener(
        &self,
        paths: &[PathBuf],
    ) -> anyhow::Result<impl Fn() -> Result<Vec<Capture>, OpenError> + Send + Sync + use<>> {
        self.names.check()?;
        let (paths, options, in_english) = (paths.to_vec(), self.options()?, !self.names.has("own"));
        Ok(move || {
            let captures = open_with(&paths, &options)?;
            Ok(if in_english { captures.into_iter().map(Capture::in_english).collect() } else { captures })
        })
    }

    fn named(&self, paths: &[PathBuf], in_english: bool) -> anyhow::Result<Vec<Capture>> {
        self.names.check()?;
        let captures = open_with(paths, &self.options()?)?;
        Ok(if in_english { captures.into_iter().map(Capture::in_english).collect() } else { captures })
    }
}

/// Names of objects and counters.
#[derive(Clone, Debug, Args)]
pub(super) struct Names {
    /// Names of objects and counters. windows (or en): English Windows names, whatever the language or recorder of the
    /// capture; own: the names in the capture. Or a file: of two columns, the capture's names and the English ones; for raw
    /// dumps, the registry value "Counter 009", saved as it is or as text. Repeatable
    #[arg(long, value_name = "windows|own|FILE")]
    pub names: Vec<PathBuf>,
}

impl Names {
    /// Reads the names for raw dumps; an empty table if none are named. Two columns of names are refused: dumps have none to translate.
    pub(super) fn read(&self) -> anyhow::Result<NameTable> {
        let (table, translations) = self.read_with_translations()?;
        if !translations.is_empty() {
            bail!(
                "--names FILE: raw dumps have indexes instead of names; name a file with the registry value \"Counter 009\""
            );
        }
        Ok(table)
    }

    fn read_with_translations(&self) -> anyhow::Result<(NameTable, Translations)> {
        let (mut all, mut translations) = (NameTable::new(), Translations::default());
        for path in self.files() {
            let bytes = std::fs::read(path).with_context(|| {
                format!("--names {}: expected windows, en, own, or a file of names", path.display())
            })?;
            let table = NameTable::parse(&bytes);
            // What isn't a table may have a few numbers between other things.
            if table.len() > table.num_skipped() {
                all.merge(&table);
                continue;
            }
            match Translations::parse(&bytes) {
                Ok(names) => translations.merge(names),
                Err(error) => bail!(
                    "{}: neither pairs of a decimal index and a name, a line each, nor two columns of names: {error}",
                    path.display()
                ),
            }
        }
        Ok((all, translations))
    }

    fn check(&self) -> anyhow::Result<()> {
        if self.has_windows() && self.has("own") {
            crate::mistake::mistake!("--names windows (or en) and --names own can't be used together");
        }
        Ok(())
    }

    /// Files among them.
    fn files(&self) -> impl Iterator<Item = &Path> {
        let is_file = |path: &&PathBuf| !["windows", "en", "own"].map(OsStr::new).contains(&path.as_os_str());
        self.names.iter().filter(is_file).map(PathBuf::as_path)
    }

    fn has_windows(&self) -> bool {
        self.has("windows") || self.has("en")
    }

    fn has(&self, word: &str) -> bool {
        self.names.iter().any(|name| name.as_os_str() == word)
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
                        bail!("{file} has no patterns");
                    }
                }
            }
        }
        Ok(patterns.into_iter().collect::<Selection>().watched())
    }
}

/// Patterns as typed; everything if there are none.
pub(crate) fn selection(patterns: &[String]) -> anyhow::Result<Selection> {
    patterns.iter().map(|text| pattern(text)).collect::<anyhow::Result<Selection>>().map(Selection::watched)
}

/// A pattern as typed.
fn pattern(text: &str) -> anyhow::Result<Pattern> {
    Ok(text.parse()?)
}

/// Which samples to use.
#[derive(Debug, Default, Args)]
pub(super) struct Samples {
    /// First time to use: RFC 3339 (2013-02-20T02:55:00Z), local time of the capture (2013-02-19T18:55, or
    /// 18:55 on the first day that has it), an offset from the first (+5m) or last sample (-5m), or a mark (mark:TEXT, or mark+5m:TEXT,
    /// mark-30s:TEXT)
    #[arg(long, value_name = "TIME", allow_hyphen_values = true, value_parser = time_bound)]
    pub begin: Option<TimeBound>,
    /// Last time to use, in the same forms
    #[arg(long, value_name = "TIME", allow_hyphen_values = true, value_parser = time_bound)]
    pub end: Option<TimeBound>,
    /// Use every N-th sample; values then span N intervals
    #[arg(long, value_name = "N", default_value_t = 1, value_parser = clap::value_parser!(u32).range(1..), conflicts_with = "interval")]
    pub every: u32,
    /// Use one sample per interval (15s, 5m, 1h); values then span it
    #[arg(long, value_name = "DURATION")]
    pub interval: Option<Period>,
}

impl Samples {
    /// These samples of captures.
    pub(super) fn of(&self, captures: &[Capture]) -> Result<Timeline, SpanError> {
        if self.every > 1 || self.interval.is_some() {
            report_cooked(captures);
        }
        Timeline::of(captures, &self.span())
    }

    /// These, with the span of a saved view where none is asked for. Its times were checked.
    pub(super) fn or_of(&self, view: Option<&ViewFile>) -> Samples {
        let head = view.map(|view| &view.view).filter(|_| self.begin.is_none() && self.end.is_none());
        let bound = |text: Option<&String>| text.and_then(|text| text.parse().ok());
        Samples {
            begin: self.begin.clone().or_else(|| bound(head?.begin.as_ref())),
            end: self.end.clone().or_else(|| bound(head?.end.as_ref())),
            every: self.every,
            interval: self.interval,
        }
    }

    /// Whether samples are selected by their times.
    pub(super) fn has_times(&self) -> bool {
        self.begin.is_some() || self.end.is_some() || self.interval.is_some()
    }

    /// The span of time, in whichever capture.
    pub(super) fn span(&self) -> Span {
        Span {
            begin: self.begin.clone(),
            end: self.end.clone(),
            every: self.every,
            interval: self.interval.map(Period::duration),
        }
    }
}

/// A time as typed.
pub(super) fn time_bound(text: &str) -> Result<TimeBound, String> {
    text.parse().map_err(|error: TimeBoundError| error.to_string())
}

/// A span as typed.
pub(super) fn span_bound(text: &str) -> Result<Span, String> {
    text.parse().map_err(|error: TimeBoundError| error.to_string())
}

#[cfg(test)]
mod tests {
    use recount::Timestamp;

    use super::*;

    #[test]
    fn a_shift_has_a_sign_or_none() {
        let by = |by| Ok(Shift::By(by, "as asked".to_owned()));
        assert_eq!(shift("3s"), by(SignedDuration::from_secs(3)));
        assert_eq!(shift("+1h30m"), by(SignedDuration::from_mins(90)));
        assert_eq!(shift("-250ms"), by(SignedDuration::from_millis(-250)));
        assert_eq!(shift("auto"), Ok(Shift::Auto));
        assert!(["", "-", "--3s", "3", "soon"].iter().all(|text| shift(text).is_err()));
    }

    #[test]
    fn times_are_distinguished() {
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
    }
}
