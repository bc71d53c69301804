//! Opening PDH text: where its rows are and when they were taken, without decoding their values.

mod clock;
mod copies;
mod date_order;
mod daylight;
mod parts;
mod reads_back;
mod rows;
mod scan;
mod timeline;
mod whole_objects;
mod zone;

use std::collections::HashSet;
use std::sync::Arc;

use jiff::tz::TimeZone;
use recount_model::{Authority, CaptureInfo, Content, FindingKind, Health, Opened, Zone};

use crate::error::{PdhTextError, RowFault};
use crate::structure::mark::Dialect;
use crate::structure::number::NumberForm;
use crate::text::{CodePage, Text};
pub(crate) use parts::{FileParts, Section};
pub(crate) use reads_back::{WrittenForm, reads_back};
use scan::Scan;
use timeline::{Timeline, ZoneUsed};
pub(crate) use whole_objects::NO_COLUMN;
use whole_objects::WholeObjects;

/// Settings for what a file may not specify.
#[derive(Clone, Debug, Default)]
pub struct PdhTextOptions {
    /// Code page of a file without byte order mark; `None` for the most likely one for its letters.
    pub code_page: Option<CodePage>,
    /// Zone of local time, if the header names none, or one with the same offset at the first row.
    pub zone: Option<TimeZone>,
}

/// A PDH-CSV or PDH-TSV file, opened (`formats/pdh-text.md`).
///
/// Keeps the file's bytes, and 24 bytes per row for its time and offset (up to 32 if it has several headers).
pub struct PdhText {
    pub(crate) text: Text,
    pub(crate) number_form: NumberForm,
    pub(crate) sections: Vec<Arc<Section>>,
    pub(crate) whole_objects: WholeObjects,
    pub(crate) timeline: Timeline,
    pub(crate) opened: Opened,
}

impl PdhText {
    /// Whether a file that begins with these bytes is PDH text: its header is within the first 4 KiB of text.
    pub fn recognise(bytes: &[u8]) -> bool {
        Text::has_header(bytes)
    }

    /// Opens a file: reads its headers, finds all rows and their times, and determines the order of its dates
    /// and its decimal mark. [`Source::health`](recount_model::Source::health) reports what is damaged or doubtful.
    pub fn open(bytes: Arc<dyn Content>, options: &PdhTextOptions) -> Result<PdhText, PdhTextError> {
        let mut health = Health::default();
        let text = Text::of(bytes, options.code_page, &mut health);
        let ofs_header = text.ofs_header().ok_or_else(|| PdhTextError::NotPdhText {
            ofs: text.ofs_in_file(0),
            found: text.excerpt(text.bytes()),
        })?;
        note_front(&text, ofs_header, &mut health);
        let mut parts = FileParts::default();
        let (ofs_rows, _) = parts.add(ofs_header, &text, &mut health)?;
        let scan = Scan::of(&text, parts, ofs_rows, &mut health);
        let timeline = Timeline::of(&scan.rows, &scan.parts, options.zone.as_ref(), &text, &mut health);
        if timeline.times.is_empty() {
            let (fault, what) = scan
                .first_fault
                .or_else(|| date_fault(&health))
                .unwrap_or_else(|| (RowFault::Missing, "the file ends after its header".to_owned()));
            let (ofs, num_lines) = (text.ofs_in_file(ofs_rows), scan.num_lines);
            return Err(PdhTextError::NoSamples { ofs, num_lines, fault, what });
        }
        if let Some(doubt) = scan.votes.doubt() {
            health.note(FindingKind::Odd, text.row_place(ofs_rows, "values"), doubt);
        }
        let number_form = scan.votes.form();
        let info = capture_info(&scan.parts, &timeline, options.zone.as_ref(), &text, number_form);
        let whole_objects = WholeObjects::of(&scan.parts);
        whole_objects.note_shared(&timeline, &text, &mut health);
        let opened = Opened { info, health, times: Arc::clone(&timeline.times) };
        let sections = scan.parts.sections;
        Ok(PdhText { text, number_form, sections, whole_objects, timeline, opened })
    }

    /// Size of a row in bytes. 0 for a row that doesn't exist.
    pub(crate) fn len_row(&self, row: usize) -> usize {
        let line = self.timeline.ofs_rows.get(row).and_then(|&ofs| self.text.line(ofs));
        line.map_or(0, |line| line.ofs_next - line.ofs)
    }

    /// The columns of a sample.
    pub(crate) fn section(&self, sample: usize) -> &Section {
        &self.sections[self.timeline.section(sample)]
    }
}

/// Reports what is in front of the header.
fn note_front(text: &Text, ofs_header: usize, health: &mut Health) {
    let front = text.bytes()[..ofs_header].trim_ascii();
    if !front.is_empty() {
        let what = format!("{ofs_header} bytes before the header are skipped: `{}`", text.excerpt(front));
        health.note(FindingKind::Odd, text.header_place(0, None), what);
    }
}

fn capture_info(
    parts: &FileParts,
    timeline: &Timeline,
    asked: Option<&TimeZone>,
    text: &Text,
    number_form: NumberForm,
) -> CaptureInfo {
    let mut hosts: Vec<Arc<str>> = Vec::new();
    let mut known: HashSet<Arc<str>> = HashSet::new();
    for group in parts.sections.iter().flat_map(|section| &section.layout.groups) {
        if !group.host.is_empty() && known.insert(group.host.clone()) {
            hosts.push(group.host.clone());
        }
    }
    let separator = match parts.sections[0].separator {
        b'\t' => "tab",
        b';' => "semicolon",
        _ => "comma",
    };
    let mut details = vec![
        ("encoding".to_owned(), text.encoding()),
        ("separator".to_owned(), separator.to_owned()),
        ("decimal mark".to_owned(), if number_form.mark == b',' { "comma" } else { "point" }.to_owned()),
    ];
    details.extend(timeline.order.map(|order| ("date order".to_owned(), order.as_str().to_owned())));
    let format = match parts.dialect {
        Some(Dialect::Tsv) => "PDH text (PDH-TSV)",
        _ => "PDH text (PDH-CSV)",
    };
    let named =
        parts.all.iter().find_map(|part| part.zone.as_ref()).filter(|_| timeline.zone != ZoneUsed::Unknown);
    let is_zone_asked = matches!(timeline.zone, ZoneUsed::Asked | ZoneUsed::AskedAgainstHeader);
    let zone = match (named, asked, timeline.times.first()) {
        (None, Some(zone), Some(first)) if is_zone_asked => Some(Zone::of(zone, first.utc)),
        (Some(named), Some(zone), Some(first))
            if timeline.zone == ZoneUsed::AskedAgainstHeader
                || is_zone_asked && (named.name.is_empty() || named.offset_min() != first.offset_min) =>
        {
            Some(Zone::of(zone, first.utc))
        }
        (Some(named), _, _) => Some(named.zone()),
        _ => None,
    };
    let is_zone_unknown = timeline.zone == ZoneUsed::Unknown;
    CaptureInfo {
        format: format.into(),
        hosts,
        is_cooked: true,
        authority: Authority::Text,
        details,
        zone,
        is_zone_unknown,
        is_zone_asked,
        ..CaptureInfo::default()
    }
}

/// The first date that doesn't exist.
fn date_fault(health: &Health) -> Option<(RowFault, String)> {
    let fault = health.findings().iter().find(|finding| finding.kind == FindingKind::Dropped)?;
    Some((RowFault::NoTime, fault.what.clone()))
}
