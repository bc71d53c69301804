//! `recount record`

use std::ffi::OsString;
use std::num::NonZeroUsize;
use std::path::PathBuf;
use std::process::ExitStatus;
use std::time::Duration;

use clap::{Args, ValueEnum};
use recount::{
    Describe, EndReason, ExitsWanted, Interrupts, LogSync, OnInterrupt, Period, ProcessOptions, Profile,
    RecordError, RecordOptions, RecordProgress, RecordReport, RecordSource, Recorded, Rotation, SampleForm,
    record,
};

use crate::args::{Counters, Names};
use crate::exit::{self, Outcome};
use crate::{output, progress};

/// Record this machine's performance counters into a capture log
#[derive(Debug, Args)]
#[command(after_help = "Examples:
  recount record -o monday.rcap                              until Ctrl-C
  recount record -o build.rcap -- make -j8                   while a command runs
  recount record -o web1.rcap --rotate 1h --keep 48          a log per hour, of the last two days
  recount record -c '\\Processor(*)\\*' --interval 100ms --for 10s
  recount record -o old.rcap --source 1.bin 2.bin --names counters.txt

SIGINT (Ctrl-C) and SIGTERM end the recording with a last sample and exit code 0; a second SIGINT ends it at once. SIGHUP \
closes the log, whatever its name is by then, and begins the next one, under the first one's name if that is free; if it comes \
because the terminal was closed, it ends the recording, but not under nohup. With a command, SIGINT is left to the command, SIGTERM is passed on to it, and the exit code is the command's (127 \
if there is no such command, 128 plus the signal's number if a signal killed it); if that is 0, but samples were lost, it is 1.

Killing recount never loses a sample that was written; --sync limits what a crash of the machine can lose. If another program \
removes or empties the log, a new one is begun, and the exit code is 1. A summary that can't be written, as to a terminal that was \
closed, doesn't change the exit code. Where it may, the recorder raises its priority, as atop \
does. What may be a password in COMMAND is masked in the log.")]
pub(crate) struct Record {
    /// The log, or a directory to put it into [default: HOST-TIME.rcap]
    #[arg(long, short, value_name = "OUT")]
    output: Option<PathBuf>,
    /// Time from sample to sample (100ms, 1s, 5m), at least 10ms [default: 1s; with --source, as fast as possible]
    #[arg(long, short, value_name = "DURATION", value_parser = interval)]
    interval: Option<Duration>,
    /// End after this time
    #[arg(long = "for", value_name = "DURATION", value_parser = length, conflicts_with = "command")]
    duration: Option<Duration>,
    /// End after N samples
    #[arg(long, value_name = "N", value_parser = clap::value_parser!(u64).range(1..), conflicts_with = "command")]
    count: Option<u64>,
    /// Set of objects: default (all but Thread), minimal (processors, system, memory, disks, network interfaces),
    /// processes (processors, system, memory, and the objects of processes) or full (Thread too)
    #[arg(long, value_name = "NAME", conflicts_with = "source")]
    profile: Option<Profile>,
    /// Objects to record: a path with wildcards (\Process(svc*)\% *), or any part of an object's name. An object that may match
    /// is recorded whole: all its counters and instances. Repeatable; @FILE reads patterns from a file, one a line
    #[arg(long = "counter", short, value_name = "PATTERN", conflicts_with = "source")]
    counters: Vec<String>,
    /// How samples are kept: as classic blocks of objects, or as countersets of Performance Library 2.0 (MS-PCQ), queried
    /// from a built-in server. The values are the same
    #[arg(long = "as", value_name = "FORM", value_enum, default_value_t = LogForm::Blocks, conflicts_with = "source")]
    form: LogForm,
    /// Whether processes that end between two samples are recorded, by the kernel's exit records: auto, on or off. They need root or
    /// `CAP_NET_ADMIN`; auto goes on without them
    #[arg(long, value_name = "auto|on|off", default_value_t = ExitsWanted::Auto, conflicts_with = "source")]
    exits: ExitsWanted,
    /// How processes are described: full (program, command line, user, cgroup), exe (the same without the command line) or none. What may be a
    /// password in a command line is masked
    #[arg(long, value_name = "none|exe|full", default_value_t = Describe::Full, conflicts_with = "source")]
    describe: Describe,
    /// Begin the next log before one is larger than this (500kB, 100MB, 1GiB); logs are then named OUT-TIME. What is counted is
    /// the file as it is once closed, compressed; two samples must fit
    #[arg(long, value_name = "SIZE", value_parser = size)]
    max_size: Option<u64>,
    /// Begin the next log after this time (1h); logs are then named OUT-TIME
    #[arg(long, value_name = "DURATION", value_parser = length)]
    rotate: Option<Duration>,
    /// Delete all but the newest N logs named OUT-TIME; logs that are being written stay
    #[arg(long, value_name = "N")]
    keep: Option<NonZeroUsize>,
    /// What may be lost if the machine crashes. each: the sample being written (waits for the disk at every sample); a time
    /// (5s): the samples of that time; none: what the system hasn't written yet, about 30 s
    #[arg(long, value_name = "each|SECONDS|none", default_value = "5s", value_parser = sync)]
    sync: LogSync,
    /// Replay raw PERF_DATA_BLOCK dumps or MS-PCQ sessions (.pcq files, directories of buffers) instead: each block or
    /// answer is a sample of its own time
    #[arg(long, value_name = "FILE", num_args = 1.., conflicts_with = "command")]
    source: Vec<PathBuf>,
    #[command(flatten)]
    names: Names,
    #[cfg(feature = "remote")]
    #[command(flatten)]
    remote: crate::remote::Remote,
    /// Replace a log that exists
    #[arg(long, short)]
    force: bool,
    /// Record while this command runs, from before it starts to after it has ended
    #[arg(last = true, value_name = "COMMAND")]
    command: Vec<OsString>,
}

/// How samples are kept.
#[derive(Clone, Copy, Debug, PartialEq, Eq, ValueEnum)]
enum LogForm {
    /// Classic blocks of performance data
    Blocks,
    /// Performance Library 2.0 messages
    V2,
}

pub(crate) fn run(arguments: &Record, quiet: bool) -> anyhow::Result<Outcome> {
    let options = options(arguments)?;
    let has_command = !options.command.is_empty();
    let interrupts = Interrupts::new()?;
    interrupts.on_signals(if has_command { OnInterrupt::Ignore } else { OnInterrupt::End })?;
    // The terminal belongs to the command while it runs.
    let line = progress::line(quiet || has_command);
    let mut num_gone = 0;
    let result = record(&options, &interrupts, &mut |progress| {
        line.set_message(state(progress));
        if progress.num_gone > num_gone {
            line.suspend(|| exit::warn(&gone(progress.num_gone - num_gone)));
            num_gone = progress.num_gone;
        }
    });
    line.finish_and_clear();
    let recorded = match result {
        Ok(recorded) => recorded,
        Err(error) => return failed(error),
    };
    if !quiet {
        let text = summary(&recorded, arguments.count);
        // So does standard output.
        if has_command { output::message(&text) } else { print_summary(&text) }
    }
    Ok(outcome(&recorded.report))
}

/// What a recording lost matters more than that its command went well.
fn outcome(report: &RecordReport) -> Outcome {
    let has_losses =
        report.progress.num_lost > 0 || report.progress.num_gone > 0 || report.first_damage.is_some();
    match report.reason {
        EndReason::Command(status) if code_of(status) != 0 => Outcome::Code(code_of(status)),
        _ if has_losses => Outcome::Findings,
        _ => Outcome::Done,
    }
}

/// The output of a recording is its log, which is closed: that the summary has no reader, as when the terminal was closed,
/// doesn't change how it ended.
fn print_summary(text: &str) {
    if let Err(error) = output::print(text)
        && error.kind() != std::io::ErrorKind::BrokenPipe
    {
        exit::warn(&format!("can't write the summary to standard output: {error}"));
    }
}

/// The codes that shells use for commands that can't be run; any other failure is recount's.
fn failed(error: RecordError) -> anyhow::Result<Outcome> {
    let code = match &error {
        RecordError::Recording(recount::RecordingError::Command { source, .. }) => match source.kind() {
            std::io::ErrorKind::NotFound => 127,
            _ => 126,
        },
        _ => return Err(error.into()),
    };
    exit::failure(&error.into());
    Ok(Outcome::Code(code))
}

#[cfg(unix)]
fn code_of(status: ExitStatus) -> u8 {
    use std::os::unix::process::ExitStatusExt;
    let code = status.code().or(status.signal().map(|signal| 128 + signal));
    code.and_then(|code| u8::try_from(code).ok()).unwrap_or(u8::MAX)
}

#[cfg(not(unix))]
fn code_of(status: ExitStatus) -> u8 {
    // Codes are wider than what a process can be made to return here; none may become 0 on the way.
    status.code().map_or(u8::MAX, |code| u8::try_from(code).unwrap_or(u8::MAX))
}

/// Said at once, whoever looks: samples are being lost.
fn gone(num_samples: u64) -> String {
    let samples = output::plural(num_samples, "sample");
    format!(
        "another program removed, emptied or cut the log short, and {samples} of it; recording goes on in a new one"
    )
}

fn state(progress: &RecordProgress) -> String {
    let mut text = output::plural(progress.num_samples, "sample");
    text.push_str(&format!(", {}", kib(progress.len_written)));
    for (count, what) in [
        (progress.num_late, "late"),
        (progress.num_missed, "missed"),
        (progress.num_lost, "lost"),
        (progress.num_gone, "gone with a log"),
    ] {
        if count > 0 {
            text.push_str(&format!(", {count} {what}"));
        }
    }
    text
}

/// What was recorded, when `asked` samples were to be.
fn summary(recorded: &Recorded, asked: Option<u64>) -> String {
    let report = &recorded.report;
    let name = match recorded.files.as_slice() {
        [] => "nothing".to_owned(),
        [one] => one.display().to_string(),
        [first, .., last] => {
            format!("{} .. {} ({} logs)", first.display(), last.display(), recorded.files.len())
        }
    };
    let mut text = format!("{name}: {}", kept(recorded));
    if report.reason == EndReason::Source && asked.is_some_and(|asked| asked > report.progress.num_samples) {
        text.push_str(&format!("\n  {}", report.reason));
    }
    if let Some(first) = &report.first_gone {
        text.push_str(&format!("\n  {first}"));
    }
    if let Some(first) = &report.first_damage {
        text.push_str(&format!("\n  damaged by another program or by the disk: {first}"));
    }
    if let Some(first) = &report.first_lost {
        text.push_str(&format!("\n  the first loss: {first}"));
    }
    if let Some(last) = report.last_lost.as_ref().filter(|last| Some(*last) != report.first_lost.as_ref()) {
        text.push_str(&format!("\n  the last loss: {last}"));
    }
    if let Some(first) = &report.first_unreadable {
        let count = output::plural(report.progress.num_unreadable, "reading");
        text.push_str(&format!("\n  {count} of the last sample failed, the first: {first}"));
    }
    text.lines().map(output::visible).collect::<Vec<_>>().join("\n") + "\n"
}

/// What the logs hold that are there, and what others held.
fn kept(recorded: &Recorded) -> String {
    let (mut progress, deleted) = (recorded.report.progress, recorded.deleted);
    progress.num_samples = progress.num_samples.saturating_sub(progress.num_gone + deleted.num_samples);
    progress.len_written = progress.len_written.saturating_sub(deleted.len);
    let mut text = state(&progress);
    if deleted.num_samples > 0 {
        text.push_str(&format!(", {} deleted with older logs (--keep)", deleted.num_samples));
    }
    text
}

fn kib(len: u64) -> String {
    format!("{} KiB", output::number((len as f64 / 1024.0 * 10.0).round() / 10.0))
}

/// Arguments as typed to checked options.
fn options(arguments: &Record) -> anyhow::Result<RecordOptions> {
    let source = if let Some(remote) = remote(arguments)? {
        remote
    } else if arguments.source.is_empty() {
        if !arguments.names.names.is_empty() {
            crate::mistake::mistake!("--names is for --source: this machine names its own counters");
        }
        let selection = Counters { counters: arguments.counters.clone() }.selection()?;
        let form = match arguments.form {
            LogForm::Blocks => SampleForm::Block,
            LogForm::V2 => SampleForm::Message,
        };
        let processes = ProcessOptions { exits: arguments.exits, describe: arguments.describe };
        RecordSource::Live { profile: arguments.profile, selection, form, processes }
    } else {
        RecordSource::Replay { paths: arguments.source.clone(), names: arguments.names.read()? }
    };
    let mut options = RecordOptions::default();
    options.output.clone_from(&arguments.output);
    options.force = arguments.force;
    options.sync = arguments.sync;
    options.source = source;
    options.interval = arguments.interval;
    options.duration = arguments.duration;
    options.count = arguments.count;
    options.rotation = Rotation { max_len: arguments.max_size, max_age: arguments.rotate };
    options.keep = arguments.keep;
    options.command.clone_from(&arguments.command);
    Ok(options)
}

/// The source that is another machine.
#[cfg(feature = "remote")]
fn remote(arguments: &Record) -> anyhow::Result<Option<RecordSource>> {
    let Some(options) = arguments.remote.options()? else { return Ok(None) };
    if !arguments.source.is_empty() || arguments.profile.is_some() || !arguments.names.names.is_empty() {
        crate::mistake::mistake!("--host can't be combined with --source, --profile or --names");
    }
    if arguments.form == LogForm::V2 {
        crate::mistake::mistake!("--as is for this machine; with --host, --via says what is asked for");
    }
    let selection = Counters { counters: arguments.counters.clone() }.selection()?;
    Ok(Some(RecordSource::Remote { options, selection }))
}

#[cfg(not(feature = "remote"))]
#[expect(clippy::unnecessary_wraps, reason = "with the feature it can fail")]
fn remote(_: &Record) -> anyhow::Result<Option<RecordSource>> {
    Ok(None)
}

fn length(text: &str) -> Result<Duration, String> {
    text.parse::<Period>().map(|length| length.duration().unsigned_abs()).map_err(|error| error.to_string())
}

fn interval(text: &str) -> Result<Duration, String> {
    const MIN: Duration = Duration::from_millis(10);
    let interval = length(text)?;
    if interval < MIN { Err("the interval must be at least 10ms".to_owned()) } else { Ok(interval) }
}

fn sync(text: &str) -> Result<LogSync, String> {
    let seconds = text.parse::<u32>().ok().filter(|seconds| *seconds > 0);
    match (text, seconds) {
        ("each", _) => Ok(LogSync::Each),
        ("none", _) => Ok(LogSync::None),
        (_, Some(seconds)) => Ok(LogSync::Every(Duration::from_secs(seconds.into()))),
        (text, None) => length(text)
            .map(LogSync::Every)
            .map_err(|_| "write each, none, or seconds: 5 or 500ms".to_owned()),
    }
}

/// Bytes: a number, and a unit of powers of 1000 (kB, MB, GB, TB) or 1024 (KiB, MiB, GiB, TiB).
fn size(text: &str) -> Result<u64, String> {
    let digits = text.len() - text.trim_start_matches(|c: char| c.is_ascii_digit()).len();
    let (number, unit) = text.split_at(digits);
    let unit = unit.trim().to_ascii_lowercase();
    let factor = ["b", "kb", "mb", "gb", "tb"]
        .iter()
        .position(|known| *known == unit || known.trim_end_matches('b') == unit)
        .map(|power| 1000_u64.pow(power as u32))
        .or_else(|| {
            let power = ["kib", "mib", "gib", "tib"].iter().position(|known| *known == unit)?;
            Some(1024_u64.pow(power as u32 + 1))
        });
    let len = number.parse::<u64>().ok().zip(factor).and_then(|(number, factor)| number.checked_mul(factor));
    match len {
        Some(len) if len > 0 => Ok(len),
        _ => Err("write a size like 500kB, 100MB or 1GiB".to_owned()),
    }
}

#[cfg(test)]
mod tests {
    use clap::{CommandFactory, Parser};

    use super::*;
    use crate::command_line::Arguments;

    #[test]
    fn sizes_have_units() {
        for (text, len) in [
            ("1", 1),
            ("500kB", 500_000),
            ("100MB", 100_000_000),
            ("100M", 100_000_000),
            ("2 GiB", 2 << 30),
            ("1tib", 1 << 40),
        ] {
            assert_eq!(size(text), Ok(len), "{text}");
        }
        for bad in ["", "MB", "0", "0MB", "-1MB", "1.5GB", "1XB", "99999999999TB", "1 M B"] {
            assert!(size(bad).is_err(), "{bad}");
        }
    }

    #[test]
    fn durations_are_checked() {
        assert_eq!(interval("10ms"), Ok(Duration::from_millis(10)));
        assert!(interval("9ms").is_err() && interval("0s").is_err() && interval("-1s").is_err());
        assert_eq!(length("1h30m"), Ok(Duration::from_mins(90)));
        assert_eq!(sync("each"), Ok(LogSync::Each));
        assert_eq!(sync("none"), Ok(LogSync::None));
        assert_eq!(sync("7"), Ok(LogSync::Every(Duration::from_secs(7))));
        assert_eq!(sync("500ms"), Ok(LogSync::Every(Duration::from_millis(500))));
        for bad in ["", "0", "never", "0s"] {
            assert!(sync(bad).is_err(), "{bad}");
        }
    }

    /// Running them would record for hours, so they are parsed here.
    #[test]
    fn the_examples_parse() {
        let command = Arguments::command();
        let record = command.find_subcommand("record").expect("the subcommand");
        let help = record.get_after_help().expect("examples").to_string();
        let mut num_parsed = 0;
        for line in help.lines().filter(|line| line.starts_with("  recount record ")) {
            // Explanations follow several spaces.
            let example = line.trim().split("   ").next().expect("a part").replace('\'', "");
            Arguments::try_parse_from(example.split_whitespace()).expect(&example);
            num_parsed += 1;
        }
        assert_eq!(num_parsed, 5);
    }
}
