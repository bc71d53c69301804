//! The text format for Prometheus.

use std::io::Write;

use recount_model::Cooked;

use crate::MetricsError;
use crate::families::{Families, Family};
use crate::labels::LabelSets;
use crate::number::{push_seconds, push_value};
use crate::points::{Point, Points, Series};

/// Writes cooked values as `OpenMetrics` text.
///
/// The output is ordered by series, while values arrive in time order: they are collected until all have arrived, up to
/// 64 MiB in memory (plus one slice), and the rest in a temporary file with 32 bytes per value.
#[derive(Debug, Default)]
pub struct OpenMetricsWriter {
    families: Families,
    labels: LabelSets,
    points: Points,
}

/// What was written.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Written {
    /// Values.
    pub num_values: u64,
    /// Values that were left out, because their series has one in the same millisecond.
    pub num_repeated: u64,
}

impl OpenMetricsWriter {
    /// Without values.
    pub fn new() -> OpenMetricsWriter {
        OpenMetricsWriter::default()
    }

    /// Takes the cooked values of a slice of time. Slices must be in the order of time and not overlap.
    pub fn push(&mut self, slice: &[Cooked]) -> Result<(), MetricsError> {
        for cooked in slice {
            self.push_cooked(cooked)?;
        }
        Ok(self.points.end_slice()?)
    }

    fn push_cooked(&mut self, cooked: &Cooked) -> Result<(), MetricsError> {
        let families = self.families.of(cooked);
        let labels = self.labels.of(cooked);
        for (sample, time) in cooked.times.iter().enumerate() {
            let nanos = time.utc.unix_nanos();
            let nanos = nanos.ok_or(MetricsError::TimeOutOfRange { time: time.utc })?;
            let millis = nanos.div_euclid(1_000_000);
            for (column, &family) in cooked.columns.iter().zip(&families) {
                for (instance, &set) in labels.iter().enumerate() {
                    let value = column.value_at(sample * labels.len() + instance);
                    let value = value.filter(|value| value.is_finite() && column.covers(instance));
                    if let Some(value) = value {
                        self.points.push(Point { series: (family, set), millis, value });
                    }
                }
            }
        }
        Ok(())
    }

    /// Writes everything.
    pub fn finish(self, mut out: impl Write) -> Result<Written, MetricsError> {
        let OpenMetricsWriter { families, labels, points } = self;
        let mut written = Written::default();
        let mut last: Option<(Series, i64)> = None;
        let mut line = String::new();
        // Name and labels of the current series.
        let mut head = String::new();
        points.each(|Point { series, millis, value }| {
            if last == Some((series, millis)) {
                written.num_repeated += 1;
                return Ok(());
            }
            let series_before = last.map(|(series, _)| series);
            if series_before.is_none_or(|before| before.0 != series.0) {
                out.write_all(metadata(families.get(series.0)).as_bytes())?;
            }
            if series_before != Some(series) {
                head = of_series(families.get(series.0), labels.get(series.1));
            }
            last = Some((series, millis));
            line.clear();
            line.push_str(&head);
            push_value(&mut line, value);
            line.push(' ');
            push_seconds(&mut line, millis);
            line.push('\n');
            written.num_values += 1;
            Ok::<(), MetricsError>(out.write_all(line.as_bytes())?)
        })?;
        out.write_all(b"# EOF\n")?;
        out.flush()?;
        Ok(written)
    }
}

fn metadata(family: &Family) -> String {
    let name = family.name();
    let unit = family.unit.as_ref().map_or_else(String::new, |unit| format!("# UNIT {name} {unit}\n"));
    format!("# TYPE {name} gauge\n{unit}# HELP {name} {}\n", escaped(&family.help))
}

/// `name{host="web1",instance="0"} `
fn of_series(family: &Family, labels: &[(&str, String)]) -> String {
    let labels: Vec<String> =
        labels.iter().map(|(name, value)| format!("{name}=\"{}\"", escaped(value))).collect();
    let name = family.name();
    if labels.is_empty() { format!("{name} ") } else { format!("{name}{{{}}} ", labels.join(",")) }
}

fn escaped(text: &str) -> String {
    text.replace('\\', "\\\\").replace('"', "\\\"").replace('\n', "\\n")
}
