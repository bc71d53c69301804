//! `recount stats`

use clap::{Args, ValueEnum};
use recount::analysis::roster::{Grouping, InstanceGrouping};
use recount::analysis::stats::{StatsOptions, StatsRow, stats_table};
use recount::{Period, stats};
use serde_json::Value;

use crate::answer::{AnswerArguments, AnswerForm};
use crate::args::{Counters, Inputs, Samples};
use crate::exit::{Outcome, nothing, tell_shared, tell_unmatched, told};
use crate::series_label::series_labels;
use crate::table::Table;
use crate::{output, progress};

/// Count, mean, spread, percentiles and trend of every counter
#[derive(Debug, Args)]
#[command(after_help = "Examples:
  recount stats monday.blg -c '\\Processor(*)\\*'
  recount stats monday.rcap -c '\\Process(*)\\Working Set' --by 5m --format csv
  recount stats tables/ --group-by host -o stats.parquet

The mean is taken over time: each value counts as long as its interval. The standard deviation is that of a sample (n - 1), \
each value counting the same; percentiles are exact, by linear interpolation; the trend is the slope of the least-squares \
line, in units per hour. With --by, the capture is cut at multiples of the duration since 1970-01-01 UTC (of local time, \
if the capture's zone is unknown), and a value belongs to the stretch that contains its time stamp. JSON has the missing \
values by reason, CSV and Parquet a column for each reason.")]
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
}

pub(crate) fn run(arguments: &Stats, quiet: bool) -> anyhow::Result<Outcome> {
    let form = arguments.answer.check(&arguments.inputs.inputs)?;
    let options = options(arguments)?;
    let captures = arguments.inputs.open()?;
    let timeline = arguments.samples.of(&captures)?;
    let bar = progress::bar(&captures, quiet);
    let (rows, found) = stats(&timeline, &options, &progress::steps(&bar))?;
    bar.finish_and_clear();
    if rows.is_empty() {
        return Err(nothing(&timeline, &options.selection));
    }
    let is_local = timeline.is_zone_unknown();
    let access = recount::access_of(&captures);
    match form {
        AnswerForm::Json => {
            let mut text = serde_json::to_vec_pretty(&json(&rows, is_local)?)?;
            text.push(b'\n');
            arguments.answer.put(&access, &text)?;
        }
        AnswerForm::Table => arguments.answer.put_table(&access, table(&rows, is_local))?,
        AnswerForm::Markdown | AnswerForm::Csv | AnswerForm::Parquet => {
            let table = stats_table(&rows)?;
            let table = if is_local { table.with_zone_unknown()? } else { table };
            arguments.answer.write(&access, &table)?;
        }
    }
    tell_unmatched(&options.selection);
    let shared = rows.iter().filter(|row| row.is_shared);
    tell_shared(
        shared.map(|row| format!(r"\{}({})", row.object, row.instance.as_deref().unwrap_or_default())),
    );
    let has_times = arguments.by.is_some() || arguments.samples.has_times();
    Ok(told(&timeline.name(), timeline.health(), found, has_times))
}

fn options(arguments: &Stats) -> anyhow::Result<StatsOptions> {
    let by = |key: GroupKey| arguments.group_by.contains(&key);
    if by(GroupKey::None) && arguments.group_by.len() > 1 {
        anyhow::bail!("--group-by none can't be combined with host or instance");
    }
    let instances = if by(GroupKey::Instance) { InstanceGrouping::Tasks } else { InstanceGrouping::Together };
    Ok(StatsOptions {
        selection: arguments.counters.selection()?,
        grouping: Grouping { by_host: by(GroupKey::Host), instances },
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
    let optional = ["p99", "std", "trend/h", "p50", "min"];
    let mut table = Table::new(header, &right).with_optional(&optional);
    // With --by a series has several rows.
    let labels = series_labels(rows.iter().map(|row| (row.path().to_string(), row.instance_id)));
    for (row, label) in rows.iter().zip(labels) {
        let cell = |value: Option<f64>| value.map_or_else(|| "-".to_owned(), output::number);
        let mut cells = vec![output::clean(&label)];
        cells.extend(bucket(row, is_local));
        cells.extend([row.count.to_string(), row.num_nulls().to_string()]);
        cells.extend(
            [row.min, row.mean, row.p50, row.p95, row.p99, row.max, row.std, row.trend_per_hour].map(cell),
        );
        cells.push(row.unit.to_owned());
        table.add_row(cells);
    }
    table
}
