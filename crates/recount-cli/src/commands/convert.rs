//! `recount convert`

use std::path::{Path, PathBuf};

use anyhow::{Context, bail};
use clap::{Args, ValueEnum};
use recount::{
    Capture, ConversionSettings, ConvertError, ConvertOptions, ConvertReport, Layout, NewOnly, OpenError,
    OutputFormat, PartitionKey, Pending, Target, Timeline, convert, is_stdio,
};

use crate::args::{Counters, Inputs, Samples};
use crate::exit::{self, Outcome, report_health, report_unmatched};
use crate::mistake::mistake;
use crate::{output, progress};

/// Compute every counter over every interval, and write Parquet, Arrow, PDH text, OpenMetrics or line protocol; or write
/// the raw values to a .blg
#[derive(Debug, Args)]
#[command(after_help = "Examples:
  recount convert monday.blg -o monday.parquet
  recount convert monday.blg -o monday/      (a directory with a table per object)
  recount convert monday.blg -o monday.csv -c '\\Processor(*)\\*' --begin +5m --end +10m
  recount convert web1.blg web2.blg -o fleet/ --partition-by host,date
  recount convert monday.blg -o - --format csv | head
  recount convert dumps/ -o monday.blg      (for Performance Monitor and relog)
  recount convert monday.blg -o monday.om --format openmetrics      (for promtool and Prometheus)
  recount convert captures/ -o tables/ --new-only      (only what is new or changed)

Several inputs become one time line. The form of the output follows from its name (.parquet, .arrow, .csv, .tsv, .blg; a \
name without extension or with a slash at the end is a directory of tables) or from --format.

--layout objects and --partition-by write a directory, whatever its name: -o monday.parquet --layout objects makes the \
directory monday.parquet/. Every command reads such a directory.

A .blg holds the raw values of every counter selected, and of those that distinguish its instances (ID Process, Elapsed \
Time), counter by counter, or object by object if instances come and go. It is one recording: the inputs must be of one \
machine, without a reboot between them.

--new-only walks the directories and converts every capture into a file of its own in OUT (web1/monday.blg into \
OUT/web1/monday.blg.parquet; --format and --layout choose another form). A capture is converted again if its size, its \
modification time, the options or the version of recount differ from last time, or if its output is gone; OUT/.recount-converted remembers that. If a \
run is killed, the next one finishes the work. Captures that can't be read are reported and tried again; the exit code is \
then 2. So are files that an earlier run read as captures and that are none now. A capture with nothing of what is asked for, no such counters or no samples at these times, has no output. --prune removes what earlier runs made of captures that \
are gone from the directories given, that can't be read any more, or that have no output now; outputs of captures elsewhere \
stay.")]
#[expect(clippy::struct_excessive_bools, reason = "the flags of the command")]
pub(crate) struct Convert {
    #[command(flatten)]
    inputs: Inputs,
    /// Where to write: a file, a directory, or - for standard output
    #[arg(long, short, value_name = "OUT")]
    output: PathBuf,
    #[command(flatten)]
    counters: Counters,
    #[command(flatten)]
    samples: Samples,
    /// Form of the output
    #[arg(long, value_enum)]
    format: Option<FormatArgument>,
    /// Rows and columns of Parquet and Arrow output [default: tidy for a file, objects for a directory]; objects makes a
    /// directory, whatever the extension of OUT
    #[arg(long, value_enum)]
    layout: Option<LayoutArgument>,
    /// Add a column `local_time` to tables: the time by the clock and zone of the machine
    #[arg(long)]
    local_time: bool,
    /// Add the raw values next to the cooked ones
    #[arg(long)]
    raw: bool,
    /// Multiply values by the counters' default scales, as a chart of PerfMon does
    #[arg(long)]
    scaled: bool,
    /// Partition the tables into directories, Hive style
    #[arg(long, value_enum, value_delimiter = ',', value_name = "KEYS")]
    partition_by: Vec<PartitionArgument>,
    /// Convert each capture into a file of its own in the directory OUT, if it is new or changed
    #[arg(long)]
    new_only: bool,
    /// With --new-only: remove what earlier runs made in OUT of captures that are gone from the inputs, that can't be converted
    /// any more, or that have none of the counters asked for
    #[arg(long, requires = "new_only")]
    prune: bool,
    /// Replace an output that exists
    #[arg(long, short)]
    force: bool,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq, ValueEnum)]
enum FormatArgument {
    /// Apache Parquet
    Parquet,
    /// Arrow IPC (Feather version 2)
    Arrow,
    /// PDH-CSV, as relog writes it
    Csv,
    /// PDH-TSV, as relog writes it
    Tsv,
    /// Windows performance log: raw values
    Blg,
    /// OpenMetrics text, for promtool tsdb create-blocks-from openmetrics
    #[value(name = "openmetrics")]
    OpenMetrics,
    /// Line protocol of InfluxDB
    LineProtocol,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq, ValueEnum)]
enum LayoutArgument {
    /// One table: a row per time, host, object, instance and counter
    Tidy,
    /// A table per object: a row per time, host and instance, a column per counter
    Objects,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq, ValueEnum)]
enum PartitionArgument {
    /// Machine
    Host,
    /// Day in UTC
    Date,
}

pub(crate) fn run(arguments: &Convert, quiet: bool) -> anyhow::Result<Outcome> {
    let options = options(arguments)?;
    if arguments.new_only {
        return new_only(arguments, options, quiet);
    }
    let captures = arguments.inputs.open()?;
    let timeline = arguments.samples.of(&captures)?;
    let target =
        if is_stdio(&arguments.output) { Target::Stdout } else { Target::Path(arguments.output.clone()) };
    let bar = progress::bar(&captures, quiet);
    let report =
        convert(&timeline, &target, &options, &progress::steps(&bar)).map_err(|error| match error {
            ConvertError::NoCounters => exit::nothing(&timeline, &options.selection),
            ConvertError::NoSamples(error) => exit::no_samples(&timeline, error),
            other => anyhow::Error::from(other),
        })?;
    bar.finish_and_clear();
    report_unmatched(&options.selection, &captures);
    report_health(&timeline.name(), &report.health);
    if target != Target::Stdout && !quiet {
        output::print(&text(&report, &arguments.output))?;
    }
    Ok(Outcome::of(&report.health))
}

/// Captures in which names are looked for that are like those asked for.
const MAX_EXAMPLES: usize = 16;

/// Converts captures one by one. One that fails is reported; the others are still converted.
fn new_only(arguments: &Convert, mut options: ConvertOptions, quiet: bool) -> anyhow::Result<Outcome> {
    if is_stdio(&arguments.output) || arguments.inputs.inputs.iter().any(|input| is_stdio(input)) {
        bail!(
            "--new-only needs files: it remembers what it converted, so - is neither an input nor the output"
        );
    }
    options.layout = match arguments.layout {
        Some(LayoutArgument::Objects) => Layout::Objects,
        Some(LayoutArgument::Tidy) | None => Layout::Tidy,
    };
    let opened = arguments.inputs.reading().options()?;
    let span = arguments.samples.span();
    let mut settings = ConversionSettings::new(&options, &span, &opened);
    settings.in_english = arguments.inputs.reading().is_in_english();
    let new = NewOnly::new(&arguments.inputs.inputs, &arguments.output, &settings)?;
    note_earlier_runs(&new);
    let mut done = Counts { without: new.num_with_nothing(), ..Counts::default() };
    let mut outcome = Outcome::Done;
    // To which patterns that match nothing are compared.
    let mut examples: Vec<Capture> = Vec::new();
    for group in groups(new.pending()) {
        for (pending, converted) in convert_together(&new, group, arguments, &options, quiet) {
            if let Ok((timeline, _)) = &converted
                && examples.len() < MAX_EXAMPLES
            {
                examples.extend_from_slice(timeline.captures());
            }
            match converted {
                Ok((timeline, Some(report))) => {
                    done.converted += 1;
                    report_health(&timeline.name(), &report.health);
                    if !quiet {
                        output::print(&text(&report, &pending.output))?;
                    }
                    if Outcome::of(&report.health) == Outcome::Findings {
                        outcome = Outcome::Findings;
                    }
                }
                Ok((_, None)) => done.without += 1,
                Err(error) => {
                    new.failed(pending);
                    let is_no_capture = error.downcast_ref().is_some_and(OpenError::is_no_capture);
                    if is_no_capture && !new.was_capture(pending) {
                        done.others += 1;
                    } else {
                        exit::failure(&error);
                        done.failed += 1;
                    }
                }
            }
        }
    }
    // What is unchanged wasn't read: a pattern may match there.
    if new.num_unchanged() == 0 && done.converted + done.without > 0 {
        report_unmatched(&options.selection, &examples);
    }
    if arguments.prune {
        done.removed = new.prune()?;
    } else {
        note_stale(&new);
    }
    if !quiet {
        let text = done.text(new.num_unchanged(), what_is_lacking(arguments, &options));
        output::print(&format!("{}: {text}\n", arguments.output.display()))?;
    }
    Ok(if done.failed > 0 { Outcome::Code(exit::FAILED) } else { outcome })
}

/// Reports what is to be known of earlier runs.
fn note_earlier_runs(new: &NewOnly) {
    if let Some(journal) = new.unreadable_journal() {
        exit::report_note(&format!(
            "{}: isn't a record of what was converted, so the outputs of earlier runs aren't known; --force replaces them",
            journal.display()
        ));
    }
    for (output, other) in new.others() {
        exit::report_note(&format!(
            "{}: was made of {}; a capture of the same name replaces it (another OUT keeps both)",
            output.display(),
            other.display()
        ));
    }
}

/// Reports outputs whose captures are gone.
fn note_stale(new: &NewOnly) {
    let stale = new.stale();
    let Some(first) = stale.first() else { return };
    let first = first.display();
    exit::report_note(&match stale.len() {
        1 => format!(
            "{first}: of an earlier run, of a capture that is gone from these inputs or has no such output now; --prune \
             removes it"
        ),
        num => format!(
            "{first} and {} more: of an earlier run, of captures that are gone from these inputs or have no such outputs \
             now; --prune removes them",
            num - 1
        ),
    });
}

/// What became of the captures.
#[derive(Debug, Default)]
struct Counts {
    converted: usize,
    failed: usize,
    without: usize,
    others: usize,
    removed: usize,
}

impl Counts {
    fn text(&self, num_unchanged: usize, lacking: &str) -> String {
        let mut text = format!("{} converted, {num_unchanged} unchanged", self.converted);
        let more = [
            (self.failed, "failed"),
            (self.without, lacking),
            (self.others, "not captures"),
            (self.removed, "removed"),
        ];
        for (num, what) in more.into_iter().filter(|(num, _)| *num > 0) {
            text.push_str(&format!(", {num} {what}"));
        }
        text
    }
}

/// What captures lack of which nothing is converted.
fn what_is_lacking(arguments: &Convert, options: &ConvertOptions) -> &'static str {
    let span = arguments.samples.span();
    match (options.selection.is_all(), span.begin.is_none() && span.end.is_none()) {
        (false, true) => "without these counters",
        (false, false) => "without these counters at these times",
        (true, false) => "without samples at these times",
        (true, true) => "without samples",
    }
}

/// Captures that are converted at once, so that the disk isn't waited for with each of them: small ones only, as each takes
/// memory.
fn groups(pending: &[Pending]) -> impl Iterator<Item = &[Pending]> {
    const MAX: usize = 16;
    const LEN_SMALL: u64 = 4 << 20;
    let mut rest = pending;
    std::iter::from_fn(move || {
        let num_small = rest.iter().take(MAX).take_while(|one| one.len_capture() <= LEN_SMALL).count();
        let (group, others) = rest.split_at_checked(num_small.max(1))?;
        rest = others;
        Some(group)
    })
}

/// The capture, and what was done; `None`: it has nothing of what is asked for.
type Converted = anyhow::Result<(Timeline, Option<ConvertReport>)>;

fn convert_together<'a>(
    new: &NewOnly,
    group: &'a [Pending],
    arguments: &Convert,
    options: &ConvertOptions,
    quiet: bool,
) -> Vec<(&'a Pending, Converted)> {
    if let [alone] = group {
        return vec![(alone, convert_one(new, alone, arguments, options, quiet))];
    }
    std::thread::scope(|scope| {
        let convert = |pending| scope.spawn(move || convert_one(new, pending, arguments, options, true));
        let running: Vec<_> = group.iter().map(convert).collect();
        let done = running
            .into_iter()
            .map(|one| one.join().unwrap_or_else(|panic| std::panic::resume_unwind(panic)));
        group.iter().zip(done).collect()
    })
}

fn convert_one(
    new: &NewOnly,
    pending: &Pending,
    arguments: &Convert,
    options: &ConvertOptions,
    quiet: bool,
) -> Converted {
    let captures = arguments.inputs.reading().open(std::slice::from_ref(&pending.path))?;
    let bar = progress::bar(&captures, quiet);
    let timeline = Timeline::of(&captures, &arguments.samples.span());
    let timeline = timeline.with_context(|| pending.path.display().to_string())?;
    let report = new.convert(pending, &timeline, options, &progress::steps(&bar));
    bar.finish_and_clear();
    let report = report.with_context(|| pending.path.display().to_string())?;
    Ok((timeline, report))
}

fn text(report: &ConvertReport, path: &Path) -> String {
    let files = match report.files.len() {
        0 | 1 => String::new(),
        count => format!(" in {count} files"),
    };
    let size = output::number((report.len_written as f64 / 1024.0 * 10.0).round() / 10.0);
    let (samples, rows) = (report.num_samples, report.num_rows);
    format!("{}: {samples} samples, {rows} rows, {size} KiB{files}\n", path.display())
}

/// Arguments as typed to checked options.
fn options(arguments: &Convert) -> anyhow::Result<ConvertOptions> {
    let format = format(arguments)?;
    let has_tables = matches!(format, OutputFormat::Parquet | OutputFormat::Arrow);
    let output = &arguments.output;
    let is_directory = (output.extension().is_none() || ends_in_slash(output)) && !is_stdio(output);
    let layout = match arguments.layout {
        Some(LayoutArgument::Objects) => Layout::Objects,
        None if is_directory && has_tables => Layout::Objects,
        Some(LayoutArgument::Tidy) | None => Layout::Tidy,
    };
    let mut options = ConvertOptions::default();
    options.selection = arguments.counters.selection()?;
    options.local_time = arguments.local_time;
    options.raw = arguments.raw;
    options.scaled = arguments.scaled;
    options.format = format;
    options.layout = layout;
    options.partition_by = arguments.partition_by.iter().map(|key| key.key()).collect();
    options.force = arguments.force;
    Ok(options)
}

fn format(arguments: &Convert) -> anyhow::Result<OutputFormat> {
    if let Some(format) = arguments.format {
        return Ok(match format {
            FormatArgument::Parquet => OutputFormat::Parquet,
            FormatArgument::Arrow => OutputFormat::Arrow,
            FormatArgument::Csv => OutputFormat::Csv,
            FormatArgument::Tsv => OutputFormat::Tsv,
            FormatArgument::Blg => OutputFormat::Blg,
            FormatArgument::OpenMetrics => OutputFormat::OpenMetrics,
            FormatArgument::LineProtocol => OutputFormat::LineProtocol,
        });
    }
    let extension = arguments.output.extension().map(|extension| extension.to_string_lossy().to_lowercase());
    // A directory's name may seem to have an extension, as in `web1.example.com/`.
    let is_directory = ends_in_slash(&arguments.output);
    let has_tables = arguments.layout == Some(LayoutArgument::Objects) || !arguments.partition_by.is_empty();
    Ok(match extension.as_deref() {
        None if is_stdio(&arguments.output) => {
            mistake!("-o - needs --format: parquet, arrow, csv, tsv, blg, openmetrics or line-protocol")
        }
        None | Some("parquet" | "pq") => OutputFormat::Parquet,
        Some("arrow" | "feather" | "ipc") => OutputFormat::Arrow,
        Some(_) if is_directory => OutputFormat::Parquet,
        Some("csv") => OutputFormat::Csv,
        Some("tsv") => OutputFormat::Tsv,
        Some("blg") => OutputFormat::Blg,
        Some(_) if has_tables => OutputFormat::Parquet,
        Some(other) => {
            mistake!(
                "the extension .{other} names no format: use .parquet, .arrow, .csv, .tsv, .blg, or --format"
            )
        }
    })
}

fn ends_in_slash(path: &Path) -> bool {
    path.as_os_str().to_string_lossy().ends_with(std::path::is_separator)
}

impl PartitionArgument {
    fn key(self) -> PartitionKey {
        match self {
            PartitionArgument::Host => PartitionKey::Host,
            PartitionArgument::Date => PartitionKey::Date,
        }
    }
}
