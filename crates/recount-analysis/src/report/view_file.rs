//! A saved view: the charts to draw, and their span (`formats/view.md`).

use serde::{Deserialize, Serialize};

/// The saved state of the viewer's screen. It can be opened with another capture, and reports can include its
/// charts.
#[derive(Clone, Debug, Default, PartialEq, Deserialize, Serialize)]
#[serde(deny_unknown_fields)]
pub struct ViewFile {
    /// Title and span.
    #[serde(default)]
    pub view: ViewHead,
    /// The charts, in order.
    #[serde(default, rename = "chart")]
    pub charts: Vec<ViewChart>,
}

/// Title and span of a view.
#[derive(Clone, Debug, Default, PartialEq, Deserialize, Serialize)]
#[serde(deny_unknown_fields)]
pub struct ViewHead {
    /// Title.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub title: Option<String>,
    /// First time, as the option `--begin` takes it.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub begin: Option<String>,
    /// Last time, as the option `--end` takes it.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub end: Option<String>,
}

/// A chart of a view.
#[derive(Clone, Debug, Default, PartialEq, Deserialize, Serialize)]
#[serde(deny_unknown_fields)]
pub struct ViewChart {
    /// Title.
    #[serde(default)]
    pub title: String,
    /// Counters: paths or patterns, usually without a machine.
    #[serde(default)]
    pub counters: Vec<String>,
    /// Whether values are drawn on top of each other.
    #[serde(default)]
    pub stacked: bool,
    /// Whether the scale is logarithmic.
    #[serde(default)]
    pub logarithmic: bool,
}

/// Why the file of a view is invalid.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
#[non_exhaustive]
pub enum ViewFileError {
    /// The file doesn't have the structure of a view.
    #[error("not the file of a view: {0}")]
    Toml(String),
    /// A counter's pattern isn't one.
    #[error("chart {chart}: {error}")]
    Pattern {
        /// Number of the chart, from 1.
        chart: usize,
        /// What is wrong with the pattern.
        error: recount_model::PathError,
    },
    /// More than anybody looks at.
    #[error("{num} {what}, but a view has at most {most}")]
    TooMany {
        /// Charts, or counters of a chart.
        what: &'static str,
        /// How many there are.
        num: usize,
        /// How many there may be.
        most: usize,
    },
}

impl ViewFile {
    /// Most charts of a view, and most counters of a chart.
    pub const MAX_CHARTS: usize = 64;

    /// Reads the text of a file.
    pub fn parse(text: &str) -> Result<ViewFile, ViewFileError> {
        let file: ViewFile =
            toml::from_str(text).map_err(|error| ViewFileError::Toml(error.to_string().trim().to_owned()))?;
        let most = ViewFile::MAX_CHARTS;
        let too_many = |what, num| (num > most).then_some(ViewFileError::TooMany { what, num, most });
        if let Some(error) = too_many("charts", file.charts.len()) {
            return Err(error);
        }
        for (number, chart) in file.charts.iter().enumerate() {
            if let Some(error) = too_many("counters of a chart", chart.counters.len()) {
                return Err(error);
            }
            for counter in &chart.counters {
                if let Err(error) = counter.parse::<recount_model::Pattern>() {
                    return Err(ViewFileError::Pattern { chart: number + 1, error });
                }
            }
        }
        Ok(file)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    const MONDAY: &str = r"
[view]
title = 'Monday'
begin = '+5m'

[[chart]]
title = 'CPU'
counters = ['\Processor(_Total)\% Processor Time', '\Processor(*)\% Idle Time']
stacked = true
";

    #[test]
    fn a_view_is_read() {
        let file = ViewFile::parse(MONDAY).expect("a view");
        assert_eq!(
            (file.view.title.as_deref(), file.view.begin.as_deref(), file.view.end),
            (Some("Monday"), Some("+5m"), None)
        );
        let chart = &file.charts[0];
        assert_eq!((chart.counters.len(), chart.stacked, chart.logarithmic), (2, true, false));
        assert_eq!(ViewFile::parse("").expect("an empty one"), ViewFile::default());
    }

    #[test]
    fn mistakes_are_reported() {
        let error = |text: &str| ViewFile::parse(text).expect_err(text).to_string();
        assert!(error("[view]\nname = 'x'").contains("unknown field `name`"));
        assert!(error("[[chart]]\ncounters = [7]").contains("line 2"));
        assert!(
            error(
                r"[[chart]]
counters = ['\Process(a\b']"
            )
            .starts_with("chart 1: counter path")
        );
        assert!(error(&"[[chart]]\n".repeat(65)).starts_with("65 charts"));
    }
}
