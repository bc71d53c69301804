//! Opening PDH text: where its rows are and when they were taken, without decoding their values.

mod date_order;
mod daylight;
mod scan;
mod timeline;
mod zone;

use std::sync::Arc;

use jiff::tz::TimeZone;
use recount_model::{CaptureInfo, Content, FindingKind, Health, Opened, Zone};

use crate::error::{PdhTextError, RowFault};
use crate::names::Layout;
use crate::structure::header::{Dialect, Header, dialect_of};
use crate::text::{CodePage, Text};
pub use daylight::leads_back;
use scan::Scan;
use timeline::{LocalClock, Timeline};

/// Settings for what a file may not specify.
#[derive(Clone, Debug, Default)]
pub struct PdhTextOptions {
    /// Code page of a file without byte order mark; `None` for the most likely one for its letters.
    pub code_page: Option<CodePage>,
    /// Zone of local time, if the header names none.
    pub zone: Option<TimeZone>,
}

/// A PDH-CSV or PDH-TSV file, opened (`formats/pdh-text.md`).
///
/// Keeps the file's bytes, and 24 bytes per row for its time and offset.
pub struct PdhText {
    pub(crate) text: Text,
    pub(crate) separator: u8,
    pub(crate) mark: u8,
    pub(crate) layout: Layout,
    pub(crate) timeline: Timeline,
    pub(crate) opened: Opened,
}

impl PdhText {
    /// Whether a file that begins with these bytes is PDH text. 64 bytes are enough.
    pub fn recognise(bytes: &[u8]) -> bool {
        const LEN_NEEDED: usize = 64;
        let start = bytes[..bytes.len().min(LEN_NEEDED)].to_vec();
        let text = Text::of(Arc::new(start), None, &mut Health::default());
        dialect_of(text.bytes()).is_some()
    }

    /// Opens a file: reads its header, finds all rows and their times, and determines the order of its dates
    /// and its decimal mark. [`Source::health`](recount_model::Source::health) reports what is damaged or doubtful.
    pub fn open(bytes: Arc<dyn Content>, options: &PdhTextOptions) -> Result<PdhText, PdhTextError> {
        let mut health = Health::default();
        let text = Text::of(bytes, options.code_page, &mut health);
        let header = Header::read(&text)?;
        let layout = Layout::of(&header.cells, &text, &mut health)?;
        let scan = Scan::of(&text, &header, &layout, &mut health);
        let clock = match (&header.zone, &options.zone) {
            (Some((_, bias_min)), _) => LocalClock::Bias(*bias_min),
            (None, Some(zone)) => LocalClock::Zone(zone.clone()),
            (None, None) => LocalClock::Bias(0),
        };
        let timeline = Timeline::of(&scan.rows, &clock, &text, &mut health);
        if timeline.times.is_empty() {
            let (fault, what) = scan
                .first_fault
                .or_else(|| date_fault(&health))
                .unwrap_or_else(|| (RowFault::Missing, "the file ends after its header".to_owned()));
            let (ofs, num_lines) = (text.ofs_in_file(header.ofs_rows), scan.num_lines);
            return Err(PdhTextError::NoSamples { ofs, num_lines, fault, what });
        }
        if let Some(doubt) = scan.votes.doubt() {
            health.note(FindingKind::Odd, text.row_place(header.ofs_rows, "values"), doubt);
        }
        let mark = scan.votes.mark();
        let mut info = capture_info(&header, &layout, &timeline, &text, mark);
        info.zone = match (header.zone, &options.zone, timeline.times.first()) {
            (Some((zone, _)), _, _) => Some(zone),
            (None, Some(zone), Some(first)) => Some(Zone::of(zone, first.utc)),
            _ => None,
        };
        info.is_zone_unknown = info.zone.is_none();
        let opened = Opened { info, health, times: Arc::clone(&timeline.times) };
        Ok(PdhText { text, separator: header.separator, mark, layout, timeline, opened })
    }

    /// Size of a row in bytes. 0 for a row that doesn't exist.
    pub(crate) fn len_row(&self, row: usize) -> usize {
        let line = self.timeline.ofs_rows.get(row).and_then(|&ofs| self.text.line(ofs));
        line.map_or(0, |line| line.ofs_next - line.ofs)
    }

    /// Number of counter columns: a chunk of rows decodes to at least this many cells per row, even if rows
    /// are truncated.
    pub(crate) fn num_columns(&self) -> usize {
        self.layout.targets.iter().flatten().count()
    }
}

fn capture_info(header: &Header, layout: &Layout, timeline: &Timeline, text: &Text, mark: u8) -> CaptureInfo {
    let mut hosts: Vec<Arc<str>> = Vec::new();
    for group in &layout.groups {
        let is_known = hosts.iter().any(|host| host.eq_ignore_ascii_case(&group.host));
        if !group.host.is_empty() && !is_known {
            hosts.push(group.host.clone());
        }
    }
    let separator = match header.separator {
        b'\t' => "tab",
        b';' => "semicolon",
        _ => "comma",
    };
    let mut details = vec![
        ("encoding".to_owned(), text.encoding()),
        ("separator".to_owned(), separator.to_owned()),
        ("decimal mark".to_owned(), if mark == b',' { "comma" } else { "point" }.to_owned()),
    ];
    details.extend(timeline.order.map(|order| ("date order".to_owned(), order.as_str().to_owned())));
    let format = match header.dialect {
        Dialect::Csv => "PDH text (PDH-CSV)",
        Dialect::Tsv => "PDH text (PDH-TSV)",
    };
    CaptureInfo { format: format.into(), hosts, is_cooked: true, details, ..CaptureInfo::default() }
}

/// The first date that doesn't exist.
fn date_fault(health: &Health) -> Option<(RowFault, String)> {
    let fault = health.findings().iter().find(|finding| finding.kind == FindingKind::Dropped)?;
    Some((RowFault::NoTime, fault.what.clone()))
}
