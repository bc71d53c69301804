//! The data for both templates.

use recount_page::{Entry, hash, script, style};
use serde::Serialize;

use crate::report::CaptureFacts;
use crate::shown::{duration, quantity, short};

/// The frame of a page.
#[derive(Debug, Serialize)]
pub(crate) struct Frame {
    title: String,
    generator: &'static str,
    style: String,
    script: String,
    style_hash: String,
    script_hash: String,
    data: String,
    len_data_text: String,
}

/// A capture.
#[derive(Debug, Serialize)]
pub(crate) struct CaptureText {
    names: Vec<String>,
    hosts: Vec<String>,
    os: Option<String>,
    begin: String,
    end: String,
    zone: String,
    duration: String,
    num_samples: String,
    interval: String,
    num_series: String,
    num_objects: usize,
    boot: Option<String>,
    /// For comparisons.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub(crate) label: Option<String>,
    #[serde(skip_serializing_if = "Option::is_none")]
    pub(crate) is_sound: Option<bool>,
}

impl Frame {
    pub(crate) fn new(title: &str, data: String) -> Frame {
        let (style, script) = (style(), script(Entry::Report));
        Frame {
            title: short(title),
            generator: concat!("recount ", env!("CARGO_PKG_VERSION")),
            style_hash: hash(&style),
            script_hash: hash(&script),
            style,
            script,
            len_data_text: quantity(data.len() as f64, "bytes"),
            data,
        }
    }
}

impl Frame {
    /// The blob of values.
    pub(crate) fn into_data(self) -> String {
        self.data
    }
}

impl CaptureText {
    pub(crate) fn new(facts: &CaptureFacts, num_series: usize, num_objects: usize) -> CaptureText {
        let all = |texts: &[String]| texts.iter().map(|text| short(text)).collect();
        let (begin, end) = facts.span().unwrap_or_default();
        let interval = facts.interval_s;
        CaptureText {
            names: all(&facts.names),
            hosts: all(&facts.hosts),
            os: facts.os.as_deref().map(short),
            begin: facts.shown(begin.utc),
            end: facts.shown(end.utc),
            zone: facts.zone_text(),
            duration: duration(end.utc.seconds_since(begin.utc)),
            num_samples: quantity(facts.times.len() as f64, ""),
            // To the millisecond, so that 0.9999 s is 1 s and not 1,000 ms.
            interval: interval
                .map_or_else(|| "-".to_owned(), |seconds| quantity((seconds * 1e3).round() / 1e3, "sec")),
            num_series: quantity(num_series as f64, ""),
            num_objects,
            boot: facts.boot_time.map(|time| format!("up since {}", facts.shown(time))),
            label: None,
            is_sound: None,
        }
    }
}
