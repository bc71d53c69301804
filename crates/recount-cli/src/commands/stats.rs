//! `recount stats`

use clap::{Args, ValueEnum};
use recount::analysis::attribution::GroupBy;
use recount::analysis::changes::{ChangeOptions, Changes, changes_table};
use recount::analysis::roster::{Grouping, InstanceGrouping};
use recount::analysis::stats::{StatsOptions, StatsRow, stats_table};
use recount::{Capture, Health, Period, changes, stats};
use serde_json::Value;

use crate::answer::{AnswerArguments, AnswerForm};
use crate::args::{Counters, Inputs, Samples};
use crate::exit::{Outcome, nothing, outcome_of, report_shared, report_unmatched};
use crate::mistake::mistake;
use crate::paragraph::{room, wrapped};
use crate::series_label::series_labels;
use crate::table::{Amounts, Table};
use crate::{output, progress};

/// Count, mean, spread, percentiles and trend of every counter
#[derive(Debug, Args)]
#[command(after_help = "Examples:
  recount stats monday.blg -c '\\Processor(*)\\*'
  recount stats monday.rcap -c '\\Process(*)\\Working Set' --by 5m --format csv
  recount stats tables/ --group-by host -o stats.parquet
  recount stats monday.blg -c '\\Process(*)\\*' --top 10 --sort max --columns object,instance,counter,max --json
  recount stats monday.blg --changes
  recount stats monday.blg --changes -c '\\PhysicalDisk(*)\\*' --format csv
  recount stats build.rcap -c '\\Process(*)\\Working Set' --group-by host,unit

The mean is taken over time: each value counts as long as its interval, and the first one as long as an interval usually is. \
A value across a gap, in which nobody sampled, counts nothing. The standard deviation is that of a sample (n - 1), \
each value counting the same; percentiles are exact, by linear interpolation; the trend is the slope of the least-squares \
line, in units per hour. With --by, the capture is cut at multiples of the duration since 1970-01-01 UTC (of local time, \
if the capture's zone is unknown), and a value belongs to the stretch that contains its time stamp. JSON has the missing \
values by reason, CSV and Parquet a column for each reason.

Counters may be named as in the capture, or as Windows names them in English, as reports do.

--changes says instead when counters went to another level, or began to rise or fall, and stayed so: of the counters of the \
report's first charts, or of those that -c names. docs/something-happened.md says what is computed.")]
pub(crate) struct Stats {
    #[command(flatten)]
    inputs: Inputs,
    #[command(flatten)]
    counters: Counters,
    #[command(flatten)]
    samples: Samples,
    /// Cut the capture into stretches of this length (5m, 1h)
    #[arg(long, value_name = "DURATION")]
    by: Option<Period>,
    /// What gets its own row; everything else is combined
    #[arg(long, value_enum, value_delimiter = ',', value_name = "KEYS", default_value = "host,instance")]
    group_by: Vec<GroupKey>,
    /// When counters changed and stayed so, instead of their figures
    #[arg(long, conflicts_with_all = ["by", "group_by", "sort", "columns"])]
    changes: bool,
    /// Only the first N rows; of --changes, the largest N
    #[arg(long, value_name = "N", value_parser = clap::value_parser!(u32).range(1..))]
    top: Option<u32>,
    /// The largest first, instead of the order of the capture; rows without the figure come last
    #[arg(long, value_enum, value_name = "FIGURE")]
    sort: Option<Figure>,
    /// Only these fields of JSON, CSV, Parquet and Markdown, in this order (object,instance,counter,mean)
    #[arg(long, value_delimiter = ',', value_name = "NAMES")]
    columns: Vec<String>,
    #[command(flatten)]
    answer: AnswerArguments,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq, ValueEnum)]
enum GroupKey {
    /// Machines
    Host,
    /// Instances: processes and threads by their id if the capture has it, others by the name that Windows shows
    Instance,
    /// Nothing: a row per counter
    None,
    /// Processes by user: sums
    User,
    /// Processes by unit of systemd
    Unit,
    /// Processes by container
    Container,
    /// Processes by program, and the script of an interpreter
    Command,
    /// Processes by program, by what they run below, and by unit: `cc1plus below make of ci.service`
    Tree,
}

/// By which figure rows are sorted.
#[derive(Clone, Copy, Debug, PartialEq, Eq, ValueEnum)]
enum Figure {
    /// Mean over time
    Mean,
    /// Largest value
    Max,
    /// Smallest value
    Min,
    /// 95th percentile
    P95,
    /// 99th percentile
    P99,
    /// Standard deviation
    Std,
    /// Slope per hour, rising or falling
    Trend,
    /// Latest value minus the earliest, rising or falling
    Change,
    /// Values that are missing
    Missing,
}

impl Figure {
    fn of(self, row: &StatsRow) -> Option<f64> {
        match self {
            Figure::Mean => row.mean,
            Figure::Max => row.max,
            Figure::Min => row.min,
            Figure::P95 => row.p95,
            Figure::P99 => row.p99,
            Figure::Std => row.std,
            Figure::Trend => row.trend_per_hour.map(f64::abs),
            Figure::Change => row.last.zip(row.first).map(|(last, first)| (last - first).abs()),
            Figure::Missing => Some(row.num_nulls() as f64),
        }
    }
}

/// The first rows that are asked for.
fn chosen(mut rows: Vec<StatsRow>, arguments: &Stats) -> Vec<StatsRow> {
    if let Some(figure) = arguments.sort {
        // Stable: equal rows stay in the order of the capture.
        let of = |row: &StatsRow| figure.of(row).unwrap_or(f64::NEG_INFINITY);
        rows.sort_by(|one, other| of(other).total_cmp(&of(one)));
    }
    if let Some(top) = arguments.top {
        rows.truncate(top as usize);
    }
    rows
}

impl GroupKey {
    /// What processes have in common.
    fn of_processes(self) -> Option<GroupBy> {
        match self {
            GroupKey::Host | GroupKey::Instance | GroupKey::None => None,
            GroupKey::User => Some(GroupBy::User),
            GroupKey::Unit => Some(GroupBy::Unit),
            GroupKey::Container => Some(GroupBy::Container),
            GroupKey::Command => Some(GroupBy::Command),
            GroupKey::Tree => Some(GroupBy::Tree),
        }
    }
}

pub(crate) fn run(arguments: &Stats, quiet: bool) -> anyhow::Result<Outcome> {
    let form = arguments.answer.check(&arguments.inputs.inputs)?;
    if form == AnswerForm::Table && !arguments.columns.is_empty() {
        mistake!("--columns goes with --json, or another --format than table");
    }
    if arguments.changes {
        return run_changes(arguments, form, quiet);
    }
    let options = options(arguments)?;
    let read = |captures: &[Capture]| {
        let timeline = arguments.samples.of(captures)?;
        let bar = progress::bar(captures, quiet);
        let found = stats(&timeline, &options, &progress::steps(&bar))?;
        bar.finish_and_clear();
        Ok((timeline, found.0, found.1))
    };
    let has_none = |(_, rows, _): &(_, Vec<StatsRow>, _)| rows.is_empty();
    let ((timeline, rows, found), captures) =
        arguments.inputs.reading().answered(arguments.inputs.open()?, read, has_none)?;
    if rows.is_empty() {
        return Err(nothing(&timeline, &options.selection));
    }
    let rows = chosen(rows, arguments);
    let is_local = timeline.is_zone_unknown();
    let access = recount::access_of(&captures);
    match form {
        AnswerForm::Json => {
            let text = output::json_line(&with_fields(json(&rows, is_local)?, &arguments.columns)?)?;
            arguments.answer.put(&access, text.as_bytes())?;
        }
        AnswerForm::Table => arguments.answer.put_table(&access, table(&rows, is_local))?,
        AnswerForm::Markdown | AnswerForm::Csv | AnswerForm::Parquet => {
            let table = stats_table(&rows)?;
            let table = if is_local { table.with_zone_unknown()? } else { table };
            let table = table.with_columns(&arguments.columns)?;
            arguments.answer.write(&access, &table)?;
        }
    }
    report_unmatched(&options.selection, &captures);
    let shared = rows.iter().filter(|row| row.is_shared);
    report_shared(
        shared.map(|row| format!(r"\{}({})", row.object, row.instance.as_deref().unwrap_or_default())),
    );
    let has_times = arguments.by.is_some() || arguments.samples.has_times();
    Ok(outcome_of(&timeline.name(), timeline.health(), found, has_times))
}

/// Change points.
fn run_changes(arguments: &Stats, form: AnswerForm, quiet: bool) -> anyhow::Result<Outcome> {
    let selection = arguments.counters.selection()?;
    let overview_only = arguments.counters.counters.is_empty();
    let options = ChangeOptions { selection: selection.clone(), overview_only };
    // The overview knows counters by their English names.
    let captures = arguments.inputs.open_in_english()?;
    let timeline = arguments.samples.of(&captures)?;
    let bar = progress::bar(&captures, quiet);
    let mut found = changes(&timeline, &options, &progress::steps(&bar))?;
    found.changes.truncate(arguments.top.map_or(usize::MAX, |top| top as usize));
    bar.finish_and_clear();
    if found.num_series == 0 {
        return Err(nothing(&timeline, &selection));
    }
    let access = recount::access_of(&captures);
    if form == AnswerForm::Table {
        let mut text = shown_changes(&found, room());
        for note in found.notes() {
            text.push_str(&wrapped(&note, ["", "  "], room()));
        }
        arguments.answer.put(&access, text.as_bytes())?;
    } else {
        let table = changes_table(&found.changes)?;
        let table = if timeline.is_zone_unknown() { table.with_zone_unknown()? } else { table };
        arguments.answer.write(&access, &table)?;
    }
    report_unmatched(&selection, &captures);
    Ok(outcome_of(&timeline.name(), Health::default(), found.health, true))
}

/// A row for each change; a sentence, if rows don't fit into the terminal.
fn shown_changes(found: &Changes, room: Option<usize>) -> String {
    let rows = change_rows(found);
    if found.changes.is_empty() {
        return String::new();
    }
    let Some(room) = room.filter(|room| *room < rows.width()) else { return rows.drawn() };
    let sentence = |cells: [String; 3]| wrapped(&output::visible(&cells.join(" ")), ["", "  "], Some(room));
    found.changes.iter().map(|change| sentence(found.row(change))).collect()
}

/// A row for each change.
fn change_rows(found: &Changes) -> Table {
    let mut table = Table::new(vec!["when", "counter", "what"], &[]);
    for change in &found.changes {
        table.add_row(found.row(change).map(|cell| output::visible(&cell)));
    }
    table
}

fn options(arguments: &Stats) -> anyhow::Result<StatsOptions> {
    let by = |key: GroupKey| arguments.group_by.contains(&key);
    if by(GroupKey::None) && arguments.group_by.len() > 1 {
        mistake!("--group-by none can't be combined with others");
    }
    let processes: Vec<GroupBy> = arguments.group_by.iter().filter_map(|key| key.of_processes()).collect();
    if processes.len() > 1 || (!processes.is_empty() && by(GroupKey::Instance)) {
        mistake!("--group-by takes one of instance, user, unit, container, command and tree");
    }
    let has_instances = by(GroupKey::Instance) || !processes.is_empty();
    let instances = if has_instances { InstanceGrouping::Tasks } else { InstanceGrouping::Together };
    Ok(StatsOptions {
        selection: arguments.counters.selection()?,
        grouping: Grouping { by_host: by(GroupKey::Host), instances },
        processes: processes.first().copied(),
        bucket: arguments.by.map(Period::ticks),
        ..StatsOptions::default()
    })
}

/// The start of a stretch: UTC, or local time without `Z` if the zone is unknown.
fn bucket(row: &StatsRow, is_local: bool) -> Option<String> {
    let text = row.bucket?.to_string();
    Some(if is_local { text.trim_end_matches('Z').to_owned() } else { text })
}

fn json(rows: &[StatsRow], is_local: bool) -> serde_json::Result<Vec<Value>> {
    let one = |row: &StatsRow| {
        let mut value = serde_json::to_value(row)?;
        if let Some(bucket) = bucket(row, is_local).filter(|_| is_local) {
            value["bucket"] = bucket.into();
            value["is_zone_unknown"] = true.into();
        }
        Ok(value)
    };
    rows.iter().map(one).collect()
}

/// Rows with some of their fields, if they have them; with all if none are named.
fn with_fields(rows: Vec<Value>, names: &[String]) -> anyhow::Result<Vec<Value>> {
    if names.is_empty() {
        return Ok(rows);
    }
    let is_known = |name: &&String| rows.iter().any(|row| row.get(name.as_str()).is_some());
    if let Some(name) = names.iter().find(|name| !is_known(name)) {
        let known: Vec<&String> =
            rows.iter().filter_map(Value::as_object).flat_map(|row| row.keys()).collect();
        return Err(recount::analysis::AnswerError::no_column(name, &known).into());
    }
    let one =
        |row: &Value| names.iter().filter_map(|name| Some((name.clone(), row.get(name)?.clone()))).collect();
    Ok(rows.iter().map(|row| Value::Object(one(row))).collect())
}

/// The figures that fit on a terminal.
fn table(rows: &[StatsRow], is_local: bool) -> Table {
    let cut = rows.iter().any(|row| row.bucket.is_some());
    let mut header = vec!["counter"];
    if cut {
        header.push(if is_local { "from (local)" } else { "from (UTC)" });
    }
    let first_number = header.len();
    header.extend(["values", "missing", "min", "mean", "p50", "p95", "p99", "max", "std", "trend/h", "unit"]);
    let right: Vec<usize> = (first_number..header.len() - 1).collect();
    let optional = ["p99", "std", "trend/h", "p50", "min", "missing", "values"];
    let mut table = Table::new(header, &right).with_optional(&optional);
    // With --by a series has several rows.
    let labels = series_labels(rows.iter().map(|row| (row.path().to_string(), row.instance_id)));
    for (row, label) in rows.iter().zip(labels) {
        let amounts = Amounts::of(&row.counter, row.unit);
        let cell = |value: Option<f64>| {
            value.map_or_else(|| "-".to_owned(), |value| amounts.cell(value, output::number))
        };
        let mut cells = vec![output::visible(&label)];
        cells.extend(bucket(row, is_local));
        cells.extend([row.count.to_string(), row.num_nulls().to_string()]);
        cells.extend(
            [row.min, row.mean, row.p50, row.p95, row.p99, row.max, row.std, row.trend_per_hour].map(cell),
        );
        cells.push(amounts.unit());
        table.add_row(cells);
    }
    table
}
